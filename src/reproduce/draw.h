// SPDX-License-Identifier: Apache-2.0
// The pictures of a row, drawn from the results of its runs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "pictures/draw.h"
#include "reproduce/evaluate_row.h"
#include "reproduce/row.h"

namespace weir {

/// The lines in the pictures of a form, in the order of the file.
std::vector<DrawnLine> drawn_lines(const Row& row, RowForm form, const RowSetup& setup);

/// Reports errors in a line of a picture by evaluating it without results. Binds the line's names in `evaluation`.
void check_line(const Row& row, const RowSetup& setup, const DrawnLine& drawn, Evaluation& evaluation,
                Diagnostics& diagnostics);

/// The pictures of a row as charts, from the results of its runs or from its analysis; see evaluate(). A picture
/// without data has no curves. A line is reduced to some hundred points, the minimum and maximum of each of its parts.
/// Errors in lines go to `failures`.
std::vector<analysis::Chart> draw(const Row& row, RowForm form, const RowSetup& setup,
                                  const std::map<RunPoint, PointOutcome>& runs, Analysis* analysis,
                                  const std::string& analysis_unavailable, std::vector<std::string>& failures);

/// The folder of pictures, next to the page of all rows.
inline constexpr const char* kPictureFolder = "pictures";
/// The file name of a row's picture: "rocc-fig9.svg"; of the second, "rocc-fig9-2.svg".
std::string picture_name(const std::string& id, std::size_t picture);

}  // namespace weir
