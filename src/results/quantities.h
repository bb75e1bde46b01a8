// SPDX-License-Identifier: Apache-2.0
// Every quantity of a run by its name, as in CSV files, the store, JSON and estimates.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "results/summary.h"

namespace weir {

/// One value of a summary. The first four members identify it.
struct SummaryValue {
  std::string_view of;        ///< "run", "victim", "ToR", "host paused by ToR", ...
  std::string_view size;      ///< a bin of flow sizes; empty: all
  std::string_view quantity;  ///< "slowdown.p99"
  std::string_view unit;      ///< "us", "bytes", ...; empty: a plain number, or a text
  std::string_view text;      ///< with all digits
  std::optional<double> number;
};

/// Calls visit for each value, in the order of summary.csv. Values of events that did not occur are omitted.
void for_each_value(const RunSummary& summary, const std::function<void(const SummaryValue&)>& visit);

}  // namespace weir
