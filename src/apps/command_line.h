// SPDX-License-Identifier: Apache-2.0
// The command line of `weir`.
#pragma once

namespace weir::apps {

/// Executes the program's arguments and returns its exit status; reports errors in them on stderr. Exceptions of
/// commands are passed on.
int command_line(int argc, const char* const* argv);

}  // namespace weir::apps
