// SPDX-License-Identifier: Apache-2.0
// Which frames a switch admits, and how it counts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "switch/test_switch.h"

namespace weir::testing_switch::admission_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Ports with this reserve and headroom for the lossless priority.
SwitchConfig with_parts(std::int64_t reserve, std::int64_t headroom) {
  SwitchConfig config = config_of();
  for (PortConfig& port : config.ports) {
    port.reserve[kLossless] = reserve;
    port.headroom[kLossless] = headroom;
  }
  return config;
}

TEST(SwitchAdmission, ForwardsAFrame) {
  TestSwitch at;
  at.receive(2, kLossless);
  EXPECT_TRUE(at.became_ready(2));
  EXPECT_FALSE(at.became_ready(1));
  EXPECT_EQ(at.ingress(0, kLossless).used, 1066);
  EXPECT_EQ(at.node->egress_bytes(PortId(2), kLossless), 1066);
  EXPECT_EQ(at.node->port(PortId(2)).queued_bytes, 1066);
  EXPECT_EQ(at.node->frames_held(), 1u);
  EXPECT_EQ(at.next(1), -1);
  const std::optional<Frame> sent = at.transmit(2);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->frame_bytes, 1066);
  EXPECT_EQ(at.node->port(PortId(0)).bytes_received, 1066);
  EXPECT_EQ(at.node->port(PortId(0)).frames_received, 1u);
  EXPECT_EQ(at.node->port(PortId(2)).bytes_sent, 1066);
  EXPECT_EQ(at.node->port(PortId(2)).frames_sent, 1u);
  EXPECT_EQ(at.next(2), -1);
  at.expect_empty();
}

TEST(SwitchAdmission, KeepsNotesOfAnEarlierNodeOut) {
  TestSwitch at;
  const FrameId id = at.make(2, kLossless);
  Frame& frame = at.pool[id];
  frame.own = 77;
  frame.charged_bytes = 9;
  frame.ingress = PortId(3);
  at.now = Time::picoseconds(5);
  at.receive(1, id);
  EXPECT_EQ(frame.own, 0u);
  EXPECT_EQ(frame.charged_bytes, 1066);
  EXPECT_EQ(frame.ingress, PortId(1));
  EXPECT_EQ(frame.egress, PortId(2));
  EXPECT_EQ(frame.arrival, at.now);
}

TEST(SwitchAdmission, FillsReserveThenPoolThenHeadroom) {
  TestSwitch at(with_parts(2'000, 3'000));
  at.thresholds->xoff_bytes = 1'500;
  const IngressState& ingress = at.ingress(0, kLossless);
  const auto parts = [&] { return std::array{ingress.used, ingress.shared, ingress.headroom}; };
  at.receive(1, kLossless, 1'000);
  EXPECT_THAT(parts(), ElementsAre(1'000, 0, 0));
  at.receive(1, kLossless, 1'000);
  EXPECT_THAT(parts(), ElementsAre(2'000, 0, 0));
  at.receive(1, kLossless, 1'000);
  EXPECT_THAT(parts(), ElementsAre(3'000, 1'000, 0));
  at.receive(1, kLossless, 1'000);  // would be 2,000 shared: goes completely into headroom
  EXPECT_THAT(parts(), ElementsAre(4'000, 1'000, 1'000));
  at.receive(1, kLossless, 400);  // still fits below xoff
  EXPECT_THAT(parts(), ElementsAre(4'400, 1'400, 1'000));
  EXPECT_EQ(at.node->buffer().pools[0].used, 1'400);
  at.receive(1, kLossless, 2'000);
  EXPECT_THAT(parts(), ElementsAre(6'400, 1'400, 3'000));
  at.receive(1, kLossless, 200);  // fits neither below xoff nor in headroom
  EXPECT_THAT(parts(), ElementsAre(6'400, 1'400, 3'000));
  EXPECT_EQ(at.node->drops(DropReason::buffer_full), 1u);
  EXPECT_EQ(at.node->buffer().maximum, 6'400);

  // Headroom is released first, then the pool, then the reserve, whichever frame leaves.
  at.transmit(1);
  EXPECT_THAT(parts(), ElementsAre(5'400, 1'400, 2'000));
  at.transmit(1);
  at.transmit(1);
  EXPECT_THAT(parts(), ElementsAre(3'400, 1'400, 0));
  at.transmit(1);
  EXPECT_THAT(parts(), ElementsAre(2'400, 400, 0));
  at.drain(1);
  at.expect_empty();
}

TEST(SwitchAdmission, SplitsAFrameBetweenReserveAndPool) {
  TestSwitch at(with_parts(1'500, 0));
  at.receive(1, kLossless, 1'000);
  at.receive(1, kLossless, 1'000);
  EXPECT_EQ(at.ingress(0, kLossless).shared, 500);
  EXPECT_EQ(at.node->buffer().pools[0].used, 500);
}

TEST(SwitchAdmission, UsesHeadroomWhenThePoolIsFull) {
  SwitchConfig config = with_parts(0, 5'000);
  config.pools[0] = 2'500;
  TestSwitch at(config);
  at.receive(1, kLossless, 1'000);
  at.receive(1, kLossless, 1'000);
  at.receive(1, kLossless, 1'000);
  EXPECT_EQ(at.ingress(0, kLossless).shared, 2'000);
  EXPECT_EQ(at.ingress(0, kLossless).headroom, 1'000);
  EXPECT_THAT(at.script->dropped, IsEmpty());
}

TEST(SwitchAdmission, CountsIngressesAndPrioritiesApart) {
  TestSwitch at;
  at.receive(1, at.make(2, kLossless, 700));
  at.receive(3, at.make(2, kLossy, 300));
  EXPECT_EQ(at.ingress(1, kLossless).used, 700);
  EXPECT_EQ(at.ingress(1, kLossy).used, 0);
  EXPECT_EQ(at.ingress(3, kLossy).used, 300);
  EXPECT_EQ(at.ingress(0, kLossless).used, 0);
  EXPECT_EQ(at.node->egress_bytes(PortId(2), kLossless), 700);
  EXPECT_EQ(at.node->egress_bytes(PortId(2), kLossy), 300);
  EXPECT_EQ(at.node->port(PortId(2)).queued_bytes, 1'000);
}

TEST(SwitchAdmission, KeepsServicePoolsApart) {
  SwitchConfig config = config_of();
  config.pool_of_priority[kLossy] = 1;
  config.pools = {1'500, 1'000};
  TestSwitch at(config);
  at.receive(1, kLossy, 1'000);
  at.receive(1, kLossy, 100);  // its pool is full, the other is not
  at.receive(1, kLossless, 1'000);
  EXPECT_EQ(at.node->buffer().pools[0].used, 1'000);
  EXPECT_EQ(at.node->buffer().pools[1].used, 1'000);
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{1, 0, DropReason::buffer_full}));
}

TEST(SwitchAdmission, DropsALossyFrameAboveTheEgressLimit) {
  TestSwitch at;
  at.thresholds->limit_bytes = 2'500;
  for (int i = 0; i < 3; ++i) at.receive(1, kLossy, 1'000);
  at.receive(2, kLossy, 1'000);     // another egress
  at.receive(1, kLossless, 1'000);  // another priority
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{2, 0, DropReason::egress_threshold}));
  EXPECT_EQ(at.node->port(PortId(1)).drops, 1u);
  EXPECT_THAT(at.drain(1), ElementsAre(4, 0, 1));
  at.receive(1, kLossy, 1'000);
  EXPECT_EQ(at.script->dropped.size(), 1u);
}

TEST(SwitchAdmission, AsksTheBufferPolicy) {
  TestSwitch at;
  at.thresholds->refuses = [](const Frame& frame) { return frame.sequence == 1; };
  for (int i = 0; i < 3; ++i) at.receive(1, kLossless);
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{1, 0, DropReason::policy}));
  EXPECT_EQ(at.ingress(0, kLossless).used, 2 * 1066);
}

// ---- control frames that the buffer refuses ----

SwitchConfig with_control_reserve(std::int64_t bytes) {
  SwitchConfig config = config_of();
  config.control_reserve = bytes;
  return config;
}

TEST(SwitchAdmission, ChargesControlFramesToTheBufferWhileItHasRoom) {
  TestSwitch at(with_control_reserve(1'000));
  at.receive(0, at.make_control(FrameKind::cnp, 1, kLossy, 82));
  EXPECT_EQ(at.ingress(0, kLossy).used, 82);
  EXPECT_EQ(at.node->buffer().used, 82);
  EXPECT_EQ(at.node->port(PortId(1)).uncharged_bytes, 0);
}

TEST(SwitchAdmission, TakesControlFramesOfEveryKindThatTheBufferRefuses) {
  for (const FrameKind kind : {FrameKind::ack, FrameKind::nack, FrameKind::cnp, FrameKind::host_control}) {
    for (const Priority priority : {kLossy, kLossless}) {
      SCOPED_TRACE(static_cast<int>(kind) * 10 + priority);
      SwitchConfig config = with_control_reserve(1'000);
      config.pools[0] = 0;
      TestSwitch at(config);
      at.receive(0, at.make(1, priority, 82, 7));
      EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{7, 0, DropReason::buffer_full}));
      at.receive(0, at.make_control(kind, 1, priority, 82, 8));
      EXPECT_EQ(at.script->dropped.size(), 1u);
      EXPECT_EQ(at.node->port(PortId(1)).uncharged_bytes, 82);
      EXPECT_EQ(at.node->port(PortId(1)).queued_bytes, 82);
      EXPECT_EQ(at.node->egress_bytes(PortId(1), priority), 82);
      EXPECT_EQ(at.node->buffer().used, 0) << "its memory lies beside the buffer";
      EXPECT_EQ(at.ingress(0, priority).used, 0);
      EXPECT_THAT(at.drain(1), ElementsAre(8));
      EXPECT_THAT(at.script->departed, ElementsAre(8));
      at.expect_empty();
    }
  }
}

TEST(SwitchAdmission, TakesControlFramesWhateverTheBufferPolicySays) {
  TestSwitch at(with_control_reserve(1'000));
  at.thresholds->limit_bytes = 0;
  at.receive(1, kLossy, 82);
  at.receive(0, at.make_control(FrameKind::cnp, 1, kLossy, 82, 8));
  at.thresholds->limit_bytes = 1'000'000;
  at.thresholds->refuses = [](const Frame&) { return true; };
  at.receive(0, at.make(1, kLossy, 82, 9));
  at.receive(0, at.make_control(FrameKind::cnp, 1, kLossy, 82, 10));
  EXPECT_THAT(at.script->dropped,
              ElementsAre(Script::Drop{0, 0, DropReason::egress_threshold}, Script::Drop{9, 0, DropReason::policy}));
  EXPECT_THAT(at.drain(1), ElementsAre(8, 10));
}

TEST(SwitchAdmission, BoundsWhatControlFramesTakeBesideTheBuffer) {
  TestSwitch at(with_control_reserve(200));
  at.thresholds->limit_bytes = 0;
  const auto control = [&](std::size_t to, Priority priority, std::uint32_t sequence) {
    at.receive(0, at.make_control(FrameKind::ack, to, priority, 100, sequence));
  };
  control(1, kLossy, 0);
  control(1, 2, 1);  // the reserve belongs to the port, for all priorities
  control(1, kLossy, 2);
  control(2, kLossy, 3);  // of another port
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{2, 0, DropReason::egress_threshold}));
  EXPECT_EQ(at.node->port(PortId(1)).uncharged_bytes, 200);
  at.transmit(1);
  control(1, kLossy, 4);
  EXPECT_EQ(at.script->dropped.size(), 1u);
  at.drain(1);
  at.drain(2);
  at.expect_empty();
}

// ---- frames that the switch makes ----

TEST(SwitchAdmission, ChargesFramesOfTheSwitchToTheReserveAndThenToThePool) {
  for (const Priority priority : {kLossy, kLossless}) {
    SCOPED_TRACE(int{priority});
    TestSwitch at(with_control_reserve(200));
    const auto send = [&](std::uint32_t sequence) {
      at.node->send_to_host(at.make_control(FrameKind::cnp, 1, priority, 100, sequence));
      EXPECT_EQ(at.node->broken_invariant(), "");
    };
    for (std::uint32_t i = 0; i < 3; ++i) send(i);
    EXPECT_EQ(at.node->port(PortId(1)).uncharged_bytes, 200);
    EXPECT_EQ(at.node->buffer().used, 100);
    EXPECT_EQ(at.node->buffer().pools[0].made, 100);
    EXPECT_EQ(at.node->buffer().pools[0].used, 0) << "what thresholds look at";
    EXPECT_EQ(at.node->egress_bytes(PortId(1), priority), 300);
    EXPECT_EQ(at.next(1), 0);  // the pool's share is released first
    EXPECT_EQ(at.node->port(PortId(1)).uncharged_bytes, 200);
    EXPECT_EQ(at.node->buffer().used, 0);
    EXPECT_THAT(at.drain(1), ElementsAre(1, 2));
    EXPECT_THAT(at.script->dropped, IsEmpty());
    at.expect_empty();
  }
}

TEST(SwitchAdmission, DropsFramesOfTheSwitchForWhichThereIsNoRoom) {
  for (const Priority priority : {kLossy, kLossless}) {
    SCOPED_TRACE(int{priority});
    SwitchConfig config = with_control_reserve(100);
    config.pools[0] = 150;
    TestSwitch at(config);
    for (std::uint32_t i = 0; i < 3; ++i) {
      at.node->send_to_host(at.make_control(FrameKind::host_control, 1, priority, 100, i));
    }
    EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{2, 0, DropReason::buffer_full}));
    EXPECT_EQ(at.node->drops(DropReason::buffer_full), 1u);
    EXPECT_EQ(at.node->port(PortId(1)).drops, 1u);
    at.link(1, false);
    EXPECT_EQ(at.node->drops(DropReason::link_down), 2u);
    at.expect_empty();
  }
}

TEST(SwitchAdmission, LeavesFramesThatComeInWhatFramesOfTheSwitchLeave) {
  for (const Priority priority : {kLossy, kLossless}) {
    SCOPED_TRACE(int{priority});
    SwitchConfig config = config_of();
    config.pools[0] = 1'066 + 99;
    TestSwitch at(config);
    at.node->send_to_host(at.make_control(FrameKind::cnp, 2, priority, 100));
    at.receive(1, priority);
    EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{0, 0, DropReason::buffer_full}));
    at.transmit(2);
    at.receive(1, priority);
    EXPECT_THAT(at.drain(1), ElementsAre(1));
    at.expect_empty();
  }
}

TEST(SwitchAdmission, AsksTheBufferPolicyForFramesOfTheSwitchBeyondTheReserve) {
  TestSwitch at(with_control_reserve(100));
  const auto send = [&](std::uint32_t sequence) {
    at.node->send_to_host(at.make_control(FrameKind::cnp, 1, kLossy, 100, sequence));
  };
  at.thresholds->limit_bytes = 250;
  for (std::uint32_t i = 0; i < 3; ++i) send(i);
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{2, 0, DropReason::egress_threshold}));
  at.thresholds->limit_bytes = 1'000'000;
  at.thresholds->refuses = [](const Frame& frame) { return !frame.ingress.exists(); };
  send(3);
  EXPECT_EQ(at.script->dropped.back(), (Script::Drop{3, 0, DropReason::policy}));
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1));
  send(4);  // the buffer policy is not asked about the reserve
  EXPECT_THAT(at.drain(1), ElementsAre(4));
  at.expect_empty();
}

TEST(SwitchAdmission, GivesTheReserveBackWhenALinkFails) {
  TestSwitch at(with_control_reserve(200));
  at.thresholds->limit_bytes = 0;
  at.receive(0, at.make_control(FrameKind::ack, 1, kLossy, 100));
  at.link(1, false);
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{0, 100, DropReason::link_down}));
  at.expect_empty();
}

TEST(SwitchAdmission, RefusesWhatItCannotForward) {
  TestSwitch at;
  at.receive(0, at.make(99, kLossless, 1066, 0));
  const FrameId damaged = at.make(1, kLossless, 1066, 1);
  at.pool[damaged].set_corrupt(true);
  at.receive(0, damaged);
  at.link(2, false);
  at.receive(0, at.make(2, kLossless, 1066, 2));
  EXPECT_THAT(at.script->dropped,
              ElementsAre(Script::Drop{0, 0, DropReason::no_route}, Script::Drop{1, 0, DropReason::corrupt},
                          Script::Drop{2, 0, DropReason::link_down}));
  at.expect_empty();
}

TEST(SwitchAdmission, HandsControlFramesToPoliciesAndKeepsNone) {
  TestSwitch at;
  const FrameId id = at.make(1, kLossless);
  at.pool[id].kind = FrameKind::hop_control;
  at.pool[id].protocol = 42;
  at.receive(3, id);
  EXPECT_THAT(at.script->control, ElementsAre(std::pair(PortId(3), std::uint8_t{42})));
  EXPECT_THAT(at.script->entered, IsEmpty());
  at.expect_empty();
}

TEST(SwitchAdmission, TellsEachAdmittedFrameOnce) {
  TestSwitch at;
  at.receive(1, kLossless);
  at.receive(2, kLossy);
  EXPECT_THAT(at.script->entered,
              ElementsAre(std::pair(at.queue(1, kLossless), 0u), std::pair(at.queue(2, kLossy), 1u)));
  at.drain(1);
  at.link(2, false);
  EXPECT_THAT(at.script->departed, ElementsAre(0));
  EXPECT_THAT(at.script->dropped, ElementsAre(Script::Drop{1, 1066, DropReason::link_down}));
}

// TestSwitch checks all accounts after each call.
RC_GTEST_PROP(SwitchAdmission, AccountsAgreeWhateverComes, ()) {
  SwitchConfig config =
      with_parts(*rc::gen::inRange<std::int64_t>(0, 5'000), *rc::gen::inRange<std::int64_t>(0, 9'000));
  config.pools[0] = *rc::gen::inRange<std::int64_t>(1'000, 40'000);
  config.buffer = config.pools[0] + 4 * (5'000 + 9'000);
  config.control_reserve = *rc::gen::inRange<std::int64_t>(0, 3'000);
  TestSwitch at(config);
  at.thresholds->xoff_bytes = *rc::gen::inRange<std::int64_t>(0, 20'000);
  at.thresholds->limit_bytes = *rc::gen::inRange<std::int64_t>(0, 20'000);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
  std::uint64_t received = 0;
  for (int i = 0; i < 400; ++i) {
    at.now += Duration::picoseconds(static_cast<std::int64_t>(random.below(100'000)));
    if (random.below(10) == 0) {
      const Priority priority = random.below(2) == 0 ? kLossy : kLossless;
      at.node->send_to_host(at.make_control(FrameKind::cnp, random.below(4), priority));
      RC_ASSERT(at.node->broken_invariant() == "");
      ++received;
    } else if (random.below(100) < 60) {
      const std::size_t port = random.below(4);
      const Priority priority = random.below(2) == 0 ? kLossy : kLossless;
      const FrameId id = at.make(random.below(4), priority, 64 + static_cast<std::int64_t>(random.below(1'003)));
      if (random.below(4) == 0) at.pool[id].kind = FrameKind::ack;
      at.receive(port, id);
      for (std::size_t out = 0; out < 4; ++out) {
        RC_ASSERT(at.node->port(PortId(out)).uncharged_bytes <= config.control_reserve);
      }
      ++received;
    } else if (random.below(100) < 95) {
      at.transmit(random.below(4));
    } else {
      at.link(random.below(4), random.below(3) > 0);
    }
  }
  for (std::size_t port = 0; port < 4; ++port) {
    at.link(port, true);
    at.drain(port);
  }
  RC_ASSERT(at.script->departed.size() + at.script->dropped.size() == received);
  RC_ASSERT(at.node->buffer().used == 0);
  RC_ASSERT(at.pool.in_use() == 0u);
  for (std::size_t port = 0; port < 4; ++port) {
    for (const Priority priority : {kLossy, kLossless}) RC_ASSERT(at.ingress(port, priority).used == 0);
  }
}

}  // namespace
}  // namespace weir::testing_switch::admission_test
