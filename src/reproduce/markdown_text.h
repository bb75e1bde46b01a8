// SPDX-License-Identifier: Apache-2.0
// Text in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace weir {

/// As the cell of a table: one line, with characters escaped that would end the cell.
std::string markdown_cell(std::string_view text);
/// As code, on one line.
std::string markdown_code(std::string_view text);
/// For the brackets of a link or picture.
std::string markdown_label(std::string_view text);

}  // namespace weir
