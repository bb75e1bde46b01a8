// SPDX-License-Identifier: Apache-2.0
#include "traffic/incast.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace weir {

namespace {
enum Purpose : std::uint64_t { kIntervals, kHosts, kSizes, kJitter };
}  // namespace

std::vector<std::string> problems(const IncastSettings& settings) {
  std::vector<std::string> problems = shape_problems(settings.events);
  if (settings.degree == 0) problems.emplace_back("the degree is 0, expected at least one flow per event");
  if (settings.destinations.empty()) problems.emplace_back("no destination, expected at least one");
  if (!settings.size.valid()) problems.emplace_back("sizes can be zero, expected at least one byte");
  if (settings.jitter < Duration()) problems.emplace_back("the jitter is negative");
  if (!(settings.mean_interval_picoseconds >= 0.0)) problems.emplace_back("the interval is negative");
  if (settings.mean_interval_picoseconds == 0.0 && settings.event_limit == std::numeric_limits<std::uint64_t>::max()) {
    problems.emplace_back("endless events without an interval, expected an interval or a limit of events");
  }
  if (settings.destination_choice == DestinationChoice::random_by_flow) {
    const HostsByRack destinations(HostSet(settings.destinations), settings.racks);
    for (const HostId source : settings.sources) {
      if (destinations.choice(source, settings.scope).size() > 0) continue;
      problems.push_back(fmt::format("host {} may send to no destination", source.index()));
    }
    if (settings.sources.empty()) problems.emplace_back("no source, expected at least one");
    if (!settings.with_replacement && settings.sources.size() < settings.degree) {
      problems.push_back(fmt::format("{} distinct sources are required, but there are only {}", settings.degree,
                                     settings.sources.size()));
    }
    return problems;
  }
  const HostsByRack sources(settings.sources, settings.racks);
  for (const HostId destination : settings.destinations) {
    const std::size_t eligible = sources.choice(destination, settings.scope).size();
    if (eligible == 0) {
      problems.push_back(fmt::format("no source may send to host {}", destination.index()));
    } else if (!settings.with_replacement && eligible < settings.degree) {
      problems.push_back(fmt::format("{} distinct sources are required, but only {} may send to host {}",
                                     settings.degree, eligible, destination.index()));
    }
  }
  return problems;
}

IncastSource::IncastSource(IncastSettings settings, std::uint64_t seed)
    : settings_(std::move(settings)),
      sources_(settings_.sources, settings_.racks),
      destinations_(HostSet(settings_.destinations), settings_.racks),
      events_(settings_.events, settings_.mean_interval_picoseconds),
      intervals_(seed, 0, kIntervals),
      hosts_(seed, 0, kHosts),
      sizes_(seed, 0, kSizes),
      jitter_(seed, 0, kJitter),
      next_event_(settings_.flows.start) {
  if (settings_.events.kind != ArrivalShape::Kind::constant) next_event(settings_.flows.start);
  if (settings_.event_limit == 0 || next_event_ >= settings_.flows.no_start_from()) next_event_ = Time::never();
  prepare();
}

void IncastSource::next_event(Time from) {
  next_event_ = saturating_add(from, events_.next(intervals_));
  if (events_drawn_ >= settings_.event_limit || next_event_ >= settings_.flows.no_start_from())
    next_event_ = Time::never();
}

void IncastSource::prepare() {
  // An event at the instant of the earliest flow cannot precede it, and is drawn after it has been taken.
  while (next_event_ != Time::never() && next_event_ < pending_.next_start()) {
    draw_event();
    ++events_drawn_;
    next_event(next_event_);
  }
  if (flows_taken_ >= settings_.flows.flow_limit) {
    pending_.clear();
    next_event_ = Time::never();
  }
}

void IncastSource::choose_sources(std::size_t hosts) {
  chosen_.clear();
  if (settings_.with_replacement) {
    for (std::uint32_t i = 0; i < settings_.degree; ++i) chosen_.push_back(hosts_.below(hosts));
    return;
  }
  chosen_.resize(hosts);  // the first steps of a Fisher-Yates shuffle
  std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
  for (std::size_t i = 0; i < settings_.degree; ++i) {
    std::swap(chosen_[i], chosen_[i + hosts_.below(chosen_.size() - i)]);
  }
  chosen_.resize(settings_.degree);
}

void IncastSource::draw_event() {
  const std::vector<HostId>& destinations = settings_.destinations;
  const bool by_flow = settings_.destination_choice == DestinationChoice::random_by_flow;
  HostId destination = destinations[events_drawn_ % destinations.size()];
  if (settings_.destination_choice == DestinationChoice::random_by_event) {
    destination = destinations[hosts_.below(destinations.size())];
  }
  const HostsByRack::Choice choice = by_flow ? sources_.everyone() : sources_.choice(destination, settings_.scope);
  choose_sources(choice.size());

  Bytes size = settings_.size.draw(sizes_);
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (i > 0 && !settings_.one_size_an_event) size = settings_.size.draw(sizes_);
    const HostId source = sources_.at(choice, chosen_[i]);
    if (by_flow) {
      const HostsByRack::Choice targets = destinations_.choice(source, settings_.scope);
      destination = destinations_.at(targets, hosts_.below(targets.size()));
    }
    FlowSpec flow = settings_.flows.flow(next_event_);
    flow.incast = true;
    if (settings_.jitter > Duration()) {
      const auto bound = static_cast<std::uint64_t>(settings_.jitter.picoseconds()) + 1;
      flow.start = saturating_add(next_event_, Duration::picoseconds(static_cast<std::int64_t>(jitter_.below(bound))));
    }
    if (flow.start >= settings_.flows.end_flows) continue;
    flow.source = source;
    flow.destination = destination;
    flow.size = size;
    flow.synchronous = true;
    pending_.push(flow);
  }
}

FlowSpec IncastSource::take() {
  const FlowSpec flow = pending_.pop();
  ++flows_taken_;
  prepare();
  return flow;
}

void IncastSource::offered(const OfferedRate& visit) const {
  if (settings_.mean_interval_picoseconds == 0.0 || settings_.event_limit < 2) return;
  const double total = settings_.degree * settings_.size.mean() * 8e12 / settings_.mean_interval_picoseconds;
  const auto spread = [&](const HostsByRack& hosts, const HostsByRack::Choice& choice, double rate, auto&& visit_one) {
    const double each = rate / static_cast<double>(choice.size());
    for (std::size_t k = 0; k < choice.size(); ++k) visit_one(hosts.at(choice, k), each);
  };
  if (settings_.destination_choice == DestinationChoice::random_by_flow) {
    spread(sources_, sources_.everyone(), total, [&](HostId source, double of_source) {
      spread(destinations_, destinations_.choice(source, settings_.scope), of_source,
             [&](HostId destination, double rate) { visit(source, destination, rate); });
    });
    return;
  }
  const double of_destination = total / static_cast<double>(settings_.destinations.size());
  for (const HostId destination : settings_.destinations) {
    spread(sources_, sources_.choice(destination, settings_.scope), of_destination,
           [&](HostId source, double rate) { visit(source, destination, rate); });
  }
}

}  // namespace weir
