// SPDX-License-Identifier: Apache-2.0
#include "criteria/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "check/check.h"
#include "criteria/selection.h"
#include "results/counters.h"
#include "results/distribution.h"
#include "results/rank.h"
#include "wire/frame.h"

namespace weir {
namespace {

using Arguments = MeasureArguments;
using Argument = Signature::Argument;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<Argument> joined(std::vector<Argument> first, const std::vector<Argument>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// ---- flows ----

std::vector<double> slowdowns(const RunView& run, const Arguments& arguments) {
  std::vector<double> out;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    if (flow->completed() && flow->ideal_fct > Duration()) out.push_back(slowdown_of(*flow));
  }
  return out;
}

std::vector<double> completion_times(const RunView& run, const Arguments& arguments) {
  std::vector<double> out;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    if (flow->completed()) out.push_back(static_cast<double>(flow->sender_completion.picoseconds()));
  }
  return out;
}

std::vector<double> flow_rates(const RunView& run, const Arguments& arguments) {
  std::vector<double> out;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    if (!flow->completed()) continue;
    out.push_back(static_cast<double>(flow->size.count()) / static_cast<double>(flow->sender_completion.picoseconds()));
  }
  return out;
}

using Values = std::vector<double> (*)(const RunView&, const Arguments&);
using Reduce = double (*)(const Distribution&);

template <Values values, Reduce reduce>
Figure reduced(const RunView& run, const Arguments& arguments) {
  const Distribution distribution = distribution_of(values(run, arguments));
  return Figure::number(distribution.empty() ? kNone : reduce(distribution));
}

double mean(const Distribution& d) {
  return d.mean;
}
double p50(const Distribution& d) {
  return d.p50;
}
double p90(const Distribution& d) {
  return d.p90;
}
double p95(const Distribution& d) {
  return d.p95;
}
double p99(const Distribution& d) {
  return d.p99;
}
double maximum(const Distribution& d) {
  return d.maximum;
}

template <Values values>
Figure all(const RunView& run, const Arguments& arguments) {
  return Figure::numbers(values(run, arguments));
}

Figure flows_started(const RunView& run, const Arguments& arguments) {
  return Figure::number(static_cast<double>(selection::flows(run, arguments).size()));
}

Figure flows_unfinished(const RunView& run, const Arguments& arguments) {
  const auto flows = selection::flows(run, arguments);
  return Figure::number(static_cast<double>(
      std::count_if(flows.begin(), flows.end(), [](const FlowRecord* f) { return !f->completed() && !f->stopped; })));
}

Figure flows_outstanding(const RunView& run, const Arguments& arguments) {
  const double at = selection::number(arguments, "at", 0);
  double count = 0;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    const auto start = static_cast<double>(flow->start.since_start().picoseconds());
    const double end = start + static_cast<double>(flow->sender_completion.picoseconds());
    if (start <= at && (!flow->completed() || at < end)) ++count;
  }
  return Figure::number(count);
}

// ---- links ----

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

// ---- switches ----

Figure buffer_max(const RunView& run, const Arguments& arguments) {
  double most = 0;
  for (const SwitchRecord* record : selection::switches(run, arguments)) {
    most = std::max(most, static_cast<double>(record->buffer_maximum));
  }
  return Figure::number(most);
}

template <Histogram SwitchRecord::*histogram>
Histogram merged(const RunView& run, const Arguments& arguments) {
  Histogram out;
  for (const SwitchRecord* record : selection::switches(run, arguments)) out.merge(record->*histogram);
  return out;
}

double quantile_of(const Histogram& histogram, const Arguments& arguments) {
  const double share = selection::number(arguments, "share", 0.99);
  if (!(share >= 0 && share <= 1)) throw Unavailable("share is not between 0 and 1");
  return histogram.count() == 0 ? kNone : static_cast<double>(histogram.quantile(share));
}

double mean_of(const Histogram& histogram) {
  return histogram.count() == 0 ? kNone : histogram.mean();
}

Figure occupancy(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(merged<&SwitchRecord::occupancy>(run, arguments), arguments));
}
Figure occupancy_mean(const RunView& run, const Arguments& arguments) {
  return Figure::number(mean_of(merged<&SwitchRecord::occupancy>(run, arguments)));
}
Figure occupancy_at_pause(const RunView& run, const Arguments& arguments) {
  return Figure::number(mean_of(merged<&SwitchRecord::occupancy_at_pause>(run, arguments)));
}

Figure drops(const RunView& run, const Arguments& arguments) {
  const std::string* reason = selection::text(arguments, "reason");
  double count = 0;
  bool known = reason == nullptr;
  for (const SwitchRecord* record : selection::switches(run, arguments)) {
    for (std::size_t i = 0; i < record->drops.size(); ++i) {
      if (reason != nullptr && kDropReasonNames[i] != *reason) continue;
      known = true;
      count += static_cast<double>(record->drops[i]);
    }
  }
  if (!known) throw Unavailable(fmt::format("unknown reason for drops \"{}\"", *reason));
  return Figure::number(count);
}

Figure drop_fraction(const RunView& run, const Arguments& arguments) {
  const double frames = static_cast<double>(run.record.data_frames);
  return Figure::number(frames == 0 ? kNone : *drops(run, arguments).as_number() / frames);
}

Figure shared_pool(const RunView& run, const Arguments& arguments) {
  const std::vector<const SwitchRecord*> chosen = selection::switches(run, arguments);
  double least = std::numeric_limits<double>::infinity();
  for (const CheckedSwitches& group : check_variant(run.settings, {}).switches) {
    for (const SwitchRecord* record : chosen) {
      if (std::find(group.switches.begin(), group.switches.end(), record->id) == group.switches.end()) continue;
      least = std::min(least, static_cast<double>(group.shared.count()));
    }
  }
  return Figure::number(least);
}

// ---- frames ----

Figure retransmitted_fraction(const RunView& run, const Arguments&) {
  const auto frames = static_cast<double>(run.record.data_frames);
  return Figure::number(frames == 0 ? kNone : static_cast<double>(run.record.retransmitted_frames) / frames);
}

Histogram queueing_of(const RunView& run, const Arguments& arguments) {
  Histogram out;
  for (std::size_t tier = 0; tier < run.record.queueing_by_tier.size(); ++tier) {
    if (selection::number(arguments, "tier", static_cast<double>(tier)) != static_cast<double>(tier)) continue;
    out.merge(run.record.queueing_by_tier[tier]);
  }
  return out;
}
Figure queueing(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(queueing_of(run, arguments), arguments));
}
Figure queueing_mean(const RunView& run, const Arguments& arguments) {
  return Figure::number(mean_of(queueing_of(run, arguments)));
}

Figure active_flows(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(run.record.active_flows, arguments));
}
Figure active_queues(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(run.record.active_queues, arguments));
}

Figure kind_fraction(const RunView& run, const Arguments& arguments) {
  static constexpr std::array<std::string_view, 7> kKinds = {"data", "ack",         "nack",        "cnp",
                                                             "pfc",  "hop control", "host control"};
  const std::string& wanted = *selection::text(arguments, "kind");
  double sum = 0;
  double of_kind = kNone;
  for (std::size_t i = 0; i < run.record.bytes_by_kind.size(); ++i) {
    const auto bytes = static_cast<double>(run.record.bytes_by_kind[i]);
    sum += bytes;
    if (i < kKinds.size() && kKinds[i] == wanted) of_kind = bytes;
  }
  if (std::isnan(of_kind)) throw Unavailable(fmt::format("unknown kind of frame \"{}\"", wanted));
  return Figure::number(of_kind / sum);
}

// ---- pauses and packets ----

PauseHold hold_of(const RunView& run, const Arguments& arguments) {
  const std::string* name = selection::text(arguments, "class");
  PauseHold out;
  for (std::size_t i = 0; i < run.record.pause_hold.size(); ++i) {
    const auto flow_class = static_cast<FlowClass>(i);
    bool chosen = name == nullptr;
    for (std::size_t group = 0; name != nullptr && group < kFlowGroupNames.size(); ++group) {
      chosen = chosen || (kFlowGroupNames[group] == *name && is_in(static_cast<FlowGroup>(group), flow_class));
    }
    if (!chosen) continue;
    out.held += run.record.pause_hold[i].held;
    out.innocent += run.record.pause_hold[i].innocent;
    out.packets += run.record.pause_hold[i].packets;
  }
  return out;
}
Figure innocent_time(const RunView& run, const Arguments& arguments) {
  return Figure::number(static_cast<double>(hold_of(run, arguments).innocent.picoseconds()));
}
Figure held_time(const RunView& run, const Arguments& arguments) {
  return Figure::number(static_cast<double>(hold_of(run, arguments).held.picoseconds()));
}

// ---- series ----

const Series& series_named(const RunView& run, const std::string& name) {
  std::string known;
  for (const Series& series : run.record.series) {
    const std::string bare = series.name.substr(0, series.name.rfind(' '));
    if (bare == name || series.name == name) return series;
    known += (known.empty() ? "" : ", ") + bare;
  }
  throw Unavailable(fmt::format("the run recorded no series \"{}\", only {}", name, known.empty() ? "none" : known));
}

/// The values of intervals that lie entirely in the span, times `scale`.
std::vector<double> values_in(const RunView& run, const Series& series, const Arguments& arguments, double scale) {
  const selection::Span span = selection::span(run, arguments);
  const auto length = static_cast<double>(series.interval.picoseconds());
  std::vector<double> out;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double begin = static_cast<double>(i) * length;
    if (begin >= span.begin && begin + length <= span.end) out.push_back(series.values[i] * scale);
  }
  return out;
}

constexpr double kBitPerSecond = 1.0 / 8e12;

template <bool rate>
Figure series_values(const RunView& run, const Arguments& arguments) {
  const Series& series = series_named(run, *selection::text(arguments, "name"));
  return Figure::numbers(values_in(run, series, arguments, rate ? kBitPerSecond : 1));
}

/// The start times of the intervals of series_values.
Figure series_times(const RunView& run, const Arguments& arguments) {
  const Series& series = series_named(run, *selection::text(arguments, "name"));
  const selection::Span span = selection::span(run, arguments);
  const auto length = static_cast<double>(series.interval.picoseconds());
  std::vector<double> out;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double begin = static_cast<double>(i) * length;
    if (begin >= span.begin && begin + length <= span.end) out.push_back(begin);
  }
  return Figure::numbers(std::move(out));
}

/// Time from `since` until the values remain within a relative deviation `within` of `target`.
template <bool rate>
Figure settling_time(const RunView& run, const Arguments& arguments) {
  const Series& series = series_named(run, *selection::text(arguments, "name"));
  const double target = selection::number(arguments, "target", 0);
  const double within = selection::number(arguments, "within", 0);
  const std::vector<double> values = values_in(run, series, arguments, rate ? kBitPerSecond : 1);
  std::size_t settled = values.size();
  while (settled > 0 && std::abs(values[settled - 1] - target) <= within * target) --settled;
  if (settled == values.size()) return Figure::number(kNone);
  return Figure::number(static_cast<double>(settled) * static_cast<double>(series.interval.picoseconds()));
}

double sum_of(const RunView& run, std::string_view name, const Arguments& arguments) {
  double sum = 0;
  for (const double value : values_in(run, series_named(run, std::string(name)), arguments, 1)) sum += value;
  return sum;
}

/// Mean and standard deviation over all samples and queue pairs.
Figure sender_rate_mean(const RunView& run, const Arguments& arguments) {
  const double number = sum_of(run, kSendersSeries, arguments);
  if (number == 0) return Figure::number(kNone);
  return Figure::number(sum_of(run, kSenderRateSeries, arguments) / number * kBitPerSecond);
}
Figure sender_rate_sd(const RunView& run, const Arguments& arguments) {
  const double number = sum_of(run, kSendersSeries, arguments);
  if (number == 0) return Figure::number(kNone);
  const double mean = sum_of(run, kSenderRateSeries, arguments) / number;
  const double variance = sum_of(run, kSenderRateSquareSeries, arguments) / number - mean * mean;
  return Figure::number(std::sqrt(std::max(0.0, variance)) * kBitPerSecond);
}

/// Received payload by class of flow, over time.
Figure throughput(const RunView& run, const Arguments& arguments) {
  static constexpr std::array<const char*, kFlowClasses> kNames = {"incast", "victim", "background"};
  const std::string* group = selection::text(arguments, "class");
  double sum = 0;
  bool any = false;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    bool chosen = group == nullptr;
    for (std::size_t g = 0; group != nullptr && g < kFlowGroupNames.size(); ++g) {
      chosen = chosen || (kFlowGroupNames[g] == *group && is_in(static_cast<FlowGroup>(g), static_cast<FlowClass>(i)));
    }
    if (!chosen) continue;
    any = true;
    const Series& series = series_named(run, fmt::format("throughput.{}", kNames[i]));
    const std::vector<double> values = values_in(run, series, arguments, kBitPerSecond);
    for (const double value : values) sum += value / static_cast<double>(values.size());
  }
  if (!any) throw Unavailable(fmt::format("unknown flow class \"{}\"", *group));
  return Figure::number(sum);
}

Figure simulated_time(const RunView& run, const Arguments&) {
  return Figure::number(static_cast<double>(run.record.simulated.since_start().picoseconds()));
}

Figure deadlocks(const RunView& run, const Arguments&) {
  return Figure::number(run.record.deadlock ? 1 : 0);
}

// ---- counters, as they stand in the records ----

/// Appends the counters of one table that are measures. `of_run` returns the records to sum over.
template <class Record, std::size_t count, class OfRun>
void add_counters(const std::array<Counter<Record>, count>& counters, const std::vector<Argument>& parameters,
                  OfRun of_run, std::vector<RunMeasure>& out) {
  for (const Counter<Record>& counter : counters) {
    if (counter.measure.empty()) continue;
    const Dimension dimension = counter.is_time ? kTime : counter.is_size() ? kSize : kPlain;
    out.push_back({{counter.measure, counter.meaning, dimension, false, parameters},
                   counter.measure == "link_held_time" ? &MeasurementSettings::held_links : nullptr,
                   [counter, of_run](const RunView& run, const Arguments& arguments) {
                     double sum = 0;
                     for (const Record* record : of_run(run, arguments))
                       sum += static_cast<double>(counter.get(*record));
                     return Figure::number(sum);
                   }});
  }
}

std::vector<const LinkRecord*> links_of(const RunView& run, const Arguments& arguments) {
  if (!selection::span(run, arguments).whole) throw Unavailable("counters of links exist for whole runs only");
  std::vector<const LinkRecord*> out;
  for (const std::size_t link : selection::links(run, arguments)) out.push_back(&run.record.links[link]);
  return out;
}

// ---- statistics, as they stand in their rows ----

const Argument kShareArgument = {"share", false, kPlain, false,
                                 "fraction of the values that are not above the result; default 0.99"};

template <class Row>
const std::vector<Row>& rows_of(const Statistics& statistics) {
  const std::vector<Row>* found = nullptr;
  for_each_statistic(statistics, [&found](const auto& rows) {
    if constexpr (std::is_same_v<StatisticRow<decltype(rows)>, Row>) found = &rows;
  });
  return *found;
}

/// Whether a row is selected by a key's argument, or by its default.
template <class Row>
bool is_meant(const RunView& run, const Row& row, const StatisticField<Row>& key, const Arguments& arguments) {
  const auto given = arguments.find(key.measure);
  const StatisticValue value = key.get(row);
  if (key.is_text) {
    const std::string& is = std::get<std::string>(value);
    if (given == arguments.end()) return key.otherwise.empty() || is == key.otherwise;
    const std::string& wanted = *given->second.as_text();
    return key.is_node ? selection::Nodes(run, wanted).contains(is) : is == wanted;
  }
  const auto* is = std::get_if<std::int64_t>(&value);
  if (given != arguments.end()) return is != nullptr && static_cast<double>(*is) == *given->second.as_number();
  return key.otherwise.empty() || (is != nullptr && std::to_string(*is) == key.otherwise);
}

/// Throws Unavailable for a text that is invalid or that no row has.
template <class Row>
void check_keys(const std::vector<Row>& rows, const Arguments& arguments) {
  for (const StatisticField<Row>& key : StatisticTable<Row>::kFields) {
    const std::string* wanted = selection::text(arguments, key.measure);
    if (wanted == nullptr || key.use != StatisticUse::key || key.is_node) continue;
    std::set<std::string> known(key.texts.begin(), key.texts.end());
    if (known.empty()) {
      for (const Row& row : rows) known.insert(std::get<std::string>(key.get(row)));
    }
    if (known.contains(*wanted)) continue;
    throw Unavailable(fmt::format("unknown {} \"{}\", expected one of {}", key.measure, *wanted,
                                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
}

template <class Row>
std::vector<const Row*> rows_meant(const RunView& run, const Arguments& arguments) {
  const std::vector<Row>& rows = rows_of<Row>(run.record.statistics);
  check_keys(rows, arguments);
  std::vector<const Row*> out;
  for (const Row& row : rows) {
    bool meant = true;
    for (const StatisticField<Row>& key : StatisticTable<Row>::kFields) {
      if (key.use == StatisticUse::key && !key.measure.empty()) meant = meant && is_meant(run, row, key, arguments);
    }
    if (meant) out.push_back(&row);
  }
  return out;
}

template <class Row>
Figure statistic(const RunView& run, const StatisticField<Row>& field, const Arguments& arguments) {
  if (rows_of<Row>(run.record.statistics).empty()) return Figure::number(kNone);
  double out = 0;
  for (const Row* row : rows_meant<Row>(run, arguments)) {
    const StatisticValue value = field.get(*row);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    out = field.use == StatisticUse::sum ? out + number : std::max(out, number);
  }
  return Figure::number(out);
}

template <class Row>
Histogram histogram_statistic(const RunView& run, const StatisticField<Row>& field, const Arguments& arguments) {
  Histogram out;
  for (const Row* row : rows_meant<Row>(run, arguments)) out.merge(row->*field.histogram);
  return out;
}

/// Appends the measures of one kind of statistics. `needs`: the required measurement.
template <class Row>
void add_statistics(bool MeasurementSettings::*needs, std::vector<RunMeasure>& out) {
  std::vector<Argument> keys;
  for (const StatisticField<Row>& key : StatisticTable<Row>::kFields) {
    if (key.use != StatisticUse::key || key.measure.empty()) continue;
    // A sum over policies' counters with different names is meaningless.
    keys.push_back({key.measure, key.is_text, kPlain, key.measure == "name", key.meaning});
  }
  for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
    if (field.use == StatisticUse::key || field.measure.empty()) continue;
    const Dimension dimension = field.unit == StatisticUnit::bytes         ? kSize
                                : field.unit == StatisticUnit::picoseconds ? kTime
                                                                           : kPlain;
    if (field.histogram == nullptr) {
      out.push_back(
          {{field.measure, field.meaning, dimension, false, keys},
           needs,
           [field](const RunView& run, const Arguments& arguments) { return statistic(run, field, arguments); }});
      continue;
    }
    // Their names must live as long as the program.
    static const std::string mean_name = std::string(field.measure) + "_mean";
    static const std::string most_name = std::string(field.measure) + "_max";
    static const std::string quantile_meaning = "quantile of the " + std::string(field.meaning);
    static const std::string mean_meaning = "mean of the " + std::string(field.meaning);
    static const std::string most_meaning = "maximum of the " + std::string(field.meaning);
    out.push_back({{field.measure, quantile_meaning, dimension, false, joined(keys, {kShareArgument})},
                   needs,
                   [field](const RunView& run, const Arguments& arguments) {
                     return Figure::number(quantile_of(histogram_statistic(run, field, arguments), arguments));
                   }});
    out.push_back({{mean_name, mean_meaning, dimension, false, keys},
                   needs,
                   [field](const RunView& run, const Arguments& arguments) {
                     return Figure::number(mean_of(histogram_statistic(run, field, arguments)));
                   }});
    out.push_back({{most_name, most_meaning, dimension, false, keys},
                   needs,
                   [field](const RunView& run, const Arguments& arguments) {
                     const Histogram values = histogram_statistic(run, field, arguments);
                     return Figure::number(values.count() == 0 ? kNone : static_cast<double>(values.maximum()));
                   }});
  }
}

std::vector<const RunRecord*> whole_run(const RunView& run, const Arguments&) {
  return {&run.record};
}

// ---- the table ----

const Argument kClassArgument = {"class", true, kPlain, false,
                                 "flow class: incast, victim, background, not incast, all"};
const std::vector<Argument> kSpanArguments = {{"since", false, kTime, false, "from this time on"},
                                              {"until", false, kTime, false, "before this time"}};

std::vector<Argument> series_arguments() {
  return joined({{"name", true, kPlain, true, "name of the series, without its unit"}}, kSpanArguments);
}
std::vector<Argument> settling_arguments(Dimension dimension) {
  return joined(series_arguments(),
                {{"target", false, dimension, true, "value at which the series settles"},
                 {"within", false, kPlain, true, "allowed deviation, as a fraction of the target"}});
}

using M = MeasurementSettings;

std::vector<RunMeasure> made_measures() {
  const std::vector<Argument>& flows = selection::flow_arguments();
  const std::vector<Argument>& links = selection::link_arguments();
  const std::vector<Argument>& switches = selection::switch_arguments();
  return {
      // Flows.
      {{"mean_slowdown", "mean slowdown: completion time divided by ideal FCT", kPlain, false, flows},
       nullptr,
       reduced<slowdowns, mean>},
      {{"median_slowdown", "median slowdown", kPlain, false, flows}, nullptr, reduced<slowdowns, p50>},
      {{"p95_slowdown", "95th percentile of the slowdown", kPlain, false, flows}, nullptr, reduced<slowdowns, p95>},
      {{"p99_slowdown", "99th percentile of the slowdown", kPlain, false, flows}, nullptr, reduced<slowdowns, p99>},
      {{"slowdowns", "list of the slowdowns, one per completed flow", kPlain, true, flows}, nullptr, all<slowdowns>},
      {{"mean_fct", "mean flow completion time at the sender", kTime, false, flows},
       nullptr,
       reduced<completion_times, mean>},
      {{"median_fct", "median flow completion time", kTime, false, flows}, nullptr, reduced<completion_times, p50>},
      {{"p90_fct", "90th percentile of the flow completion time", kTime, false, flows},
       nullptr,
       reduced<completion_times, p90>},
      {{"p95_fct", "95th percentile of the flow completion time", kTime, false, flows},
       nullptr,
       reduced<completion_times, p95>},
      {{"p99_fct", "99th percentile of the flow completion time", kTime, false, flows},
       nullptr,
       reduced<completion_times, p99>},
      {{"max_fct", "maximum flow completion time", kTime, false, flows}, nullptr, reduced<completion_times, maximum>},
      {{"fcts", "list of the completion times, one per completed flow", kTime, true, flows},
       nullptr,
       all<completion_times>},
      {{"flow_rates", "list of size divided by completion time, per completed flow", kRate, true, flows},
       nullptr,
       all<flow_rates>},
      {{"flows", "flows that started", kPlain, false, flows}, nullptr, flows_started},
      {{"unfinished", "flows not completed at the end", kPlain, false, flows}, nullptr, flows_unfinished},
      {{"outstanding", "flows started and not completed at a given time", kPlain, false,
        joined(flows, {{"at", false, kTime, true, "the time"}})},
       nullptr,
       flows_outstanding},
      {{"throughput", "mean rate of arriving payload", kRate, false, joined({kClassArgument}, kSpanArguments)},
       &M::throughput,
       throughput},
      // Links. Time spans require the timeline of links.
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
      // Switches.
      {{"buffer_max", "maximum buffer use of a switch", kSize, false, switches}, nullptr, buffer_max},
      {{"occupancy", "quantile of the sampled buffer use of switches", kSize, false,
        joined(switches, {kShareArgument})},
       nullptr,
       occupancy},
      {{"occupancy_mean", "mean of the sampled buffer use of switches", kSize, false, switches},
       nullptr,
       occupancy_mean},
      {{"occupancy_at_pause", "mean buffer use of a switch when it sent a pause", kSize, false, switches},
       nullptr,
       occupancy_at_pause},
      {{"shared_pool", "minimum over switches of the buffer without headroom and reserves", kSize, false, switches},
       nullptr,
       shared_pool},
      {{"drops", "frames dropped", kPlain, false,
        joined(switches, {{"reason", true, kPlain, false, "reason of the drop"}})},
       nullptr,
       drops},
      {{"drop_fraction", "dropped frames divided by data frames sent", kPlain, false,
        joined(switches, {{"reason", true, kPlain, false, "reason of the drop"}})},
       nullptr,
       drop_fraction},
      // Frames.
      {{"retransmitted_fraction", "retransmitted frames divided by data frames sent", kPlain, false, {}},
       nullptr,
       retransmitted_fraction},
      {{"queueing",
        "quantile of the waiting time of a data frame in a switch",
        kTime,
        false,
        {{"tier", false, kPlain, false, "tier of the switch"}, kShareArgument}},
       &M::queueing,
       queueing},
      {{"queueing_mean",
        "mean waiting time of a data frame in a switch",
        kTime,
        false,
        {{"tier", false, kPlain, false, "tier of the switch"}}},
       &M::queueing,
       queueing_mean},
      {{"active_flows",
        "quantile of the number of queue pairs with queued data per port",
        kPlain,
        false,
        {kShareArgument}},
       &M::active,
       active_flows},
      {{"active_queues", "quantile of the number of active queues per port", kPlain, false, {kShareArgument}},
       &M::active,
       active_queues},
      {{"kind_fraction",
        "fraction of the frame bytes sent on links",
        kPlain,
        false,
        {{"kind", true, kPlain, true, "kind of frame: data, ack, nack, cnp, pfc, hop control, host control"}}},
       nullptr,
       kind_fraction},
      {{"innocent_time",
        "total time for which pauses blocked packets although the congestion root was not on their path",
        kTime,
        false,
        {kClassArgument}},
       &M::innocent_pause,
       innocent_time},
      {{"held_time", "total time for which pauses blocked packets", kTime, false, {kClassArgument}},
       &M::innocent_pause,
       held_time},
      // Sampled quantities.
      {{"series", "values of a series", kPlain, true, series_arguments()}, nullptr, series_values<false>},
      {{"size_series", "values of a series of sizes", kSize, true, series_arguments()}, nullptr, series_values<false>},
      {{"rate_series", "values of a series of rates", kRate, true, series_arguments()}, nullptr, series_values<true>},
      {{"series_times", "start times of the intervals of a series", kTime, true, series_arguments()},
       nullptr,
       series_times},
      {{"size_settling_time", "time after since until a series of sizes stays near a target", kTime, false,
        settling_arguments(kSize)},
       nullptr,
       settling_time<false>},
      {{"rate_settling_time", "time after since until a series of rates stays near a target", kTime, false,
        settling_arguments(kRate)},
       nullptr,
       settling_time<true>},
      {{"sender_rate_mean", "mean rate limit of sending queue pairs, over samples and queue pairs", kRate, false,
        kSpanArguments},
       &M::sender_rates,
       sender_rate_mean},
      {{"sender_rate_sd", "standard deviation of the rate limits of sending queue pairs", kRate, false, kSpanArguments},
       &M::sender_rates,
       sender_rate_sd},
      {{"simulated_time", "end time of the run", kTime, false, {}}, nullptr, simulated_time},
      {{"deadlocks", "1 if a deadlock of pauses ended the run, otherwise 0", kPlain, false, {}}, nullptr, deadlocks},
  };
}

const std::vector<RunMeasure>& measures() {
  static const std::vector<RunMeasure> made = [] {
    std::vector<RunMeasure> out = made_measures();
    add_counters(kLinkCounters, selection::link_arguments(), links_of, out);
    add_counters(kSwitchCounters, selection::switch_arguments(), selection::switches, out);
    add_counters(kFlowCounters, selection::flow_arguments(), selection::flows, out);
    add_counters(kRunCounters, {}, whole_run, out);
    add_statistics<EgressKindRecord>(&M::egress_kinds, out);
    add_statistics<HopRecord>(&M::hops, out);
    add_statistics<PolicyRecord>(&M::policies, out);
    std::sort(out.begin(), out.end(),
              [](const RunMeasure& a, const RunMeasure& b) { return a.signature.name < b.signature.name; });
    return out;
  }();
  return made;
}

}  // namespace

std::span<const RunMeasure> all_run_measures() {
  return measures();
}

const RunMeasure& run_measure(const Signature& signature) {
  const auto found = std::find_if(measures().begin(), measures().end(),
                                  [&](const RunMeasure& measure) { return measure.signature.name == signature.name; });
  if (found == measures().end()) throw std::logic_error("a measure that is not in the table");
  return *found;
}

std::vector<const Signature*> run_signatures() {
  std::vector<const Signature*> out;
  for (const RunMeasure& measure : measures()) out.push_back(&measure.signature);
  return out;
}

}  // namespace weir
