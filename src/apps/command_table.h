// SPDX-License-Identifier: Apache-2.0
// The commands of `weir` and their options as data, from which shell completion and the manual are generated.
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
  std::string value;               ///< the name of its value, "DIR"; for an argument its name; empty: a flag
  std::string meaning;
  bool required = false;
};

struct CommandEntry {
  std::string name;  ///< empty: `weir` itself
  std::string summary;
  std::vector<CommandOption> options;    ///< in the order of --help
  std::vector<CommandOption> arguments;  ///< in order
};

/// `weir` itself first, then each command.
std::vector<CommandEntry> command_table(const CLI::App& app);

enum class Shell : unsigned char { bash, zsh, fish };

/// A script that completes commands and options; values of options, and arguments, are completed as files.
std::string completion_script(const std::vector<CommandEntry>& commands, Shell shell);

/// weir(1) in roff (man(7)).
std::string man_page(const std::vector<CommandEntry>& commands, const std::string& version);

}  // namespace weir::apps
