// SPDX-License-Identifier: Apache-2.0
#include "traffic/closed_loop.h"

#include <algorithm>
#include <utility>

namespace weir {

namespace {
enum Purpose : std::uint64_t { kSizes, kThinkTimes, kJitter };
}  // namespace

std::vector<std::string> problems(const ClosedLoopSettings& settings) {
  std::vector<std::string> problems = shape_problems(settings.think);
  if (settings.pairs.empty()) problems.emplace_back("no pair of hosts, expected at least one");
  if (!settings.size.valid()) problems.emplace_back("sizes can be zero, expected at least one byte");
  if (settings.outstanding == 0) problems.emplace_back("no message is outstanding, expected at least one");
  if (!(settings.mean_think_picoseconds >= 0.0)) problems.emplace_back("the think time is negative");
  if (settings.jitter < Duration()) problems.emplace_back("the jitter is negative");
  return problems;
}

ClosedLoopSource::ClosedLoopSource(ClosedLoopSettings settings, std::uint64_t seed) : settings_(std::move(settings)) {
  RandomStream jitter(seed, 0, kJitter);
  const auto bound = static_cast<std::uint64_t>(settings_.jitter.picoseconds()) + 1;
  due_.resize(settings_.pairs.size() * settings_.outstanding);
  pairs_.reserve(settings_.pairs.size());
  for (std::size_t i = 0; i < settings_.pairs.size(); ++i) {
    pairs_.push_back({RandomStream(seed, i + 1, kSizes), RandomStream(seed, i + 1, kThinkTimes),
                      ArrivalProcess(settings_.think, settings_.mean_think_picoseconds)});
    for (std::uint32_t n = 0; n < settings_.outstanding; ++n) {
      const auto shift = Duration::picoseconds(static_cast<std::int64_t>(jitter.below(bound)));
      schedule(static_cast<std::uint32_t>(i * settings_.outstanding + n), saturating_add(settings_.flows.start, shift));
    }
  }
}

void ClosedLoopSource::schedule(std::uint32_t slot, Time start) {
  Pair& pair = pairs_[slot / settings_.outstanding];
  if (start >= settings_.flows.no_start_from() || pair.messages >= settings_.messages_per_pair ||
      taken_ >= settings_.flows.flow_limit) {
    return;
  }
  ++pair.messages;
  due_.arm(slot, start);
}

FlowSpec ClosedLoopSource::take() {
  const std::uint32_t slot = due_.first();
  const std::uint32_t number = slot / settings_.outstanding;
  FlowSpec flow = settings_.flows.flow(due_.earliest());
  flow.source = settings_.pairs[number].source;
  flow.destination = settings_.pairs[number].destination;
  flow.size = settings_.size.draw(pairs_[number].sizes);
  if (settings_.persistent_queue_pairs) flow.connection = ConnectionId(number);
  flow.slot = slot;
  due_.cancel(slot);
  if (++taken_ >= settings_.flows.flow_limit) {
    for (std::size_t i = 0; i < due_.size(); ++i) due_.cancel(static_cast<std::uint32_t>(i));
  }
  return flow;
}

void ClosedLoopSource::on_completed(const FlowSpec& flow, Time now) {
  Pair& pair = pairs_[flow.slot / settings_.outstanding];
  // The completed message may have been stopped before the source restarts.
  const Time from = std::max(now, settings_.flows.start);
  schedule(flow.slot, saturating_add(from, pair.think.next(pair.think_times)));
}

void ClosedLoopSource::offered(const OfferedRate& /*visit*/) const {}

}  // namespace weir
