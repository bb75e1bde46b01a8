// SPDX-License-Identifier: Apache-2.0
#include "traffic/all_to_all.h"

#include <fmt/format.h>

#include <utility>

namespace weir {

namespace {

enum Purpose : std::uint64_t { kReceivers, kJitter };

/// The sum of the first `part` of `parts` equal parts of `bytes`, such that all parts sum to `bytes`.
Bytes up_to_part(Bytes bytes, std::uint64_t part, std::uint64_t parts) {
  const auto whole = static_cast<std::uint64_t>(bytes.count()) / parts;
  const auto rest = static_cast<std::uint64_t>(bytes.count()) % parts;
  return Bytes(static_cast<std::int64_t>(whole * part + rest * part / parts));
}

}  // namespace

std::vector<std::string> problems(const AllToAllSettings& settings) {
  std::vector<std::string> problems;
  if (!settings.weights.empty() && settings.weights.size() != settings.receivers.size()) {
    problems.push_back(fmt::format("{} weights for {} receivers, expected one each", settings.weights.size(),
                                   settings.receivers.size()));
    return problems;
  }
  for (const double weight : settings.weights) {
    if (!(weight >= 0.0 && weight <= 1e12)) {
      problems.push_back(fmt::format("a weight is {}, expected 0 to 1e12", weight));
    }
  }
  if (settings.senders.empty()) problems.emplace_back("no sender, expected at least one");
  for (const HostId sender : settings.senders) {
    bool reaches = false;
    for (std::size_t i = 0; i < settings.receivers.size(); ++i) {
      reaches |= settings.receivers[i] != sender && (settings.weights.empty() || settings.weights[i] > 0.0);
    }
    if (!reaches) problems.push_back(fmt::format("host {} has no receiver other than itself", sender.index()));
  }
  if (settings.bytes_per_sender <= Bytes(0)) problems.emplace_back("the bytes of a step are not above zero");
  if (settings.bursts == 0) problems.emplace_back("no bursts per step, expected at least one");
  for (const Duration duration : {settings.burst_interval, settings.step_interval, settings.jitter}) {
    if (duration < Duration()) problems.emplace_back("an interval is negative");
  }
  const bool endless = settings.step_limit == std::numeric_limits<std::uint64_t>::max();
  if (endless && settings.step_interval == Duration() &&
      (settings.pace == AllToAllSettings::Pace::periodic || settings.keep_local)) {
    problems.emplace_back("endless steps without an interval, expected an interval or a limit of steps");
  }
  if (settings.pace == AllToAllSettings::Pace::periodic && settings.bursts > 0 &&
      settings.burst_interval * (settings.bursts - 1) > settings.step_interval && settings.step_limit > 1) {
    problems.emplace_back("the bursts of a step last longer than the interval between steps");
  }
  return problems;
}

AllToAllSource::AllToAllSource(AllToAllSettings settings, std::uint64_t seed)
    : settings_(std::move(settings)), receivers_(seed, 0, kReceivers), jitter_(seed, 0, kJitter) {
  if (settings_.weights.empty()) settings_.weights.assign(settings_.receivers.size(), 1.0);
  for (const double weight : settings_.weights) weight_ += weight;
  schedule_step(settings_.flows.start);
  prepare();
}

void AllToAllSource::schedule_step(Time at) {
  step_start_ = steps_ < settings_.step_limit && at < settings_.flows.no_start_from() ? at : Time::never();
  next_burst_ = step_start_;
  bursts_drawn_ = 0;
}

void AllToAllSource::prepare() {
  while (next_burst_ != Time::never() && next_burst_ < pending_.next_start()) {
    const Time burst = next_burst_;
    if (bursts_drawn_ == 0) ++steps_;
    draw_burst();
    if (++bursts_drawn_ < settings_.bursts) {
      next_burst_ = saturating_add(burst, settings_.burst_interval);
      if (next_burst_ >= settings_.flows.no_start_from()) next_burst_ = Time::never();
    } else if (settings_.pace == AllToAllSettings::Pace::periodic) {
      schedule_step(saturating_add(step_start_, settings_.step_interval));
    } else if (incomplete_ == 0) {  // no flow left the senders
      schedule_step(saturating_add(burst, settings_.step_interval));
    } else {
      next_burst_ = Time::never();
    }
  }
  if (taken_ >= settings_.flows.flow_limit) {
    pending_.clear();
    next_burst_ = Time::never();
  }
}

double AllToAllSource::weight_of_others(HostId sender) const {
  if (settings_.keep_local) return weight_;
  double weight = 0.0;
  for (std::size_t i = 0; i < settings_.receivers.size(); ++i) {
    if (settings_.receivers[i] != sender) weight += settings_.weights[i];
  }
  return weight;
}

void AllToAllSource::draw_burst() {
  const Bytes bytes = up_to_part(settings_.bytes_per_sender, bursts_drawn_ + 1, settings_.bursts) -
                      up_to_part(settings_.bytes_per_sender, bursts_drawn_, settings_.bursts);
  for (const HostId sender : settings_.senders) {
    if (settings_.split == AllToAllSettings::Split::divided) {
      draw_divided(sender, bytes);
    } else {
      draw_one(sender, bytes);
    }
  }
}

void AllToAllSource::draw_divided(HostId sender, Bytes bytes) {
  const double total = weight_of_others(sender);
  double up_to = 0.0;
  Bytes given;
  for (std::size_t i = 0; i < settings_.receivers.size(); ++i) {
    const bool local = settings_.receivers[i] == sender;
    if (local && !settings_.keep_local) continue;
    up_to += settings_.weights[i];
    // The parts of a burst sum to it, however each is rounded.
    const auto bound =
        up_to >= total ? bytes : Bytes(static_cast<std::int64_t>(static_cast<double>(bytes.count()) * (up_to / total)));
    if (!local) push(sender, settings_.receivers[i], bound - given);
    given = bound;
  }
}

void AllToAllSource::draw_one(HostId sender, Bytes bytes) {
  const double at = receivers_.uniform() * weight_of_others(sender);
  double up_to = 0.0;
  HostId chosen;
  for (std::size_t i = 0; i < settings_.receivers.size(); ++i) {
    if ((settings_.receivers[i] == sender && !settings_.keep_local) || settings_.weights[i] == 0.0) continue;
    chosen = settings_.receivers[i];
    up_to += settings_.weights[i];
    if (at < up_to) break;
  }
  if (chosen != sender) push(sender, chosen, bytes);
}

void AllToAllSource::push(HostId sender, HostId receiver, Bytes bytes) {
  if (bytes <= Bytes(0)) return;
  FlowSpec flow = settings_.flows.flow(next_burst_);
  if (settings_.jitter > Duration()) {
    const auto bound = static_cast<std::uint64_t>(settings_.jitter.picoseconds()) + 1;
    flow.start = saturating_add(next_burst_, Duration::picoseconds(static_cast<std::int64_t>(jitter_.below(bound))));
  }
  flow.source = sender;
  flow.destination = receiver;
  flow.size = bytes;
  flow.synchronous = true;
  ++incomplete_;  // permanently, if it would start after senders have stopped
  if (flow.start < settings_.flows.end_flows) pending_.push(flow);
}

FlowSpec AllToAllSource::take() {
  const FlowSpec flow = pending_.pop();
  ++taken_;
  prepare();
  return flow;
}

void AllToAllSource::on_completed(const FlowSpec& /*flow*/, Time now) {
  --incomplete_;
  const bool step_is_over = incomplete_ == 0 && bursts_drawn_ == settings_.bursts;
  if (settings_.pace == AllToAllSettings::Pace::after_completion && step_is_over) {
    schedule_step(saturating_add(now, settings_.step_interval));
    prepare();
  }
}

void AllToAllSource::offered(const OfferedRate& visit) const {
  if (settings_.pace != AllToAllSettings::Pace::periodic || settings_.step_interval == Duration() ||
      settings_.step_limit < 2) {
    return;
  }
  const double of_sender =
      static_cast<double>(settings_.bytes_per_sender.count()) * 8.0 / settings_.step_interval.seconds();
  for (const HostId sender : settings_.senders) {
    const double total = weight_of_others(sender);
    for (std::size_t i = 0; i < settings_.receivers.size(); ++i) {
      if (settings_.receivers[i] == sender) continue;
      visit(sender, settings_.receivers[i], of_sender * settings_.weights[i] / total);
    }
  }
}

}  // namespace weir
