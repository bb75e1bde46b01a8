// SPDX-License-Identifier: Apache-2.0
// The command line of `weir`.
#pragma once

namespace weir::apps {

/// Does what the arguments of the program ask for and gives its exit status; says on stderr what is wrong with them.
/// What a command throws goes through.
int command_line(int argc, const char* const* argv);

}  // namespace weir::apps
