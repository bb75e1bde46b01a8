// SPDX-License-Identifier: Apache-2.0
#include "apps/command_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <utility>

namespace weir::apps {
namespace {

CommandOption option_of(const CLI::Option& option) {
  CommandOption out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.names.empty()) {
    out.value = option.get_name();
  } else if (option.get_expected_max() > 0 && option.get_type_size() > 0 && option.get_items_expected_max() > 0) {
    out.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
  }
  out.meaning = option.get_description();
  out.required = option.get_required();
  return out;
}

CommandEntry entry_of(const CLI::App& app, std::string name) {
  CommandEntry out;
  out.name = std::move(name);
  out.summary = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    CommandOption read = option_of(*option);
    (read.names.empty() ? out.arguments : out.options).push_back(std::move(read));
  }
  return out;
}

std::vector<std::string> names_of(const CommandEntry& command) {
  std::vector<std::string> out;
  for (const CommandOption& option : command.options) out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

/// Single-quoted for a shell.
std::string in_shell_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_script(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const CommandEntry& command : commands) {
    if (command.name.empty()) continue;
    names.push_back(command.name);
    cases += fmt::format("    {}) words={} ;;\n", command.name,
                         in_shell_quotes(fmt::format("{}", fmt::join(names_of(command), " "))));
  }
  return fmt::format(R"(# Completion of weir for bash. In ~/.bashrc: source <(weir completion bash)
_weir() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '{} {}' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _weir weir
)",
                     fmt::join(names, " "), fmt::join(names_of(commands.front()), " "), cases);
}

/// Text of an entry of _arguments; characters that would end it are escaped.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const CommandOption& option) {
  std::string out;
  for (const std::string& name : option.names) {
    std::string entry = fmt::format("{}[{}]", name, zsh_text(option.meaning));
    if (!option.value.empty()) entry += fmt::format(":{}:_files", zsh_text(option.value));
    out += fmt::format("        {} \\\n", in_shell_quotes("*" + entry));
  }
  return out;
}

std::string zsh_script(const std::vector<CommandEntry>& commands) {
  std::string described;
  std::string cases;
  for (const CommandEntry& command : commands) {
    if (command.name.empty()) continue;
    described +=
        fmt::format("    {}\n", in_shell_quotes(fmt::format("{}:{}", command.name, zsh_text(command.summary))));
    cases += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const CommandOption& option : command.options) cases += zsh_option(option);
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef weir
# Completion of weir for zsh. Into a folder of $fpath: weir completion zsh > _weir
_weir() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
{}  esac
}}
compdef _weir weir
)",
                     described, cases);
}

std::string fish_script(const std::vector<CommandEntry>& commands) {
  std::string out =
      "# Completion of weir for fish. Into ~/.config/fish/completions: weir completion fish > weir.fish\n"
      "complete -c weir -n __fish_use_subcommand -f\n";
  const auto options = [&](const CommandEntry& command, const std::string& condition) {
    for (const CommandOption& option : command.options) {
      out += fmt::format("complete -c weir -n {}", in_shell_quotes(condition));
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        out += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
      }
      out += fmt::format("{} -d {}\n", option.value.empty() ? "" : " -r", in_shell_quotes(option.meaning));
    }
  };
  for (const CommandEntry& command : commands) {
    if (command.name.empty()) {
      options(command, "__fish_use_subcommand");
      continue;
    }
    out += fmt::format("complete -c weir -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       in_shell_quotes(command.summary));
    options(command, "__fish_seen_subcommand_from " + command.name);
  }
  return out;
}

/// Text of man(7): backslashes, hyphens and a dot at the start of a line have a special meaning.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

std::string roff_options(const CommandEntry& command) {
  std::string out;
  for (const CommandOption& argument : command.arguments) {
    out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(argument.value), roff(argument.meaning));
  }
  for (const CommandOption& option : command.options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(fmt::format("\\fB{}\\fR", roff(name)));
    out +=
        fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                    option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.value)), roff(option.meaning));
  }
  return out;
}

}  // namespace

std::vector<CommandEntry> command_table(const CLI::App& app) {
  std::vector<CommandEntry> out = {entry_of(app, {})};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out.push_back(entry_of(*command, command->get_name()));
  }
  return out;
}

std::string completion_script(const std::vector<CommandEntry>& commands, Shell shell) {
  if (shell == Shell::bash) return bash_script(commands);
  return shell == Shell::zsh ? zsh_script(commands) : fish_script(commands);
}

std::string man_page(const std::vector<CommandEntry>& commands, const std::string& version) {
  std::string out = fmt::format(
      ".TH WEIR 1 \"\" \"weir {}\" \"User Commands\"\n.SH NAME\nweir \\- {}\n.SH SYNOPSIS\n.B weir\n\\fICOMMAND\\fR "
      "[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH OPTIONS\n{}.SH COMMANDS\n",
      roff(version), roff("packet-level simulation of lossless data-centre Ethernet"), roff_options(commands.front()));
  for (const CommandEntry& command : commands) {
    if (command.name.empty()) continue;
    std::string usage;
    for (const CommandOption& argument : command.arguments) {
      const std::string name = fmt::format("\\fI{}\\fR", roff(argument.value));
      usage += argument.required ? " " + name : " [" + name + "]";
    }
    out += fmt::format(".SS \\fBweir {}\\fR{}\n{}.\n{}", roff(command.name), usage, roff(command.summary),
                       roff_options(command));
  }
  out +=
      ".SH EXIT STATUS\n.TP\n0\nSuccess.\n.TP\n1\nA run failed, or output could not be written.\n.TP\n2\nThe input is "
      "invalid.\n.TP\n130\nInterrupted.\n";
  return out;
}

}  // namespace weir::apps
