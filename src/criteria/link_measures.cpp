// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "criteria/measure_tables.h"
#include "criteria/selection.h"

namespace weir::measures {
namespace {

/// The part of interval `i` of `length` that lies in the span, 0..1.
double part_of(const selection::Span& span, double length, std::size_t i) {
  const double begin = static_cast<double>(i) * length;
  return std::clamp((std::min(span.end, begin + length) - std::max(span.begin, begin)) / length, 0.0, 1.0);
}

const Timeline& timeline_of(const RunView& run) {
  if (run.record.timeline.recorded()) return run.record.timeline;
  throw Unavailable("the run recorded no timeline of its links");
}

double bytes_carried(const RunView& run, const selection::Span& span, std::size_t link) {
  if (span.whole) return static_cast<double>(run.record.links[link].bytes);
  const Timeline& timeline = timeline_of(run);
  const auto length = static_cast<double>(timeline.interval.picoseconds());
  double sum = 0;
  for (std::size_t i = 0; i < timeline.intervals; ++i) {
    sum += part_of(span, length, i) * timeline.carried[link * timeline.intervals + i];
  }
  return sum;
}

Figure link_throughput(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  double sum = 0;
  for (const std::size_t link : selection::links(run, arguments)) sum += bytes_carried(run, span, link);
  return Figure::number(sum / (span.end - span.begin));
}

Figure link_utilisation(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  double sum = 0;
  double capacity = 0;
  for (const std::size_t link : selection::links(run, arguments)) {
    // Bytes on the link besides frames: preamble, start delimiter and gap.
    const LinkRecord& record = run.record.links[link];
    const double overhead = record.bytes == 0
                                ? 1
                                : 1 + static_cast<double>(record.frames) * run.settings.network.framing.wire_overhead /
                                          static_cast<double>(record.bytes);
    sum += bytes_carried(run, span, link) * overhead;
    capacity += static_cast<double>(record.rate.bits_per_second()) / 8e12 * (span.end - span.begin);
  }
  return Figure::number(sum / capacity);
}

/// The rate in each interval of the timeline that lies in the span, summed over links.
std::vector<double> link_rates_of(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  const Timeline& timeline = timeline_of(run);
  const auto length = static_cast<double>(timeline.interval.picoseconds());
  std::vector<double> out;
  for (std::size_t i = 0; i < timeline.intervals; ++i) {
    if (part_of(span, length, i) < 1) continue;
    double sum = 0;
    for (const std::size_t link : selection::links(run, arguments)) {
      sum += timeline.carried[link * timeline.intervals + i];
    }
    out.push_back(sum / length);
  }
  return out;
}

Figure link_rates(const RunView& run, const Arguments& arguments) {
  return Figure::numbers(link_rates_of(run, arguments));
}

/// The start times of the intervals of link_rates.
Figure link_times(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  const Timeline& timeline = timeline_of(run);
  const auto length = static_cast<double>(timeline.interval.picoseconds());
  std::vector<double> out;
  for (std::size_t i = 0; i < timeline.intervals; ++i) {
    if (part_of(span, length, i) >= 1) out.push_back(static_cast<double>(i) * length);
  }
  return Figure::numbers(std::move(out));
}

Figure recovery_time(const RunView& run, const Arguments& arguments) {
  const auto length = static_cast<double>(timeline_of(run).interval.picoseconds());
  const double over = selection::number(arguments, "over", length);
  const double level = selection::number(arguments, "level", 0);
  const std::vector<double> rates = link_rates_of(run, arguments);
  const auto window = static_cast<std::size_t>(std::max(1.0, std::round(over / length)));
  double sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    sum += rates[i];
    if (i >= window) sum -= rates[i - window];
    if (i + 1 >= window && sum / static_cast<double>(window) >= level) {
      return Figure::number(static_cast<double>(i + 1) * length);
    }
  }
  return Figure::number(kNone);
}

Figure pauses_sent(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  const std::vector<std::size_t> links = selection::links(run, arguments);
  double count = 0;
  if (span.whole) {
    for (const std::size_t link : links) count += static_cast<double>(run.record.links[link].pauses);
    return Figure::number(count);
  }
  const Timeline& timeline = timeline_of(run);
  if (timeline.pauses_left_out > 0) throw Unavailable("the run had more pauses than its timeline keeps");
  for (const PauseSpan& pause : timeline.pauses) {
    const auto begin = static_cast<double>(pause.begin.since_start().picoseconds());
    if (span.begin <= begin && begin < span.end && std::binary_search(links.begin(), links.end(), pause.link)) ++count;
  }
  return Figure::number(count);
}

double paused_time_of(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  const std::vector<std::size_t> links = selection::links(run, arguments);
  double sum = 0;
  if (span.whole) {
    for (const std::size_t link : links) sum += static_cast<double>(run.record.links[link].paused.picoseconds());
    return sum;
  }
  const Timeline& timeline = timeline_of(run);
  if (timeline.pauses_left_out > 0) throw Unavailable("the run had more pauses than its timeline keeps");
  for (const PauseSpan& pause : timeline.pauses) {
    if (!std::binary_search(links.begin(), links.end(), pause.link)) continue;
    const auto begin = static_cast<double>(pause.begin.since_start().picoseconds());
    const auto end = static_cast<double>(pause.end.since_start().picoseconds());
    sum += std::max(0.0, std::min(end, span.end) - std::max(begin, span.begin));
  }
  return sum;
}

Figure paused_time(const RunView& run, const Arguments& arguments) {
  return Figure::number(paused_time_of(run, arguments));
}

Figure pause_fraction(const RunView& run, const Arguments& arguments) {
  const selection::Span span = selection::span(run, arguments);
  const auto links = static_cast<double>(selection::links(run, arguments).size());
  return Figure::number(paused_time_of(run, arguments) / (links * (span.end - span.begin)));
}

}  // namespace

std::vector<RunMeasure> of_links() {
  using M = MeasurementSettings;
  const std::vector<Argument>& links = selection::link_arguments();
  return {
      {{"link_throughput", "mean rate of frame bytes carried, summed over links", kRate, false, links},
       &M::timeline,
       link_throughput},
      {{"link_utilisation", "used fraction of the links' capacity", kPlain, false, links},
       &M::timeline,
       link_utilisation},
      {{"link_rates", "link_throughput per interval of the timeline", kRate, true, links}, &M::timeline, link_rates},
      {{"link_times", "start times of the intervals of link_rates", kTime, true, links}, &M::timeline, link_times},
      {{"recovery_time", "time after since until link_throughput over a window first reaches a level", kTime, false,
        joined(links, {{"level", false, kRate, true, "level to reach"},
                       {"over", false, kTime, false, "length of the window"}})},
       &M::timeline,
       recovery_time},
      {{"pauses_sent", "pauses (changes from resumed to paused) sent by the receivers of the links", kPlain, false,
        links},
       &M::timeline,
       pauses_sent},
      {{"paused_time", "time for which the senders of the links were paused, summed over links", kTime, false, links},
       &M::timeline,
       paused_time},
      {{"pause_fraction", "fraction of time for which the senders of the links were paused", kPlain, false, links},
       &M::timeline,
       pause_fraction},
  };
}

}  // namespace weir::measures
