// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/congestion_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/rocc/feedback.h"
#include "schemes/rocc/rocc.h"

namespace weir::rocc::congestion_point_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr PortId kIn(0);
constexpr PortId kOut(1);
constexpr Priority kData = 3;

Time at(Duration after) {
  return Time() + after;
}

/// A switch of four ports of 40 Gbit/s, and a congestion point.
class RoccCongestionPoint : public testing::Test {
 protected:
  void start(const std::vector<std::pair<std::string, ParameterValue>>& values = {}) {
    for (std::size_t port = 0; port < 4; ++port) context.set_rate(PortId(port), 40_Gbps);
    context.set_id(SwitchId(7));
    Parameters parameters(scheme.parameters);
    for (const auto& [name, value] : values) ASSERT_TRUE(parameters.set(name, value)) << name;
    point = scheme.congestion_point(parameters);
    point->attach(context);
  }
  /// A data frame of `flow` enters the queue of a port.
  Frame& enter(std::uint32_t flow, PortId port = kOut) {
    Frame& frame = context.new_frame(kIn, port, kData);
    frame.source = HostId(flow);
    frame.destination = HostId(1'000);
    frame.queue_pair = QueuePairId(flow);
    point->on_enter(context, context.default_queue(port, kData), frame);
    return frame;
  }
  void hold(std::int64_t bytes, PortId port = kOut) { context.port_state(port).queued_bytes = bytes; }
  void run_until(Duration when) { context.run_until(at(when)); }
  [[nodiscard]] std::vector<Feedback> told() {
    std::vector<Feedback> out;
    for (const FakeSwitch::Sent& sent : context.sent()) out.push_back(read(context.frames(), sent.frame).value());
    return out;
  }
  [[nodiscard]] BitRate fair_rate(PortId port = kOut) const {
    return BitRate(static_cast<std::int64_t>(point->gauge(0, port)));
  }

  FakeSwitch context{4};
  std::unique_ptr<CongestionPoint> point;
};

TEST_F(RoccCongestionPoint, ComputesEveryInterval) {  // [ROCC-CP-1]
  start();
  run_until(50_us);
  enter(1);
  EXPECT_EQ(context.deadline(TimerId(0)), at(80_us));
  hold(240'000);  // 400 steps: -(0.3 x 150 + 1.5 x 400)
  run_until(80_us);
  EXPECT_EQ(fair_rate(), 33'540_Mbps);
  EXPECT_EQ(context.deadline(TimerId(0)), at(120_us));
  run_until(120_us);  // -(0.3 x 150)
  EXPECT_EQ(fair_rate(), 33'090_Mbps);
}

TEST_F(RoccCongestionPoint, RestsWithoutWork) {  // [ROCC-CP-1]
  start();
  enter(1);
  run_until(40_us);
  EXPECT_EQ(context.deadline(TimerId(0)), Time::never());
  hold(240'000);
  enter(1);
  run_until(80_us);
  hold(0);
  run_until(120_us);
  EXPECT_EQ(context.deadline(TimerId(0)), at(160_us));
  run_until(10_ms);  // back at F_max
  EXPECT_EQ(fair_rate(), 40_Gbps);
  EXPECT_EQ(context.deadline(TimerId(0)), Time::never());
}

TEST_F(RoccCongestionPoint, TellsTheFlowsOfThePort) {  // [ROCC-CP-7] [ROCC-CP-8]
  start();
  enter(1);
  enter(2);
  enter(1);
  enter(3, PortId(2));
  hold(240'000);
  run_until(40_us);
  ASSERT_THAT(context.sent(), SizeIs(2));
  std::set<std::uint32_t> hosts;
  for (const FakeSwitch::Sent& sent : context.sent()) {
    hosts.insert(sent.frame.destination.value);
    EXPECT_FALSE(sent.port.exists());  // by the ordinary routes
    EXPECT_EQ(sent.frame.source, HostId(1'000));
    EXPECT_EQ(sent.frame.queue_pair.value, sent.frame.destination.value);
    EXPECT_EQ(sent.frame.priority, 6);
  }
  EXPECT_EQ(hosts, (std::set<std::uint32_t>{1, 2}));
  for (const Feedback& feedback : told()) {
    EXPECT_EQ(feedback.form, Form::rate);
    EXPECT_EQ(feedback.rate, 3'354);
    EXPECT_EQ(feedback.point, 7u << 16 | 1u);
  }
}

TEST_F(RoccCongestionPoint, FramesThatLeftOrWereLostAreNotTold) {  // [ROCC-CP-8] [ROCC-FT-1]
  start();
  Frame& left = enter(1);
  Frame& lost = enter(2);
  enter(3);
  point->on_depart(context, context.default_queue(kOut, kData), left);
  point->on_drop(context, context.default_queue(kOut, kData), lost, DropReason::link_down);
  lost.charged_bytes = 0;
  lost.queue_pair = QueuePairId(3);
  lost.source = HostId(3);
  point->on_drop(context, QueueId::none(), lost, DropReason::buffer_full);  // refused: it never entered the queue
  hold(240'000);
  run_until(40_us);
  ASSERT_THAT(context.sent(), SizeIs(1));
  EXPECT_EQ(context.sent()[0].frame.destination, HostId(3));
}

/// Data of a flow that has a frame in the queue is dropped in a stage before it, or on its way from there.
TEST_F(RoccCongestionPoint, AFrameLostBeforeItsQueueHadNotBeenCounted) {  // [ROCC-CP-8] [ROCC-FT-1]
  for (const Service service : {Service::at_rate, Service::released}) {
    SCOPED_TRACE(static_cast<int>(service));
    context.release_sent();
    context.set_now(Time());
    start();
    enter(1);
    const QueueId stage = context.new_queue({.port = kOut, .priority = kData, .stage = 1, .service = service});
    Frame& lost = context.new_frame(kIn, kOut, kData);
    lost.source = HostId(1);
    lost.destination = HostId(1'000);
    lost.queue_pair = QueuePairId(1);
    point->on_enter(context, stage, lost);
    point->on_drop(context, stage, lost, DropReason::watchdog);
    point->on_drop(context, QueueId::none(), lost, DropReason::link_down);
    hold(240'000);
    run_until(40_us);
    ASSERT_THAT(context.sent(), SizeIs(1));
    EXPECT_EQ(context.sent()[0].frame.destination, HostId(1));
    context.cancel(TimerId(context.timers() - 1));
  }
}

TEST_F(RoccCongestionPoint, OnlyDataAndOnlyOnceAHop) {  // [ROCC-CP-8]
  start();
  Frame& ack = context.new_frame(kIn, kOut, kData);
  ack.kind = FrameKind::ack;
  point->on_enter(context, context.default_queue(kOut, kData), ack);
  const QueueId stage = context.new_queue({.port = kOut, .priority = kData, .stage = 1, .service = Service::at_rate});
  Frame& isolated = context.new_frame(kIn, kOut, kData);
  point->on_enter(context, stage, isolated);
  EXPECT_EQ(context.deadline(TimerId(0)), Time::never());
  isolated.kind = FrameKind::datagram;
  point->on_enter(context, context.default_queue(kOut, kData), isolated);
  EXPECT_NE(context.deadline(TimerId(0)), Time::never()) << "datagrams are told as data are";
}

TEST_F(RoccCongestionPoint, TellsAThirdOfAThousandInParts) {  // [ROCC-CP-8]
  start();
  for (std::uint32_t flow = 0; flow < 300; ++flow) enter(flow);
  hold(240'000);
  run_until(40_us);
  EXPECT_THAT(context.sent(), SizeIs(32));
  int calls = 1;
  for (; context.asked_for_more(*point); ++calls) context.run_more();
  EXPECT_EQ(calls, 10);
  std::set<std::uint32_t> hosts;
  for (const FakeSwitch::Sent& sent : context.sent()) {
    hosts.insert(sent.frame.destination.value);
    EXPECT_EQ(sent.at, at(40_us));
  }
  EXPECT_THAT(hosts, SizeIs(300));
}

TEST_F(RoccCongestionPoint, WithoutFramesItGivesUp) {  // [ROCC-CP-8]
  start();
  for (std::uint32_t flow = 0; flow < 10; ++flow) enter(flow);
  while (context.frames().allocate().exists()) continue;
  hold(240'000);
  run_until(40_us);
  EXPECT_THAT(context.sent(), IsEmpty());
  EXPECT_FALSE(context.asked_for_more(*point));
}

TEST_F(RoccCongestionPoint, IsSilentAtFMaxWithoutAQueueButForTheLastWord) {  // [ROCC-CP-11]
  start();
  enter(1);
  hold(599);  // less than one step of the length
  run_until(40_us);
  EXPECT_THAT(context.sent(), IsEmpty());
  enter(1);
  hold(240'000);
  run_until(80_us);
  EXPECT_THAT(context.sent(), SizeIs(1));
  hold(599);  // grows back
  run_until(10_ms);
  const std::vector<Feedback> all = told();
  EXPECT_EQ(all.back().rate, 4'000);
  EXPECT_LT(all[all.size() - 2].rate, 4'000);
}

TEST_F(RoccCongestionPoint, TellsFMaxAsLongAsThereIsAQueue) {  // [ROCC-CP-11]
  start();
  enter(1);
  hold(600);
  for (const Duration when : {40_us, 80_us, 120_us}) {
    context.release_sent();
    run_until(when);
    ASSERT_THAT(context.sent(), SizeIs(1));
    EXPECT_EQ(told().front().rate, 4'000);
  }
}

TEST_F(RoccCongestionPoint, StartsAnewAfterALinkFailure) {  // [ROCC-CP-1]
  start();
  enter(1);
  hold(240'000);
  run_until(40_us);
  EXPECT_THAT(context.sent(), SizeIs(1));
  point->on_link(context, kOut, false);
  EXPECT_EQ(fair_rate(), 40_Gbps);
  context.release_sent();
  run_until(80_us);  // there is a queue again, but its flows are forgotten
  EXPECT_EQ(fair_rate(), 33'540_Mbps);
  EXPECT_THAT(context.sent(), IsEmpty());
  enter(2);
  run_until(120_us);
  ASSERT_THAT(context.sent(), SizeIs(1));
  EXPECT_EQ(context.sent()[0].frame.destination, HostId(2));
}

TEST_F(RoccCongestionPoint, PortsHaveRatesOfTheirOwn) {  // [ROCC-CP-1]
  start();
  enter(1);
  enter(2, PortId(2));
  hold(240'000);
  hold(120'000, PortId(2));
  run_until(40_us);
  EXPECT_EQ(fair_rate(), 33'540_Mbps);
  EXPECT_EQ(fair_rate(PortId(2)), 37'150_Mbps);  // +0.3 x 50 - 1.5 x 200
}

TEST_F(RoccCongestionPoint, LetsTheHostCompute) {  // [ROCC-HOST-1]
  for (const auto& [name, form] : {std::pair{"all_values", Form::all_values}, {"registry", Form::registry}}) {
    context.release_sent();
    context.set_now(Time());
    start({{"computed_at", std::string("host")}, {"feedback", std::string(name)}});
    enter(1);
    hold(240'000);
    run_until(40_us);
    hold(210'000);
    run_until(80_us);
    const Feedback last = told().back();
    EXPECT_EQ(last.form, form);
    EXPECT_EQ(last.length, 350);
    EXPECT_EQ(last.before.length, 400);
    EXPECT_EQ(last.before.whole_rate(), 3'354);
    EXPECT_EQ(last.port_rate, form == Form::registry ? 40_Gbps : 0_bps);
    if (form != Form::all_values) continue;
    EXPECT_EQ(last.settings.f_maximum, 4'000);
    const LoopState here = updated(last.settings, last.before, last.length);
    EXPECT_EQ(10_Mbps * here.whole_rate(), fair_rate());
  }
}

TEST_F(RoccCongestionPoint, TakesAnyFlowTable) {  // [ROCC-FT-1] [ROCC-FT-2] [ROCC-FT-3] [ROCC-FT-4] [ROCC-FT-5]
  for (const char* table : {"queue", "bounded", "afd", "elephant_trap", "bubble_cache"}) {
    context.release_sent();
    context.set_now(Time());
    start({{"flow_table", std::string(table)}, {"sample_every", std::int64_t{1}}});
    for (int i = 0; i < 20; ++i) enter(1);
    hold(240'000);
    run_until(40_us);
    EXPECT_THAT(context.sent(), SizeIs(1)) << table;
    context.cancel(TimerId(context.timers() - 1));
  }
}

}  // namespace
}  // namespace weir::rocc::congestion_point_test
