// SPDX-License-Identifier: Apache-2.0
// The pictures requested by a scenario ([[picture]]) or by a row of reproduction/ ([[claim.picture]]). This file only
// parses them.
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
  std::string name;                 ///< in the legend; may be empty if `each` is not
  RowExpression value;              ///< a list of numbers, or a single number for a horizontal line
  std::optional<RowExpression> at;  ///< the values' positions along x; nullopt: 0, 1, 2, ...
  std::string over = {};            ///< a sweep along x, for one value of which `value` is evaluated; empty: `value`
                                    ///< gives all values
  std::vector<std::string> each;    ///< "variant", "seed" or sweeps: one line for each of their values
  Origin each_origin;
  bool paper = false;  ///< the paper's data, drawn dashed
};

/// One picture. The unit of an axis is empty or a unit of expressions, in which values are drawn.
struct Picture {
  std::string name;  ///< the subject of the picture
  analysis::Axis x;
  analysis::Axis y;
  std::vector<PictureLine> lines;
};

/// The [[picture]] tables of `root`: a scenario, or the [claim] of a row. `file_text` is the text of the file.
std::vector<Picture> read_pictures(Reader& root, std::string_view file_text);

}  // namespace weir
