// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "criteria/measure_tables.h"
#include "criteria/selection.h"

namespace weir::measures {
namespace {

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
  double sum = 0;
  for (const FlowClass flow_class : classes_of(arguments)) {
    const char* name = kNames[static_cast<std::size_t>(flow_class)];
    const std::vector<double> values =
        values_in(run, series_named(run, fmt::format("throughput.{}", name)), arguments, kBitPerSecond);
    for (const double value : values) sum += value / static_cast<double>(values.size());
  }
  return Figure::number(sum);
}

std::vector<Argument> series_arguments() {
  return joined({{"name", true, kPlain, true, "name of the series, without its unit"}}, kSpanArguments);
}
std::vector<Argument> settling_arguments(Dimension dimension) {
  return joined(series_arguments(),
                {{"target", false, dimension, true, "value at which the series settles"},
                 {"within", false, kPlain, true, "allowed deviation, as a fraction of the target"}});
}

}  // namespace

std::vector<RunMeasure> of_series() {
  using M = MeasurementSettings;
  return {
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
      {{"throughput", "mean rate of arriving payload", kRate, false, joined({kClassArgument}, kSpanArguments)},
       &M::throughput,
       throughput},
  };
}

}  // namespace weir::measures
