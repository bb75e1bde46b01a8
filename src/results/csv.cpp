// SPDX-License-Identifier: Apache-2.0
#include "results/csv.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "results/counters.h"
#include "results/csv_field.h"
#include "results/csv_summary.h"
#include "results/output_file.h"
#include "results/summary.h"

namespace weir {
namespace {

constexpr std::array<double, 3> kQuantiles{0.5, 0.95, 0.99};

/// ",name,name": the columns of counters.
template <class Counters>
std::string counter_columns(const Counters& counters) {
  std::string text;
  for (const auto& counter : counters) text += fmt::format(",{}", counter.csv);
  return text;
}

/// ",value,value".
template <class Counters, class Record>
std::string counter_fields(const Counters& counters, const Record& record) {
  std::string text;
  for (const auto& counter : counters) {
    text += fmt::format(",{}", counter.get(record));
  }
  return text;
}

/// Picoseconds, as in the store; empty if unknown.
void append_ps(fmt::memory_buffer& row, bool known, Duration time) {
  if (known) fmt::format_to(fmt::appender(row), FMT_COMPILE("{}"), time.picoseconds());
  row.push_back(',');
}

/// Flows are most of the rows of all files: one costs no allocation and no parsing of a format.
void write_flows(const RunRecord& record, OutputFile& file) {
  file.write(
      "flow,class,label,source,destination,size_bytes,start_ps,stopped,completed,fct_ps,receiver_fct_ps,ideal_fct_ps,"
      "slowdown");
  file.write(counter_columns(kFlowCounters) + "\n");
  std::vector<std::string> labels;
  for (int label = 0; label <= std::numeric_limits<std::uint8_t>::max(); ++label) {
    labels.push_back(csv_field(label_name(record, static_cast<std::uint8_t>(label))));
  }
  fmt::memory_buffer row;
  for (const FlowRecord& flow : record.flows) {
    row.clear();
    const fmt::appender out(row);
    fmt::format_to(out, FMT_COMPILE("{},{},{},{},{},{},"), flow.id.value,
                   kFlowGroupNames[static_cast<std::size_t>(flow.flow_class)], labels[flow.label], flow.source.value,
                   flow.destination.value, flow.size.count());
    append_ps(row, true, flow.start.since_start());
    fmt::format_to(out, FMT_COMPILE("{},{},"), int{flow.stopped}, int{flow.completed()});
    append_ps(row, flow.completed(), flow.sender_completion);
    append_ps(row, flow.receiver_completion > Duration(), flow.receiver_completion);
    append_ps(row, flow.ideal_fct > Duration(), flow.ideal_fct);
    if (flow.completed() && flow.ideal_fct > Duration()) {
      fmt::format_to(out, FMT_COMPILE("{}"), slowdown_of(flow));
    }
    for (const Counter<FlowRecord>& counter : kFlowCounters) {
      fmt::format_to(out, FMT_COMPILE(",{}"), counter.get(flow));
    }
    row.push_back('\n');
    file.write({row.data(), row.size()});
  }
}

/// Mean, quantiles and maximum; empty fields if there are no values.
std::string histogram_fields(const Histogram& values) {
  if (values.count() == 0) return "0,,,,,";
  std::string text = fmt::format("{},{}", values.count(), values.mean());
  for (const double p : kQuantiles) text += fmt::format(",{}", values.quantile(p));
  return text + fmt::format(",{}", values.maximum());
}

void write_switches(const RunRecord& record, OutputFile& file) {
  const std::span<const Counter<SwitchRecord>> counters(kSwitchCounters);
  file.write("switch,name,tier" + counter_columns(counters.first(1)));
  for (const char* what : {"occupancy", "occupancy_at_pause"}) {
    file.write(
        fmt::format(",{0}_samples,{0}_mean_bytes,{0}_p50_bytes,{0}_p95_bytes,{0}_p99_bytes,{0}_maximum_bytes", what));
  }
  file.write(counter_columns(counters.subspan(1)));
  for (const std::string_view reason : kDropReasonNames) {
    file.write(fmt::format(",dropped_{}_frames", csv_name(reason)));
  }
  file.write("\n");
  for (const SwitchRecord& at : record.switches) {
    file.write(fmt::format("{},{},{}{},{},{}{}", at.id.value, csv_field(at.name), at.tier,
                           counter_fields(counters.first(1), at), histogram_fields(at.occupancy),
                           histogram_fields(at.occupancy_at_pause), counter_fields(counters.subspan(1), at)));
    for (const std::uint64_t dropped : at.drops) file.write(fmt::format(",{}", dropped));
    file.write("\n");
  }
}

void write_links(const RunRecord& record, OutputFile& file) {
  file.write("from,to,from_tier,to_tier,rate_bits_per_second" + counter_columns(kLinkCounters) + ",paused_share\n");
  const auto whole = static_cast<double>(record.simulated.picoseconds());
  for (const LinkRecord& link : record.links) {
    file.write(fmt::format("{},{},{},{},{}{},{}\n", csv_field(link.from), csv_field(link.to), link.from_tier,
                           link.to_tier, link.rate.bits_per_second(), counter_fields(kLinkCounters, link),
                           whole > 0 ? static_cast<double>(link.paused.picoseconds()) / whole : 0.0));
  }
}

void write_series(const RunRecord& record, OutputFile& file) {
  file.write("series,unit,time_ps,value\n");
  for (const Series& series : record.series) {
    const auto [name, unit] = name_and_unit(series);
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const Duration end = series.interval * static_cast<std::int64_t>(i + 1);
      file.write(fmt::format("{},{},{},{}\n", csv_field(name), csv_field(unit), end.picoseconds(), series.values[i]));
    }
  }
}

std::string field_of(const StatisticValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return csv_field(*text);
  return "";
}

template <class Rows>
void write_statistics(const Rows& rows, OutputFile& file) {
  std::string line;
  for_each_column(StatisticRow<Rows>(), true,
                  [&](const std::string& name, const StatisticValue&) { line += (line.empty() ? "" : ",") + name; });
  file.write(line + "\n");
  for (const auto& row : rows) {
    line.clear();
    for_each_column(row, true, [&](const std::string&, const StatisticValue& value) { line += field_of(value) + ","; });
    line.back() = '\n';
    file.write(line);
  }
}

}  // namespace

std::vector<std::string> csv_files() {
  std::vector<std::string> names = {"flows.csv", "switches.csv", "links.csv", "series.csv", "summary.csv"};
  const RunRecord none;
  for_each_statistic(none.statistics, [&names](const auto& rows) {
    names.push_back(fmt::format("{}.csv", StatisticTable<StatisticRow<std::remove_cvref_t<decltype(rows)>>>::kName));
  });
  return names;
}

std::vector<std::string> write_csv(const RunRecord& record, const std::filesystem::path& directory) {
  return write_csv(record, summarise(record), directory);
}

std::vector<std::string> write_csv(const RunRecord& record, const RunSummary& summary,
                                   const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return {fmt::format("{}: {}", directory.string(), error.message())};
  std::vector<std::string> errors;
  const auto write = [&](const char* name, const auto& of, void (*content)(decltype(of), OutputFile&)) {
    OutputFile file(directory / name);
    content(of, file);
    if (auto failed = file.commit()) errors.push_back(std::move(*failed));
  };
  write("flows.csv", record, write_flows);
  write("switches.csv", record, write_switches);
  write("links.csv", record, write_links);
  write("series.csv", record, write_series);
  write("summary.csv", summary, write_csv_summary);
  for_each_statistic(record.statistics, [&](const auto& rows) {
    using Rows = std::remove_cvref_t<decltype(rows)>;
    if (rows.empty()) return;
    const std::string name = fmt::format("{}.csv", StatisticTable<StatisticRow<Rows>>::kName);
    write(name.c_str(), rows, write_statistics<Rows>);
  });
  return errors;
}

}  // namespace weir
