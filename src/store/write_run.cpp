// SPDX-License-Identifier: Apache-2.0
#include "store/write_run.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/counters.h"
#include "results/quantities.h"
#include "store/big_endian.h"
#include "store/names.h"

namespace weir {
namespace {

/// "INSERT INTO table (columns) VALUES (?, ...)".
std::string insertion(std::string_view table, std::string_view columns) {
  std::string marks = "?";
  for (const char c : columns) {
    if (c == ',') marks += ", ?";
  }
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, marks);
}

/// "name, name": the columns of counters.
template <class Counters>
std::string columns_of(const Counters& counters) {
  std::string columns;
  for (const auto& counter : counters) columns += fmt::format("{}{}", columns.empty() ? "" : ", ", counter.column);
  return columns;
}

/// Their values.
template <class Record, std::size_t count>
std::array<std::int64_t, count> values_of(const std::array<Counter<Record>, count>& counters, const Record& record) {
  std::array<std::int64_t, count> values{};
  for (std::size_t i = 0; i < count; ++i) values[i] = counters[i].get(record);
  return values;
}

/// A zero time means "did not happen", which is NULL in the store.
std::optional<std::int64_t> if_known(Duration time) {
  if (time == Duration()) return std::nullopt;
  return time.picoseconds();
}

}  // namespace

RunWriter::RunWriter(const Database& database)
    : database_(&database),
      run_(database,
           insertion("runs",
                     "scenario, variant, seed, configuration_digest, effective_configuration, weir_version, digest, "
                     "interrupted, failure, deadlock, simulated_ps, wall_seconds, timeline_interval_ps, "
                     "timeline_intervals, pauses_left_out, " +
                         columns_of(kRunCounters))),
      quantity_(database, insertion("quantities", "run_id, quantity_index, of, size, quantity, unit, value")),
      finding_(database, insertion("findings", "run_id, finding_index, kind, text, failed")),
      finding_port_(database, insertion("finding_ports", "run_id, finding_index, position, link_index, what")),
      frame_kind_(database, insertion("frame_kinds", "run_id, kind, sent_bytes")),
      pause_hold_(database, insertion("pause_holds", "run_id, class, packets, held_ps, innocent_ps")),
      flow_(database,
            insertion("flows",
                      "run_id, flow_index, flow_id, class, label, source_host, destination_host, size_bytes, start_ps, "
                      "fct_ps, receiver_fct_ps, ideal_fct_ps, stopped, " +
                          columns_of(kFlowCounters))),
      switch_(database,
              insertion("switches", "run_id, switch_index, switch_id, name, tier, " + columns_of(kSwitchCounters))),
      drop_(database, insertion("drops", "run_id, switch_index, reason, frames")),
      label_(database, insertion("labels", "run_id, label, name")),
      link_(database,
            insertion("links", "run_id, link_index, from_name, to_name, from_tier, to_tier, rate_bits_per_second, " +
                                   columns_of(kLinkCounters))),
      pause_(database, insertion("pauses", "run_id, pause_index, link_index, begin_ps, end_ps")),
      timeline_(database, insertion("timelines", "run_id, link_index, carried_bytes, queued_bytes")),
      series_(database, insertion("series", "run_id, series_index, name, unit, interval_ps")),
      series_value_(database, insertion("series_values", "run_id, series_index, sample_index, value")),
      histogram_(database, insertion("histograms",
                                     "run_id, histogram_index, quantity, unit, switch_index, tier, row_index, "
                                     "samples, mean, maximum, exact_sum")),
      histogram_bucket_(database,
                        insertion("histogram_buckets", "run_id, histogram_index, bucket, largest_value, samples")) {}

std::int64_t RunWriter::write(const RunRecord& record, const RunKey& key) {
  write_run(record, key);
  run_id_ = sqlite3_last_insert_rowid(database_->handle());
  write_quantities(record);
  write_findings(record);
  write_totals(record);
  write_flows(record);
  write_switches(record);
  write_links(record);
  write_timeline(record);
  write_series(record);
  write_histograms(record);
  for_each_statistic(record.statistics, [this](const auto& rows) { write_statistics(rows); });
  return run_id_;
}

void RunWriter::write_run(const RunRecord& record, const RunKey& key) {
  run_.run(key.scenario, key.variant, key.seed, key.configuration_digest, record.effective_configuration,
           record.version, record.digest, record.interrupted, record.failure, record.deadlock,
           record.simulated.picoseconds(), record.wall_seconds, record.timeline.interval.picoseconds(),
           record.timeline.intervals, record.timeline.pauses_left_out, values_of(kRunCounters, record));
}

void RunWriter::write_quantities(const RunRecord& record) {
  std::int64_t index = 0;
  for_each_value(summarise(record), [&](const SummaryValue& value) {
    if (!value.number) return;
    quantity_.run(run_id_, index++, value.of, value.size, value.quantity, value.unit, *value.number);
  });
}

void RunWriter::write_findings(const RunRecord& record) {
  std::int64_t index = 0;
  for (const RunFinding& finding : record.findings) {
    finding_.run(run_id_, index, kFindingKindNames[static_cast<std::size_t>(finding.kind)], finding.text,
                 finding.failed);
    std::int64_t position = 0;
    for (const FoundPort& port : finding.ports) {
      if (port.link >= record.links.size()) {
        database_->fail(fmt::format("a finding of link {} cannot be kept", port.link));
      }
      finding_port_.run(run_id_, index, position++, port.link, port.what);
    }
    ++index;
  }
}

void RunWriter::write_totals(const RunRecord& record) {
  for (std::size_t kind = 0; kind < record.bytes_by_kind.size(); ++kind) {
    if (record.bytes_by_kind[kind] == 0) continue;
    frame_kind_.run(run_id_, kStoredFrameKinds[kind], record.bytes_by_kind[kind]);
  }
  for (std::size_t i = 0; i < record.pause_hold.size(); ++i) {
    const PauseHold& hold = record.pause_hold[i];
    pause_hold_.run(run_id_, class_name(i), hold.packets, hold.held.picoseconds(), hold.innocent.picoseconds());
  }
}

void RunWriter::write_flows(const RunRecord& record) {
  for (std::size_t label = 0; label < record.labels.size(); ++label) {
    label_.run(run_id_, static_cast<std::int64_t>(label), record.labels[label]);
  }
  std::int64_t index = 0;
  for (const FlowRecord& flow : record.flows) {
    flow_.run(run_id_, index++, flow.id.value, class_name(static_cast<std::size_t>(flow.flow_class)),
              std::int64_t{flow.label}, flow.source.value, flow.destination.value, flow.size.count(),
              flow.start.picoseconds(), if_known(flow.sender_completion), if_known(flow.receiver_completion),
              if_known(flow.ideal_fct), flow.stopped, values_of(kFlowCounters, flow));
  }
}

void RunWriter::write_switches(const RunRecord& record) {
  std::int64_t index = 0;
  for (const SwitchRecord& at : record.switches) {
    switch_.run(run_id_, index, at.id.value, at.name, at.tier, values_of(kSwitchCounters, at));
    for (std::size_t reason = 0; reason < at.drops.size(); ++reason) {
      if (at.drops[reason] > 0) drop_.run(run_id_, index, kDropReasonNames[reason], at.drops[reason]);
    }
    ++index;
  }
}

void RunWriter::write_links(const RunRecord& record) {
  std::int64_t index = 0;
  for (const LinkRecord& link : record.links) {
    link_.run(run_id_, index++, link.from, link.to, link.from_tier, link.to_tier, link.rate.bits_per_second(),
              values_of(kLinkCounters, link));
  }
}

void RunWriter::write_timeline(const RunRecord& record) {
  const Timeline& timeline = record.timeline;
  const std::size_t cells = record.links.size() * timeline.intervals;
  if (timeline.carried.size() != cells || timeline.queued.size() != cells) {
    database_->fail(fmt::format("a timeline of {} and {} numbers for {} links and {} intervals cannot be kept",
                                timeline.carried.size(), timeline.queued.size(), record.links.size(),
                                timeline.intervals));
  }
  std::int64_t index = 0;
  for (const PauseSpan& span : timeline.pauses) {
    if (span.link >= record.links.size()) database_->fail(fmt::format("a pause of link {} cannot be kept", span.link));
    pause_.run(run_id_, index++, span.link, span.begin.picoseconds(), span.end.picoseconds());
  }
  if (!timeline.recorded()) return;
  std::vector<std::byte> carried;
  std::vector<std::byte> queued;
  for (std::size_t link = 0; link < record.links.size(); ++link) {
    const std::size_t first = link * timeline.intervals;
    to_big_endian(std::span(timeline.carried).subspan(first, timeline.intervals), carried);
    to_big_endian(std::span(timeline.queued).subspan(first, timeline.intervals), queued);
    timeline_.run(run_id_, link, std::span<const std::byte>(carried), std::span<const std::byte>(queued));
  }
}

void RunWriter::write_series(const RunRecord& record) {
  std::int64_t index = 0;
  for (const Series& series : record.series) {
    // The name ends with its unit, after the last blank.
    const std::string_view whole = series.name;
    const std::size_t blank = whole.rfind(' ');
    const auto unit = blank == std::string_view::npos ? std::nullopt : std::optional(whole.substr(blank + 1));
    series_.run(run_id_, index, whole.substr(0, blank), unit, series.interval.picoseconds());
    std::int64_t sample = 0;
    for (const double value : series.values) series_value_.run(run_id_, index, sample++, value);
    ++index;
  }
}

void RunWriter::write_histograms(const RunRecord& record) {
  next_histogram_ = 0;
  for (std::size_t i = 0; i < record.switches.size(); ++i) {
    const SwitchRecord& at = record.switches[i];
    const auto index = static_cast<std::int64_t>(i);
    write_histogram(at.occupancy, "occupancy", "bytes", index, at.tier);
    write_histogram(at.occupancy_at_pause, "occupancy_at_pause", "bytes", index, at.tier);
  }
  for (std::size_t tier = 0; tier < record.queueing_by_tier.size(); ++tier) {
    write_histogram(record.queueing_by_tier[tier], "queueing", "ps", std::nullopt, static_cast<std::int64_t>(tier));
  }
  write_histogram(record.active_flows, "active_flows", "queue pairs", std::nullopt, std::nullopt);
  write_histogram(record.active_queues, "active_queues", "queues", std::nullopt, std::nullopt);
}

/// The rows of one kind. Columns are bound individually, because their types are known only at run time.
template <class Rows>
void RunWriter::write_statistics(const Rows& rows) {
  using Row = StatisticRow<Rows>;
  if (rows.empty()) return;
  std::string columns = "run_id, row_index";
  for_each_column(Row(), true, [&](const std::string& name, const StatisticValue&) { columns += ", " + name; });
  Statement insert(*database_, insertion(StatisticTable<Row>::kName, columns));
  std::int64_t index = 0;
  for (const Row& row : rows) {
    std::vector<StatisticValue> values{run_id_, index};
    for_each_column(row, true, [&](const std::string&, const StatisticValue& value) { values.push_back(value); });
    insert.run(std::span<const StatisticValue>(values));
    for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
      if (field.histogram == nullptr) continue;
      write_histogram(row.*field.histogram, fmt::format("{}.{}", StatisticTable<Row>::kName, field.column),
                      field.unit == StatisticUnit::picoseconds ? "ps" : "bytes", std::nullopt, std::nullopt, index);
    }
    ++index;
  }
}

void RunWriter::write_histogram(const Histogram& histogram, std::string_view quantity, std::string_view unit,
                                std::optional<std::int64_t> switch_index, std::optional<std::int64_t> tier,
                                std::optional<std::int64_t> row_index) {
  if (histogram.count() == 0) return;
  const Histogram::Parts parts = histogram.parts();
  const std::int64_t index = next_histogram_++;
  histogram_.run(run_id_, index, quantity, unit, switch_index, tier, row_index, parts.count, histogram.mean(),
                 parts.maximum, fmt::format("{}", parts.sum));
  for (std::size_t bucket = 0; bucket < parts.buckets.size(); ++bucket) {
    if (parts.buckets[bucket] == 0) continue;
    histogram_bucket_.run(run_id_, index, bucket, Histogram::upper_bound(bucket), parts.buckets[bucket]);
  }
}

}  // namespace weir
