// SPDX-License-Identifier: Apache-2.0
#include "criteria/measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "criteria/selection.h"
#include "scenario/scenario.h"

namespace weir::measures_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Duration us(std::int64_t n) {
  return Duration::picoseconds(n * 1'000'000);
}
Time at(std::int64_t n) {
  return Time::picoseconds(n * 1'000'000);
}

/// Four hosts on a switch, six flows, and hand-made links and series.
class MeasuresTest : public testing::Test {
 protected:
  MeasuresTest() {
    const Scenario scenario = read_scenario(R"([scenario]
title = "t"
[topology]
kind = "single_switch"
hosts = 4
link = { rate = "100 Gbit/s", delay = "1 us" }
[switch]
buffer = "1 MB"
reserve = "1 KB"
[[traffic]]
name = "a"
kind = "poisson"
size = "10 KB"
load = 0.1
label = "web"
[run]
stop = "1 ms"
)",
                                            "t.toml", ".");
    EXPECT_THAT(scenario.errors, IsEmpty());
    settings_ = scenario.variants.front().settings;
    web_ = static_cast<std::uint8_t>(settings_.labels.size() - 1);
    EXPECT_EQ(settings_.labels[web_], "web");
    record_.simulated = at(100);
    // source, destination, size, start, completion, ideal FCT, class
    add(0, 1, 1000, 0, 10, 5, FlowClass::background);
    add(0, 2, 2000, 10, 20, 5, FlowClass::victim);
    add(1, 2, 4000, 20, 60, 5, FlowClass::incast);
    add(2, 3, 8000, 30, 40, 40, FlowClass::background);
    add(3, 0, 9000, 40, 0, 5, FlowClass::background);  // does not complete
    record_.flows.back().label = web_;
  }

  void add(std::size_t from, std::size_t to, std::int64_t size, int start, int fct, int ideal, FlowClass flow_class) {
    FlowRecord flow;
    flow.source = HostId(from);
    flow.destination = HostId(to);
    flow.size = Bytes(size);
    flow.start = at(start);
    flow.sender_completion = us(fct);
    flow.ideal_fct = us(ideal);
    flow.flow_class = flow_class;
    record_.flows.push_back(flow);
  }

  Figure measure(const std::string& name, const MeasureArguments& arguments = {}) {
    for (const RunMeasure& candidate : all_run_measures()) {
      if (candidate.signature.name == name) return candidate.compute({record_, settings_}, arguments);
    }
    ADD_FAILURE() << "no measure " << name;
    return {};
  }
  double number(const std::string& name, const MeasureArguments& arguments = {}) {
    return *measure(name, arguments).as_number();
  }
  std::string unavailable(const std::string& name, const MeasureArguments& arguments = {}) {
    try {
      measure(name, arguments);
    } catch (const Unavailable& why) {
      return why.what();
    }
    return {};
  }

  RunRecord record_;
  Settings settings_;
  std::uint8_t web_ = 0;
};

Figure text(const char* t) {
  return Figure::text(t);
}
Figure size(double b) {
  return Figure::number(b, kSize);
}
Figure time(double t) {
  return Figure::number(t * 1e6, kTime);
}

TEST_F(MeasuresTest, ReadsSlowdowns) {
  EXPECT_EQ(number("mean_slowdown"), (2 + 4 + 12 + 1) / 4.0);
  EXPECT_EQ(number("p99_slowdown"), 12);
  EXPECT_EQ(number("median_slowdown"), 2);
  EXPECT_EQ(measure("slowdowns", {{"class", text("not incast")}}), Figure::numbers({2, 4, 1}));
}

TEST_F(MeasuresTest, ChoosesFlows) {
  EXPECT_EQ(number("flows"), 5);
  EXPECT_EQ(number("flows", {{"class", text("incast")}}), 1);
  EXPECT_EQ(number("flows", {{"source", text("h0")}}), 2);
  EXPECT_EQ(number("flows", {{"source", text("h0..h2")}}), 4);
  EXPECT_EQ(number("flows", {{"destination", text("h1, h3")}}), 2);
  EXPECT_EQ(number("flows", {{"size_from", size(2000)}, {"size_below", size(8000)}}), 2);
  EXPECT_EQ(number("flows", {{"since", time(10)}, {"until", time(40)}}), 3);
  EXPECT_EQ(number("flows", {{"label", text("web")}}), 1);
  EXPECT_THAT(unavailable("flows", {{"source", text("h9")}}), HasSubstr("unknown node \"h9\""));
  EXPECT_THAT(unavailable("flows", {{"label", text("wbe")}}), HasSubstr("(did you mean \"web\"?)"));
  EXPECT_THAT(unavailable("flows", {{"class", text("victims")}}), HasSubstr("unknown flow class \"victims\""));
}

TEST_F(MeasuresTest, HasNoMeanOfNothing) {
  EXPECT_TRUE(std::isnan(number("mean_fct", {{"label", text("web")}})));
}

TEST_F(MeasuresTest, CountsWhatIsNotComplete) {
  EXPECT_EQ(number("unfinished"), 1);
  EXPECT_EQ(number("outstanding", {{"at", time(25)}}), 2);   // the second until 30, the third until 80
  EXPECT_EQ(number("outstanding", {{"at", time(100)}}), 1);  // the one that does not complete
}

TEST_F(MeasuresTest, ReadsRates) {
  EXPECT_EQ(measure("flow_rates", {{"source", text("h0")}}), Figure::numbers({1000 / 10e6, 2000 / 20e6}));
}

/// h0 -> switch0 carries 0, 1000, 2000, 3000 bytes in four intervals of 25 us and is paused for a part of the time.
void add_links(RunRecord& record) {
  LinkRecord link;
  link.from = "h0";
  link.to = "switch0";
  link.to_tier = 1;
  link.rate = BitRate(8'000'000'000);  // one byte per nanosecond
  link.bytes = 6000;
  link.frames = 6;
  link.paused = us(20);
  link.pauses = 2;
  link.held_at_pauses = 50'000;
  record.links.push_back(link);
  std::swap(link.from, link.to);
  std::swap(link.from_tier, link.to_tier);
  link.bytes = 600;
  link.paused = Duration();
  link.pauses = 0;
  link.held_at_pauses = 0;
  record.links.push_back(link);
  record.timeline.interval = us(25);
  record.timeline.intervals = 4;
  record.timeline.carried = {0, 1000, 2000, 3000, 100, 200, 100, 200};
  record.timeline.queued.resize(8);
  record.timeline.pauses = {{0, at(10), at(20)}, {0, at(60), at(70)}};
}

TEST_F(MeasuresTest, ReadsLinks) {
  add_links(record_);
  const MeasureArguments h0 = {{"from", text("h0")}};
  EXPECT_EQ(number("link_throughput", h0), 6000 / 100e6);
  EXPECT_EQ(number("pauses_sent", h0), 2);
  EXPECT_EQ(number("pauses_sent", {{"from", text("switch0")}}), 0);
  EXPECT_EQ(number("held_at_pauses", h0), 50'000);
  EXPECT_EQ(number("held_at_pauses"), 50'000);  // the other link has none
  EXPECT_EQ(number("paused_time", h0), 20e6);
  EXPECT_EQ(number("pause_fraction"), 0.1);  // of two links
  EXPECT_EQ(number("pause_fraction", {{"from_tier", Figure::number(0)}}), 0.2);
  // 6 frames have 20 additional bytes each; the link can carry 100 KB in the run.
  EXPECT_DOUBLE_EQ(number("link_utilisation", h0), 6120 / 100'000.0);
  EXPECT_THAT(unavailable("pauses_sent", {{"from", text("h1")}}), HasSubstr("no link matches from and to"));
}

TEST_F(MeasuresTest, ReadsLinksOverTime) {
  add_links(record_);
  const auto h0 = [](double since, double until) {
    return MeasureArguments{{"from", text("h0")}, {"since", time(since)}, {"until", time(until)}};
  };
  EXPECT_DOUBLE_EQ(number("link_throughput", h0(50, 100)), 5000 / 50e6);
  // A partial interval counts partially.
  EXPECT_DOUBLE_EQ(number("link_throughput", h0(40, 50)), 400 / 10e6);
  EXPECT_EQ(number("pauses_sent", h0(50, 100)), 1);
  EXPECT_EQ(number("paused_time", h0(15, 65)), 10e6);
  EXPECT_THAT(unavailable("held_at_pauses", h0(15, 65)), HasSubstr("exist for whole runs only"));
  EXPECT_EQ(measure("link_rates", h0(25, 100)), Figure::numbers({1000 / 25e6, 2000 / 25e6, 3000 / 25e6}));
  EXPECT_EQ(measure("link_times", h0(25, 100)), Figure::numbers({25e6, 50e6, 75e6}));
  EXPECT_THAT(unavailable("link_throughput", h0(200, 300)), HasSubstr("the run had ended before this time"));
}

TEST_F(MeasuresTest, FindsRecovery) {
  add_links(record_);
  MeasureArguments arguments = {{"from", text("h0")}, {"level", Figure::number(2000 / 25e6, kRate)}};
  EXPECT_EQ(number("recovery_time", arguments), 75e6);
  arguments["over"] = time(50);
  EXPECT_EQ(number("recovery_time", arguments), 100e6);  // 2000 and 3000 in two intervals
  arguments["since"] = time(50);
  EXPECT_EQ(number("recovery_time", arguments), 50e6);
  arguments["level"] = Figure::number(1, kRate);
  EXPECT_TRUE(std::isnan(number("recovery_time", arguments)));
}

TEST_F(MeasuresTest, SaysWhenThereIsNoTimeline) {
  add_links(record_);
  record_.timeline = {};
  EXPECT_EQ(unavailable("link_throughput", {{"since", time(50)}}), "the run recorded no timeline of its links");
}

TEST_F(MeasuresTest, ReadsSwitches) {
  SwitchRecord one;
  one.id = SwitchId(0);
  one.name = "switch0";
  one.tier = 1;
  one.buffer_maximum = 5000;
  for (int i = 1; i <= 100; ++i) one.occupancy.add(i);
  one.occupancy_at_pause.add(40);
  one.occupancy_at_pause.add(60);
  one.drops[1] = 3;
  one.drops[3] = 1;
  one.drops[kDroppedOnPurpose] = 50;
  record_.switches.push_back(one);
  record_.data_frames = 400;
  EXPECT_EQ(number("buffer_max"), 5000);
  EXPECT_EQ(number("occupancy"), 99);
  EXPECT_EQ(number("occupancy", {{"share", Figure::number(0.5)}}), 50);
  EXPECT_EQ(number("occupancy_mean"), 50.5);
  EXPECT_EQ(number("occupancy_at_pause"), 50);
  EXPECT_EQ(number("drops"), 4);
  EXPECT_EQ(number("drops", {{"reason", text("buffer full")}}), 3);
  EXPECT_EQ(number("drops", {{"reason", text("on purpose")}}), 50);
  EXPECT_EQ(number("drop_fraction"), 0.01);
  // 1 MB minus four reserves and four headrooms.
  EXPECT_LT(number("shared_pool"), 1e6 - 4000);
  EXPECT_GT(number("shared_pool"), 0.8e6);
  EXPECT_THAT(unavailable("buffer_max", {{"tier", Figure::number(2)}}), HasSubstr("no switch matches"));
}

TEST_F(MeasuresTest, ReadsSeries) {
  record_.series = {{"port.queued bytes", us(10), {0, 50, 120, 95, 105, 100}}, {"rate bit/s", us(10), {8e9, 16e9}}};
  EXPECT_EQ(measure("size_series", {{"name", text("port.queued")}, {"since", time(20)}}),
            Figure::numbers({120, 95, 105, 100}));
  EXPECT_EQ(measure("series_times", {{"name", text("port.queued")}, {"since", time(20)}}),
            Figure::numbers({20e6, 30e6, 40e6, 50e6}));
  EXPECT_EQ(measure("rate_series", {{"name", text("rate")}}), Figure::numbers({8e9 / 8e12, 16e9 / 8e12}));
  MeasureArguments settling = {{"name", text("port.queued")}, {"target", size(100)}, {"within", Figure::number(0.1)}};
  EXPECT_EQ(number("size_settling_time", settling), 30e6);
  settling["target"] = size(500);
  EXPECT_TRUE(std::isnan(number("size_settling_time", settling)));
  EXPECT_EQ(unavailable("series", {{"name", text("queued")}}),
            "the run recorded no series \"queued\", only port.queued, rate");
}

TEST_F(MeasuresTest, ReadsTheRatesOfSenders) {
  // From 10 us on: 2 and 4 Gbit/s, then 6 Gbit/s.
  record_.series = {{"senders.number queue_pairs", us(10), {9, 2, 1}},
                    {"senders.rate bit/s", us(10), {77e9, 6e9, 6e9}},
                    {"senders.rate_squared bit2/s2", us(10), {1e21, 20e18, 36e18}}};
  EXPECT_DOUBLE_EQ(number("sender_rate_mean", {{"since", time(10)}}), 4e9 / 8e12);
  EXPECT_DOUBLE_EQ(number("sender_rate_sd", {{"since", time(10)}}), std::sqrt(8.0 / 3) * 1e9 / 8e12);
  EXPECT_DOUBLE_EQ(number("sender_rate_sd", {{"since", time(20)}}), 0);
  record_.series[0].values = {9, 0, 0};
  EXPECT_TRUE(std::isnan(number("sender_rate_mean", {{"since", time(10)}})));
  EXPECT_TRUE(std::isnan(number("sender_rate_sd", {{"since", time(10)}})));
  record_.series.clear();
  EXPECT_THAT(unavailable("sender_rate_mean"), HasSubstr("no series \"senders.number\""));
}

TEST_F(MeasuresTest, ReadsPausesOfPackets) {
  record_.pause_hold[static_cast<std::size_t>(FlowClass::victim)] = {us(10), us(4), 3};
  record_.pause_hold[static_cast<std::size_t>(FlowClass::incast)] = {us(7), us(0), 3};
  EXPECT_EQ(number("innocent_time"), 4e6);
  EXPECT_EQ(number("held_time", {{"class", text("victim")}}), 10e6);
  EXPECT_EQ(number("held_time"), 17e6);
  // A class of frames in queues, not of flows.
  EXPECT_THAT(unavailable("held_time", {{"class", text("everything")}}), HasSubstr("unknown flow class"));
}

TEST_F(MeasuresTest, ReadsDeadlocks) {
  EXPECT_EQ(number("deadlocks"), 0);
  record_.deadlock = true;
  EXPECT_EQ(number("deadlocks"), 1);
}

TEST_F(MeasuresTest, ReadsFrames) {
  record_.data_frames = 1000;
  record_.retransmitted_frames = 4;
  record_.out_of_order_frames = 2;
  record_.bytes_by_kind = {900, 90, 0, 10};
  EXPECT_EQ(number("retransmitted_fraction"), 0.004);
  EXPECT_EQ(number("out_of_order"), 2);
  EXPECT_EQ(number("kind_fraction", {{"kind", text("ack")}}), 0.09);
  EXPECT_THAT(unavailable("kind_fraction", {{"kind", text("credit")}}), HasSubstr("unknown kind of frame"));
}

TEST_F(MeasuresTest, ReadsStatistics) {
  EXPECT_TRUE(std::isnan(number("egress_bytes")));
  record_.statistics.egress_kinds = {{"s0", "h0", 1, 0, "data", 2, 2'000},
                                     {"s0", "h1", 1, 0, "data", 3, 3'000},
                                     {"h0", "s0", 0, 1, "data", 4, 4'000},
                                     {"s0", "h0", 1, 0, "ack", 5, 300}};
  EXPECT_EQ(number("egress_bytes"), 9'300);
  EXPECT_EQ(number("egress_bytes", {{"kind", text("data")}, {"from_tier", Figure::number(1)}}), 5'000);
  EXPECT_EQ(number("egress_frames", {{"kind", text("data")}, {"to", text("h0..h1")}}), 5);
  EXPECT_EQ(number("egress_bytes", {{"kind", text("cnp")}}), 0);
  EXPECT_THAT(unavailable("egress_bytes", {{"kind", text("credit")}}),
              HasSubstr("unknown kind \"credit\", expected one of ack,"));
}

TEST_F(MeasuresTest, ReadsHops) {
  const auto add_hop = [this](const char* of, std::int64_t hop, std::int64_t tier, const char* direction,
                              std::int64_t most, double mean, std::int64_t delay) {
    HopRecord row{of, hop, tier, direction, most, 2 * most, mean, {}};
    row.delay.add(delay * 1'000'000, 10);
    record_.statistics.hops.push_back(std::move(row));
  };
  add_hop("all", 0, 1, "down", 500, 5, 4);
  add_hop("all", 0, 2, "down", 700, 7, 2);
  add_hop("all", 1, 1, "up", 900, 9, 1);
  add_hop("incast", 0, 1, "down", 300, 3, 8);
  EXPECT_EQ(number("port_buffered_max"), 700);
  EXPECT_EQ(number("switch_buffered_max"), 1'400);
  EXPECT_EQ(number("buffered_mean"), 12);
  EXPECT_EQ(number("port_buffered_max", {{"tier", Figure::number(1)}}), 500);
  EXPECT_EQ(number("port_buffered_max", {{"hop", Figure::number(1)}}), 900);
  EXPECT_EQ(number("port_buffered_max", {{"hop", Figure::number(2)}}), 0);
  EXPECT_EQ(number("hop_delay_mean"), 3e6);
  EXPECT_EQ(number("hop_delay"), 4e6);
  EXPECT_NEAR(number("hop_delay", {{"share", Figure::number(0.5)}}), 2e6, 0.016 * 2e6);
  EXPECT_EQ(number("hop_delay_max", {{"class", text("incast")}, {"direction", text("down")}}), 8e6);
  EXPECT_TRUE(std::isnan(number("hop_delay_max", {{"class", text("victim")}})));
  EXPECT_THAT(unavailable("buffered_mean", {{"direction", text("dwon")}}),
              HasSubstr("expected one of across, down, up"));
}

TEST_F(MeasuresTest, ReadsPolicies) {
  record_.statistics.policies = {{"a.b", "", "counter", "s0", 1, 0, PolicyRecord::kNone, 3, 5},
                                 {"a.b", "", "counter", "s0", 1, 1, 2, 4, 9},
                                 {"a.c", "", "gauge", "h0", 0, PolicyRecord::kNone, PolicyRecord::kNone, 100, 200}};
  EXPECT_EQ(number("policy_total", {{"name", text("a.b")}}), 7);
  EXPECT_EQ(number("policy_max", {{"name", text("a.b")}}), 9);
  EXPECT_EQ(number("policy_max", {{"name", text("a.b")}, {"port", Figure::number(0)}}), 5);
  EXPECT_EQ(number("policy_max", {{"name", text("a.b")}, {"group", Figure::number(2)}}), 9);
  EXPECT_EQ(number("policy_total", {{"name", text("a.c")}, {"node", text("h0")}}), 100);
  EXPECT_THAT(unavailable("policy_total", {{"name", text("a.d")}}),
              HasSubstr("unknown name \"a.d\", expected one of a.b, a.c"));
}

TEST(Measures, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const RunMeasure& measure : all_run_measures()) {
    EXPECT_TRUE(names.insert(measure.signature.name).second) << measure.signature.name;
    EXPECT_FALSE(measure.signature.meaning.empty());
  }
}

}  // namespace
}  // namespace weir::measures_test
