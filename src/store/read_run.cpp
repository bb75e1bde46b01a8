// SPDX-License-Identifier: Apache-2.0
#include "store/read_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "results/counters.h"
#include "store/big_endian.h"
#include "store/check_record.h"
#include "store/names.h"

namespace weir {
namespace {

Duration duration(const Statement& row, int column) {
  return Duration::picoseconds(row.integer(column));  // NULL reads as zero
}
Time instant(const Statement& row, int column) {
  return Time::picoseconds(row.integer(column));
}
double real(const Statement& row, int column) {
  // SQLite stores "not a number" as NULL.
  return row.null(column) ? std::numeric_limits<double>::quiet_NaN() : row.real(column);
}

/// Reads the rows of one run.
class RunReader {
 public:
  RunReader(const Database& database, std::int64_t run_id) : database_(database), run_id_(run_id) {}

  RunRecord read() {
    read_run();
    read_parameters();
    read_totals();
    read_flows();
    read_switches();
    read_links();
    read_findings();
    read_timeline();
    read_series();
    read_statistics();
    read_histograms();
    if (const std::string wrong = wrong_in(record_); !wrong.empty()) fail(wrong);
    return std::move(record_);
  }

 private:
  Statement rows(std::string_view sql) {
    Statement statement(database_, sql);
    statement.start(run_id_);
    return statement;
  }
  /// "name, name": the columns of counters. Stores of earlier versions may lack some: they read as 0.
  template <class Counters>
  [[nodiscard]] std::string columns_of(const Counters& counters, std::string_view table) const {
    std::string columns;
    for (const auto& counter : counters) {
      const bool there = database_.number(fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = '{}'",
                                                      table, counter.column)) != 0;
      columns += fmt::format("{}{}", columns.empty() ? "" : ", ", there ? counter.column : "0");
    }
    return columns;
  }
  /// Reads them from the row, starting at this column.
  template <class Record, class Counters>
  static void read_counters(const Statement& row, int column, const Counters& counters, Record& record) {
    for (const Counter<Record>& counter : counters) counter.set(record, row.integer(column++));
  }
  /// Reports that the rows do not form a record.
  [[noreturn]] void fail(std::string_view what) const {
    database_.fail(fmt::format("run {} is damaged: {}", run_id_, what));
  }
  template <class Names>
  [[nodiscard]] std::size_t index_of(std::string_view name, const Names& names, std::size_t count) const {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(count);
    const auto found = std::find(names.begin(), end, name);
    if (found == end) fail(fmt::format("\"{}\" is unknown", name));
    return static_cast<std::size_t>(found - names.begin());
  }
  /// The element that a column refers to.
  template <class Element>
  [[nodiscard]] Element& element(std::vector<Element>& elements, std::int64_t index, std::string_view what) const {
    if (index < 0 || static_cast<std::uint64_t>(index) >= elements.size()) fail(fmt::format("no {} {}", what, index));
    return elements[static_cast<std::size_t>(index)];
  }

  void read_run();
  void read_parameters();
  void read_totals();
  void read_flows();
  void read_switches();
  void read_links();
  void read_findings();
  void read_timeline();
  void read_series();
  template <class Rows>
  void read_rows(Rows& rows);
  void read_statistics();
  void read_histograms();
  Histogram* histogram_of_statistic(std::string_view quantity, std::int64_t row);
  Histogram& histogram_of_row(const Statement& row);
  [[nodiscard]] Histogram::Parts read_parts(const Statement& row) const;
  [[nodiscard]] UnsignedInt128 exact_sum(std::string_view digits) const;

  const Database& database_;
  std::int64_t run_id_;
  RunRecord record_;
};

void RunReader::read_run() {
  Statement row = rows(fmt::format(
      "SELECT scenario, variant, seed, effective_configuration, weir_version, digest, interrupted, failure, "
      "deadlock, simulated_ps, wall_seconds, timeline_interval_ps, timeline_intervals, pauses_left_out, {} "
      "FROM runs WHERE run_id = ?",
      columns_of(kRunCounters, "runs")));
  if (!row.next()) database_.fail(fmt::format("has no run {}", run_id_));
  record_.scenario = row.text(0);
  record_.variant = row.text(1);
  record_.seed = row.count(2);
  record_.effective_configuration = row.text(3);
  record_.version = row.text(4);
  record_.digest = row.text(5);
  record_.interrupted = row.integer(6) != 0;
  record_.failure = row.text(7);
  record_.deadlock = row.integer(8) != 0;
  record_.simulated = instant(row, 9);
  record_.wall_seconds = real(row, 10);
  record_.timeline.interval = duration(row, 11);
  record_.timeline.intervals = row.count(12);
  record_.timeline.pauses_left_out = row.count(13);
  read_counters(row, 14, kRunCounters, record_);
}

void RunReader::read_totals() {
  Statement kind = rows("SELECT kind, sent_bytes FROM frame_kinds WHERE run_id = ?");
  while (kind.next()) {
    record_.bytes_by_kind[index_of(kind.text(0), kStoredFrameKinds, kStoredFrameKinds.size())] = kind.integer(1);
  }
  Statement hold = rows("SELECT class, packets, held_ps, innocent_ps FROM pause_holds WHERE run_id = ?");
  while (hold.next()) {
    record_.pause_hold[index_of(hold.text(0), kFlowGroupNames, kFlowClasses)] = {
        .held = duration(hold, 2), .innocent = duration(hold, 3), .packets = hold.count(1)};
  }
}

/// Stores of earlier versions have none.
void RunReader::read_parameters() {
  if (database_.number("SELECT count(*) FROM sqlite_master WHERE name = 'planned_parameters'") == 0) return;
  Statement row = rows(
      "SELECT a.name, a.value, a.number FROM runs AS r "
      "JOIN planned_runs AS p USING (scenario, variant, seed, configuration_digest) "
      "JOIN planned_parameters AS a ON a.position = p.position WHERE r.run_id = ? ORDER BY a.parameter_index");
  while (row.next()) {
    record_.parameters.push_back(
        {std::string(row.text(0)), std::string(row.text(1)), row.null(2) ? std::nullopt : std::optional(row.real(2))});
  }
}

void RunReader::read_flows() {
  Statement label = rows("SELECT name FROM labels WHERE run_id = ? ORDER BY label");
  while (label.next()) record_.labels.emplace_back(label.text(0));
  Statement row =
      rows(fmt::format("SELECT flow_id, class, label, source_host, destination_host, size_bytes, start_ps, fct_ps, "
                       "receiver_fct_ps, ideal_fct_ps, stopped, {} FROM flows WHERE run_id = ? ORDER BY flow_index",
                       columns_of(kFlowCounters, "flows")));
  while (row.next()) {
    FlowRecord flow;
    flow.id = FlowId(row.count(0));
    flow.flow_class = static_cast<FlowClass>(index_of(row.text(1), kFlowGroupNames, kFlowClasses));
    flow.label = static_cast<std::uint8_t>(row.integer(2));
    flow.source = HostId(row.count(3));
    flow.destination = HostId(row.count(4));
    flow.size = Bytes(row.integer(5));
    flow.start = instant(row, 6);
    flow.sender_completion = duration(row, 7);
    flow.receiver_completion = duration(row, 8);
    flow.ideal_fct = duration(row, 9);
    flow.stopped = row.integer(10) != 0;
    read_counters(row, 11, kFlowCounters, flow);
    record_.flows.push_back(flow);
  }
}

void RunReader::read_switches() {
  Statement row =
      rows(fmt::format("SELECT switch_id, name, tier, {} FROM switches WHERE run_id = ? ORDER BY switch_index",
                       columns_of(kSwitchCounters, "switches")));
  while (row.next()) {
    SwitchRecord at;
    at.id = SwitchId(row.count(0));
    at.name = row.text(1);
    at.tier = static_cast<int>(row.integer(2));
    read_counters(row, 3, kSwitchCounters, at);
    record_.switches.push_back(std::move(at));
  }
  Statement drop = rows("SELECT switch_index, reason, frames FROM drops WHERE run_id = ?");
  while (drop.next()) {
    SwitchRecord& at = element(record_.switches, drop.integer(0), "switch");
    at.drops[index_of(drop.text(1), kDropReasonNames, kDropReasonNames.size())] = drop.count(2);
  }
}

void RunReader::read_links() {
  Statement row =
      rows(fmt::format("SELECT from_name, to_name, from_tier, to_tier, rate_bits_per_second, {} FROM links "
                       "WHERE run_id = ? ORDER BY link_index",
                       columns_of(kLinkCounters, "links")));
  while (row.next()) {
    LinkRecord link;
    link.from = row.text(0);
    link.to = row.text(1);
    link.from_tier = static_cast<int>(row.integer(2));
    link.to_tier = static_cast<int>(row.integer(3));
    link.rate = BitRate(row.integer(4));
    read_counters(row, 5, kLinkCounters, link);
    record_.links.push_back(std::move(link));
  }
}

void RunReader::read_findings() {
  // Stores of earlier versions have none.
  if (database_.number("SELECT count(*) FROM sqlite_schema WHERE name = 'findings'") == 0) return;
  Statement row = rows("SELECT kind, text, failed FROM findings WHERE run_id = ? ORDER BY finding_index");
  while (row.next()) {
    RunFinding finding;
    finding.kind = static_cast<FindingKind>(index_of(row.text(0), kFindingKindNames, kFindingKindNames.size()));
    finding.text = row.text(1);
    finding.failed = row.text(2);
    record_.findings.push_back(std::move(finding));
  }
  Statement port = rows(
      "SELECT finding_index, link_index, what FROM finding_ports WHERE run_id = ? "
      "ORDER BY finding_index, position");
  while (port.next()) {
    (void)element(record_.links, port.integer(1), "link");
    element(record_.findings, port.integer(0), "finding").ports.push_back({port.count(1), std::string(port.text(2))});
  }
}

void RunReader::read_timeline() {
  Timeline& timeline = record_.timeline;
  Statement pause = rows("SELECT link_index, begin_ps, end_ps FROM pauses WHERE run_id = ? ORDER BY pause_index");
  while (pause.next()) {
    const std::int64_t link = pause.integer(0);
    (void)element(record_.links, link, "link");
    timeline.pauses.push_back(
        {.link = static_cast<std::uint32_t>(link), .begin = instant(pause, 1), .end = instant(pause, 2)});
  }
  Statement row =
      rows("SELECT link_index, carried_bytes, queued_bytes FROM timelines WHERE run_id = ? ORDER BY link_index");
  std::size_t links = 0;
  while (row.next()) {
    if (row.count(0) != links++) fail("the timeline of a link is missing");
    for (const int column : {1, 2}) {
      if (row.bytes(column).size() / 4 != timeline.intervals) fail("a timeline is too short or too long");
    }
    from_big_endian(row.bytes(1), timeline.carried);
    from_big_endian(row.bytes(2), timeline.queued);
  }
  if (timeline.recorded() && links != record_.links.size()) fail("the timeline of a link is missing");
}

void RunReader::read_series() {
  Statement row = rows("SELECT name, unit, interval_ps FROM series WHERE run_id = ? ORDER BY series_index");
  while (row.next()) {
    Series series;
    series.name = row.text(0);
    if (!row.null(1)) series.name += fmt::format(" {}", row.text(1));
    series.interval = duration(row, 2);
    record_.series.push_back(std::move(series));
  }
  Statement sample =
      rows("SELECT series_index, value FROM series_values WHERE run_id = ? ORDER BY series_index, sample_index");
  while (sample.next()) {
    element(record_.series, sample.integer(0), "series").values.push_back(real(sample, 1));
  }
}

template <class Rows>
void RunReader::read_rows(Rows& out) {
  using Row = StatisticRow<Rows>;
  // Stores of earlier versions lack this table or some of its columns.
  std::string columns;
  for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
    const bool there = field.histogram == nullptr &&
                       database_.number(fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = '{}'",
                                                    StatisticTable<Row>::kName, field.column)) != 0;
    columns += fmt::format(", {}", there ? field.column : "NULL");
  }
  if (database_.number(
          fmt::format("SELECT count(*) FROM sqlite_schema WHERE name = '{}'", StatisticTable<Row>::kName)) == 0) {
    return;
  }
  Statement row = rows(fmt::format("SELECT row_index{} FROM {} WHERE run_id = ? ORDER BY row_index", columns,
                                   StatisticTable<Row>::kName));
  while (row.next()) {
    if (row.count(0) != out.size()) fail(fmt::format("a row of {} is missing", StatisticTable<Row>::kName));
    out.emplace_back();
    int column = 0;
    for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
      ++column;
      if (field.histogram == nullptr) field.set(out.back(), row.value(column));
    }
  }
}

void RunReader::read_statistics() {
  for_each_statistic(record_.statistics, [this](auto& rows) { read_rows(rows); });
}

/// The histogram of a row of statistics, or nullptr.
Histogram* RunReader::histogram_of_statistic(std::string_view quantity, std::int64_t row) {
  Histogram* found = nullptr;
  for_each_statistic(record_.statistics, [&](auto& rows) {
    using Row = StatisticRow<decltype(rows)>;
    for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
      if (field.histogram == nullptr) continue;
      if (quantity != fmt::format("{}.{}", StatisticTable<Row>::kName, field.column)) continue;
      found = &(element(rows, row, "row").*field.histogram);
    }
  });
  return found;
}

void RunReader::read_histograms() {
  const bool has_rows =
      database_.number("SELECT count(*) FROM pragma_table_info('histograms') WHERE name = 'row_index'") != 0;
  Statement row = rows(fmt::format(
      "SELECT histogram_index, quantity, switch_index, tier, samples, maximum, exact_sum, {} FROM histograms "
      "WHERE run_id = ? ORDER BY histogram_index",
      has_rows ? "row_index" : "NULL"));
  while (row.next()) histogram_of_row(row) = Histogram::of(read_parts(row));
}

Histogram& RunReader::histogram_of_row(const Statement& row) {
  const std::string_view quantity = row.text(1);
  if (quantity == "occupancy") return element(record_.switches, row.integer(2), "switch").occupancy;
  if (quantity == "occupancy_at_pause") return element(record_.switches, row.integer(2), "switch").occupancy_at_pause;
  if (quantity == "active_flows") return record_.active_flows;
  if (quantity == "active_queues") return record_.active_queues;
  if (!row.null(7)) {
    if (Histogram* of_row = histogram_of_statistic(quantity, row.integer(7)); of_row != nullptr) return *of_row;
  }
  const std::size_t tier = row.count(3);
  if (quantity != "queueing" || tier >= record_.queueing_by_tier.size()) {
    fail(fmt::format("a histogram of \"{}\" is unknown", quantity));
  }
  return record_.queueing_by_tier[tier];
}

Histogram::Parts RunReader::read_parts(const Statement& row) const {
  Histogram::Parts parts;
  parts.count = row.count(4);
  parts.maximum = row.integer(5);
  parts.sum = exact_sum(row.text(6));
  // The bucket of the largest possible value.
  constexpr std::size_t kBuckets = 3'712;
  Statement bucket(database_,
                   "SELECT bucket, samples FROM histogram_buckets WHERE run_id = ? AND histogram_index = ? "
                   "ORDER BY bucket");
  bucket.start(run_id_, row.integer(0));
  while (bucket.next()) {
    const std::size_t index = bucket.count(0);
    if (index >= kBuckets) fail(fmt::format("a histogram has no bucket {}", index));
    parts.buckets.resize(index + 1);
    parts.buckets[index] = bucket.count(1);
  }
  return parts;
}

UnsignedInt128 RunReader::exact_sum(std::string_view digits) const {
  UnsignedInt128 sum = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') fail(fmt::format("\"{}\" is not a sum", digits));
    sum = sum * 10 + static_cast<unsigned>(c - '0');
  }
  return sum;
}

}  // namespace

RunRecord read_run(const Database& database, std::int64_t run_id) {
  return RunReader(database, run_id).read();
}

}  // namespace weir
