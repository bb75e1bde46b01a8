// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "criteria/measure_tables.h"
#include "criteria/selection.h"
#include "results/counters.h"

namespace weir::measures {
namespace {

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

}  // namespace

std::vector<RunMeasure> of_counters() {
  std::vector<RunMeasure> out;
  add_counters(kLinkCounters, selection::link_arguments(), links_of, out);
  add_counters(kSwitchCounters, selection::switch_arguments(), selection::switches, out);
  add_counters(kFlowCounters, selection::flow_arguments(), selection::flows, out);
  add_counters(kRunCounters, {}, whole_run, out);
  return out;
}

std::vector<RunMeasure> of_statistics() {
  using M = MeasurementSettings;
  std::vector<RunMeasure> out;
  add_statistics<EgressKindRecord>(&M::egress_kinds, out);
  add_statistics<HopRecord>(&M::hops, out);
  add_statistics<PolicyRecord>(&M::policies, out);
  return out;
}

}  // namespace weir::measures
