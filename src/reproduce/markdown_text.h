// SPDX-License-Identifier: Apache-2.0
// Text in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace weir {

/// In a cell of a table: one line, without what would end the cell.
std::string markdown_cell(std::string_view text);
/// As code, on one line.
std::string markdown_code(std::string_view text);
/// In the brackets of a link or picture.
std::string markdown_label(std::string_view text);

}  // namespace weir
