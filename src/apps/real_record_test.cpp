// SPDX-License-Identifier: Apache-2.0
#include "apps/real_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/test_commands.h"
#include "scenario/real_switch.h"
#include "store/check_record.h"

namespace weir::apps::real_record_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kConfig = R"([topology]
kind = "single_switch"
hosts = 2
link = { rate = "1 Gbit/s", delay = "1 us" }
[switch]
buffer = "640 KB"
flow_control = "pfc"
congestion_point = "rocc"
[real]
node = "switch0"
[[port]]
towards = "h0"
device = "net_ring0"
[[port]]
towards = "h1"
device = "net_ring1"
)";

class RealRecord : public Commands {
 protected:
  RealRecord() : file_(read_real_switch(kConfig, "star.toml")), nodes_(file_.real) {
    EXPECT_THAT(file_.errors, IsEmpty());
    report_.name = "switch0";
    report_.seconds = 2.5;
    report_.ports.resize(2);
    report_.ports[1].counters.sent_frames = 10;
    report_.ports[1].counters.sent_bytes = 1'000;
    report_.ports[1].counters.received_frames = 3;
    report_.ports[1].counters.received_bytes = 180;
    report_.ports[1].link.lost_sent = 2;
    report_.drops.assign(kDropReasons, 0);
    report_.drops[1] = 7;
    report_.pauses_sent = 4;
  }
  [[nodiscard]] RunRecord record() {
    return record_of(report_, nodes_.fabric().topology(), nodes_.node(),
                     {.title = "", .file = "star", .configuration = kConfig});
  }

  RealSwitchFile file_;
  RealNodes nodes_;
  SwitchReport report_;
};

TEST_F(RealRecord, HasTheCountersOfASwitch) {
  const RunRecord record = this->record();
  EXPECT_EQ(record.scenario, "star");
  EXPECT_EQ(record.variant, "switch0");
  EXPECT_EQ(record.simulated, Time() + 2'500_ms);
  ASSERT_EQ(record.switches.size(), 1u);
  EXPECT_EQ(record.switches[0].name, "switch0");
  EXPECT_EQ(record.switches[0].tier, 1);
  EXPECT_EQ(record.switches[0].pauses_sent, 4u);
  EXPECT_EQ(record.switches[0].drops[1], 7u);
  ASSERT_EQ(record.links.size(), 4u);
  EXPECT_EQ(record.links[2].from, "switch0");
  EXPECT_EQ(record.links[2].to, "h1");
  EXPECT_EQ(record.links[2].frames, 10u);
  EXPECT_EQ(record.links[2].bytes, 1'040) << "with FCS, as everywhere";
  EXPECT_EQ(record.links[2].lost, 2u);
  EXPECT_EQ(record.links[3].from, "h1");
  EXPECT_EQ(record.links[3].bytes, 192);
  EXPECT_EQ(record.packet_hops, 13u);
  EXPECT_EQ(wrong_in(record), "");
}

TEST_F(RealRecord, HasQueuesAndGaugesOverTime) {
  SwitchRecorder recorder(nodes_.node(), nodes_.peers());
  recorder.take(Time() + 900_us);
  EXPECT_THAT(recorder.series()[0].values, IsEmpty());
  recorder.take(Time() + 1_ms);
  recorder.take(Time() + 3'500_us);
  const std::vector<Series> all = recorder.series();
  std::vector<std::string> names;
  for (const Series& one : all) {
    names.push_back(one.name);
    EXPECT_EQ(one.values.size(), 3u) << one.name;
    EXPECT_EQ(one.interval, 1_ms);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"queued.h0 bytes", "queued.h1 bytes"}));
  EXPECT_THAT(names, ::testing::Contains(HasSubstr("fair_rate.h1 ")));
}

TEST_F(RealRecord, HasThePausesThatASwitchDecides) {
  SwitchRecorder recorder(nodes_.node(), nodes_.peers());
  Switch& node = nodes_.node();
  const auto at = [&](Time time) {
    recorder.take(time);
    node.advance(time);
  };
  at(Time() + 10_ms);
  node.note_pause(PortId(1), 3, true);
  node.note_pause(PortId(1), 2, true);
  at(Time() + 30_ms);
  node.note_pause(PortId(1), 3, false);
  at(Time() + 60_ms);
  node.note_pause(PortId(1), 2, false);
  at(Time() + 70_ms);
  node.note_pause(PortId(1), 3, true);
  at(Time() + 100_ms);
  RunRecord record = this->record();
  record.simulated = Time() + 100_ms;
  recorder.finish(record.simulated, record);
  EXPECT_EQ(record.links[3].from, "h1");
  EXPECT_EQ(record.links[3].pauses, 3u);
  EXPECT_EQ(record.links[3].paused, 80_ms);
  EXPECT_EQ(record.links[1].pauses, 0u);
  ASSERT_EQ(record.timeline.pauses.size(), 2u);
  EXPECT_EQ(record.timeline.pauses[0].link, 3u);
  EXPECT_EQ(record.timeline.pauses[0].begin, Time() + 10_ms);
  EXPECT_EQ(record.timeline.pauses[0].end, Time() + 60_ms);
  EXPECT_EQ(record.timeline.pauses[1].end, Time() + 100_ms) << "still in force at the end";
  EXPECT_EQ(record.timeline.interval, 1_ms);
  EXPECT_EQ(record.timeline.intervals, 100u);
  EXPECT_EQ(record.switches[0].occupancy.count(), 100u);
  EXPECT_EQ(wrong_in(record), "");
}

TEST_F(RealRecord, IsStoredAndShownInAReport) {
  const std::string out = (folder() / "out").string();
  SwitchRecorder recorder(nodes_.node(), nodes_.peers());
  recorder.take(Time() + 50_ms);
  RunRecord record = this->record();
  recorder.finish(record.simulated, record);
  RealResults(out).add(record);
  const Store store = Store::open(store_path(out));
  ASSERT_EQ(store.runs().size(), 1u);
  EXPECT_TRUE(store.missing().empty());
  const RunRecord loaded = store.load(store.runs()[0].id);
  EXPECT_EQ(loaded.links.size(), 4u);
  EXPECT_EQ(loaded.series.size(), record.series.size());
  EXPECT_EQ(loaded.effective_configuration, kConfig);
  ASSERT_EQ(capture([&] { return report({.results = out, .page = {}}); }), kDone) << err_;
  EXPECT_THAT(content(folder() / "out" / "report.html"), HasSubstr("queued.h1"));
}

TEST_F(RealRecord, DoesNotReplaceOtherResults) {
  const std::string out = (folder() / "out").string();
  RealResults(out).add(record());
  try {
    RealResults again(out);
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_THAT(error.what(), HasSubstr("contains results already"));
  }
}

TEST_F(RealRecord, HasTheMessagesOfNics) {
  NicsReport report;
  report.seconds = 1;
  report.nics.resize(2);
  report.nics[0].id = HostId(0);
  report.nics[1].id = HostId(1);
  report.nics[1].fabric.sent_frames = 5;
  report.nics[1].fabric.sent_bytes = 400;
  report.nics[1].data_sent = 3;
  report.nics[1].strays = 2;
  for (const std::uint32_t id : {1u, 0u}) {
    MessageReport message;
    message.record.id = FlowId(id);
    message.record.source = HostId(id);
    message.record.destination = HostId(1 - id);
    message.record.size = 1_KB;
    message.record.sender_completion = 10_us;
    message.record.receiver_completion = 9_us;
    message.record.ideal_fct = 5_us;
    report.messages.push_back(message);
  }
  const RunRecord record = record_of(report, nodes_.fabric().topology(), {"Title", "star", kConfig});
  EXPECT_EQ(record.scenario, "Title");
  EXPECT_EQ(record.variant, "NICs");
  ASSERT_EQ(record.flows.size(), 2u);
  EXPECT_EQ(record.flows[0].id, FlowId(0));
  EXPECT_EQ(record.data_frames, 3u);
  EXPECT_EQ(record.strays, 2u);
  EXPECT_EQ(record.flows[0].flow_class, FlowClass::background);
  ASSERT_EQ(record.links.size(), 4u);
  EXPECT_EQ(record.links[2].from, "h1");
  EXPECT_EQ(record.links[2].to, "switch0");
  EXPECT_EQ(record.links[2].bytes, 420);
  EXPECT_EQ(wrong_in(record), "");
  const std::string out = (folder() / "out").string();
  RealResults(out).add(record);
  EXPECT_EQ(capture([&] { return apps::report({.results = out, .page = {}}); }), kDone) << err_;
}

// Both hosts are in one rack.
TEST_F(RealRecord, TellsVictimsOfIncasts) {
  NicsReport report;
  report.seconds = 1;
  const auto message = [](std::uint32_t id, Duration start, Duration completion, FlowClass of_class) {
    FlowRecord record;
    record.id = FlowId(id);
    record.source = HostId(0);
    record.destination = HostId(1);
    record.size = 1_KB;
    record.start = Time() + start;
    record.sender_completion = completion;
    record.flow_class = of_class;
    return record;
  };
  report.messages.resize(3);
  report.messages[0].record = message(0, 10_ms, 10_ms, FlowClass::background);
  report.messages[1].record = message(1, 20_ms, 10_ms, FlowClass::incast);
  report.messages[2].record = message(2, 29_ms, 10_ms, FlowClass::background);
  report.unfinished = {message(3, 30_ms, Duration(), FlowClass::background),
                       message(4, 15_ms, Duration(), FlowClass::background)};
  const RunRecord record = record_of(report, nodes_.fabric().topology(), {"Title", "star", kConfig});
  ASSERT_EQ(record.flows.size(), 5u);
  std::vector<FlowClass> classes;
  for (const FlowRecord& flow : record.flows) classes.push_back(flow.flow_class);
  EXPECT_THAT(classes, ElementsAre(FlowClass::background, FlowClass::incast, FlowClass::victim, FlowClass::background,
                                   FlowClass::victim));
}

}  // namespace
}  // namespace weir::apps::real_record_test
