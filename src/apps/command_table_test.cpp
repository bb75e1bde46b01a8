// SPDX-License-Identifier: Apache-2.0
#include "apps/command_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "apps/test_commands.h"

namespace weir::apps::command_table_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class CommandTable : public Commands {
 protected:
  std::string weir(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"weir"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    EXPECT_EQ(capture([&] { return command_line(static_cast<int>(argv.size()), argv.data()); }), kDone);
    EXPECT_THAT(err_, IsEmpty());
    return out_;
  }
  /// Checks that a shell accepts the script, if the shell is installed.
  void expect_parsed(const std::string& shell, const std::string& check, const std::string& script) {
    if (std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) != 0) return;
    const std::string path = (folder() / "script").string();
    std::ofstream(path) << script;
    EXPECT_EQ(std::system((shell + " " + check + " " + path).c_str()), 0) << script;
  }
};

TEST_F(CommandTable, CompletesAllCommandsInEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = weir({"completion", shell});
    for (const char* command : {"run", "compare", "check", "list", "report", "export", "completion", "man"}) {
      EXPECT_THAT(script, HasSubstr(command)) << shell;
    }
    EXPECT_THAT(script, HasSubstr("set-aside")) << shell;
    expect_parsed(shell, "-n", script);
  }
}

TEST_F(CommandTable, CompletesInBash) {
  const std::string path = (folder() / "script").string();
  std::ofstream(path) << weir({"completion", "bash"})
                      << "COMP_WORDS=(weir comp) COMP_CWORD=1; _weir; echo \"${COMPREPLY[*]}\"\n"
                         "COMP_WORDS=(weir check --li) COMP_CWORD=2; _weir; echo \"${COMPREPLY[*]}\"\n";
  const std::string result = (folder() / "result").string();
  ASSERT_EQ(std::system(("bash " + path + " > " + result).c_str()), 0);
  EXPECT_EQ(content(result), "compare completion\n--links\n");
}

TEST_F(CommandTable, TellsOptionsWithValuesFromFlags) {
  const std::string page = weir({"man"});
  EXPECT_THAT(page, AllOf(HasSubstr(".TH WEIR 1"), HasSubstr(".SS \\fBweir compare\\fR \\fIFILE\\fR"),
                          HasSubstr("\\fB\\-\\-out\\fR \\fIDIR\\fR"), HasSubstr("\\fB\\-\\-set\\-aside\\fR\n"),
                          HasSubstr(".SH EXIT STATUS")));
}

}  // namespace
}  // namespace weir::apps::command_table_test
