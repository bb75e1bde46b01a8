// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "apps/interrupt.h"
#include "apps/test_commands.h"
#include "sim/version.h"

namespace weir::apps::reproduce_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kRow = R"([claim]
id = "one/fig1"
title = "One flow completes"
section = "1"

[[claim.criterion]]
name = "it completes"
paper = "it does"
holds = "flows() == 1"

[topology]
kind = "single_switch"
hosts = 2
link = { rate = "10 Gbit/s", delay = "1 us" }

[[traffic]]
name = "one"
kind = "flows"
flow = [{ source = "h0", destination = "h1", size = "10 KB" }]

[run]
stop = "1 ms"

[quick]
differs = "nothing"
)";

/// A folder of reproductions with one row.
class Reproduce : public Commands {
 protected:
  Reproduce() {
    std::filesystem::create_directories(folder() / "rows" / "one");
    std::ofstream(folder() / "rows" / "one" / "fig1.toml") << kRow;
    command_.ids = {"one/fig1"};
    command_.rows = (folder() / "rows").string();
    command_.out = (folder() / "verdicts").string();
  }
  int reproduce_capturing() {
    return capture([&] { return reproduce(command_); });
  }
  ReproduceCommand command_;
};

TEST_F(Reproduce, KeepsVerdictsAndTheirReportTogether) {
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("it completes"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "verdicts" / "one" / "fig1.quick.toml"));
  EXPECT_THAT(content(folder() / "verdicts" / "reproduction.md"), HasSubstr("One flow completes"));
}

/// Files shown on the page are stored next to it.
TEST_F(Reproduce, DrawsThePicturesOfARow) {
  std::ofstream(folder() / "rows" / "one" / "fig1.toml") << R"row([[claim.picture]]
name = "the flow"
x = "flow"
y = "completion (us)"
[[claim.picture.line]]
name = "measured"
value = "fcts()"

)row" << kRow;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(content(folder() / "verdicts" / "pictures" / "one-fig1.svg"), HasSubstr(">completion (us)</text>"));
  EXPECT_THAT(content(folder() / "verdicts" / "reproduction" / "one.md"),
              HasSubstr("![the flow](../pictures/one-fig1.svg)"));
}

/// The page shows the full form if that has a verdict.
TEST_F(Reproduce, KeepsThePictureOfTheFullForm) {
  std::ofstream(folder() / "rows" / "one" / "fig1.toml") << R"row([[claim.picture]]
name = "the flow"
x = "flow"
y = "completion (us)"
[[claim.picture.line]]
name = "measured"
value = "fcts()"

)row" << kRow;
  const auto picture = [&] { return content(folder() / "verdicts" / "pictures" / "one-fig1.svg"); };
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(picture(), HasSubstr(">one/fig1, quick form.</text>"));
  command_.full = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(picture(), HasSubstr(">one/fig1, full form.</text>"));
  command_.full = false;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(picture(), HasSubstr(">one/fig1, full form.</text>"));
}

/// Two rows in a folder like the project's, which is the current folder during the test.
class Ledger : public Reproduce {
 protected:
  Ledger() {
    std::filesystem::create_directories(folder() / "docs");
    std::filesystem::create_directories(folder() / "reproduction" / "one");
    std::string other = kRow;
    other.replace(other.find("fig1"), 4, "fig2");
    std::ofstream(folder() / "reproduction" / "one" / "fig1.toml") << kRow;
    std::ofstream(folder() / "reproduction" / "one" / "fig2.toml") << other;
    std::filesystem::current_path(folder());
    command_ = ReproduceCommand();
    command_.ids = {"one/fig1"};
  }
  ~Ledger() override { std::filesystem::current_path(before_); }
  [[nodiscard]] static std::string page() { return content("docs/reproduction.md"); }
  [[nodiscard]] static std::string page_of_one() { return content("docs/reproduction/one.md"); }
  /// The table line of a row that holds.
  [[nodiscard]] static std::string in_table(const std::string& row) {
    return "| [one/" + row + "](reproduction/one.md#" + row + ") | One flow completes | holds, quick form |  |\n";
  }
  /// Writes the first row such that it fails with 1 us and holds with another delay of the link.
  static void write_undecided() {
    std::string row = kRow;
    row.replace(row.find("flows() == 1"), 12, "mean(fcts()) > 14 us");
    row.replace(row.find("[topology]"), 0,
                "[[claim.assumed]]\nvalue = \"the delay\"\nchoice = \"1 us\"\nreason = \"ours\"\n"
                "alternative = { topology.link.delay = \"3 us\" }\nother = \"3 us, a long cable\"\n\n");
    std::ofstream("reproduction/one/fig1.toml") << row;
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(Ledger, RecordsVerdictsInBrief) {
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(content("reproduction/verdicts/one/fig1.quick.toml"), HasSubstr("[[run]]"));
  EXPECT_THAT(content("reproduction/record/one/fig1.quick.toml"), Not(HasSubstr("[[run]]")));
  EXPECT_THAT(page(), HasSubstr(in_table("fig1")));
}

/// As in a fresh clone, which has no runs of rows that were evaluated elsewhere.
TEST_F(Ledger, ShowsWhatIsRecordedOfRowsThatAreNotRun) {
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  std::filesystem::remove_all("reproduction/verdicts");
  command_.ids = {"one/fig2"};
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(page(), HasSubstr(in_table("fig1")));
  EXPECT_THAT(page(), HasSubstr(in_table("fig2")));
  command_.ids.clear();
  command_.list = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, testing::ContainsRegex("one/fig1 +One flow completes +holds, quick form"));
  // A row that is only recorded is run again if all are requested.
  command_.list = false;
  command_.all = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("one/fig1 (quick form): holds"));
  EXPECT_THAT(out_, Not(HasSubstr("one/fig2")));
}

TEST_F(Ledger, ListsTheRowsThatAreNamed) {
  command_.list = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("one/fig1"), Not(HasSubstr("one/fig2"))));
  command_.ids = {"one/fig3"};
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("weir: unknown row \"one/fig3\""));
  command_.ids.clear();
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("one/fig1"), HasSubstr("one/fig2")));
  command_.ids = {"one/fig1"};
  command_.all = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("one/fig2"));
}

TEST_F(Ledger, KeepsWhatWasTriedOtherwise) {
  const std::string row = kRow;
  const auto at = row.find("[topology]");
  std::ofstream("reproduction/one/fig1.toml")
      << row.substr(0, at) << "[[claim.assumed]]\nvalue = \"the delay\"\nchoice = \"1 us\"\nreason = \"ours\"\n"
      << "alternative = { topology.link.delay = \"2 us\" }\n"
      << row.substr(at);
  command_.choices = OtherChoices::all;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(page_of_one(), HasSubstr("holds, quick form, no criterion changes"));
  // From the record, as in a fresh clone.
  std::filesystem::remove_all("reproduction/verdicts");
  command_.choices = OtherChoices::none;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(page_of_one(), HasSubstr("holds, quick form, no criterion changes"));
}

TEST_F(Ledger, FindsTheChoiceWithWhichARowHolds) {
  write_undecided();
  command_.ids.clear();
  command_.all = true;
  command_.choices = OtherChoices::undecided;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("one/fig1 (quick form): holds with: 3 us, a long cable\n"));
  EXPECT_THAT(content("reproduction/record/one/fig1.quick.toml"),
              HasSubstr("verdict = \"holds with\"\nwith = [\"3 us, a long cable\"]\n"));
  EXPECT_THAT(page(), HasSubstr("| One flow completes | holds with, quick form | 3 us, a long cable |\n"));
  EXPECT_THAT(page(), HasSubstr("| [one](reproduction/one.md) | 1 | 1 | 0 | 0 |\n"));
  command_.all = false;
  command_.list = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("holds with: 3 us, a long cable, quick form"));
}

TEST_F(Ledger, TriesOnlyTheChoiceThatIsNamed) {
  write_undecided();
  command_.choices = OtherChoices::all;
  command_.assumption = "delay";
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("holds with: 3 us, a long cable\n"));
  command_.assumption = "rate";
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_THAT(err_,
              HasSubstr("no row has an alternative for \"rate\", expected part of one of: one/fig1: \"the delay\""));
}

/// The runs of the row itself exist; a decisive alternative is not evaluated twice.
TEST_F(Ledger, TriesOtherChoicesOfRowsThatHaveAVerdict) {
  write_undecided();
  command_.ids.clear();
  command_.all = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("one/fig1 (quick form): does not hold\n"), HasSubstr("one/fig2")));
  command_.choices = OtherChoices::undecided;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("one/fig1 (quick form): holds with"), Not(HasSubstr("one/fig2"))));
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, IsEmpty());
  command_.again = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("one/fig1 (quick form): holds with"), HasSubstr("one/fig2")));
}

/// The effect of an alternative is reported relative to the row evaluated by the same version.
TEST_F(Ledger, RunsARowAnewWhoseVerdictAnotherVersionMade) {
  write_undecided();
  command_.ids.clear();
  command_.all = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  const std::string path = "reproduction/verdicts/one/fig1.quick.toml";
  std::string verdict = content(path);
  verdict.replace(verdict.find(kVersion), std::string(kVersion).size(), "0.0.9");
  std::ofstream(path) << verdict;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, IsEmpty());
  command_.choices = OtherChoices::undecided;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(content(path), AllOf(HasSubstr("verdict = \"holds with\""), Not(HasSubstr("0.0.9"))));
}

TEST_F(Ledger, WarnsOfARowWithoutACause) {
  write_undecided();
  command_.check = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(err_, IsEmpty());
  command_.check = false;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  command_.check = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_EQ(err_,
            "reproduction/one/fig1.toml: warning: does not hold but has no claim.cause, expected the cause that an "
            "experiment showed\n");
  std::string row = content("reproduction/one/fig1.toml");
  row.replace(row.find("section"), 0, "cause = \"The cable is short.\"\n");
  std::ofstream("reproduction/one/fig1.toml") << row;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(err_, IsEmpty());
}

TEST_F(Ledger, RefusesAPaperWithALeadThatIsNotThere) {
  std::ofstream("reproduction/one.toml") << "title = \"One\"\n[[lead]]\nrow = \"one/fig1\"\n";
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_EQ(err_, "reproduction/one.toml: lead: one/fig1 has 0 pictures, not a picture 1\n");
  EXPECT_FALSE(std::filesystem::exists("docs/reproduction.md"));
  std::ofstream("reproduction/one.toml") << "title = \"The one\"\n";
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(page_of_one(), testing::StartsWith("# Reproduction of The one\n"));
}

TEST_F(Ledger, RecordsAVerdictThatWasThereBefore) {
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  const std::string recorded = content("reproduction/record/one/fig1.quick.toml");
  std::filesystem::remove_all("reproduction/record");
  std::filesystem::remove("reproduction/one/fig2.toml");
  command_.ids.clear();
  command_.all = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_EQ(content("reproduction/record/one/fig1.quick.toml"), recorded);
  EXPECT_THAT(page(), HasSubstr("holds, quick form"));
}

/// A failed run would be evaluated as if the row could not be run.
TEST_F(Ledger, KeepsNoVerdictWhereARunBroke) {
  std::string row = kRow;
  const auto replace = [&row](const std::string& from, const std::string& to) {
    row.replace(row.find(from), from.size(), to);
  };
  replace("holds = \"flows() == 1\"",
          "holds = \"flows(variant=\\\"a\\\") == 1\"\n\n[[claim.criterion]]\nname = \"so does "
          "the other\"\nholds = \"flows(variant=\\\"b\\\") == 1\"");
  replace("delay = \"1 us\"", "delay = \"2 ms\"");
  replace("10 KB", "8 MB");
  replace("stop = \"1 ms\"", "stop = \"1 ms\"\n[variants.a]\n[variants.b]\nrun.frame_capacity = 1024");
  std::ofstream("reproduction/one/fig1.toml") << row;
  EXPECT_EQ(reproduce_capturing(), kFailed);
  EXPECT_THAT(err_, HasSubstr("weir: one/fig1: b: run.frame_capacity = 1024"));
  EXPECT_THAT(out_, HasSubstr("so does the other: not evaluated: b: failed"));
  EXPECT_FALSE(std::filesystem::exists("reproduction/verdicts/one/fig1.quick.toml"));
  EXPECT_FALSE(std::filesystem::exists("reproduction/record/one/fig1.quick.toml"));
  // The other run is stored for the next time.
  EXPECT_TRUE(std::filesystem::exists("reproduction/verdicts/one/fig1.quick.runs"));
}

/// A tracked file about an outdated row would remain permanently.
TEST_F(Ledger, ForgetsTheOtherFormOfARowThatHasChanged) {
  command_.full = true;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  ASSERT_TRUE(std::filesystem::exists("reproduction/record/one/fig1.full.toml"));
  std::string row = kRow;
  row.replace(row.find("flows() == 1"), 12, "flows() >= 1");
  std::ofstream("reproduction/one/fig1.toml") << row;
  command_.full = false;
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_TRUE(std::filesystem::exists("reproduction/record/one/fig1.quick.toml"));
  EXPECT_FALSE(std::filesystem::exists("reproduction/record/one/fig1.full.toml"));
}

TEST_F(Ledger, RefusesADamagedRecord) {
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  const std::string before = page();
  std::ofstream("reproduction/record/one/fig1.quick.toml") << "<<<<<<< HEAD\n";
  command_.ids = {"one/fig2"};
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_THAT(err_, testing::StartsWith("reproduction/record/one/fig1.quick.toml: is not a verdict, expected"));
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_EQ(page(), before);
  // Results elsewhere are independent of it.
  command_.out = "mine";
  EXPECT_EQ(reproduce_capturing(), kDone) << err_;
}

TEST_F(Ledger, RecordsNothingThatIsReportedElsewhere) {
  command_.report = "mine.md";
  ASSERT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_FALSE(std::filesystem::exists("reproduction/record"));
  EXPECT_FALSE(std::filesystem::exists("docs/reproduction.md"));
  EXPECT_THAT(content("mine.md"), HasSubstr("holds, quick form"));
}

TEST_F(Ledger, KeepsNoVerdictsInTheRecordsPlace) {
  command_.out = (folder() / "reproduction" / "." / "record").string();
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_EQ(err_, "weir: " + command_.out + ": contains the record, expected another --out\n");
  EXPECT_FALSE(std::filesystem::exists("reproduction/record"));
}

TEST_F(Ledger, RunsNothingThatCannotBeRecorded) {
  std::ofstream("reproduction/record") << "taken";
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_EQ(err_, "weir: reproduction/record: Not a directory\n");
  EXPECT_THAT(out_, IsEmpty());
}

TEST_F(Ledger, IsKnownByItsPlace) {
  command_.out = (folder() / "reproduction" / "verdicts").string();
  EXPECT_EQ(reported_folder(command_), kRecordFolder);
  command_.rows = folder().string() + "/docs/../reproduction/";
  EXPECT_EQ(reported_folder(command_), kRecordFolder);
  command_.rows = folder().string();
  EXPECT_EQ(reported_folder(command_), command_.out);
}

TEST(ReproduceCommand, OnlyTheLedgersOwnVerdictsGoIntoTheDocumentation) {
  ReproduceCommand command;
  EXPECT_EQ(report_path(command), "docs/reproduction.md");
  EXPECT_EQ(reported_folder(command), "reproduction/record");
  command.out = "./reproduction/verdicts/";
  EXPECT_EQ(report_path(command), "docs/reproduction.md");
  command.rows = "mine";
  EXPECT_EQ(report_path(command), "./reproduction/verdicts/reproduction.md");
  EXPECT_EQ(reported_folder(command), command.out);
  command.rows = "reproduction/";
  command.out = "/elsewhere";
  EXPECT_EQ(reported_folder(command), "/elsewhere");
  EXPECT_EQ(report_path(command), "/elsewhere/reproduction.md");
  command.report = "a.md";
  EXPECT_EQ(report_path(command), "a.md");
}

TEST_F(Reproduce, RunsNothingThatHasNoPlaceToGoTo) {
  std::ofstream(folder() / "file") << "taken";
  command_.out = (folder() / "file" / "verdicts").string();
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_EQ(err_, "weir: " + command_.out + ": Not a directory\n");
  EXPECT_THAT(out_, IsEmpty());
  command_.out = (folder() / "verdicts").string();
  command_.report = (folder() / "nowhere" / "report.md").string();
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_EQ(err_, "weir: " + (folder() / "nowhere").string() + ": No such file or directory\n");
  EXPECT_THAT(out_, IsEmpty());
}

TEST_F(Reproduce, SaysWhenNothingIsWrong) {
  command_.check = true;
  EXPECT_EQ(reproduce_capturing(), kDone) << err_;
  EXPECT_EQ(out_, "1 row, no errors\n");
}

TEST_F(Reproduce, SaysWhatIsWrongWithWhatARowAssumesOtherwise) {
  command_.check = true;
  const std::string row = kRow;
  const auto at = row.find("[topology]");
  std::ofstream(folder() / "rows" / "one" / "fig1.toml")
      << row.substr(0, at) << "[[claim.assumed]]\nvalue = \"the delay\"\nchoice = \"1 us\"\nreason = \"ours\"\n"
      << "alternative = { topology.link.delya = \"2 us\" }\n"
      << row.substr(at);
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("(claim.assumed \"the delay\", alternative; quick form)"));
}

using ReproduceDeathTest = Reproduce;

TEST_F(ReproduceDeathTest, NamesTheRowsThatAnInterruptLeft) {
  const auto interrupted = [this] {
    catch_interrupts();
    (void)raise(SIGINT);
    std::exit(reproduce(command_));
  };
  EXPECT_EXIT(interrupted(), testing::ExitedWithCode(kInterrupted), "weir: interrupted: not run: one/fig1\n");
}

TEST_F(Reproduce, NamesTheNearestRow) {
  command_.ids = {"one/fig2", "one/fig1"};
  EXPECT_EQ(reproduce_capturing(), kWrongInput);
  EXPECT_EQ(err_, "weir: unknown row \"one/fig2\" (did you mean \"one/fig1\"?)\n");
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(command_.out));
}

}  // namespace
}  // namespace weir::apps::reproduce_test
