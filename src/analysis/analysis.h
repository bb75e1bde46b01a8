// SPDX-License-Identifier: Apache-2.0
// What follows from a paper's formulas, without running a network: tables and charts of numbers (`weir analyze`).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/parameters.h"

namespace weir::analysis {

/// What one column of a table, or one axis of a chart, is: "phase margin" in "degrees". A plain number has no unit.
struct Quantity {
  std::string name;
  std::string unit{};
};

/// Rows of numbers, as many in each as there are columns. A number that is not finite means "none".
struct NumberTable {
  std::string name;   ///< of its file: small letters, digits and underscores
  std::string title;  ///< one line
  std::vector<Quantity> columns;
  std::vector<std::vector<double>> rows{};
  std::size_t keys = 1;  ///< how many of the first columns say what a row is about
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

/// Of a point: from where to where its y may be. What is not finite is not drawn.
struct Interval {
  double low = 0;
  double high = 0;
};

/// A curve of a chart: straight lines between its points. One that is not finite breaks it.
struct Curve {
  std::string label;
  std::vector<Point> points{};
  bool dashed = false;
  bool marked = false;                ///< with a dot at each point
  std::vector<Interval> intervals{};  ///< a bar at each point; or none
};

struct Chart {
  std::string name;   ///< of its file: small letters, digits and underscores
  std::string title;  ///< one line
  Axis x;
  Axis y;
  std::vector<Curve> curves{};
  std::vector<double> levels{};  ///< horizontal lines: a bound of y
  std::string note{};            ///< one line below
};

/// What an analysis finds. Names of tables and charts differ.
struct Findings {
  std::vector<NumberTable> tables{};
  std::vector<Chart> charts{};
};

/// One analysis. The registry (analysis/registry.cpp) lists them.
struct Analysis {
  std::string_view name;     ///< as the command line writes it
  std::string_view summary;  ///< one line
  std::string_view source;   ///< the paper and its sections
  std::vector<ParameterSpec> parameters{};
  /// Works it out. The same parameters give the same numbers.
  Findings (*findings)(const Parameters&) = nullptr;
  /// Looks at values that are each in range but make no sense together; one line per error.
  std::vector<std::string> (*errors)(const Parameters&) = nullptr;
};

/// All analyses, in the order of the registry.
std::span<const Analysis* const> all_analyses();
/// The analysis of this name, or nullptr.
const Analysis* find_analysis(std::string_view name);

}  // namespace weir::analysis
