// SPDX-License-Identifier: Apache-2.0
// The pictures that a scenario ([[picture]]) or a row of the ledger ([[claim.picture]]) asks for. They show and
// evaluate nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "config/reader.h"
#include "criteria/row_expression.h"

namespace weir {

/// One line, or one for each value of some names.
struct PictureLine {
  std::string name;                 ///< in the legend; may be empty when `each` names something
  RowExpression value;              ///< a list of numbers, or a number: a horizontal line
  std::optional<RowExpression> at;  ///< where along x the values are; nothing: 0, 1, 2, ...
  std::string over = {};            ///< a sweep along x: `value` is of one of its values; empty: `value` is all
  std::vector<std::string> each;    ///< "variant", "seed" or sweeps: a line for each of their values
  Origin each_origin;
  bool paper = false;  ///< what the paper says: drawn dashed
};

/// One picture. The unit of an axis is empty or one of expressions, and values are drawn in it.
struct Picture {
  std::string name;  ///< what is shown
  analysis::Axis x;
  analysis::Axis y;
  std::vector<PictureLine> lines;
};

/// The [[picture]] tables of `root`: a scenario, or the [claim] of a row. `file_text` is the text of the file.
std::vector<Picture> read_pictures(Reader& root, std::string_view file_text);

}  // namespace weir
