// SPDX-License-Identifier: Apache-2.0
// Converts a record to rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "results/run_record.h"
#include "store/database.h"
#include "store/store.h"

namespace weir {

/// The prepared statements that insert a run into a database.
class RunWriter {
 public:
  explicit RunWriter(const Database& database);
  /// Must be called inside a transaction. Returns the run_id.
  std::int64_t write(const RunRecord& record, const RunKey& key);

 private:
  void write_run(const RunRecord& record, const RunKey& key);
  void write_quantities(const RunRecord& record);
  void write_findings(const RunRecord& record);
  void write_totals(const RunRecord& record);
  void write_flows(const RunRecord& record);
  void write_switches(const RunRecord& record);
  void write_links(const RunRecord& record);
  void write_timeline(const RunRecord& record);
  void write_series(const RunRecord& record);
  void write_histograms(const RunRecord& record);
  void write_histogram(const Histogram& histogram, std::string_view quantity, std::string_view unit,
                       std::optional<std::int64_t> switch_index, std::optional<std::int64_t> tier,
                       std::optional<std::int64_t> row_index = {});
  template <class Rows>
  void write_statistics(const Rows& rows);

  const Database* database_;
  Statement run_;
  Statement quantity_;
  Statement finding_;
  Statement finding_port_;
  Statement frame_kind_;
  Statement pause_hold_;
  Statement flow_;
  Statement switch_;
  Statement drop_;
  Statement label_;
  Statement link_;
  Statement pause_;
  Statement timeline_;
  Statement series_;
  Statement series_value_;
  Statement histogram_;
  Statement histogram_bucket_;
  std::int64_t run_id_ = 0;
  std::int64_t next_histogram_ = 0;
};

}  // namespace weir
