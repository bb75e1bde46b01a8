// SPDX-License-Identifier: Apache-2.0
// The terminal, if there is one.
#pragma once

#include <cstddef>
#include <string_view>

namespace weir::apps {

/// Columns of the terminal that stdout or stderr goes to; 0 when it goes elsewhere.
std::size_t stdout_width();
std::size_t stderr_width();

/// Writes to stdout. False, once said on stderr, when that fails (a full disk, a closed pipe).
bool print(std::string_view text);
/// Writes a line to stderr.
void complain(std::string_view line);

}  // namespace weir::apps
