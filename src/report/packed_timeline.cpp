// SPDX-License-Identifier: Apache-2.0
#include "report/packed_timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {
namespace {

constexpr double kCodes = 255;

/// A share as a code, which is zero only for zero.
std::uint8_t share_code(double share) {
  if (share <= 0) return 0;
  return static_cast<std::uint8_t>(std::clamp(std::round(share * kCodes), 1.0, kCodes));
}

std::uint8_t queue_code(std::uint32_t bytes, double step) {
  if (bytes == 0) return 0;
  const double octaves = std::log2(static_cast<double>(bytes) / PackedTimeline::kLeastQueue);
  return static_cast<std::uint8_t>(std::clamp(1 + std::round(octaves / step), 1.0, kCodes));
}

double queue_step_of(const Timeline& timeline) {
  const auto largest = std::max_element(timeline.queued.begin(), timeline.queued.end());
  const double bytes = largest == timeline.queued.end() ? 0.0 : static_cast<double>(*largest);
  // At least one octave in total, so that the step is not zero.
  return std::max(1.0, std::log2(std::max(bytes, 1.0) / PackedTimeline::kLeastQueue)) / (kCodes - 1);
}

/// Calls `code(link, interval)` for all links that have non-zero values.
template <class Code>
PackedRows pack(std::size_t links, std::size_t intervals, const Code& code) {
  PackedRows rows;
  std::vector<std::uint8_t> row(intervals);
  for (std::size_t link = 0; link < links; ++link) {
    for (std::size_t i = 0; i < intervals; ++i) row[i] = code(link, i);
    if (std::all_of(row.begin(), row.end(), [](std::uint8_t value) { return value == 0; })) continue;
    rows.links.push_back(static_cast<std::uint32_t>(link));
    rows.values.insert(rows.values.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace

std::size_t PackedTimeline::size() const {
  return load.values.size() + queued.values.size() + paused.values.size();
}

Duration length_of(const Timeline& timeline, std::size_t i, Time simulated) {
  const Duration begin = timeline.interval * static_cast<std::int64_t>(i);
  return std::clamp(simulated.since_start() - begin, Duration::picoseconds(1), timeline.interval);
}

Timeline joined(const Timeline& timeline, int halvings) {
  Timeline out = timeline;
  const std::size_t links = timeline.intervals == 0 ? 0 : timeline.carried.size() / timeline.intervals;
  const std::size_t group = std::size_t{1} << halvings;
  out.interval = timeline.interval * static_cast<std::int64_t>(group);
  out.intervals = (timeline.intervals + group - 1) / group;
  out.carried.assign(links * out.intervals, 0);
  out.queued.assign(links * out.intervals, 0);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t link = 0; link < links; ++link) {
    for (std::size_t i = 0; i < timeline.intervals; ++i) {
      const std::size_t from = link * timeline.intervals + i;
      const std::size_t to = link * out.intervals + i / group;
      const std::uint64_t sum = std::uint64_t{out.carried[to]} + timeline.carried[from];
      out.carried[to] = static_cast<std::uint32_t>(std::min(sum, kMost));
      out.queued[to] = std::max(out.queued[to], timeline.queued[from]);
    }
  }
  return out;
}

std::vector<std::int64_t> paused_time(const Timeline& timeline, std::size_t links) {
  std::vector<std::int64_t> paused(links * timeline.intervals);
  if (paused.empty()) return paused;
  const std::int64_t interval = timeline.interval.picoseconds();
  const auto last = static_cast<std::int64_t>(timeline.intervals) - 1;
  for (const PauseSpan& span : timeline.pauses) {
    const std::int64_t begin = span.begin.picoseconds();
    const std::int64_t end = span.end.picoseconds();
    for (std::int64_t i = std::min(begin / interval, last); i <= last && i * interval < end; ++i) {
      const std::int64_t overlap = std::min(end, (i + 1) * interval) - std::max(begin, i * interval);
      paused[span.link * timeline.intervals + static_cast<std::size_t>(i)] += std::max<std::int64_t>(overlap, 0);
    }
  }
  return paused;
}

PackedTimeline pack_timeline(const RunRecord& record, std::size_t most_intervals) {
  PackedTimeline packed;
  if (!record.timeline.recorded()) return packed;
  int halvings = 0;
  while (((record.timeline.intervals - 1) >> halvings) + 1 > most_intervals) ++halvings;
  const Timeline timeline = joined(record.timeline, halvings);
  const std::size_t links = record.links.size();
  const std::size_t intervals = timeline.intervals;
  packed.interval = timeline.interval;
  packed.intervals = intervals;
  packed.queue_step = queue_step_of(timeline);
  const auto seconds = [&](std::size_t i) { return length_of(timeline, i, record.simulated).seconds(); };
  packed.load = pack(links, intervals, [&](std::size_t link, std::size_t i) {
    const double bits = 8.0 * static_cast<double>(timeline.carried[link * intervals + i]);
    return share_code(bits / (static_cast<double>(record.links[link].rate.bits_per_second()) * seconds(i)));
  });
  packed.queued = pack(links, intervals, [&](std::size_t link, std::size_t i) {
    return queue_code(timeline.queued[link * intervals + i], packed.queue_step);
  });
  const std::vector<std::int64_t> paused = paused_time(timeline, links);
  packed.paused = pack(links, intervals, [&](std::size_t link, std::size_t i) {
    return share_code(static_cast<double>(paused[link * intervals + i]) * 1e-12 / seconds(i));
  });
  return packed;
}

}  // namespace weir
