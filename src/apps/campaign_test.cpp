// SPDX-License-Identifier: Apache-2.0
// Campaigns through the command line: seeds, sweeps, pictures, shards, JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "apps/test_commands.h"
#include "store/database.h"
#include "store/store.h"

namespace weir::apps::campaign_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr const char* kCampaign = R"([scenario]
title = "A small campaign"

[topology]
kind = "single-switch"
hosts = 4
link = { rate = "100 Gbit/s", delay = "1 us" }

[[traffic]]
name = "background"
kind = "poisson"
sources = "all"
destinations = "all"
size = "websearch"
load = 0.5

[run]
stop = "200 us"
seeds = 3

[[sweep]]
key = "traffic.background.load"
values = [0.2, 0.6]

[[picture]]
name = "p99 over load"
x = "load"
y = "p99 slowdown"

[[picture.line]]
each = ["variant"]
over = "load"
value = 'p99_slowdown(class="all")'

[variants.pfc]
switch.flow_control = "pfc"

[variants.lossy]
switch.lossless = []
)";

class CampaignCommands : public Commands {
 protected:
  CampaignCommands() { write(kCampaign); }
  [[nodiscard]] std::filesystem::path out(const std::string& name = "out") const { return folder() / name; }
  int weir(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "weir");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return capture([&] { return command_line(static_cast<int>(argv.size()), argv.data()); });
  }
  int compare_into(const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"compare", file(), "--out", out(name).string()});
    return weir(more);
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(out(name))) names.push_back(entry.path().filename());
    return names;
  }
  /// All results in a store, row by row, except dates and durations.
  [[nodiscard]] std::string dump(const std::string& name) const {
    const Database database(store_path(out(name)), Database::Mode::read);
    Statement tables(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    std::string text;
    while (tables.next()) {
      const std::string table(tables.text(0));
      if (table == "campaign" || table.starts_with("sqlite_")) continue;
      std::string columns;
      Statement column(database, "SELECT name FROM pragma_table_info(?)");
      column.start(table);
      while (column.next()) {
        if (column.text(0) == "wall_seconds") continue;
        columns += (columns.empty() ? "quote(\"" : " || ',' || quote(\"") + std::string(column.text(0)) + "\")";
      }
      Statement row(database, "SELECT " + columns + " FROM \"" + table + "\" ORDER BY 1");
      while (row.next()) text += table + ":" + std::string(row.text(0)) + "\n";
    }
    return text;
  }
};

TEST_F(CampaignCommands, GiveOneRowPerVariantAndPoint) {
  ASSERT_EQ(weir({"compare", file()}), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("variant  load  seeds"), HasSubstr("pfc       0.2      3"),
                          HasSubstr("lossy     0.6      3"), HasSubstr(" ±"), HasSubstr("digest of 12 of 12 runs ")));
  EXPECT_THAT(out_, Not(HasSubstr("seed 1")));
}

TEST_F(CampaignCommands, KeepOneStoreTwoTablesAndThePicture) {
  ASSERT_EQ(compare_into("out"), kDone) << err_;
  EXPECT_THAT(names_in("out"), UnorderedElementsAre("results.sqlite", "runs.csv", "means.csv", "picture.svg"));
  const std::string runs = content(out() / "runs.csv");
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 13);
  EXPECT_THAT(runs, HasSubstr("\nA small campaign,pfc,0.2,1,"));
  const std::string picture = content(out() / "picture.svg");
  EXPECT_THAT(picture, AllOf(HasSubstr("p99 over load"), HasSubstr(">pfc<"), HasSubstr(">lossy<"),
                             HasSubstr("Mean of 3 seeds, with 95 % confidence intervals.")));
}

TEST_F(CampaignCommands, OfferAllVariantsTheSameTraffic) {
  ASSERT_EQ(compare_into("out"), kDone) << err_;
  const Store store = Store::open(store_path(out()));
  std::map<std::pair<std::uint64_t, std::string>, std::set<std::string>> offered;
  for (const StoredRun& run : store.runs()) {
    std::string flows;
    for (const FlowRecord& flow : store.load(run.id).flows) {
      flows += std::to_string(flow.source.value) + " " + std::to_string(flow.destination.value) + " " +
               std::to_string(flow.size.count()) + " " + std::to_string(flow.start.since_start().picoseconds()) + "\n";
    }
    EXPECT_FALSE(flows.empty());
    offered[{run.key.seed, run.parameters.front().value}].insert(flows);
  }
  ASSERT_THAT(offered, SizeIs(6));
  std::set<std::string> all;
  for (const auto& [point, flows] : offered) {
    EXPECT_THAT(flows, SizeIs(1));
    all.insert(flows.begin(), flows.end());
  }
  EXPECT_THAT(all, SizeIs(6));
}

TEST_F(CampaignCommands, HaveTheDigestsOfRunsByHand) {
  ASSERT_EQ(compare_into("out"), kDone) << err_;
  ASSERT_EQ(weir({"compare", file(), "--variant", "pfc", "--seed", "2", "--set", "sweep.0.values=[0.6]", "--json"}),
            kDone)
      << err_;
  const std::string by_hand = json::parse(out_)["runs"][0]["digest"];
  for (const StoredRun& run : Store::open(store_path(out())).runs()) {
    if (run.key.variant == "pfc" && run.key.seed == 2 && run.parameters.front().value == "0.6") {
      EXPECT_EQ(run.digest, by_hand);
    }
  }
}

TEST_F(CampaignCommands, ContinueWithWhatIsMissing) {
  ASSERT_EQ(compare_into("out", {"--seeds", "2"}), kDone) << err_;
  ASSERT_EQ(compare_into("out", {"--continue"}), kDone) << err_;
  EXPECT_THAT(err_, HasSubstr("note: 8 of 12 runs were already stored"));
  const std::string grown = content(out() / "means.csv");
  ASSERT_EQ(compare_into("whole"), kDone) << err_;
  EXPECT_EQ(grown, content(out("whole") / "means.csv"));
  EXPECT_EQ(content(out() / "picture.svg"), content(out("whole") / "picture.svg"));
}

TEST_F(CampaignCommands, MergeToTheSameStoreHoweverTheyWereSplit) {
  ASSERT_EQ(compare_into("one"), kDone) << err_;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    ASSERT_EQ(compare_into("of-three-" + std::string(1, shard[0]), {"--shard", shard}), kDone) << err_;
  }
  EXPECT_EQ(Store::open(store_path(out("of-three-2"))).runs().size(), 4U);
  for (const char* shard : {"1/5", "2/5", "3/5", "4/5", "5/5"}) {
    ASSERT_EQ(compare_into("of-five-" + std::string(1, shard[0]), {"--shard", shard}), kDone) << err_;
  }
  const auto merge = [&](const std::vector<std::string>& parts, const std::string& into) {
    std::vector<std::string> arguments = {"merge"};
    for (const std::string& part : parts) arguments.push_back(out(part).string());
    arguments.insert(arguments.end(), {"--into", out(into).string()});
    return weir(arguments);
  };
  ASSERT_EQ(merge({"one"}, "from-one"), kDone) << err_;
  ASSERT_EQ(merge({"of-three-3", "of-three-1", "of-three-2"}, "from-three"), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("12 of 12 runs"));
  ASSERT_EQ(merge({"of-five-1", "of-five-2", "of-five-3", "of-five-4", "of-five-5", "of-three-1"}, "from-five"), kDone)
      << err_;
  const std::string whole = dump("from-one");
  EXPECT_THAT(whole, HasSubstr("planned_parameters:1,0,'load','0.2',0.2"));
  EXPECT_EQ(dump("from-three"), whole);
  EXPECT_EQ(dump("from-five"), whole);
  EXPECT_EQ(content(out("from-three") / "means.csv"), content(out("one") / "means.csv"));
  // All runs exist: it only draws.
  ASSERT_EQ(compare_into("from-three", {"--continue"}), kDone) << err_;
  EXPECT_EQ(content(out("from-three") / "picture.svg"), content(out("one") / "picture.svg"));
  EXPECT_EQ(merge({"one"}, "from-one"), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("already contains results"));
}

TEST_F(CampaignCommands, HaveTheirMeansInTheStoreToo) {
  ASSERT_EQ(compare_into("out"), kDone) << err_;
  const Database database(store_path(out()), Database::Mode::read);
  Statement row(
      database,
      "SELECT \"load\", seeds, mean, low, high FROM means WHERE variant = 'pfc' AND of = 'all' AND size = '' AND "
      "quantity = 'slowdown.p99' ORDER BY \"load\"");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.real(0), 0.2);
  EXPECT_EQ(row.integer(1), 3);
  const std::string means = content(out() / "means.csv");
  const std::string head = "A small campaign,pfc,0.2,all,,slowdown.p99,,3,";
  const std::size_t at = means.find(head);
  ASSERT_NE(at, std::string::npos);
  double mean = 0;
  double low = 0;
  double high = 0;
  ASSERT_EQ(std::sscanf(means.c_str() + at + head.size(), "%lf,%lf,%lf", &mean, &low, &high), 3);
  EXPECT_NEAR(row.real(2), mean, 1e-9 * mean);
  EXPECT_NEAR(row.real(3), low, 1e-9 * mean);
  EXPECT_NEAR(row.real(4), high, 1e-9 * mean);
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.real(0), 0.6);
}

TEST_F(CampaignCommands, PrintJson) {
  ASSERT_EQ(compare_into("out", {"--json"}), kDone) << err_;
  const json compared = json::parse(out_);
  EXPECT_THAT(compared["runs"], SizeIs(12));
  EXPECT_THAT(compared["means"], SizeIs(4));
  EXPECT_EQ(compared["means"][0]["parameters"]["load"], 0.2);
  EXPECT_EQ(compared["means"][0]["values"][0]["seeds"], 3);
  EXPECT_FALSE(compared["statements"].empty());
  ASSERT_EQ(weir({"runs", out().string(), "--json"}), kDone) << err_;
  const json runs = json::parse(out_);
  EXPECT_EQ(runs["missing"], 0);
  EXPECT_EQ(runs["runs"][11]["state"], "done");
  EXPECT_EQ(runs["runs"][11]["parameters"]["load"], 0.6);
  ASSERT_EQ(weir({"check", file(), "--json"}), kDone) << err_;
  const json checked = json::parse(out_);
  EXPECT_EQ(checked["runs"], 12);
  const json& variant = checked["variants"][0];
  ASSERT_THAT(variant["loads"], SizeIs(1));
  const json highest = variant["loads"][0]["links"][0];
  EXPECT_THAT(highest["link"], HasSubstr(" -> "));
  EXPECT_DOUBLE_EQ(highest["offered"].get<double>(),
                   highest["data"].get<double>() + highest["acknowledgements"].get<double>());
  EXPECT_GT(highest["data"], 0.1);
  EXPECT_EQ(highest["overloaded"], false);
  EXPECT_EQ(checked["verdict"]["good"], checked["verdict"]["warnings"].empty());
  ASSERT_THAT(checked["verdict"]["deadlock"], Not(IsEmpty()));
  EXPECT_THAT(checked["verdict"]["deadlock"][0]["text"], HasSubstr("no switch pauses another"));
  EXPECT_EQ(checked["verdict"]["deadlock"][0]["variants"],
            json::parse(R"(["pfc, load 0.2", "pfc, load 0.6", "lossy, load 0.2", "lossy, load 0.6"])"));
  EXPECT_THAT(checked["recommended"], HasSubstr("[variants.recommended]"));
  ASSERT_EQ(weir({"run", file(), "--seed", "1", "--set", "sweep.0.values=[0.2]", "--json"}), kDone) << err_;
  EXPECT_THAT(json::parse(out_)["runs"], SizeIs(2));
  ASSERT_EQ(weir({"list", "--json"}), kDone) << err_;
  EXPECT_FALSE(json::parse(out_)["schemes"].empty());
  ASSERT_EQ(weir({"list", "pfc", "--json"}), kDone) << err_;
  EXPECT_EQ(json::parse(out_)["schemes"][0]["name"], "pfc");
  EXPECT_EQ(weir({"list", "pfq", "--json"}), kWrongInput);
  ASSERT_EQ(weir({"list", "incast", "--json"}), kDone) << err_;
  EXPECT_EQ(json::parse(out_)["tables"][0]["name"], "traffic.incast");
  ASSERT_EQ(weir({"list", "picture", "--json"}), kDone) << err_;
  EXPECT_EQ(json::parse(out_)["tables"][0]["heading"], "[[picture]]");
  ASSERT_EQ(weir({"list", "presets", "--json"}), kDone) << err_;
  EXPECT_FALSE(json::parse(out_)["presets"].empty());
}

TEST_F(CampaignCommands, AreReportedWithTheirPictures) {
  ASSERT_EQ(compare_into("out"), kDone) << err_;
  ASSERT_EQ(weir({"report", out().string()}), kDone) << err_;
  const std::string page = content(out() / "report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("\"file\":\"picture.svg\""), HasSubstr("p99 over load\\u003c/text>")));
  std::filesystem::remove(out() / "picture.svg");
  ASSERT_EQ(weir({"report", out().string()}), kDone) << err_;
  EXPECT_THAT(content(out() / "report.html"), HasSubstr("\"pictures\":[]"));
}

TEST_F(CampaignCommands, ListTheirParameters) {
  ASSERT_EQ(compare_into("out"), kDone) << err_;
  ASSERT_EQ(weir({"runs", out().string()}), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("variant  load  seed  state"), HasSubstr("lossy     0.6     3  done")));
}

TEST_F(CampaignCommands, RefuseWhatMakesNoSense) {
  EXPECT_EQ(weir({"compare", file(), "--seeds", "0"}), kWrongInput);
  EXPECT_EQ(weir({"compare", file(), "--seeds", "3", "--seed", "1"}), kWrongInput);
  EXPECT_EQ(compare_into("out", {"--shard", "3/2"}), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("expected I/N"));
  EXPECT_EQ(weir({"compare", file(), "--shard", "1/2"}), kWrongInput);
  std::string text = kCampaign;
  text.replace(text.find("over = \"load\""), 13, "over = \"lod\"");
  write(text);
  EXPECT_EQ(compare_into("out"), kWrongInput);
  EXPECT_THAT(err_, AllOf(HasSubstr("s.toml:"), HasSubstr("picture.line"), HasSubstr("did you mean \"load\"")));
  EXPECT_FALSE(std::filesystem::exists(out()));
  text = kCampaign;
  text.replace(text.find("p99_slowdown(class=\"all\")"), 25, "active_flows(share=0.99)");
  write(text);
  EXPECT_EQ(compare_into("out"), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("expected measure.active = true"));
  for (const auto& [wrong, told] : std::vector<std::pair<std::string, std::string>>{
           {"p99_slowdown(class=\"incst\")", "unknown flow class \"incst\""},
           {"p99_slowdown(label=\"bulk\")", "unknown label \"bulk\""},
           {"p99_slowdown(source=\"h9\")", "unknown node \"h9\""},
           {"drops(reason=\"bad luck\")", "unknown reason \"bad luck\""}}) {
    text = kCampaign;
    text.replace(text.find("p99_slowdown(class=\"all\")"), 25, wrong);
    write(text);
    EXPECT_EQ(compare_into("out"), kWrongInput) << wrong;
    EXPECT_THAT(err_, AllOf(HasSubstr("s.toml:"), HasSubstr("picture.line"), HasSubstr(told))) << wrong;
    EXPECT_EQ(weir({"check", file()}), kWrongInput) << wrong;
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
}

TEST_F(CampaignCommands, SayWhichPictureHasNoValues) {
  std::string text = kCampaign;
  text.replace(text.find("p99_slowdown(class=\"all\")"), 25, "p99_slowdown(class=\"incast\")");
  write(text);
  ASSERT_EQ(compare_into("out", {"--seeds", "1"}), kDone) << err_;
  EXPECT_THAT(err_, HasSubstr("note: picture \"p99 over load\": not drawn, because the runs have no values for it\n"));
  EXPECT_FALSE(std::filesystem::exists(out() / "picture.svg"));
}

TEST_F(CampaignCommands, HaveAnExampleOfEightyRuns) {
  ASSERT_EQ(weir({"check", "examples/campaign/campaign.toml", "--json"}), kDone) << err_;
  EXPECT_EQ(json::parse(out_)["runs"], 80);
}

TEST_F(CampaignCommands, CheckWhatFollowsFromTheNetworkAndTheTraffic) {
  ASSERT_EQ(weir({"check", "scenarios/transports.toml", "--variant", "homa", "--json"}), kDone) << err_;
  const json checked = json::parse(out_);
  ASSERT_THAT(checked["variants"], SizeIs(1));
  std::string lines;
  for (const json& line : checked["variants"][0]["computed"]) lines += line.get<std::string>() + "\n";
  EXPECT_THAT(lines, HasSubstr("host.transport.round_trip_bytes = "));
  EXPECT_THAT(lines, HasSubstr("(from the traffic)"));
}

TEST_F(CampaignCommands, RunSomeVariantsWithoutThePicturesOfOthers) {
  std::string text = kCampaign;
  text.replace(text.find("p99_slowdown(class=\"all\")"), 25, "p99_slowdown(class=\"all\", variant=\"lossy\")");
  text.replace(text.find("each = [\"variant\"]"), 18, "name = \"lossy\"    ");
  write(text);
  ASSERT_EQ(compare_into("out", {"--variant", "pfc", "--seeds", "1"}), kDone) << err_;
  EXPECT_THAT(err_, HasSubstr("note: no pictures: "));
  EXPECT_FALSE(std::filesystem::exists(out() / "picture.svg"));
}

TEST_F(CampaignCommands, AreReportedWithOneRunPerPoint) {
  ASSERT_EQ(compare_into("out", {"--shard", "1/2"}), kDone) << err_;
  ASSERT_EQ(compare_into("out", {"--continue"}), kDone) << err_;
  ASSERT_EQ(weir({"report", out().string()}), kDone) << err_;
  const std::string page = content(out() / "report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("\"label\":\"lossy, load 0.6\""), HasSubstr("\"replicate\":3"),
                          Not(HasSubstr("\"replicate\":4"))));
}

/// The program built together with this test.
std::filesystem::path built_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weir";
}

TEST_F(CampaignCommands, RunAsArrayOfTasks) {
  const std::filesystem::path program = built_program();
  const std::filesystem::path script = "examples/campaign/slurm_array.sh";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "needs " << program;
  for (const char* task : {"1", "2"}) {
    const std::string command = "WEIR=" + program.string() + " SLURM_ARRAY_TASK_ID=" + task +
                                " SLURM_ARRAY_TASK_MAX=2 SLURM_CPUS_PER_TASK=1 " + script.string() + " " + file() +
                                " " + out().string() + " > " + (folder() / "log").string() + " 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << content(folder() / "log");
  }
  ASSERT_EQ(weir({"merge", (out() / "shard-1").string(), (out() / "shard-2").string(), "--into", out("all").string()}),
            kDone)
      << err_;
  EXPECT_THAT(out_, HasSubstr("12 of 12 runs"));
}

TEST_F(CampaignCommands, RunByGnuParallel) {
  const std::filesystem::path program = built_program();
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "needs " << program;
  if (std::system("command -v parallel > /dev/null") != 0) GTEST_SKIP() << "needs GNU parallel";
  const std::string command = "WEIR=" + program.string() + " examples/campaign/parallel.sh " + file() + " " +
                              out().string() + " 3 > " + (folder() / "log").string() + " 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << content(folder() / "log");
  EXPECT_THAT(content(folder() / "log"), HasSubstr("digest of 12 of 12 runs"));
}

}  // namespace
}  // namespace weir::apps::campaign_test
