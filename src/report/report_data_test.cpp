// SPDX-License-Identifier: Apache-2.0
#include "report/report_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/estimate.h"
#include "results/summary.h"
#include "results/test_records.h"
#include "units/random.h"

namespace weir::report_data_test {
namespace {

using namespace literals;
using nlohmann::json;

constexpr auto kVictim = static_cast<std::size_t>(FlowGroup::victim);

/// `record_of`'s run with a timeline of two intervals of 500 us.
RunRecord with_timeline(RunRecord record) {
  record.timeline.interval = 500_us;
  record.timeline.intervals = 2;
  record.timeline.carried.assign(record.links.size() * 2, 1'000);
  record.timeline.queued.assign(record.links.size() * 2, 0);
  record.timeline.queued[2] = 4'000'000;  // core0 -> tor0
  record.timeline.pauses = {{1, Time() + 100_us, Time() + 200_us}};
  return record;
}

TEST(ReportData, TellsEachRunAsItsSummaryDoes) {
  const std::vector<RunRecord> records{record_of("a", 100, 60), record_of("b", 40, 0)};
  const json data = report_data(records);
  ASSERT_EQ(data["runs"].size(), 2u);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RunSummary summary = summarise(records[i]);
    const json& run = data["runs"][i];
    EXPECT_EQ(run["label"], records[i].variant);
    EXPECT_EQ(run["digest"], records[i].digest);
    EXPECT_EQ(run["seed"], "1");
    EXPECT_EQ(run["simulatedUs"], 1'000);
    const json& victims = run["groups"][kVictim]["slowdown"];
    EXPECT_EQ(victims["count"], 4);
    EXPECT_DOUBLE_EQ(victims["p99"], summary.of(FlowGroup::victim).slowdown.p99);
    EXPECT_DOUBLE_EQ(victims["mean"], summary.of(FlowGroup::victim).slowdown.mean);
    EXPECT_EQ(run["pauses"], summary.pauses);
    EXPECT_EQ(run["tiers"][0]["maximum"], 9'200'000);
    EXPECT_EQ(run["tiers"][0]["fullest"], "tor0");
    EXPECT_EQ(run["sizes"].size(), data["sizeBins"].size());
    EXPECT_EQ(run["timeline"], nullptr);
  }
  EXPECT_FALSE(data["statements"].empty());
}

TEST(ReportData, TellsOfEachLabel) {
  RunRecord record = record_of("a", 100, 0);
  record.labels = {"plain", "incast", "bursts"};
  record.flows.front().label = 2;
  const json data = report_data({record});
  const json& labels = data["runs"][0]["labels"];
  const std::vector<LabelSummary> expected = summarise(record).labels;
  ASSERT_EQ(labels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(labels[i]["name"], expected[i].name);
    EXPECT_EQ(labels[i]["flows"]["flows"], expected[i].flows.flows);
  }
  EXPECT_EQ(labels.back()["name"], "bursts");
  EXPECT_EQ(labels.back()["flows"]["flows"], 1);
}

TEST(ReportData, CurvesAreOfTheSlowdowns) {
  const json data = report_data({record_of("a", 100, 0)});
  // 100, 101, 102 and 103 us, ideally 10 us.
  const json& curve = data["runs"][0]["curves"][kVictim];
  EXPECT_EQ(curve["shares"].front(), 0);
  EXPECT_EQ(curve["shares"].back(), 1);
  EXPECT_EQ(curve["values"].front(), 10);
  EXPECT_DOUBLE_EQ(curve["values"].back(), 10.3);
}

TEST(ReportData, GroupsWithoutFlowsHaveNoFigures) {
  RunRecord record = record_of("a", 100, 0);
  std::erase_if(record.flows, [](const FlowRecord& flow) { return flow.flow_class == FlowClass::victim; });
  const json data = report_data({record});
  EXPECT_EQ(data["runs"][0]["groups"][kVictim]["slowdown"], nullptr);
  EXPECT_EQ(data["runs"][0]["curves"][kVictim]["values"], json::array());
}

TEST(ReportData, MarksWhatIsNotWhole) {
  RunRecord interrupted = record_of("a", 100, 0);
  interrupted.interrupted = true;
  RunRecord failed = record_of("b", 100, 0);
  failed.failure = "a pause never ended";
  const json data = report_data({interrupted, failed}, {"c (seed 1)"});
  EXPECT_EQ(data["runs"][0]["interrupted"], true);
  EXPECT_EQ(data["runs"][1]["interrupted"], false);
  EXPECT_EQ(data["runs"][1]["failure"], "a pause never ended");
  EXPECT_EQ(data["missing"], json::array({"c (seed 1)"}));
}

TEST(ReportData, TellsOfCyclesAndDeadlocksWithTheirPorts) {
  RunRecord record = record_of("a", 100, 60);
  record.findings = {
      {FindingKind::cyclic_buffer_dependency, "2 directions", "host1 - tor0", {{1, ""}, {3, ""}}},
      {FindingKind::deadlock, "2 ports are blocked forever", "", {{3, "priority 3"}, {1, "priority 3"}}}};
  const json findings = report_data({record, record_of("b", 100, 60)})["runs"][0]["findings"];
  EXPECT_EQ(findings, json::parse(R"([
    {"kind": "cyclic buffer dependency", "text": "2 directions", "failed": "host1 - tor0",
     "ports": [{"link": 1, "what": ""}, {"link": 3, "what": ""}]},
    {"kind": "deadlock", "text": "2 ports are blocked forever", "failed": "",
     "ports": [{"link": 3, "what": "priority 3"}, {"link": 1, "what": "priority 3"}]}])"));
  EXPECT_EQ(report_data({record_of("b", 100, 60)})["runs"][0]["findings"], json::array());
}

TEST(ReportData, RunsOnOneNetworkShareIt) {
  RunRecord other = record_of("c", 100, 0);
  other.links.pop_back();
  const json data = report_data({record_of("a", 100, 0), record_of("b", 40, 0), other});
  EXPECT_EQ(data["networks"].size(), 2u);
  EXPECT_EQ(data["runs"][0]["network"], 0);
  EXPECT_EQ(data["runs"][1]["network"], 0);
  EXPECT_EQ(data["runs"][2]["network"], 1);
  EXPECT_EQ(data["networks"][0]["nodes"], json::parse(R"([["host1",0],["tor0",1],["core0",2],["tor1",1]])"));
  EXPECT_EQ(data["networks"][0]["links"][1], json::parse("[2,1,100.0]"));
}

TEST(ReportData, HasTheTimelineOfLinks) {
  const json data = report_data({with_timeline(record_of("a", 100, 60))});
  const json& timeline = data["runs"][0]["timeline"];
  EXPECT_EQ(timeline["intervalUs"], 500);
  EXPECT_EQ(timeline["intervals"], 2);
  EXPECT_EQ(timeline["load"]["links"], json::parse("[0,1,2,3]"));
  EXPECT_EQ(timeline["queued"]["links"], json::parse("[1]"));
  EXPECT_EQ(timeline["queued"]["values"], "/wA=") << "255 and 0";
  EXPECT_EQ(timeline["paused"]["values"], "MwA=") << "a fifth is 51, and 0";
  EXPECT_EQ(timeline["pausesUntilUs"], nullptr);
  EXPECT_EQ(timeline["series"]["queues"][1]["fullest"], json::parse("[4000000,0]"));
  EXPECT_EQ(timeline["series"]["pauses"][0]["held"], json::parse("[0.2,0]"));
}

TEST(ReportData, SaysFromWhenOnPausesAreNotAllThere) {
  RunRecord record = with_timeline(record_of("a", 100, 60));
  record.timeline.pauses_left_out = 7;
  const json data = report_data({record});
  EXPECT_EQ(data["runs"][0]["timeline"]["pausesLeftOut"], 7);
  EXPECT_EQ(data["runs"][0]["timeline"]["pausesUntilUs"], 100);
}

TEST(ReportData, TellsScenarioAndQuestionAndWhatDiffers) {
  RunRecord a = record_of("a", 100, 0);
  RunRecord b = record_of("b", 100, 0);
  a.effective_configuration = "[scenario]\ntitle = \"T\"\nquestion = \"Q?\"\n\n[switch]\nbuffer = \"1 MB\"\n";
  b.effective_configuration = "[scenario]\ntitle = \"T\"\nquestion = \"Q?\"\n\n[switch]\nbuffer = \"2 MB\"\n";
  const json data = report_data({a, b});
  EXPECT_EQ(data["title"], "T");
  EXPECT_EQ(data["question"], "Q?");
  EXPECT_EQ(data["differences"], json::parse(R"js([{"path": "switch.buffer", "values": ["\"1 MB\"", "\"2 MB\""]}])js"));
}

TEST(ReportData, OfNoRunsIsEmpty) {
  const json data = report_data({});
  EXPECT_EQ(data["runs"], json::array());
  EXPECT_EQ(data["title"], "");
}

TEST(ReportData, SeriesLoseTheirUnitAndTheirLength) {
  RunRecord record = record_of("a", 100, 0);
  record.series.push_back({"throughput.incast bit/s", 10_us, std::vector<double>(5'000, 3.0)});
  record.series.push_back({"buffer.total bytes", 10_us, {1, 2}});
  const json data = report_data({record});
  const json& series = data["runs"][0]["series"];
  EXPECT_EQ(series[0]["name"], "throughput.incast");
  EXPECT_EQ(series[0]["unit"], "bit/s");
  EXPECT_EQ(series[0]["maximum"], false);
  EXPECT_EQ(series[0]["values"].size(), 1'000u);
  EXPECT_EQ(series[0]["intervalUs"], 50);
  EXPECT_EQ(series[1]["unit"], "bytes");
  EXPECT_EQ(series[1]["maximum"], true);
}

/// Ten ToRs of 16 hosts under four spines for 10 ms: all links busy, half with queues, and many paused, all the time.
RunRecord large_record(std::uint64_t seed) {
  RunRecord record = record_of("run " + std::to_string(seed), 100, 60);
  record.links.clear();
  const auto connect = [&record](const std::string& low, int tier, const std::string& high) {
    record.links.push_back(link_of(low, tier, high, tier + 1, 0, 0));
    record.links.push_back(link_of(high, tier + 1, low, tier, 0, 0));
  };
  for (int tor = 0; tor < 10; ++tor) {
    const std::string name = "tor" + std::to_string(tor);
    for (int host = 0; host < 16; ++host) connect("h" + std::to_string(16 * tor + host), 0, name);
    for (int spine = 0; spine < 4; ++spine) connect(name, 1, "spine" + std::to_string(spine));
  }
  RandomStream random(seed, 0, 0);
  record.simulated = Time() + 10_ms;
  record.timeline.interval = 20_us;
  record.timeline.intervals = 500;
  for (std::size_t i = 0; i < record.links.size() * 500; ++i) {
    record.timeline.carried.push_back(static_cast<std::uint32_t>(random.next() % 250'000));
    record.timeline.queued.push_back(i % 2 == 0 ? static_cast<std::uint32_t>(random.next() % 20'000'000) : 0);
  }
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const Time begin = Time() + 100_ns * i;
    record.timeline.pauses.push_back({static_cast<std::uint32_t>(i % record.links.size()), begin, begin + 30_us});
  }
  for (const char* name : {"throughput.incast bit/s", "throughput.victim bit/s", "throughput.background bit/s"}) {
    Series series{name, 10_us, {}};
    for (int i = 0; i < 1'000; ++i) series.values.push_back(static_cast<double>(random.next() % 10'000'000'000'000));
    record.series.push_back(std::move(series));
  }
  record.flows.clear();
  for (int i = 0; i < 50'000; ++i) {
    const auto size = static_cast<std::int64_t>(random.next() % 5'000'000);
    const auto fct = static_cast<std::int64_t>(random.next() % 100'000);
    record.flows.push_back(flow_of(static_cast<FlowClass>(i % 3), size + 1, fct + 1));
  }
  return record;
}

TEST(ReportData, OfSixRunsOn160HostsStaysFarBelow15Megabytes) {
  std::vector<RunRecord> records;
  for (std::uint64_t seed = 0; seed < 6; ++seed) records.push_back(large_record(seed));
  const json data = report_data(records);
  EXPECT_LT(data.dump().size(), 10'000'000u);
  EXPECT_EQ(data["runs"][0]["timeline"]["intervals"], 500) << "without joining intervals";
}

TEST(ReportData, JoinsIntervalsOfWhatWouldNotFit) {
  const json data = report_data({large_record(1)}, {}, 100'000);
  const json& timeline = data["runs"][0]["timeline"];
  // 400 links have loads, 400 pauses, and 400 queues after intervals are merged.
  EXPECT_EQ(timeline["intervals"], 63);
  EXPECT_EQ(timeline["intervalUs"], 160);
}

/// Two variants at two loads with two seeds each.
std::vector<RunRecord> campaign() {
  std::vector<RunRecord> records;
  for (const char* variant : {"irn", "pfc"}) {
    for (const char* load : {"0.2", "0.8"}) {
      for (const std::uint64_t seed : {1U, 2U}) {
        RunRecord& record = records.emplace_back(record_of(variant, 100 + static_cast<std::int64_t>(seed), 60));
        record.parameters = {{"load", load, load[2] == '2' ? 0.2 : 0.8}};
        record.seed = seed;
      }
    }
  }
  return records;
}

TEST(ReportData, TellsOfReplicatesTogether) {
  const std::vector<RunRecord> records = campaign();
  std::vector<RunSummary> all;
  for (const RunRecord& record : records) all.push_back(summarise(record));
  all[7].interrupted = true;
  const json data = report_data({records[0], records[6]}, {}, kTimelineBytes, all);
  EXPECT_EQ(data["parameters"][0]["name"], "load");
  EXPECT_EQ(data["parameters"][0]["values"][1], json({{"label", "0.8"}, {"number", 0.8}}));
  ASSERT_EQ(data["replicates"].size(), 4u);
  const json& last = data["replicates"][3];
  EXPECT_EQ(last["label"], "pfc, load 0.8");
  EXPECT_EQ(last["point"], json({1}));
  EXPECT_EQ(last["seeds"], json({"1"}));
  EXPECT_EQ(last["left_out"], json({"2"}));
  EXPECT_EQ(last["run"], 1);
  EXPECT_EQ(data["replicates"][1]["run"], nullptr);
  EXPECT_EQ(data["runs"][1]["replicate"], 3);
  ASSERT_EQ(last["estimates"].size(), data["quantities"].size());
  const json& estimate = data["replicates"][0]["estimates"][1];
  EXPECT_EQ(data["quantities"][1]["title"], "victim slowdown p99");
  const Estimate expected =
      estimate_of(std::vector{all[0].of(FlowGroup::victim).slowdown.p99, all[1].of(FlowGroup::victim).slowdown.p99});
  EXPECT_DOUBLE_EQ(estimate["mean"], expected.mean);
  EXPECT_DOUBLE_EQ(estimate["low"], expected.low);
  EXPECT_EQ(estimate["n"], 2);
  EXPECT_EQ(last["estimates"][1]["low"], nullptr);
  EXPECT_EQ(last["sizes"].size(), data["sizeBins"].size());
}

TEST(ReportData, TellsOfNoReplicatesWhereThereAreNone) {
  const json data = report_data({record_of("a", 100, 60)});
  EXPECT_TRUE(data["replicates"].empty());
  EXPECT_EQ(data["runs"][0]["replicate"], nullptr);
}

}  // namespace
}  // namespace weir::report_data_test
