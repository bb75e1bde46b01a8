// SPDX-License-Identifier: Apache-2.0
// The pictures of a row, from what its runs gave.
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

/// The lines that a form's pictures have, in the order of the file.
std::vector<DrawnLine> drawn_lines(const Row& row, RowForm form, const RowSetup& setup);

/// Says what makes no sense in a drawn line, by going through it without results. Binds the line's names in
/// `evaluation`.
void check_line(const Row& row, const RowSetup& setup, const DrawnLine& drawn, Evaluation& evaluation,
                Diagnostics& diagnostics);

/// The pictures of a row as charts, by what its runs gave or by its analysis; see evaluate(). One that has nothing to
/// show has no curves. A line is thinned to some hundred points, the least and greatest of each part of it. What is
/// wrong with lines goes to `failures`.
std::vector<analysis::Chart> draw(const Row& row, RowForm form, const RowSetup& setup,
                                  const std::map<RunPoint, PointOutcome>& runs, Analysis* analysis,
                                  const std::string& analysis_unavailable, std::vector<std::string>& failures);

/// The folder of pictures, beside the page of all rows.
inline constexpr const char* kPictureFolder = "pictures";
/// The file of a row's picture in it: "rocc-fig9.svg"; of the second, "rocc-fig9-2.svg".
std::string picture_name(const std::string& id, std::size_t picture);

}  // namespace weir
