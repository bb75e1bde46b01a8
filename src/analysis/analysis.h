// SPDX-License-Identifier: Apache-2.0
// Results of a paper's formulas, computed without running a network: tables and charts of numbers (`weir analyze`).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/parameters.h"

namespace weir::analysis {

/// The quantity of a table column or chart axis: "phase margin" in "degrees". A plain number has no unit.
struct Quantity {
  std::string name;
  std::string unit{};
};

/// Rows of numbers, one number per column. A number that is not finite means "none".
struct NumberTable {
  std::string name;   ///< of its file: lower-case letters, digits and underscores
  std::string title;  ///< one line
  std::vector<Quantity> columns;
  std::vector<std::vector<double>> rows{};
  std::size_t keys = 1;  ///< number of leading columns that identify a row
};

enum class Scale { linear, logarithmic };  ///< logarithmic: points at or below zero are not drawn

struct Axis {
  Quantity quantity;
  Scale scale = Scale::linear;
};

struct Point {
  double x = 0;
  double y = 0;
};

/// The interval of a point's y. Non-finite values are not drawn.
struct Interval {
  double low = 0;
  double high = 0;
};

/// A curve of a chart: straight lines between its points. A non-finite point interrupts it.
struct Curve {
  std::string label;
  std::vector<Point> points{};
  bool dashed = false;
  bool marked = false;                ///< with a dot at each point
  std::vector<Interval> intervals{};  ///< one error bar per point; may be empty
};

struct Chart {
  std::string name;   ///< of its file: lower-case letters, digits and underscores
  std::string title;  ///< one line
  Axis x;
  Axis y;
  std::vector<Curve> curves{};
  std::vector<double> levels{};  ///< horizontal lines: a bound of y
  std::string note{};            ///< one line below the chart
};

/// The results of an analysis. Names of tables and charts are unique.
struct Findings {
  std::vector<NumberTable> tables{};
  std::vector<Chart> charts{};
};

/// One analysis. The registry (analysis/registry.cpp) lists them.
struct Analysis {
  std::string_view name;     ///< as given on the command line
  std::string_view summary;  ///< one line
  std::string_view source;   ///< the paper and its sections
  std::vector<ParameterSpec> parameters{};
  /// Computes the results, which depend only on the parameters.
  Findings (*findings)(const Parameters&) = nullptr;
  /// Checks for values that are each in range but inconsistent with each other; one line per error.
  std::vector<std::string> (*errors)(const Parameters&) = nullptr;
};

/// All analyses, in the order of the registry.
std::span<const Analysis* const> all_analyses();
/// The analysis with this name, or nullptr.
const Analysis* find_analysis(std::string_view name);

}  // namespace weir::analysis
