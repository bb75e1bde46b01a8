// SPDX-License-Identifier: Apache-2.0
// What an analysis finds, as text for a terminal and as files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis {

/// The table with its title above it; in parts where it would be wider than `width` columns (zero: any width). Of a
/// table of more than `rows` rows the first and the last stand, and between them how many do not (zero: all stand).
std::string to_text(const NumberTable& table, std::size_t width, std::size_t rows = 0);

/// The table as CSV: columns are named "name_unit", numbers have all their digits, "none" is an empty field.
std::string to_csv(const NumberTable& table);

/// The chart as a picture of its own (SVG 1.1), 640 by 400: wider where a text is, higher with a note.
std::string to_svg(const Chart& chart);

/// Writes <name>.csv for each table and <name>.svg for each chart into `folder`, which is made if it is not there.
/// Gives what went wrong, "path: reason" each; the files not named are good.
std::vector<std::string> write_files(const Findings& findings, const std::filesystem::path& folder);

}  // namespace weir::analysis
