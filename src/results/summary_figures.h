// SPDX-License-Identifier: Apache-2.0
// The figures by which runs are compared: columns of the comparison, quantities of the report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/estimate.h"
#include "results/summary.h"
#include "results/table.h"

namespace weir {

/// One of them.
struct SummaryFigure {
  enum class Kind : std::uint8_t {
    number,
    count,     ///< a whole number
    share,     ///< of one, shown in percent
    megabytes  ///< bytes, shown in MB
  } kind = Kind::number;
  Column column;
  std::string subject = {};  ///< of sentences, "Victims' p99 slowdown"; empty: there is no sentence on it
  std::function<std::optional<double>(const RunSummary&)> value;  ///< nothing: the run has none

  /// "victim slowdown p99"
  [[nodiscard]] std::string title() const;
  /// What a number as shown is of the value: 100 for shares, 1e-6 for megabytes, else 1.
  [[nodiscard]] double scale() const;
  /// Of one run, as tables show it.
  [[nodiscard]] std::string text(const RunSummary& run) const;
  /// Of several; kNothing when it is not there.
  [[nodiscard]] std::string text(const std::optional<Estimate>& estimate) const;
};

/// Those that at least one of the runs has.
std::vector<SummaryFigure> summary_figures(const std::vector<RunSummary>& runs);

}  // namespace weir
