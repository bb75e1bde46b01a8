// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "results/counters.h"
#include "results/estimate.h"
#include "results/statistics.h"

namespace weir {
namespace {

// Marks such as @link_counters are replaced by the columns of counters (results/counter_list.h).
//
// Tables with many rows have no row id: their key begins with the run, so the rows of a run are stored together.
constexpr const char* kTables = R"(
CREATE TABLE campaign (
  weir_version TEXT NOT NULL,
  created_utc TEXT NOT NULL
) STRICT;

CREATE TABLE planned_runs (
  position INTEGER PRIMARY KEY,
  scenario TEXT NOT NULL,
  variant TEXT NOT NULL,
  seed INTEGER NOT NULL,
  configuration_digest TEXT NOT NULL,
  UNIQUE (scenario, variant, seed, configuration_digest)
) STRICT;

CREATE TABLE planned_parameters (
  position INTEGER NOT NULL REFERENCES planned_runs ON DELETE CASCADE,
  parameter_index INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  number REAL,
  PRIMARY KEY (position, parameter_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  run_id INTEGER PRIMARY KEY AUTOINCREMENT,
  scenario TEXT NOT NULL,
  variant TEXT NOT NULL,
  seed INTEGER NOT NULL,
  configuration_digest TEXT NOT NULL,
  effective_configuration TEXT NOT NULL,
  weir_version TEXT NOT NULL,
  digest TEXT NOT NULL,
  interrupted INTEGER NOT NULL,
  failure TEXT NOT NULL,
  deadlock INTEGER NOT NULL,
  simulated_ps INTEGER NOT NULL,
  wall_seconds REAL,
  @run_counters
  timeline_interval_ps INTEGER NOT NULL,
  timeline_intervals INTEGER NOT NULL,
  pauses_left_out INTEGER NOT NULL,
  UNIQUE (scenario, variant, seed, configuration_digest),
  FOREIGN KEY (scenario, variant, seed, configuration_digest)
    REFERENCES planned_runs (scenario, variant, seed, configuration_digest)
) STRICT;

CREATE TABLE findings (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  finding_index INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  failed TEXT NOT NULL,
  PRIMARY KEY (run_id, finding_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding_ports (
  run_id INTEGER NOT NULL,
  finding_index INTEGER NOT NULL,
  position INTEGER NOT NULL,
  link_index INTEGER NOT NULL,
  what TEXT NOT NULL,
  PRIMARY KEY (run_id, finding_index, position),
  FOREIGN KEY (run_id, finding_index) REFERENCES findings ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE quantities (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  quantity_index INTEGER NOT NULL,
  of TEXT NOT NULL,
  size TEXT NOT NULL,
  quantity TEXT NOT NULL,
  unit TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run_id, quantity_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE student_t (
  degrees INTEGER PRIMARY KEY,
  t95 REAL NOT NULL
) STRICT;

CREATE TABLE frame_kinds (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  kind TEXT NOT NULL,
  sent_bytes INTEGER NOT NULL,
  PRIMARY KEY (run_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE pause_holds (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  class TEXT NOT NULL,
  packets INTEGER NOT NULL,
  held_ps INTEGER NOT NULL,
  innocent_ps INTEGER NOT NULL,
  PRIMARY KEY (run_id, class)
) STRICT, WITHOUT ROWID;

CREATE TABLE labels (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  label INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (run_id, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE flows (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  flow_index INTEGER NOT NULL,
  flow_id INTEGER NOT NULL,
  class TEXT NOT NULL,
  label INTEGER NOT NULL,
  source_host INTEGER NOT NULL,
  destination_host INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,
  fct_ps INTEGER,
  receiver_fct_ps INTEGER,
  ideal_fct_ps INTEGER,
  stopped INTEGER NOT NULL,
  @flow_counters
  slowdown REAL AS (max(1.0, CAST(fct_ps AS REAL) / ideal_fct_ps)) VIRTUAL,
  PRIMARY KEY (run_id, flow_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE switches (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  switch_index INTEGER NOT NULL,
  switch_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  tier INTEGER NOT NULL,
  @switch_counters
  PRIMARY KEY (run_id, switch_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE drops (
  run_id INTEGER NOT NULL,
  switch_index INTEGER NOT NULL,
  reason TEXT NOT NULL,
  frames INTEGER NOT NULL,
  PRIMARY KEY (run_id, switch_index, reason),
  FOREIGN KEY (run_id, switch_index) REFERENCES switches ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  link_index INTEGER NOT NULL,
  from_name TEXT NOT NULL,
  to_name TEXT NOT NULL,
  from_tier INTEGER NOT NULL,
  to_tier INTEGER NOT NULL,
  rate_bits_per_second INTEGER NOT NULL,
  @link_counters
  PRIMARY KEY (run_id, link_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE pauses (
  run_id INTEGER NOT NULL,
  pause_index INTEGER NOT NULL,
  link_index INTEGER NOT NULL,
  begin_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  PRIMARY KEY (run_id, pause_index),
  FOREIGN KEY (run_id) REFERENCES runs ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE timelines (
  run_id INTEGER NOT NULL,
  link_index INTEGER NOT NULL,
  carried_bytes BLOB NOT NULL,
  queued_bytes BLOB NOT NULL,
  PRIMARY KEY (run_id, link_index),
  FOREIGN KEY (run_id, link_index) REFERENCES links ON DELETE CASCADE
) STRICT;

CREATE TABLE series (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  series_index INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT,
  interval_ps INTEGER NOT NULL,
  PRIMARY KEY (run_id, series_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE series_values (
  run_id INTEGER NOT NULL,
  series_index INTEGER NOT NULL,
  sample_index INTEGER NOT NULL,
  value REAL,
  PRIMARY KEY (run_id, series_index, sample_index),
  FOREIGN KEY (run_id, series_index) REFERENCES series ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE histograms (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  histogram_index INTEGER NOT NULL,
  quantity TEXT NOT NULL,
  unit TEXT NOT NULL,
  switch_index INTEGER,
  tier INTEGER,
  row_index INTEGER,
  samples INTEGER NOT NULL,
  mean REAL NOT NULL,
  maximum INTEGER NOT NULL,
  exact_sum TEXT NOT NULL,
  PRIMARY KEY (run_id, histogram_index),
  FOREIGN KEY (run_id, switch_index) REFERENCES switches ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE histogram_buckets (
  run_id INTEGER NOT NULL,
  histogram_index INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  largest_value INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (run_id, histogram_index, bucket),
  FOREIGN KEY (run_id, histogram_index) REFERENCES histograms ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE VIEW missing_runs AS
SELECT p.position, p.scenario, p.variant, p.seed, p.configuration_digest
FROM planned_runs AS p
LEFT JOIN runs AS r USING (scenario, variant, seed, configuration_digest)
WHERE r.run_id IS NULL OR r.interrupted
ORDER BY p.position;
)";

/// `sql` with `mark` replaced by the columns of these counters.
template <class Counters>
std::string with_columns(std::string sql, std::string_view mark, const Counters& counters) {
  std::string columns;
  for (const auto& counter : counters) {
    columns += fmt::format("{}{} INTEGER NOT NULL,", columns.empty() ? "" : "\n  ", counter.column);
  }
  return sql.replace(sql.find(mark), mark.size(), columns);
}

/// The table of a kind of statistics (results/statistics.h).
template <class Row>
std::string statistics_table() {
  std::string columns;
  for_each_column(Row(), true, [&](const std::string& name, const StatisticValue& value) {
    const char* type = std::holds_alternative<std::string>(value) ? "TEXT NOT NULL"
                       : std::holds_alternative<double>(value)    ? "REAL"
                                                                  : "INTEGER";
    columns += fmt::format("  {} {},\n", name, type);
  });
  return fmt::format(R"(
CREATE TABLE {} (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  row_index INTEGER NOT NULL,
{}  PRIMARY KEY (run_id, row_index)
) STRICT, WITHOUT ROWID;
)",
                     StatisticTable<Row>::kName, columns);
}

/// A view of the contents of the timelines' blobs. `carried` and `queued` are expressions over the hexadecimal digits c
/// and q.
std::string link_loads_view(const std::string& carried, const std::string& queued) {
  return fmt::format(R"(
CREATE VIEW link_loads AS
WITH RECURSIVE
  intervals(interval_index) AS (
    SELECT 0 WHERE (SELECT max(timeline_intervals) FROM runs) > 0
    UNION ALL
    SELECT interval_index + 1 FROM intervals
    WHERE interval_index + 1 < (SELECT max(timeline_intervals) FROM runs)
  ),
  digits AS (
    SELECT t.run_id, t.link_index, i.interval_index,
           i.interval_index * r.timeline_interval_ps AS begin_ps,
           hex(substr(t.carried_bytes, 4 * i.interval_index + 1, 4)) AS c,
           hex(substr(t.queued_bytes, 4 * i.interval_index + 1, 4)) AS q
    FROM timelines AS t
    JOIN runs AS r USING (run_id)
    JOIN intervals AS i ON i.interval_index < r.timeline_intervals
  )
SELECT run_id, link_index, interval_index, begin_ps,
       {} AS carried_bytes,
       {} AS queued_bytes
FROM digits;
)",
                     carried, queued);
}

/// Quantiles required by the view of means, for any realistic number of seeds; SQLite has no function for them.
std::string student_t_rows() {
  constexpr std::size_t kMostDegrees = 1'000;
  std::string rows;
  for (std::size_t degrees = 1; degrees <= kMostDegrees; ++degrees) {
    rows += fmt::format("{}({}, {})", rows.empty() ? "" : ", ", degrees, student_t(degrees));
  }
  return fmt::format("\nINSERT INTO student_t (degrees, t95) VALUES {};\n", rows);
}

/// With each of these quotes doubled, as SQL requires inside quotes.
std::string doubled(std::string_view text, char quote) {
  std::string out;
  for (const char c : text) out += c == quote ? std::string(2, c) : std::string(1, c);
  return out;
}

/// The number given by the column's eight hexadecimal digits. SQLite has no function for it.
std::string number_of_digits(char column) {
  std::string sum;
  for (int digit = 0; digit < 8; ++digit) {
    sum += fmt::format("{}(instr('123456789ABCDEF', substr({}, {}, 1)) << {})", sum.empty() ? "" : " | ", column,
                       digit + 1, 28 - 4 * digit);
  }
  return sum;
}

}  // namespace

std::string store_views(const std::vector<std::string>& parameters) {
  std::string columns;
  std::string names;
  for (const std::string& name : parameters) {
    const std::string quoted = "\"" + doubled(name, '"') + "\"";
    columns += fmt::format(
        ",\n       (SELECT coalesce(a.number, a.value) FROM planned_parameters AS a\n"
        "        WHERE a.position = p.position AND a.name = '{}') AS {}",
        doubled(name, '\''), quoted);
    names += ", " + quoted;
  }
  return fmt::format(R"(
DROP VIEW IF EXISTS means;
DROP VIEW IF EXISTS points;

CREATE VIEW points AS
SELECT r.run_id, p.scenario, p.variant{}, p.seed
FROM planned_runs AS p
JOIN runs AS r USING (scenario, variant, seed, configuration_digest)
ORDER BY p.position;

CREATE VIEW means AS
WITH
  v AS (
    SELECT p.scenario, p.variant{}, q.quantity_index, q.of, q.size, q.quantity, q.unit, q.value,
           avg(q.value) OVER (PARTITION BY p.scenario, p.variant{}, q.of, q.size, q.quantity) AS mean
    FROM points AS p
    JOIN quantities AS q USING (run_id)
    JOIN runs AS r USING (run_id)
    WHERE NOT r.interrupted AND r.failure = ''
  ),
  g AS (
    SELECT scenario, variant{}, of, size, quantity, unit, count(value) AS seeds, mean,
           sum((value - mean) * (value - mean)) AS squares
    FROM v
    GROUP BY scenario, variant{}, of, size, quantity
  )
SELECT scenario, variant{}, of, size, quantity, unit, seeds, mean,
       mean - coalesce(t95, 1.959964) * sqrt(squares / (seeds - 1) / seeds) AS low,
       mean + coalesce(t95, 1.959964) * sqrt(squares / (seeds - 1) / seeds) AS high
FROM g LEFT JOIN student_t ON degrees = seeds - 1;
)",
                     columns, names, names, names, names, names);
}

std::string store_schema() {
  std::string tables = with_columns(kTables, "@run_counters", kRunCounters);
  tables = with_columns(std::move(tables), "@flow_counters", kFlowCounters);
  tables = with_columns(std::move(tables), "@switch_counters", kSwitchCounters);
  tables = with_columns(std::move(tables), "@link_counters", kLinkCounters);
  const Statistics none;
  for_each_statistic(none, [&tables](const auto& rows) { tables += statistics_table<StatisticRow<decltype(rows)>>(); });
  return tables + link_loads_view(number_of_digits('c'), number_of_digits('q')) + student_t_rows() + store_views({});
}

}  // namespace weir
