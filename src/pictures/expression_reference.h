// SPDX-License-Identifier: Apache-2.0
// The reference of expressions: the measures of runs and the functions, from the tables that define them.
#pragma once

#include <string>

namespace weir {

/// A section of the reference page, in Markdown.
std::string expressions_page();
/// The same for a terminal.
std::string expressions_text();

}  // namespace weir
