// SPDX-License-Identifier: Apache-2.0
// The terminal, if stdout or stderr is one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::apps {

/// Columns of the terminal to which stdout or stderr is connected; 0 if it is not a terminal.
std::size_t stdout_width();
std::size_t stderr_width();

/// `text` with control characters escaped ("\\x1b"), so that a name in it cannot control a terminal. Line feeds, tabs
/// and all other UTF-8 are unchanged.
std::string printable(std::string_view text);

/// Writes `text`, made printable, to stdout. Returns false on failure (a full disk, a closed pipe), which is reported
/// once on stderr.
bool print(std::string_view text);
/// Writes a line, made printable, to stderr.
void print_diagnostic(std::string_view line);

/// Replaces the line of the terminal at stderr; empty: clears it.
void show_line(std::string_view raw);

}  // namespace weir::apps
