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
  [[nodiscard]] RunRecord record(std::vector<Series> series = {}) {
    return record_of(report_, nodes_.fabric().topology(), nodes_.node(), std::move(series),
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
  SwitchSeries series(nodes_.node(), nodes_.peers());
  series.take(Time() + 900_us);
  EXPECT_THAT(series.series()[0].values, IsEmpty());
  series.take(Time() + 1_ms);
  series.take(Time() + 3'500_us);
  const std::vector<Series> all = series.series();
  std::vector<std::string> names;
  for (const Series& one : all) {
    names.push_back(one.name);
    EXPECT_EQ(one.values.size(), 3u) << one.name;
    EXPECT_EQ(one.interval, 1_ms);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"queued.h0 bytes", "queued.h1 bytes"}));
  EXPECT_THAT(names, ::testing::Contains(HasSubstr("fair_rate.h1 ")));
}

TEST_F(RealRecord, IsStoredAndShownInAReport) {
  const std::string out = (folder() / "out").string();
  SwitchSeries series(nodes_.node(), nodes_.peers());
  series.take(Time() + 50_ms);
  const RunRecord record = this->record(series.series());
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
  ASSERT_EQ(record.links.size(), 4u);
  EXPECT_EQ(record.links[2].from, "h1");
  EXPECT_EQ(record.links[2].to, "switch0");
  EXPECT_EQ(record.links[2].bytes, 420);
  EXPECT_EQ(wrong_in(record), "");
  const std::string out = (folder() / "out").string();
  RealResults(out).add(record);
  EXPECT_EQ(capture([&] { return apps::report({.results = out, .page = {}}); }), kDone) << err_;
}

}  // namespace
}  // namespace weir::apps::real_record_test
