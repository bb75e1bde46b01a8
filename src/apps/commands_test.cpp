// SPDX-License-Identifier: Apache-2.0
#include "apps/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "apps/interrupt.h"
#include "apps/test_commands.h"

namespace weir::apps::commands_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Commands, CompareShowsATableAndDigests) {
  EXPECT_EQ(capture([&] { return compare(run_command()); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("Two hosts\nDoes it run?\n"), HasSubstr("digest a "), HasSubstr("digest b ")));
  EXPECT_THAT(err_, IsEmpty());  // not a terminal: no progress
  EXPECT_THAT(out_, EndsWith("\nreport: weir compare " + file() + " --out results && weir report results\n"));
  const std::string first = out_;
  RunCommand alone = run_command();
  alone.jobs = 1;
  EXPECT_EQ(capture([&] { return compare(alone); }), kDone);
  EXPECT_EQ(out_, first);  // in parallel or in sequence
}

TEST_F(Commands, RunTakesVariantsAndWritesFiles) {
  RunCommand command = run_command();
  command.scenario.options.variants = {"b"};
  command.out = (folder() / "out").string();
  EXPECT_EQ(capture([&] { return run(command); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("== b\n"), Not(HasSubstr("== a\n"))));
  EXPECT_THAT(content(folder() / "out" / "b" / "flows.csv"), Not(IsEmpty()));
  EXPECT_THAT(content(folder() / "out" / "b" / "fct.txt"), Not(IsEmpty()));
  EXPECT_THAT(content(folder() / "out" / "b" / "configuration.toml"), HasSubstr("buffer = \"6 MB\"\n"));
}

TEST_F(Commands, SayAllThatIsWrongAndRunNothing) {
  write("[scenario]\ntitel = \"x\"\n");
  EXPECT_EQ(capture([&] { return compare(run_command()); }), kWrongInput);
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_THAT(err_, HasSubstr(file() + ":2:1: scenario.titel: unknown key (did you mean \"title\"?)\n"));
}

TEST_F(Commands, RefuseWhatCheckRefuses) {
  RunCommand command = run_command();
  command.scenario.options.set = {"switch.buffer=10 KB"};
  for (const auto& start : {compare, run}) {
    EXPECT_EQ(capture([&] { return start(command); }), kWrongInput);
    EXPECT_THAT(err_, HasSubstr("--set switch.buffer=10 KB: switch.buffer: switch0: headroom ("));
    EXPECT_THAT(out_, IsEmpty());
  }
  EXPECT_EQ(capture([&] { return check(command.scenario, false, false); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("--set switch.buffer=10 KB: switch.buffer: switch0: headroom ("));
}

TEST_F(Commands, PrintTheConfigurationAndStop) {
  RunCommand command = run_command();
  command.scenario.print_config = true;
  EXPECT_EQ(capture([&] { return compare(command); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("# ---- variant b\n"), HasSubstr("s.toml:23 (variant b)"), HasSubstr("# default"),
                          Not(HasSubstr("digest"))));
}

TEST_F(Commands, CheckShowsTheArithmetic) {
  EXPECT_EQ(capture([&] { return check(run_command().scenario, true, false); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("\n== a\n"), HasSubstr("\n== b\n"), HasSubstr("base round trip"),
                          HasSubstr("headroom of a port"), HasSubstr("\n[variants.recommended]\n"),
                          HasSubstr("\nVERDICT: no problems found\n  deadlock: ")));
}

TEST_F(Commands, EndWithTheDropsOfALosslessPriority) {
  RunCommand command = run_command();
  command.scenario.options.variants = {"a"};
  command.scenario.options.set = {
      "switch.flow_control=[]", "switch.buffer=\"60 KB\"", "switch.headroom=\"1 KB\"",
      R"(traffic=[{name="all",kind="flows",flow=[{source="h0",destination="h2",size="1 MB"},{source="h1",destination="h2",size="1 MB"}]}])"};
  EXPECT_EQ(capture([&] { return run(command); }), kDone);
  const std::size_t digest = out_.find("\ndigest a ");
  const std::size_t drops = out_.find("\nDROPS ON A LOSSLESS PRIORITY in a: switches dropped ");
  ASSERT_NE(drops, std::string::npos) << out_;
  EXPECT_GT(drops, digest);
  EXPECT_THAT(err_, HasSubstr("warning: priority 3 is lossless, but switches have no flow control"));
}

TEST_F(Commands, CheckShowsVariantsAlikeOnce) {
  write(std::string(kScenario) + "[variants.c]\nrun.seed = 9\n");
  EXPECT_EQ(capture([&] { return check(run_command().scenario, false, false); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("\n== a, c\n"), HasSubstr("\n== b\n")));
}

TEST_F(Commands, CompareNamesTheCommandThatShowsWhatItKept) {
  RunCommand command = run_command();
  command.out = (folder() / "it's out").string();
  EXPECT_EQ(capture([&] { return compare(command); }), kDone);
  EXPECT_THAT(out_, EndsWith("\nreport: weir report '" + (folder() / "it'\\''s out").string() + "'\n"));
}

TEST_F(Commands, ListShowsWhatThereIs) {
  EXPECT_EQ(capture([] { return list("", false); }), kDone);
  EXPECT_THAT(
      out_, AllOf(HasSubstr("\npfc "), HasSubstr("\nleaf_spine "), HasSubstr("\npoisson "), HasSubstr("\nwebsearch ")));
  EXPECT_EQ(capture([] { return list("dynamic_threshold", false); }), kDone);
  EXPECT_THAT(out_, HasSubstr("\nalpha "));
  EXPECT_EQ(capture([] { return list("switch", false); }), kDone);
  EXPECT_THAT(out_, HasSubstr("  buffer = \"12 MB\"\n"));
  EXPECT_EQ(capture([] { return list("topology", false); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("[topology] of kind \"dumbbell\""), HasSubstr("[topology] of kind \"clos\"")));
  EXPECT_EQ(capture([] { return list("", true); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("# The scenario language\n"), HasSubstr("\n### dynamic_threshold\n")));
  for (const char* name : {"incast", "leaf_spine", "leaf-spine", "traffic.incast", "dynamic-threshold"}) {
    EXPECT_EQ(capture([&] { return list(name, false); }), kDone) << name;
  }
  EXPECT_EQ(capture([] { return list("incast", false); }), kDone);
  EXPECT_THAT(out_, HasSubstr("[[traffic]] of kind \"incast\""));
  EXPECT_EQ(capture([] { return list("presets", false); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("\ntomahawk "), HasSubstr("SIGCOMM 2015")));
  EXPECT_EQ(capture([] { return list("incst", false); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("did you mean \"incast\"?"));
  EXPECT_EQ(capture([] { return list("dynamic_treshold", false); }), kWrongInput);
  EXPECT_EQ(err_, "weir: unknown scheme or table \"dynamic_treshold\" (did you mean \"dynamic_threshold\"?)\n");
}

using CommandsDeathTest = Commands;

TEST_F(CommandsDeathTest, MarkTheDigestOfAnInterruptedRun) {
  const auto interrupted = [this] {
    RunCommand command = run_command();
    command.scenario.options.variants = {"a"};
    command.scenario.options.set = {"run.stop=100 s",
                                    R"(traffic=[{name="pair",kind="poisson",size="64 KB",load=0.5}])"};
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    catch_interrupts();
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      (void)raise(SIGINT);
    }).detach();
    std::exit(compare(command));
  };
  EXPECT_EXIT(interrupted(), testing::ExitedWithCode(kInterrupted), "digest a [0-9a-f]+ INTERRUPTED\n");
}

}  // namespace
}  // namespace weir::apps::commands_test
