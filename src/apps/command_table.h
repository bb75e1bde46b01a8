// SPDX-License-Identifier: Apache-2.0
// The commands of `weir` and their options as data: what shell completion and the manual are generated from.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weir::apps {

/// An option, or an argument without a dash.
struct CommandOption {
  std::vector<std::string> names;  ///< with their dashes; empty: an argument
  std::string value;               ///< what it is followed by, "DIR"; of an argument its name; empty: a flag
  std::string meaning;
  bool required = false;
};

struct CommandEntry {
  std::string name;  ///< empty: `weir` itself
  std::string summary;
  std::vector<CommandOption> options;    ///< in the order of --help
  std::vector<CommandOption> arguments;  ///< in their order
};

/// First `weir` itself, then each command.
std::vector<CommandEntry> command_table(const CLI::App& app);

enum class Shell : unsigned char { bash, zsh, fish };

/// A script that completes commands and options; what stands after an option that takes a value, and arguments, are
/// completed as files.
std::string completion_script(const std::vector<CommandEntry>& commands, Shell shell);

/// weir(1) in roff (man(7)).
std::string man_page(const std::vector<CommandEntry>& commands, const std::string& version);

}  // namespace weir::apps
