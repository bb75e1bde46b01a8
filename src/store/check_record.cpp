// SPDX-License-Identifier: Apache-2.0
#include "store/check_record.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "results/counters.h"

namespace weir {
namespace {

/// Picoseconds: the limit of a run; two of them can be added without overflow.
constexpr std::int64_t kLatest = (std::int64_t{1} << 61) - 1;
constexpr int kHighestTier = 1'000'000;

bool is_time(Duration time) {
  return time >= Duration() && time.picoseconds() <= kLatest;
}
bool is_time(Time time) {
  return is_time(time.since_start());
}
bool is_tier(int tier) {
  return tier >= -1 && tier <= kHighestTier;
}

/// Counters are not negative, and times over which many packets were blocked may exceed the run.
template <class Record, class Counters>
bool counts(const Record& record, const Counters& counters) {
  for (const Counter<Record>& counter : counters) {
    if (counter.get(record) < 0) return false;
  }
  return true;
}

/// Whether `sum` plus `count` does not overflow; summaries add up counters of all flows, switches or links.
bool adds_up(std::int64_t& sum, std::int64_t count) {
  return !__builtin_add_overflow(sum, count, &sum);
}

template <class Record, class Counters>
bool add_up(const std::vector<Record>& records, const Counters& counters) {
  for (const Counter<Record>& counter : counters) {
    std::int64_t sum = 0;
    for (const Record& record : records) {
      if (!adds_up(sum, counter.get(record))) return false;
    }
  }
  return true;
}

bool is_sound(const Histogram& values) {
  std::uint64_t samples = 0;
  for (const std::uint64_t bucket : values.parts().buckets) samples += bucket;
  return samples == values.count() && values.maximum() >= 0;
}

std::string wrong_in_flows(const RunRecord& record) {
  for (const FlowRecord& flow : record.flows) {
    const bool sound = is_time(flow.start) && is_time(flow.sender_completion) && is_time(flow.receiver_completion) &&
                       is_time(flow.ideal_fct) && flow.size >= Bytes() && counts(flow, kFlowCounters);
    if (!sound) return fmt::format("flow {} has a time or a count out of range", flow.id.value);
  }
  if (!add_up(record.flows, kFlowCounters)) return "a sum of counts of flows is out of range";
  return {};
}

std::string wrong_in_nodes(const RunRecord& record) {
  for (const SwitchRecord& at : record.switches) {
    const bool sound =
        is_tier(at.tier) && counts(at, kSwitchCounters) && is_sound(at.occupancy) && is_sound(at.occupancy_at_pause);
    if (!sound) return fmt::format("switch {} has a tier, a count or a histogram out of range", at.id.value);
  }
  for (std::size_t i = 0; i < record.links.size(); ++i) {
    const LinkRecord& link = record.links[i];
    const bool sound =
        is_tier(link.from_tier) && is_tier(link.to_tier) && counts(link, kLinkCounters) && link.rate > BitRate();
    if (!sound) return fmt::format("link {} has a tier, a rate or a count out of range", i);
  }
  if (!add_up(record.switches, kSwitchCounters)) return "a sum of counts of switches is out of range";
  if (!add_up(record.links, kLinkCounters)) return "a sum of counts of links is out of range";
  return {};
}

std::string wrong_in_timeline(const RunRecord& record) {
  const Timeline& timeline = record.timeline;
  if (timeline.recorded()) {
    if (record.links.empty()) return "a timeline of no links";
    const bool sound = timeline.interval > Duration() && is_time(timeline.interval) &&
                       timeline.intervals <= static_cast<std::uint64_t>(kLatest / timeline.interval.picoseconds());
    if (!sound) return "the timeline has an interval or a length out of range";
  }
  for (const PauseSpan& pause : timeline.pauses) {
    if (!is_time(pause.begin) || !is_time(pause.end) || pause.end < pause.begin) return "a pause has no length";
  }
  for (const Series& series : record.series) {
    const auto values = static_cast<std::int64_t>(series.values.size());
    const bool sound = is_time(series.interval) && series.interval.picoseconds() <= kLatest / (2 * (values + 1));
    if (!sound) return fmt::format("the series {} has an interval out of range", series.name);
  }
  return {};
}

}  // namespace

std::string wrong_in(const RunRecord& record) {
  if (!is_time(record.simulated)) return "it went on for a time out of range";
  if (record.wall_seconds < 0 || std::isinf(record.wall_seconds)) return "it took a time out of range";
  if (!counts(record, kRunCounters)) return "a count is negative";
  for (const std::int64_t bytes : record.bytes_by_kind) {
    if (bytes < 0) return "a count is negative";
  }
  std::int64_t held = 0;
  std::int64_t innocent = 0;
  for (const PauseHold& hold : record.pause_hold) {
    if (hold.held < Duration() || hold.innocent < Duration()) return "a time of pauses is negative";
    if (!adds_up(held, hold.held.picoseconds()) || !adds_up(innocent, hold.innocent.picoseconds())) {
      return "a sum of times of pauses is out of range";
    }
  }
  for (const Histogram& waiting : record.queueing_by_tier) {
    if (!is_sound(waiting)) return "a histogram does not add up";
  }
  if (!is_sound(record.active_flows) || !is_sound(record.active_queues)) return "a histogram does not add up";
  for (const auto check : {wrong_in_flows, wrong_in_nodes, wrong_in_timeline}) {
    std::string wrong = check(record);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace weir
