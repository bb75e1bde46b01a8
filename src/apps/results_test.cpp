// SPDX-License-Identifier: Apache-2.0
// Commands that keep results, list them and write them as files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "apps/test_commands.h"
#include "report/report.h"
#include "sim/version.h"
#include "store/database.h"
#include "store/names.h"
#include "store/store.h"
#include "store/test_file_size_limit.h"
#include "wire/frame.h"

namespace weir::apps::results_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

static_assert(kStoredFrameKinds[static_cast<std::size_t>(FrameKind::pfc)] == "pfc");
static_assert(kStoredFrameKinds[static_cast<std::size_t>(FrameKind::hop_control)] == "hop_control");
static_assert(kStoredFrameKinds[static_cast<std::size_t>(FrameKind::marker)] == "mark");

using Files = std::map<std::string, std::string>;

/// The files of a folder with their contents, except the store.
Files files_in(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".sqlite") continue;
    files[entry.path().lexically_relative(folder)] = content(entry.path());
  }
  return files;
}

class Results : public Commands {
 protected:
  [[nodiscard]] std::filesystem::path out() const { return folder() / "out"; }
  [[nodiscard]] RunCommand keeping() const {
    RunCommand command = run_command();
    command.out = out().string();
    return command;
  }
  [[nodiscard]] RunCommand continuing() const {
    RunCommand command = keeping();
    command.resume = true;
    return command;
  }
  int compare_capturing(const RunCommand& command) {
    return capture([&] { return compare(command); });
  }
  [[nodiscard]] Store store() const { return Store::open(store_path(out())); }
  void change_store(const std::string& sql) const { Database(store_path(out()), Database::Mode::write).execute(sql); }
  int runs_capturing() {
    return capture([&] { return runs(out().string()); });
  }
  int export_capturing(const ExportCommand& command) {
    return capture([&] { return export_runs(command); });
  }
};

TEST_F(Results, AreKeptInAStoreAndAsFiles) {
  RunCommand command = keeping();
  command.out = (folder() / "not" / "there" / "yet").string();
  ASSERT_EQ(compare_capturing(command), kDone) << err_;
  EXPECT_THAT(err_, IsEmpty());
  const Store store = Store::open(store_path(command.out));
  EXPECT_EQ(store.version(), kVersion);
  EXPECT_THAT(store.missing(), IsEmpty());
  const std::vector<StoredRun> runs = store.runs();
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].key.scenario, "Two hosts");
  EXPECT_EQ(runs[0].key.variant, "a");
  EXPECT_EQ(runs[1].key.variant, "b");
  for (const StoredRun& run : runs) {
    EXPECT_THAT(out_, HasSubstr("digest " + run.key.variant + " " + run.digest + "\n"));
    const std::filesystem::path files = std::filesystem::path(command.out) / run.key.variant;
    EXPECT_EQ(content(files / "configuration.toml"), store.load(run.id).effective_configuration);
    EXPECT_THAT(content(files / "flows.csv"), Not(IsEmpty()));
    EXPECT_THAT(content(files / "fct.txt"), Not(IsEmpty()));
    EXPECT_TRUE(std::filesystem::exists(files / "pfc.txt"));
  }
}

TEST_F(Results, OfASingleRunHaveTheFolderForThemselves) {
  const std::string text = kScenario;
  write(text.substr(0, text.find("[variants.a]")));
  ASSERT_EQ(compare_capturing(keeping()), kDone) << err_;
  EXPECT_TRUE(std::filesystem::exists(out() / "flows.csv"));
  EXPECT_THAT(store().runs(), SizeIs(1));
}

TEST_F(Results, HaveWhatCheckFoundOfEachVariant) {
  write(R"([scenario]
title = "A pod"
question = "Which buffers can wait in a cycle?"

[topology]
kind = "leaf_spine"
tors = 4
hosts_per_tor = 1
spines = 2
host_link = { rate = "100 Gbit/s", delay = "1 us" }
fabric_link = { rate = "100 Gbit/s", delay = "1 us" }

[[failure]]
between = ["spine0", "tor3"]
down = "0 s"

[[failure]]
between = ["spine1", "tor0"]
down = "0 s"

[routing]
failure_detection = "0 s"

[[traffic]]
kind = "flows"
flow = [{ source = "h0", destination = "h3", size = "10 KB" }]

[run]
stop = "1 ms"

[variants.one]
switch.flow_control = ["pfc"]
[variants.two]
switch.flow_control = ["pfc"]
switch.buffer = "6 MB"
[variants.plain]
switch.flow_control = []
switch.lossless = []
)");
  ASSERT_EQ(compare_capturing(keeping()), kDone) << err_;
  // Once for all variants.
  EXPECT_EQ(err_,
            "note: cyclic buffer dependency without tor0 - spine1 and tor3 - spine0: tor1 -> spine0 waits for spine0 "
            "-> tor2 waits for tor2 -> spine1 waits for spine1 -> tor1 waits for tor1 -> spine0; 8 link directions lie "
            "on such cycles, where pauses can deadlock\n");
  const Store store = this->store();
  for (const StoredRun& run : store.runs()) {
    const RunRecord record = store.load(run.id);
    if (run.key.variant == "plain") {
      EXPECT_THAT(record.findings, IsEmpty());
      continue;
    }
    ASSERT_THAT(record.findings, SizeIs(1)) << run.key.variant;
    EXPECT_EQ(record.findings[0].kind, FindingKind::cyclic_buffer_dependency);
    ASSERT_THAT(record.findings[0].ports, SizeIs(4));
    EXPECT_EQ(record.links[record.findings[0].ports[0].link].from, "tor1");
  }
}

TEST_F(Results, AreNotMixedUpWithOthers) {
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  const Files before = files_in(out());
  EXPECT_EQ(compare_capturing(keeping()), kWrongInput);
  EXPECT_EQ(err_, "weir: " + out().string() +
                      ": already contains results (2 of 2 runs): add --continue to run the missing ones, or name "
                      "another folder with --out\n");
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_EQ(files_in(out()), before);
}

TEST_F(Results, AreCompleteWithNothingMoreToRun) {
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  const std::string first = out_;
  EXPECT_EQ(compare_capturing(continuing()), kDone);
  EXPECT_EQ(out_, first);
  EXPECT_EQ(err_, "note: 2 of 2 runs were already stored\n");
}

TEST_F(Results, AreContinuedWhereTheyStopped) {
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  const std::string whole = out_;
  const Files files = files_in(out());
  // As if killed during the run: a is missing, and the files of b are incomplete.
  change_store("DELETE FROM runs WHERE variant = 'a'");
  std::filesystem::remove_all(out() / "a");
  std::filesystem::remove(out() / "b" / "configuration.toml");
  std::filesystem::remove(out() / "b" / "fct.txt");
  EXPECT_EQ(runs_capturing(), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("results.sqlite: 1 of 2 runs"), HasSubstr("missing"), HasSubstr("done")));

  EXPECT_EQ(compare_capturing(continuing()), kDone);
  EXPECT_EQ(out_, whole);
  EXPECT_EQ(err_, "note: 1 of 2 runs were already stored\n");
  EXPECT_EQ(files_in(out()), files);
  EXPECT_THAT(store().missing(), IsEmpty());
}

TEST_F(Results, ReplaceAnInterruptedRun) {
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  const std::string whole = out_;
  change_store("UPDATE runs SET interrupted = 1, digest = 'of a part' WHERE variant = 'b'");
  EXPECT_EQ(runs_capturing(), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("1 of 2 runs"), HasSubstr("interrupted"), Not(HasSubstr("of a part"))));
  EXPECT_EQ(compare_capturing(continuing()), kDone);
  EXPECT_EQ(out_, whole);
}

TEST_F(Results, GrowByVariantsAndSeeds) {
  RunCommand command = continuing();
  command.scenario.options.variants = {"b"};
  ASSERT_EQ(compare_capturing(command), kDone) << err_;  // starts without results
  ASSERT_EQ(compare_capturing(continuing()), kDone) << err_;
  EXPECT_EQ(err_, "note: 1 of 2 runs were already stored\n");
  command.scenario.options.seed = 7;
  ASSERT_EQ(compare_capturing(command), kDone) << err_;
  EXPECT_THAT(store().runs(), SizeIs(3));
  EXPECT_TRUE(std::filesystem::exists(out() / "b-seed-7" / "flows.csv"));
}

TEST_F(Results, OfAnotherConfigurationOrVersionAreLeftAlone) {
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  RunCommand command = continuing();
  command.scenario.options.set = {"run.stop=2 ms"};
  EXPECT_EQ(compare_capturing(command), kWrongInput);
  EXPECT_EQ(err_, "weir: " + out().string() +
                      ": contains a seed 1 with a different configuration: name another folder with --out\n");
  change_store("UPDATE campaign SET weir_version = '0.0.9'");
  EXPECT_EQ(compare_capturing(continuing()), kWrongInput);
  EXPECT_EQ(err_, "weir: " + out().string() + ": contains results of weir 0.0.9, this is " + kVersion +
                      ": name another folder with --out\n");
  EXPECT_THAT(store().planned(), SizeIs(2));
}

TEST_F(Results, OfAnotherVersionAreSetAsideWhenToldTo) {
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  const std::string first = out_;
  const Files before = files_in(out());
  change_store("UPDATE campaign SET weir_version = '0.0.9'");
  RunCommand command = continuing();
  command.set_aside = true;
  EXPECT_EQ(compare_capturing(command), kDone) << err_;
  EXPECT_EQ(out_, first);
  EXPECT_EQ(err_, "note: " + out().string() + ": contained results of weir 0.0.9, this is " + kVersion +
                      ", which have been moved to " + out().string() + ".1\n");
  EXPECT_EQ(Store::open(store_path(out().string() + ".1")).version(), "0.0.9");
  EXPECT_EQ(files_in(out().string() + ".1"), before);
  EXPECT_EQ(store().version(), kVersion);
  // Results that can be continued are not renamed, and renamed ones are not overwritten.
  EXPECT_EQ(compare_capturing(command), kDone);
  EXPECT_EQ(err_, "note: 2 of 2 runs were already stored\n");
  command.scenario.options.set = {"run.stop=2 ms"};
  command.out += "/";
  EXPECT_EQ(compare_capturing(command), kDone) << err_;
  EXPECT_THAT(err_, AllOf(HasSubstr("contained a seed 1 with a different configuration"), HasSubstr("out.2\n")));
  EXPECT_TRUE(std::filesystem::exists(store_path(out().string() + ".2")));
  EXPECT_EQ(Store::open(store_path(out().string() + ".1")).version(), "0.0.9");
}

TEST_F(Results, OfNoFolderOfResultsAreNotSetAside) {
  std::filesystem::create_directories(out());
  std::ofstream(store_path(out())) << std::string(200, 'x');
  RunCommand command = continuing();
  command.set_aside = true;
  EXPECT_EQ(compare_capturing(command), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("not a results store"));
  EXPECT_FALSE(std::filesystem::exists(out().string() + ".1"));
}

TEST_F(Results, OfAnotherFlowFileAreLeftAlone) {
  const std::filesystem::path flows = folder() / "flows.txt";
  const std::string text = kScenario;
  const std::string listed = "kind = \"flows\"\nflow = [{ source = \"h0\", destination = \"h1\", size = \"10 KB\" }]\n";
  std::string of_a_file = text;
  of_a_file.replace(of_a_file.find(listed), listed.size(), "kind = \"file\"\npath = \"flows.txt\"\n");
  write(of_a_file);
  std::ofstream(flows) << "1\n0 1 3 100 10000 0\n";
  ASSERT_EQ(compare_capturing(keeping()), kDone) << err_;
  std::ofstream(flows) << "1\n0 1 3 100 900000 0\n";
  EXPECT_EQ(compare_capturing(continuing()), kWrongInput);
  EXPECT_EQ(err_, "weir: " + out().string() +
                      ": contains a seed 1 with a different configuration: name another folder with --out\n");
  std::ofstream(flows) << "1\n0 1 3 100 10000 0\n";
  EXPECT_EQ(compare_capturing(continuing()), kDone) << err_;
}

TEST_F(Results, ThatCannotBeKeptAreNotBegun) {
  std::ofstream(folder() / "taken") << "a file where a folder should be";
  RunCommand command = run_command();
  command.out = (folder() / "taken").string();
  EXPECT_EQ(compare_capturing(command), kWrongInput);
  EXPECT_THAT(err_, AllOf(HasSubstr("weir: " + command.out + ": "), HasSubstr("ot a directory")));
  EXPECT_THAT(out_, IsEmpty());

  std::filesystem::create_directories(out());
  std::ofstream(store_path(out())) << std::string(200, 'x');
  EXPECT_EQ(compare_capturing(keeping()), kWrongInput);
  EXPECT_EQ(err_, "weir: " + store_path(out()).string() + ": not a results store (not an SQLite file)\n");
}

TEST_F(Results, DoNotTakeThePlaceOfSomebodyElsesFiles) {
  for (const char* name : {"a/flows.csv", "b/configuration.toml", "a/policies.csv"}) {
    const std::filesystem::path theirs = out() / name;
    std::filesystem::create_directories(theirs.parent_path());
    std::ofstream(theirs) << "mine";
    EXPECT_EQ(compare_capturing(keeping()), kWrongInput);
    EXPECT_EQ(err_, "weir: " + theirs.string() + ": already exists, but " + out().string() +
                        " contains no results store to which it could belong: name another folder with --out, or move "
                        "the file away\n");
    EXPECT_THAT(out_, IsEmpty());
    EXPECT_EQ(content(theirs), "mine");
    EXPECT_FALSE(std::filesystem::exists(store_path(out())));
    std::filesystem::remove_all(out());
  }
  std::filesystem::create_directories(out());
  std::ofstream(out() / "notes.txt") << "mine";
  EXPECT_EQ(compare_capturing(keeping()), kDone) << err_;
  EXPECT_EQ(content(out() / "notes.txt"), "mine");
}

TEST_F(Results, GoAsAPageWhereTheyAreTold) {
  ASSERT_EQ(compare_capturing(keeping()), kDone) << err_;
  if (!has_report_viewer()) GTEST_SKIP() << "built without the viewer";
  const auto page = [&](const std::filesystem::path& path) {
    return capture([&] { return report({out().string(), path.string()}); });
  };
  std::filesystem::create_symlink("real.html", folder() / "link.html");
  EXPECT_EQ(page(folder() / "link.html"), kDone) << err_;
  EXPECT_TRUE(std::filesystem::is_symlink(folder() / "link.html"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder() / "real.html"));
  EXPECT_EQ(page("/dev/null"), kDone) << err_;
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Results, AsAPageDoNotTakeThePlaceOfSomebodyElsesFile) {
  if (!has_report_viewer()) GTEST_SKIP() << "built without the viewer";
  ASSERT_EQ(compare_capturing(keeping()), kDone) << err_;
  const std::filesystem::path page = out() / "report.html";
  std::ofstream(page) << "<!doctype html><title>My report</title>";
  EXPECT_EQ(capture([&] { return report({out().string(), {}}); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("report.html: already exists, but is not a report of Weir: name another"));
  EXPECT_THAT(content(page), HasSubstr("My report"));
  // A name that is given is replaced, and so is a report of Weir.
  EXPECT_EQ(capture([&] { return report({out().string(), page.string()}); }), kDone) << err_;
  EXPECT_EQ(capture([&] { return report({out().string(), {}}); }), kDone) << err_;
  EXPECT_THAT(content(page), HasSubstr("<title>Weir report</title>"));
}

TEST_F(Results, InAFolderThatIsNotWritableAreNotBegun) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is closed to root";
  std::filesystem::create_directories(out());
  std::filesystem::permissions(out(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(compare_capturing(keeping()), kWrongInput);
  EXPECT_EQ(err_, "weir: " + store_path(out()).string() + ": Permission denied\n");
  EXPECT_THAT(out_, IsEmpty());
}

TEST_F(Results, ThatNoLongerFitAreMissing) {
  // Simulates a full disk: no file may exceed the size of an empty store.
  const std::filesystem::path empty = folder() / "empty.sqlite";
  (void)Store::create(empty, kVersion);
  RunCommand command = keeping();
  command.scenario.options.set = {
      "measure.throughput=true", "measure.sample_interval=\"100 ns\"",
      R"(traffic=[{name="pair",kind="flows",flow=[{source="h0",destination="h1",size="10 MB"}]}])"};
  command.jobs = 1;
  {
    const FileSizeLimit limit(std::filesystem::file_size(empty));
    EXPECT_EQ(compare_capturing(command), kFailed);
  }
  EXPECT_THAT(err_, AllOf(HasSubstr("weir: a seed 1: not stored: " + store_path(out()).string() + ": File too large\n"),
                          HasSubstr("2 of 2 runs are missing: repeat the command with --continue to run them\n")));
  EXPECT_THAT(out_, HasSubstr("digest a "));  // the results of finished runs are shown nevertheless
  EXPECT_FALSE(std::filesystem::exists(out() / "a"));
  command.resume = true;
  EXPECT_EQ(compare_capturing(command), kDone) << err_;
  EXPECT_THAT(store().missing(), IsEmpty());
}

TEST_F(Results, LeaveNothingBehindWhereNotEvenAStoreFits) {
  {
    const FileSizeLimit limit(4096);
    EXPECT_EQ(compare_capturing(keeping()), kWrongInput);
  }
  EXPECT_EQ(err_, "weir: " + store_path(out()).string() + ": File too large\n");
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(Results, AreListed) {
  EXPECT_EQ(runs_capturing(), kWrongInput);
  EXPECT_EQ(err_, "weir: " + out().string() + ": No such file or directory\n");
  ASSERT_EQ(compare_capturing(keeping()), kDone);
  change_store("UPDATE runs SET failure = 'it broke' WHERE variant = 'b'");
  EXPECT_EQ(runs_capturing(), kDone);
  EXPECT_THAT(out_,
              AllOf(HasSubstr("results.sqlite: 2 of 2 runs, weir " + std::string(kVersion) + "\n"),
                    HasSubstr(store().runs()[0].digest), HasSubstr("failed"), HasSubstr("\nb failed: it broke\n")));
  const std::string listed = out_;
  EXPECT_EQ(capture([&] { return runs(store_path(out()).string()); }), kDone);
  EXPECT_EQ(out_, listed);
}

TEST_F(Results, AreWrittenAsFilesAgain) {
  RunCommand forgetting = keeping();
  forgetting.scenario.options.set = {"measure.timeline=false"};
  ASSERT_EQ(compare_capturing(forgetting), kDone);
  ExportCommand command;
  command.results = out().string();
  command.into = (folder() / "again").string();
  EXPECT_EQ(export_capturing(command), kDone);
  EXPECT_THAT(err_, HasSubstr("note: " + (folder() / "again" / "a" / "pfc.txt").string() +
                              ": not written: the run did not record its pauses (measure.timeline = true does)\n"));
  EXPECT_EQ(files_in(folder() / "again"), files_in(out()));

  command.into = (folder() / "some").string();
  command.fct = true;
  EXPECT_EQ(export_capturing(command), kDone);
  EXPECT_THAT(files_in(folder() / "some" / "b"), SizeIs(2));  // and configuration.toml
}

TEST_F(Results, AreWrittenAsFilesUntilOneDoesNotFit) {
  RunCommand many_flows = keeping();
  many_flows.scenario.options.set = {
      R"(traffic=[{name="pair",kind="train",size="1 KB",flows_per_train=100,pairs=[["h0","h1"]]}])"};
  ASSERT_EQ(compare_capturing(many_flows), kDone) << err_;
  ExportCommand command;
  command.results = out().string();
  command.into = (folder() / "full").string();
  {
    const FileSizeLimit limit(1'000);  // simulates a full disk
    EXPECT_EQ(export_capturing(command), kFailed);
  }
  EXPECT_EQ(err_, "weir: " + (folder() / "full" / "a" / "flows.csv").string() +
                      ": File too large\nweir: 0 of 2 runs were written; the others were not attempted\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "full"));

  // Existing files are kept.
  std::filesystem::create_directories(folder() / "full" / "a");
  {
    const FileSizeLimit limit(1'000);
    EXPECT_EQ(export_capturing(command), kFailed);
  }
  EXPECT_TRUE(std::filesystem::exists(folder() / "full" / "a"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "full" / "b"));
}

TEST_F(Results, HavePausesWhenTheyWereRecorded) {
  RunCommand forgetting = keeping();
  forgetting.scenario.options.set = {"measure.timeline=false"};
  ASSERT_EQ(compare_capturing(forgetting), kDone);
  ExportCommand command;
  command.results = out().string();
  command.into = (folder() / "pauses").string();
  command.pfc = true;
  EXPECT_EQ(export_capturing(command), kFailed);
  EXPECT_THAT(err_, HasSubstr("weir: " + (folder() / "pauses" / "a" / "pfc.txt").string() + ": not written: "));
  EXPECT_FALSE(std::filesystem::exists(folder() / "pauses"));

  std::filesystem::remove_all(out());
  ASSERT_EQ(compare_capturing(keeping()), kDone) << err_;
  EXPECT_TRUE(std::filesystem::exists(out() / "a" / "pfc.txt"));
  EXPECT_EQ(export_capturing(command), kDone) << err_;
  EXPECT_TRUE(std::filesystem::exists(folder() / "pauses" / "a" / "pfc.txt"));
}

}  // namespace
}  // namespace weir::apps::results_test
