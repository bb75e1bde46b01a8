// SPDX-License-Identifier: Apache-2.0
// Which queue pair sends next, and what blocks it: priorities, turns, gates, links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_schedule_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

OpenSender with_priority(Priority priority) {
  return sending(kUnlimited, priority);
}

TEST(NicSchedule, TakesTurnsByPacket) {
  TestNic host;
  const std::array numbers = {host.open(), host.open(), host.open()};
  host.post_packets(numbers[0], 3);
  host.post_packets(numbers[1], 1);
  host.post_packets(numbers[2], 3);
  host.run_until(at_time(2_us));
  EXPECT_THAT(host.queue_pairs(), ElementsAre(1, 2, 3, 1, 3, 1, 3));
}

TEST(NicSchedule, LetsPacedQueuePairsShareTheWire) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) {
    sender.rate = sender.number == QueuePairId(0) ? 25_Gbps : 75_Gbps;
  };
  const std::array numbers = {host.open(), host.open()};
  for (const QueuePairId number : numbers) host.post_packets(number, 1'000);
  host.run_until(at_time(kPacketTime * 400));
  std::map<std::uint32_t, int> count;
  for (const std::uint32_t number : host.queue_pairs()) ++count[number];
  // Never above their rates; slightly below them because they wait for each other's packets, which a rate limiter does
  // not compensate.
  EXPECT_LE(count[1], 101);
  EXPECT_GT(count[1], 80);
  EXPECT_LE(count[2], 301);
  EXPECT_GT(count[2], 240);
}

TEST(NicSchedule, ServesTheHigherPriorityFirst) {
  TestNic host;
  const QueuePairId low = host.open(with_priority(1));
  const QueuePairId high = host.open(with_priority(5));
  host.post_packets(low, 2);
  host.post_packets(high, 2);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.queue_pairs(), ElementsAre(2, 2, 1, 1));
}

TEST(NicSchedule, LetsPrioritiesOfOneLevelShareItsBytes) {
  NicConfig config = config_of();
  config.level_of_priority = {2, 1, 1, 1, 0, 2, 2, 2};
  TestNic host(config);
  const std::array<QueuePairId, 3> numbers = {host.open(with_priority(1)), host.open(with_priority(3)),
                                              host.open(with_priority(5))};
  for (const QueuePairId number : numbers) {
    for (int i = 0; i < 400; ++i) host.post(number, number == numbers[0] ? 250 : 1'000);
  }
  host.run_until(at_time(kPacketTime * 100));
  std::map<std::uint32_t, std::int64_t> bytes;
  for (const TestNic::Sent& one : host.sent) bytes[one.frame.queue_pair.value - 1'000] += one.frame.frame_bytes;
  EXPECT_NEAR(static_cast<double>(bytes[1]), static_cast<double>(bytes[2]), 2.0 * 1'066);
  EXPECT_EQ(bytes[3], 0);  // of the last level
  host.sent.clear();
  host.post_packets(host.open(with_priority(4)), 3);
  host.run_for(kPacketTime * 5);
  EXPECT_THAT(host.queue_pairs(), testing::IsSupersetOf({4, 4, 4}));
}

TEST(NicSchedule, LeavesALevelToThePriorityThatHasSomething) {
  NicConfig config = config_of();
  config.level_of_priority.fill(0);
  TestNic host(config);
  const QueuePairId low = host.open(with_priority(2));
  const QueuePairId high = host.open(with_priority(6));
  host.post_packets(low, 8);
  host.run_for(kPacketTime * 3 + 1_ns);
  EXPECT_THAT(host.queue_pairs(), ElementsAre(1, 1, 1, 1));
  host.post_packets(high, 2);
  host.run_for(1_us);
  EXPECT_THAT(host.queue_pairs(), testing::UnorderedElementsAre(1, 1, 1, 1, 2, 2));
}

TEST(NicSchedule, ServesTheShortestRemainingFirst) {
  NicConfig config = config_of();
  config.shortest_remaining_first = true;
  TestNic host(config);
  const std::array numbers = {host.open(), host.open(), host.open()};
  host.post_packets(numbers[0], 5);
  host.post_packets(numbers[1], 3);
  host.post_packets(numbers[2], 4);
  host.run_until(at_time(kPacketTime * 12));
  EXPECT_THAT(host.queue_pairs(), ElementsAre(2, 2, 2, 3, 3, 3, 3, 1, 1, 1, 1, 1));
}

TEST(NicSchedule, SendsControlFramesAheadOfEverything) {
  TestNic host;
  host.post_packets(host.open(with_priority(7)), 2);
  const FrameId id = host.pool.allocate();
  host.pool[id].kind = FrameKind::hop_control;
  host.pool[id].frame_bytes = 64;
  host.act().send(id);
  host.run_until(at_time(1_us));
  ASSERT_THAT(host.sent, SizeIs(3));
  EXPECT_EQ(host.sent[0].frame.kind, FrameKind::hop_control);
}

// ---- gates of queue pairs ----

/// Two queue pairs of ten packets each, assigned to gates 0 and 1 of the first flow control.
struct Gated {
  Gated() {
    host.flow_control[0]->behind = [](const SendState& sender) { return sender.number.index(); };
    for (QueuePairId& number : numbers) {
      number = host.open();
      host.post_packets(number, 10);
    }
  }
  void gate(std::size_t gate, bool open) { host.act().set_gate(host.flow_control[0]->gates[gate], open); }
  void hold(std::size_t sender, std::size_t flow_control, bool open) {
    host.act().set_gate(*host.nic->sender(numbers[sender]), host.flow_control[flow_control]->owner, open);
  }
  /// Which queue pairs send within the next three packet times.
  std::vector<std::uint32_t> senders() {
    host.run_for(kPacketTime * 3);
    std::vector<std::uint32_t> pairs = host.queue_pairs();
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }
  TestNic host;
  std::array<QueuePairId, 2> numbers;
};

TEST(NicGates, HoldTheQueuePairsBehindThem) {
  Gated gated;
  EXPECT_THAT(gated.senders(), ElementsAre(1, 2));
  gated.gate(0, false);
  gated.senders();
  EXPECT_THAT(gated.senders(), ElementsAre(2));
  gated.gate(1, false);
  gated.senders();
  EXPECT_THAT(gated.senders(), IsEmpty());
  gated.gate(0, true);
  EXPECT_TRUE(gated.host.nic->became_ready());
  EXPECT_THAT(gated.senders(), ElementsAre(1));
}

TEST(NicGates, OfSeveralFlowControlsMustAllBeOpen) {
  TestNic host;
  for (TestFlowControl* policy : host.flow_control) policy->behind = [](const SendState&) { return 0; };
  host.act().set_gate(host.flow_control[0]->gates[0], false);
  host.act().set_gate(host.flow_control[1]->gates[0], false);
  host.post_packets(host.open(), 2);
  host.run_for(1_us);
  host.act().set_gate(host.flow_control[0]->gates[0], true);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  host.act().set_gate(host.flow_control[0]->gates[0], false);
  host.act().set_gate(host.flow_control[1]->gates[0], true);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  host.act().set_gate(host.flow_control[0]->gates[0], true);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, SizeIs(2));
}

TEST(NicGates, HoldOneQueuePairForEachOwner) {
  Gated gated;
  gated.hold(0, 0, false);
  gated.hold(0, 1, false);
  EXPECT_THAT(gated.senders(), ElementsAre(2));
  gated.hold(0, 0, true);
  EXPECT_THAT(gated.senders(), ElementsAre(2));
  gated.hold(0, 1, true);
  EXPECT_THAT(gated.senders(), ElementsAre(1, 2));
}

TEST(NicGates, AndHoldsOfOneQueuePairBothCount) {
  Gated gated;
  gated.gate(0, false);
  gated.hold(0, 1, false);
  gated.senders();
  gated.gate(0, true);
  EXPECT_THAT(gated.senders(), ElementsAre(2));
  gated.gate(0, false);
  gated.hold(0, 1, true);
  EXPECT_THAT(gated.senders(), ElementsAre(2));
  gated.gate(0, true);
  EXPECT_THAT(gated.senders(), ElementsAre(1));
}

TEST(NicGates, ForgetAQueuePairThatCloses) {
  Gated gated;
  gated.gate(0, false);
  gated.senders();
  gated.host.nic->close_sender(gated.host.now, gated.numbers[0]);
  gated.gate(0, true);
  EXPECT_THAT(gated.senders(), ElementsAre(2));
}

TEST(NicGates, HoldManyQueuePairsInAnyOrder) {
  TestNic host;
  host.flow_control[0]->behind = [](const SendState&) { return 0; };
  std::vector<QueuePairId> numbers;
  for (int i = 0; i < 5; ++i) {
    numbers.push_back(host.open());
    host.post_packets(numbers.back(), 1);
  }
  host.act().set_gate(host.flow_control[0]->gates[0], false);
  host.run_for(1_us);
  for (const std::size_t closed : {2, 4, 0}) host.nic->close_sender(host.now, numbers[closed]);
  host.act().set_gate(host.flow_control[0]->gates[0], true);
  host.run_for(1_us);
  std::vector<std::uint32_t> pairs = host.queue_pairs();
  std::sort(pairs.begin(), pairs.end());
  EXPECT_THAT(pairs, ElementsAre(2, 4));
}

TEST(NicGates, MayBeChanged) {
  Gated gated;
  gated.gate(0, false);
  gated.senders();
  EXPECT_THAT(gated.senders(), ElementsAre(2));
  TestFlowControl& policy = *gated.host.flow_control[0];
  const auto move = [&](std::size_t sender, GateId gate) {
    gated.host.act().move_to_gate(*gated.host.nic->sender(gated.numbers[sender]), policy, gate);
  };
  move(0, policy.gates[1]);  // a blocked one
  EXPECT_TRUE(gated.host.nic->became_ready());
  EXPECT_THAT(gated.senders(), ElementsAre(1, 2));
  move(1, policy.gates[0]);  // a ready one
  gated.senders();
  EXPECT_THAT(gated.senders(), ElementsAre(1));
  move(1, GateId::none());
  EXPECT_THAT(gated.senders(), ElementsAre(1, 2));
}

TEST(NicGates, OfAnotherFlowControlStayWhenOneIsChanged) {
  TestNic host;
  for (TestFlowControl* policy : host.flow_control) policy->behind = [](const SendState&) { return 0; };
  const QueuePairId number = host.open();
  host.act().set_gate(host.flow_control[1]->gates[0], false);
  host.post_packets(number, 2);
  host.run_for(1_us);
  host.act().move_to_gate(*host.nic->sender(number), *host.flow_control[0], host.flow_control[0]->gates[1]);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  host.act().set_gate(host.flow_control[1]->gates[0], true);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, SizeIs(2));
}

// ---- gates of priorities ----

TEST(NicPriorityGates, HoldDataAndAnswersOfAPriority) {
  TestNic host;
  const QueuePairId receiver = host.open_receiver();
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, false);
  host.post_packets(host.open(), 1);
  host.post_packets(host.open(with_priority(4)), 1);
  host.data(receiver, 0);
  host.run_for(1_us);
  EXPECT_THAT(host.queue_pairs(), ElementsAre(2));
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, true);
  EXPECT_TRUE(host.nic->became_ready());
  host.run_for(1_us);
  EXPECT_THAT(host.sent, SizeIs(2));
}

TEST(NicPriorityGates, LetAnswersPassWhenSaidSo) {
  NicConfig config = config_of();
  config.acknowledgements_ignore_pause = true;
  TestNic host(config);
  const QueuePairId receiver = host.open_receiver();
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, false);
  host.post_packets(host.open(), 1);
  host.data(receiver, 0);
  host.data(receiver, 1);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(2));
  EXPECT_EQ(host.sent[0].frame.kind, FrameKind::ack);
  EXPECT_EQ(host.sent[1].frame.kind, FrameKind::ack);
}

TEST(NicPriorityGates, NeedEveryOwner) {
  TestNic host;
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, false);
  host.act().set_priority_gate(kPriority, host.flow_control[1]->owner, false);
  host.post_packets(host.open(), 1);
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, true);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_FALSE(host.nic->priority_gate_open(kPriority));
  host.act().set_priority_gate(kPriority, host.flow_control[1]->owner, true);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, SizeIs(1));
}

TEST(NicPriorityGates, OpenAtTheirInstant) {
  TestNic host;
  const GateOwner owner = host.flow_control[0]->owner;
  host.act().close_priority_gate_until(kPriority, owner, at_time(10_us));
  host.act().close_priority_gate_until(kPriority, owner, at_time(5_us));
  host.post_packets(host.open(), 1);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.times(), ElementsAre(at_time(5_us)));
  host.act().close_priority_gate_until(kPriority, owner, at_time(30_us));
  host.act().set_priority_gate(kPriority, owner, true);
  host.post_packets(host.open(), 1);
  host.run_until(at_time(40_us));
  EXPECT_THAT(host.times(), ElementsAre(at_time(20_us)));
}

TEST(NicPriorityGates, APlainClosingOutlastsAnEarlierTime) {
  TestNic host;
  const GateOwner owner = host.flow_control[0]->owner;
  host.act().close_priority_gate_until(kPriority, owner, at_time(5_us));
  host.act().set_priority_gate(kPriority, owner, false);
  host.post_packets(host.open(), 1);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.sent, IsEmpty());
}

TEST(NicPriorityGates, AnotherOwnersOpeningDoesNotEndTheTime) {
  TestNic host;
  host.act().close_priority_gate_until(kPriority, host.flow_control[0]->owner, at_time(5_us));
  host.act().set_priority_gate(kPriority, host.flow_control[1]->owner, true);
  host.post_packets(host.open(), 1);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.times(), ElementsAre(at_time(5_us)));
}

// ---- the link ----

TEST(NicLink, SendsNothingWhileDownAndGoesOnAfterwards) {
  TestNic host;
  host.flow_control[0]->behind = [](const SendState&) { return 0; };
  const QueuePairId number = host.open();
  host.post_packets(number, 4);
  host.run_until(at_time(10_ns));
  host.act().set_gate(host.flow_control[0]->gates[0], false);
  host.act().set_gate(*host.nic->sender(number), host.flow_control[1]->owner, false);
  host.act().close_priority_gate_until(kPriority, host.flow_control[0]->owner, at_time(1_ms));
  const FrameId control = host.pool.allocate();
  host.act().send(control);
  host.nic->link(host.now, false);
  EXPECT_EQ(host.pool.in_use(), 0u);  // the control frame was released
  EXPECT_FALSE(host.nic->transmit(host.now).exists());
  host.sent.clear();
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sent, IsEmpty());
  host.nic->link(host.now, true);  // all gates open
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(1, 2, 3));
}

// ---- all together ----

// For any operations on gates, rates, windows and acknowledgements: no packet leaves through a closed gate, beyond its
// window or before its time, and in the end every message is acknowledged.
RC_GTEST_PROP(Nic, KeepsItsRulesWhateverHappens, ()) {
  NicConfig config = config_of();
  config.shortest_remaining_first = *rc::gen::arbitrary<bool>();
  config.window_follows_rate = *rc::gen::arbitrary<bool>();
  const bool by_gate = *rc::gen::arbitrary<bool>();
  TestNic host(config, 4096, by_gate);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
  constexpr std::size_t kSenders = 6;
  std::array<std::array<std::size_t, 2>, kSenders> behind{};
  for (std::size_t number = 0; number < kSenders; ++number) behind[number] = {number % 2, number / 2 % 2};
  for (std::size_t i = 0; i < 2; ++i) {
    host.flow_control[i]->behind = [&behind, i](const SendState& sender) { return behind[sender.number.index()][i]; };
  }
  std::vector<QueuePairId> numbers;
  std::array<std::array<bool, 2>, 2> gate_open = {{{true, true}, {true, true}}};
  std::array<std::array<bool, 2>, kSenders> sender_open;
  sender_open.fill({true, true});
  std::array<bool, kPriorities> priority_open;
  priority_open.fill(true);
  std::array<Time, kSenders> earliest{};
  bool broken = false;
  host.congestion->sent = [&](SendState& sender, Frame& frame) {
    const std::size_t number = sender.number.index();
    for (std::size_t i = 0; i < 2; ++i) {
      broken |= !gate_open[i][behind[number][i]] || !sender_open[number][i];
    }
    broken |= !priority_open[sender.priority];
    broken |= sender.in_flight() - frame.payload_bytes >= std::min(sender.window, sender.window_limit);
    broken |= host.now < earliest[number];
    earliest[number] = host.now + time_to_send(Bytes(frame.frame_bytes + 20), sender.rate);
  };
  for (std::size_t i = 0; i < kSenders; ++i) {
    numbers.push_back(host.open(sending(20'000, static_cast<Priority>(by_gate ? 0 : i % 3))));
    host.post(numbers.back(), 1 + static_cast<std::int64_t>(random.below(80'000)), i);
  }
  const auto acknowledge_some = [&](std::size_t number, bool all) {
    const SendState& sender = host.sender(numbers[number]);
    const std::uint32_t in_flight = sender.highest_sent - sender.unacknowledged;
    if (in_flight == 0) return;
    const auto part = all ? in_flight : static_cast<std::uint32_t>(random.below(in_flight + 1));
    const bool back = !all && random.below(5) == 0;
    host.receive(back ? FrameKind::nack : FrameKind::ack, numbers[number], sender.unacknowledged + part);
  };
  for (int step = 0; step < 300; ++step) {
    const std::size_t number = random.below(kSenders);
    const std::size_t which = random.below(2);
    const bool open = random.below(2) == 0;
    switch (random.below(7)) {
      case 0:
        gate_open[which][number % 2] = open;
        host.act().set_gate(host.flow_control[which]->gates[number % 2], open);
        break;
      case 1:
        sender_open[number][which] = open;
        host.act().set_gate(*host.nic->sender(numbers[number]), host.flow_control[which]->owner, open);
        break;
      case 2:
        priority_open[number % 3] = open;
        host.act().set_priority_gate(static_cast<Priority>(number % 3), host.flow_control[0]->owner, open);
        break;
      case 3: {
        const auto rate = BitRate(1'000'000'000 + static_cast<std::int64_t>(random.below(99'000'000'000)));
        const auto window = 1 + static_cast<std::int64_t>(random.below(30'000));
        host.congestion->cnp = [&](SendState& sender) {
          sender.rate = rate;
          sender.window = window;
          // A packet that was permitted already stays so: the next start changes with the rate.
          earliest[number] =
              sender.packets_sent == 0 ? Time() : sender.last_sent + time_to_send(Bytes(sender.last_wire_bytes), rate);
        };
        host.receive(FrameKind::cnp, numbers[number]);
        break;
      }
      case 4:
        acknowledge_some(number, false);
        break;
      case 5: {
        const std::size_t to = random.below(2);
        behind[number][which] = to;
        host.act().move_to_gate(*host.nic->sender(numbers[number]), *host.flow_control[which],
                                host.flow_control[which]->gates[to]);
        break;
      }
      default:
        break;
    }
    host.run_for(Duration::picoseconds(static_cast<std::int64_t>(random.below(500'000))));
    RC_ASSERT(!broken);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t gate = 0; gate < 2; ++gate) host.act().set_gate(host.flow_control[i]->gates[gate], true);
    for (const QueuePairId number : numbers) {
      host.act().set_gate(*host.nic->sender(number), host.flow_control[i]->owner, true);
    }
  }
  for (Priority priority = 0; priority < 3; ++priority) {
    host.act().set_priority_gate(priority, host.flow_control[0]->owner, true);
  }
  gate_open.fill({true, true});
  sender_open.fill({true, true});
  priority_open.fill(true);
  for (int round = 0; round < 200; ++round) {
    host.run_for(20_us);
    for (std::size_t number = 0; number < kSenders; ++number) acknowledge_some(number, true);
  }
  RC_ASSERT(!broken);
  RC_ASSERT(host.completions().size() == kSenders);
  for (const QueuePairId number : numbers) RC_ASSERT(host.sender(number).finished());
}

}  // namespace
}  // namespace weir::testing_nic::nic_schedule_test
