// SPDX-License-Identifier: Apache-2.0
// Functions of a switch other than moving frames: link failures, timers, its own frames, pauses.
#include "switch/switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch/test_switch.h"

namespace weir::testing_switch::switch_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Time at_time(Duration since_start) {
  return Time() + since_start;
}

// ---- links ----

TEST(SwitchLink, LosesWhatWaitedForIt) {
  TestSwitch at;
  at.receive(1, kLossless);
  at.receive(2, kLossless);
  at.receive(1, kLossy);
  const FrameId control = at.make(1, 0, 64);
  at.pool[control].kind = FrameKind::pfc;
  at.node->send(PortId(1), control);
  at.link(1, false);
  EXPECT_THAT(at.script->dropped,
              ElementsAre(Script::Drop{2, 1066, DropReason::link_down}, Script::Drop{0, 1066, DropReason::link_down}));
  EXPECT_EQ(at.node->drops(DropReason::link_down), 2u);
  EXPECT_EQ(at.node->frames_held(), 1u);
  EXPECT_EQ(at.pool.in_use(), 1u);  // the control frame was released as well
  EXPECT_EQ(at.next(1), -1);
  EXPECT_EQ(at.next(2), 1);
  at.expect_empty();
}

TEST(SwitchLink, TakesNothingWhileDown) {
  TestSwitch at;
  at.link(1, false);
  at.receive(1, kLossless);
  const FrameId control = at.make(1, 0, 64);
  at.node->send(PortId(1), control);
  const FrameId notice = at.make(1, kLossless, 100, 1);
  at.node->send_to_host(notice);
  at.expect_empty();
  EXPECT_THAT(at.script->dropped, SizeIs(2));
  at.link(1, true);
  at.receive(1, kLossless);
  EXPECT_TRUE(at.became_ready(1));
  EXPECT_EQ(at.next(1), 1);
}

TEST(SwitchLink, BeginsWithAllGatesOpen) {
  TestSwitch at;
  for (const GateOwner owner : {at.script->owner, at.neighbour->owner}) {
    at.node->set_priority_gate(PortId(1), kLossless, owner, false);
    at.node->set_gate(at.queue(1, kLossless), owner, false);
  }
  at.node->close_gate_until(at.queue(1, kLossy), at.script->owner, at_time(10_us));
  at.node->set_gate(at.queue(2, kLossless), at.script->owner, false);
  at.link(1, false);
  at.link(1, true);
  at.receive(1, kLossless);
  at.receive(1, kLossy);
  at.receive(2, kLossless);
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1));
  EXPECT_EQ(at.next(2), -1);  // that of another port remains
  EXPECT_EQ(at.node->next_deadline(), Time::never());
}

TEST(SwitchLink, EndsThePausesItAskedFor) {
  TestSwitch at;
  at.node->note_pause(PortId(1), kLossless, true);
  at.node->note_pause(PortId(2), kLossless, true);
  at.link(1, false);
  EXPECT_FALSE(at.ingress(1, kLossless).paused);
  EXPECT_TRUE(at.ingress(2, kLossless).paused);
}

TEST(SwitchLink, IsToldToPolicies) {
  TestSwitch at;
  at.link(1, false);
  at.link(1, true);
  EXPECT_THAT(at.script->links, ElementsAre(std::pair(PortId(1), false), std::pair(PortId(1), true)));
  EXPECT_TRUE(at.became_ready(1));
}

TEST(SwitchLink, KeepsFramesThatCameInByIt) {
  TestSwitch at;
  at.receive(2, at.make(1, kLossless));
  at.link(2, false);
  EXPECT_EQ(at.ingress(2, kLossless).used, 1066);
  EXPECT_EQ(at.drain(1).size(), 1u);
  at.expect_empty();
}

// ---- timers ----

TEST(SwitchTimers, FireAtTheirInstantsInOrder) {
  TestSwitch at;
  const auto& timers = at.script->timers;
  at.node->arm(timers[2], at_time(10_ns));
  at.node->arm(timers[1], at_time(20_ns));
  at.node->arm(timers[0], at_time(10_ns));
  EXPECT_EQ(at.node->next_deadline(), at_time(10_ns));
  at.run_until(at_time(1_us));
  EXPECT_THAT(at.script->fired, ElementsAre(std::pair(timers[0], at_time(10_ns)), std::pair(timers[2], at_time(10_ns)),
                                            std::pair(timers[1], at_time(20_ns))));
  EXPECT_EQ(at.node->next_deadline(), Time::never());
}

TEST(SwitchTimers, MoveAndEnd) {
  TestSwitch at;
  const auto& timers = at.script->timers;
  at.node->arm(timers[0], at_time(10_ns));
  at.node->arm(timers[0], at_time(30_ns));
  at.node->arm(timers[1], at_time(20_ns));
  at.node->cancel(timers[1]);
  at.run_until(at_time(1_us));
  EXPECT_THAT(at.script->fired, ElementsAre(std::pair(timers[0], at_time(30_ns))));
}

TEST(SwitchTimers, MayBeArmedAgainForTheSameInstant) {
  TestSwitch at;
  at.script->time = [&](SwitchContext& context, TimerId timer) {
    if (at.script->fired.size() < 3) context.arm(timer, context.now());
  };
  at.node->arm(at.script->timers[0], at_time(10_ns));
  at.run_until(at_time(10_ns));
  EXPECT_THAT(at.script->fired, SizeIs(3));
}

// A late call, or a call for another event, still runs the timers that are due.
TEST(SwitchTimers, FireInWhateverCallComesFirst) {
  TestSwitch at;
  at.node->arm(at.script->timers[0], at_time(10_ns));
  at.now = at_time(15_ns);
  at.next(0);
  EXPECT_THAT(at.script->fired, SizeIs(1));
  at.node->arm(at.script->timers[0], at_time(20_ns));
  at.now = at_time(25_ns);
  at.receive(1, kLossless);
  EXPECT_THAT(at.script->fired, SizeIs(2));
}

TEST(SwitchTimers, RunBeforeAFrameIsChosen) {
  TestSwitch at;
  at.receive(1, kLossless);
  at.node->set_gate(at.queue(1, kLossless), at.script->owner, false);
  at.script->time = [&](SwitchContext& context, TimerId) {
    context.set_gate(at.queue(1, kLossless), at.script->owner, true);
  };
  at.node->arm(at.script->timers[0], at_time(10_ns));
  at.now = at_time(10_ns);
  EXPECT_EQ(at.next(1), 0);
}

// ---- more ----

TEST(SwitchMore, CallsAgainAtTheSameInstant) {
  TestSwitch at;
  int calls = 0;
  at.script->more = [&](SwitchContext& context) {
    EXPECT_EQ(context.now(), at_time(10_ns));
    context.send_to_host(at.make(1, kLossless, 70, static_cast<std::uint32_t>(calls)));
    if (++calls < 300) context.more(*at.script);
  };
  at.script->time = [&](SwitchContext& context, TimerId) {
    context.more(*at.script);
    context.more(*at.script);  // once
  };
  at.node->arm(at.script->timers[0], at_time(10_ns));
  at.run_until(at_time(10_ns));
  EXPECT_EQ(calls, 300);
  EXPECT_EQ(at.node->next_deadline(), Time::never());
  EXPECT_EQ(at.drain(1).size(), 300u);
  at.expect_empty();
}

TEST(SwitchMore, IsDueAtOnceWhereverItWasAsked) {
  TestSwitch at;
  int calls = 0;
  at.script->more = [&](SwitchContext&) { ++calls; };
  at.script->drop = [&](SwitchContext& context, const Frame&) { context.more(*at.script); };
  at.now = at_time(3_ns);
  at.receive(0, at.make(99, kLossless));
  EXPECT_EQ(at.node->next_deadline(), at_time(3_ns));
  EXPECT_EQ(calls, 0);  // not inside the hook
  at.run_for(Duration());
  EXPECT_EQ(calls, 1);
}

// ---- frames made by the switch ----

TEST(SwitchSend, GoesToAHostByRouteAndQueue) {
  SwitchConfig config = config_of();
  config.control_reserve = 100;
  TestSwitch at(config);
  at.receive(2, 6);
  at.node->send_to_host(at.make_control(FrameKind::cnp, 2, 6, 82, 50));
  EXPECT_TRUE(at.became_ready(2));
  EXPECT_EQ(at.node->buffer().used, 1066);  // frames the switch made are charged to no ingress
  EXPECT_EQ(at.node->queue(at.queue(2, 6)).bytes, 1066 + 82);
  EXPECT_THAT(at.drain(2), ElementsAre(0, 50));
  at.expect_empty();
}

TEST(SwitchSend, ObeysGatesToAHostAndNoneToTheNeighbour) {
  TestSwitch at;
  at.node->set_priority_gate(PortId(2), 6, at.script->owner, false);
  at.node->send_to_host(at.make(2, 6, 82, 50));
  at.node->send(PortId(2), at.make(2, 6, 64, 60));
  EXPECT_THAT(at.drain(2), ElementsAre(60));
  at.node->set_priority_gate(PortId(2), 6, at.script->owner, true);
  EXPECT_THAT(at.drain(2), ElementsAre(50));
}

TEST(SwitchSend, GivesBackWhatHasNoWay) {
  TestSwitch at;
  at.node->send_to_host(at.make(99, 6));
  EXPECT_EQ(at.node->drops(DropReason::no_route), 1u);
  at.expect_empty();
}

TEST(SwitchSend, MayTellTheSourceOfADrop) {
  TestSwitch at;
  at.thresholds->limit_bytes = 2'000;
  at.script->drop = [&](SwitchContext& context, const Frame& frame) {
    const FrameId id = context.frames().allocate();
    Frame& notice = context.frames()[id];
    notice.kind = FrameKind::host_control;
    notice.frame_bytes = 64;
    notice.priority = 6;
    notice.destination = frame.source;
    notice.sequence = frame.sequence;
    context.send_to_host(id);
  };
  for (int i = 0; i < 3; ++i) at.receive(1, kLossy);
  EXPECT_THAT(at.drain(1), ElementsAre(0));
  EXPECT_TRUE(at.became_ready(0));
  EXPECT_THAT(at.drain(0), ElementsAre(1, 2));
  at.expect_empty();
}

// ---- lengths and thresholds that policies read ----

TEST(SwitchContext, AsksTheFlowControlForTheSignalledLength) {
  TestSwitch at;
  at.receive(1, kLossless);
  const Frame& frame = *at.node->peek(at.queue(1, kLossless));
  EXPECT_EQ(at.node->signalled_length(at.queue(1, kLossless), frame), 1066);
  at.script->signalled = [](const Frame& signalled) { return std::int64_t{signalled.sequence} + 12; };
  EXPECT_EQ(at.node->signalled_length(at.queue(1, kLossless), frame), 12);
  EXPECT_EQ(at.node->carried_length(at.queue(1, kLossless), frame), 12);
  at.script->carried = [](const Frame& carried) { return std::int64_t{carried.sequence} + 7; };
  EXPECT_EQ(at.node->signalled_length(at.queue(1, kLossless), frame), 12);
  EXPECT_EQ(at.node->carried_length(at.queue(1, kLossless), frame), 7);
  EXPECT_EQ(at.node->peek(at.queue(2, kLossless)), nullptr);
}

TEST(SwitchContext, AsksTheBufferPolicyForThresholds) {
  TestSwitch at;
  at.thresholds->xoff_bytes = 5;
  at.thresholds->xon_bytes = 4;
  EXPECT_EQ(at.node->xoff(PortId(0), kLossless), 5);
  EXPECT_EQ(at.node->xon(PortId(0), kLossless), 4);
}

TEST(SwitchContext, KnowsTheRoundTripOfAHop) {
  TestSwitch at;
  // Propagation of 1 us each way, and 1,066 + 20 bytes at 100 Gbit/s at each end.
  EXPECT_EQ(at.node->hop_round_trip(PortId(1)), 2_us + 2 * Duration::picoseconds(1'086 * 80));
}

// ---- pauses ----

/// Records the calls to a driver's observer.
struct Observer final : SwitchObserver {
  void on_pause(const SwitchContext&, PortId ingress, Priority priority, bool paused) override {
    pauses.emplace_back(ingress, priority, paused);
  }
  void on_hop_pause(const SwitchContext&, PortId, std::uint64_t name, bool paused) override {
    hop_pauses.emplace_back(name, paused);
  }
  void on_merge(const SwitchContext&, std::uint64_t name, std::uint64_t successor) override {
    merges.emplace_back(name, successor);
  }
  void on_priority_gate(const SwitchContext&, PortId port, Priority, bool open) override {
    gates.emplace_back(port, open);
  }
  void on_drop(const SwitchContext&, const Frame&, DropReason reason) override { drops.push_back(reason); }
  std::vector<std::tuple<PortId, Priority, bool>> pauses;
  std::vector<std::pair<std::uint64_t, bool>> hop_pauses;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merges;
  std::vector<std::pair<PortId, bool>> gates;
  std::vector<DropReason> drops;
};

TEST(SwitchPauses, AreCountedAndToldWhenTheyChange) {
  TestSwitch at;
  Observer observer;
  at.node->observe(&observer);
  for (const bool paused : {false, true, true, false, true}) at.node->note_pause(PortId(1), kLossless, paused);
  const std::vector<std::tuple<PortId, Priority, bool>> changes = {
      {PortId(1), kLossless, true}, {PortId(1), kLossless, false}, {PortId(1), kLossless, true}};
  EXPECT_EQ(at.thresholds->pauses, changes);
  EXPECT_EQ(observer.pauses, changes);
  EXPECT_EQ(at.node->pauses_sent(), 2u);
  EXPECT_TRUE(at.ingress(1, kLossless).paused);
  at.node->note_hop_pause(PortId(1), 1234, true);
  EXPECT_EQ(at.node->pauses_sent(), 3u);
  EXPECT_THAT(observer.hop_pauses, ElementsAre(std::pair(std::uint64_t{1234}, true)));
  at.node->note_merge(1234, 5678);
  EXPECT_THAT(observer.merges, ElementsAre(std::pair(std::uint64_t{1234}, std::uint64_t{5678})));
}

TEST(SwitchPauses, OfNeighboursAreToldWhenAnyOwnerHolds) {
  TestSwitch at;
  Observer observer;
  at.node->observe(&observer);
  at.node->set_priority_gate(PortId(1), kLossless, at.script->owner, false);
  at.node->set_priority_gate(PortId(1), kLossless, at.neighbour->owner, false);
  at.node->set_priority_gate(PortId(1), kLossless, at.script->owner, true);
  at.node->set_priority_gate(PortId(1), kLossless, at.neighbour->owner, true);
  EXPECT_THAT(observer.gates, ElementsAre(std::pair(PortId(1), false), std::pair(PortId(1), true)));
  at.receive(0, at.make(99, kLossless));
  EXPECT_THAT(observer.drops, ElementsAre(DropReason::no_route));
}

}  // namespace
}  // namespace weir::testing_switch::switch_test
