// SPDX-License-Identifier: Apache-2.0
// The figures by which runs are compared: columns of the comparison, and quantities of the report.
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

/// One figure.
struct SummaryFigure {
  enum class Kind : std::uint8_t {
    number,
    count,     ///< an integer
    share,     ///< a fraction, shown in percent
    megabytes  ///< bytes, shown in MB
  } kind = Kind::number;
  Column column;
  std::string subject = {};  ///< in sentences: "Victims' p99 slowdown"; empty: no sentence
  std::function<std::optional<double>(const RunSummary&)> value;  ///< nullopt: the run has no value

  /// "victim slowdown p99"
  [[nodiscard]] std::string title() const;
  /// Ratio of the displayed number to the value: 100 for shares, 1e-6 for megabytes, else 1.
  [[nodiscard]] double scale() const;
  /// The value of one run, as in tables.
  [[nodiscard]] std::string text(const RunSummary& run) const;
  /// The estimate of several runs; kNothing if there is none.
  [[nodiscard]] std::string text(const std::optional<Estimate>& estimate) const;
};

/// The figures that at least one of the runs has.
std::vector<SummaryFigure> summary_figures(const std::vector<RunSummary>& runs);

}  // namespace weir
