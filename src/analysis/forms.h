// SPDX-License-Identifier: Apache-2.0
// The results of an analysis as text for a terminal and as files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis {

/// The table with its title above it; in parts if it is wider than `width` columns (zero: any width). If a table has
/// more than `rows` rows, only the first and last rows are shown, with the number of omitted ones between them (zero:
/// all rows are shown).
std::string to_text(const NumberTable& table, std::size_t width, std::size_t rows = 0);

/// The table as CSV: columns are named "name_unit", numbers have all their digits, "none" is an empty field.
std::string to_csv(const NumberTable& table);

/// The chart as a standalone picture (SVG 1.1), 640 by 400: wider for long texts, higher with a note.
std::string to_svg(const Chart& chart);

/// Writes <name>.csv for each table and <name>.svg for each chart into `folder`, which is created if necessary. Returns
/// one "path: reason" per failure; all other files are complete.
std::vector<std::string> write_files(const Findings& findings, const std::filesystem::path& folder);

}  // namespace weir::analysis
