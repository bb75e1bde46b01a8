// SPDX-License-Identifier: Apache-2.0
// The terminal, if there is one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::apps {

/// Columns of the terminal that stdout or stderr goes to; 0 when it goes elsewhere.
std::size_t stdout_width();
std::size_t stderr_width();

/// `text` with control characters written out ("\\x1b"), so that a name in it cannot command a terminal. Line feeds and
/// tabs stay, and so does all other UTF-8.
std::string printable(std::string_view text);

/// Writes to stdout what is printable. False, once said on stderr, when that fails (a full disk, a closed pipe).
bool print(std::string_view text);
/// Writes a line to stderr, what is printable of it.
void print_diagnostic(std::string_view line);

}  // namespace weir::apps
