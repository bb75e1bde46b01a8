#include "apps/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "apps/output_folder.h"

namespace weir::apps {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kScenario = R"([scenario]
title = "Two hosts"
question = "Does it run?"

[topology]
kind = "single-switch"
hosts = 3
link = { rate = "100 Gbit/s", delay = "1 us" }

[switch]
flow_control = "pfc"

[[traffic]]
name = "pair"
kind = "flows"
flow = [{ source = "h0", destination = "h1", size = "10 KB" }]

[run]
stop = "1 ms"

[variants.a]
[variants.b]
switch.buffer = "6 MB"
)";

/// A folder with a scenario, gone when the test is over; and what a command printed.
class Commands : public testing::Test {
 protected:
  Commands() {
    std::filesystem::create_directories(folder_);
    write(kScenario);
  }
  ~Commands() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) { std::ofstream(file()) << text; }
  [[nodiscard]] std::string file() const { return (folder_ / "s.toml").string(); }
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }

  template <class Command>
  int capture(Command command) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = command();
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return status;
  }
  [[nodiscard]] RunCommand run_command() const {
    RunCommand command;
    command.scenario.file = file();
    return command;
  }
  std::string out_;
  std::string err_;

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "weir_commands";
};

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

TEST_F(Commands, CompareShowsATableAndDigests) {
  EXPECT_EQ(capture([&] { return compare(run_command()); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("Two hosts\nDoes it run?\n"), HasSubstr("digest a "), HasSubstr("digest b ")));
  EXPECT_THAT(err_, IsEmpty());  // not a terminal: no progress
  const std::string first = out_;
  RunCommand alone = run_command();
  alone.jobs = 1;
  EXPECT_EQ(capture([&] { return compare(alone); }), kDone);
  EXPECT_EQ(out_, first);  // side by side or one after the other
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
    EXPECT_THAT(err_, HasSubstr("variant a: switch0: headroom ("));
    EXPECT_THAT(out_, IsEmpty());
  }
  EXPECT_EQ(capture([&] { return check(command.scenario, false); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("variant a: switch0: headroom ("));
}

TEST_F(Commands, SayWhyFilesCouldNotBeWritten) {
  RunCommand command = run_command();
  std::ofstream(folder() / "taken") << "a file where a folder should be";
  command.out = (folder() / "taken").string();
  EXPECT_EQ(capture([&] { return compare(command); }), kFailed);
  EXPECT_THAT(err_, HasSubstr("taken"));
  EXPECT_THAT(out_, HasSubstr("digest a "));  // the results are there all the same
}

TEST_F(Commands, PrintTheConfigurationAndStop) {
  RunCommand command = run_command();
  command.scenario.print_config = true;
  EXPECT_EQ(capture([&] { return compare(command); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("# ---- variant b\n"), HasSubstr("s.toml:23 (variant b)"), HasSubstr("# default"),
                          Not(HasSubstr("digest"))));
}

TEST_F(Commands, CheckShowsTheArithmetic) {
  EXPECT_EQ(capture([&] { return check(run_command().scenario, true); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("== a\n"), HasSubstr("base round trip"), HasSubstr("headroom of a port")));
}

TEST_F(Commands, ListShowsWhatThereIs) {
  EXPECT_EQ(capture([] { return list(""); }), kDone);
  EXPECT_THAT(
      out_, AllOf(HasSubstr("\npfc "), HasSubstr("\nleaf-spine "), HasSubstr("\npoisson "), HasSubstr("\nwebsearch ")));
  EXPECT_EQ(capture([] { return list("dynamic_threshold"); }), kDone);
  EXPECT_THAT(out_, HasSubstr("\nalpha "));
  EXPECT_EQ(capture([] { return list("dynamic_treshold"); }), kWrongInput);
  EXPECT_EQ(err_, "weir: no scheme is named \"dynamic_treshold\" (did you mean \"dynamic_threshold\"?)\n");
}

TEST(OutputFolder, MakesSafeAndDistinctNames) {
  EXPECT_THAT(folder_names({"pfc", "", "static + DCQCN", "../../etc", "a/b", "a_b", "pfc"}),
              ElementsAre("pfc", "run", "static___DCQCN", "_._.._etc", "a_b", "a_b-2", "pfc-2"));
}

}  // namespace
}  // namespace weir::apps
