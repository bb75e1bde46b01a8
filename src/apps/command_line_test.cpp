// SPDX-License-Identifier: Apache-2.0
#include "apps/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/test_commands.h"

namespace weir::apps::command_line_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class CommandLine : public Commands {
 protected:
  int weir(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"weir"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return capture([&] { return command_line(static_cast<int>(argv.size()), argv.data()); });
  }
};

TEST_F(CommandLine, RunsAScenario) {
  EXPECT_EQ(weir({"compare", file(), "--seed", "3", "--variant", "a", "--jobs", "1"}), kDone);
  EXPECT_THAT(err_, IsEmpty());
  EXPECT_THAT(out_, HasSubstr("digest a "));
}

TEST_F(CommandLine, NamesAnUnknownCommandAndTheNearest) {
  EXPECT_EQ(weir({"compar", file()}), kWrongInput);
  EXPECT_EQ(err_,
            "weir: unknown command \"compar\" (did you mean \"compare\"?)\nRun with --help for more information.\n");
  EXPECT_EQ(weir({"frobnicate"}), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("weir: unknown command \"frobnicate\"\n"));
  EXPECT_EQ(weir({}), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("A subcommand is required"));
  EXPECT_THAT(out_, IsEmpty());
}

TEST_F(CommandLine, NamesAnUnknownOptionAndTheNearest) {
  EXPECT_EQ(weir({"compare", file(), "--ot", "x"}), kWrongInput);
  EXPECT_EQ(err_,
            "weir compare: unknown option \"--ot\" (did you mean \"--out\"?)\nRun with --help for more information.\n");
  EXPECT_EQ(weir({"run", file(), "--varient=a"}), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("weir run: unknown option \"--varient\" (did you mean \"--variant\"?)\n"));
  EXPECT_EQ(weir({"run", file(), file()}), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("The following argument was not expected"));
  EXPECT_THAT(out_, IsEmpty());
}

TEST_F(CommandLine, EscapesControlCharactersOfArguments) {
  const std::string red = "\x1b[31m";
  const std::vector<std::vector<std::string>> commands{{"run", file(), "--seeds", red},
                                                       {"run", file(), "--shard", red, "--out", "x"},
                                                       {"run", file(), "--jobs", red},
                                                       {"completion", red},
                                                       {"run", file(), red},
                                                       {red},
                                                       {"run", file(), "--" + red}};
  for (const std::vector<std::string>& arguments : commands) {
    EXPECT_EQ(weir(arguments), kWrongInput) << arguments[0];
    EXPECT_THAT(err_, testing::Not(HasSubstr("\x1b"))) << arguments[0];
    EXPECT_THAT(err_, HasSubstr("\\x1b[31m")) << arguments[0];
  }
}

TEST_F(CommandLine, RefusesAnEmptyFolder) {
  // As "$FOLDER" expands if it is not set: the results would be lost.
  const std::vector<std::vector<std::string>> commands{{"compare", file(), "--out", ""},
                                                       {"run", file(), "--out", ""},
                                                       {"export", folder().string(), "--into", ""},
                                                       {"reproduce", "bfc/fig9", "--out", ""},
                                                       {"analyze", "spfc", "--out", ""}};
  for (const auto& command : commands) {
    EXPECT_EQ(weir(command), kWrongInput) << command.front();
    EXPECT_THAT(err_, HasSubstr("is empty, expected a folder")) << command.front();
    EXPECT_THAT(out_, IsEmpty());
  }
}

TEST_F(CommandLine, TakesWhichRowsAreTriedWithOtherChoices) {
  // No row is selected, which is detected after all options are read.
  const auto refused = [&](const std::string& option) {
    EXPECT_EQ(weir({"reproduce", "--rows", folder().string(), "--out", folder().string(), option}), kWrongInput);
    return err_;
  };
  for (const char* good : {"--assumptions", "--assumptions=all", "--assumptions=undecided"}) {
    EXPECT_THAT(refused(good), HasSubstr("no rows, expected files")) << good;
  }
  EXPECT_THAT(refused("--assumptions=some"), HasSubstr("is \"some\", expected all or undecided"));
}

TEST_F(CommandLine, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(weir({"--help"}), kDone);
  EXPECT_THAT(out_, HasSubstr("compare"));
  EXPECT_EQ(weir({"compare", "--help"}), kDone);
  EXPECT_THAT(out_, HasSubstr("--continue"));
  EXPECT_EQ(weir({"--version"}), kDone);
  EXPECT_THAT(out_, HasSubstr("weir "));
  EXPECT_THAT(err_, IsEmpty());
}

}  // namespace
}  // namespace weir::apps::command_line_test
