// SPDX-License-Identifier: Apache-2.0
// BFC in a NIC: the queue of a queue pair, the fields written into frames, and the effect of pauses.
#include "schemes/bfc/bfc_nic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_nic.h"
#include "schemes/bfc/bfc.h"
#include "schemes/bfc/message.h"

namespace weir::bfc::bfc_nic_test {
namespace {

using namespace literals;
using testing::SizeIs;

constexpr Priority kPriority = 3;

struct Lab {
  explicit Lab(const std::vector<std::pair<std::string_view, ParameterValue>>& values = {})
      : policy([&values] {
          Parameters parameters(scheme.parameters);
          for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
          return Settings(parameters);
        }()) {
    policy.attach(nic);
  }

  struct Pair {
    SendState* sender;
    GateId gate;
  };
  /// A queue pair with this many packets to send.
  Pair open(std::uint32_t packets = 10, Priority priority = kPriority, bool incast = false) {
    SendState& sender = nic.open_sender(HostId(1), priority);
    sender.incast = incast;
    sender.end = packets;
    sender.posted_bytes = packets * 1'000;
    return {&sender, policy.gate_of(nic, sender)};
  }
  void close(const Pair& pair) { policy.on_close(nic, *pair.sender, gate(pair)); }
  [[nodiscard]] GateId gate(const Pair& pair) const { return nic.moved_to(*pair.sender, policy).value_or(pair.gate); }
  /// Sends its next packet.
  Frame send(const Pair& pair) {
    Frame frame{};
    frame.kind = FrameKind::data;
    ++pair.sender->next;
    policy.on_sent(nic, *pair.sender, gate(pair), frame);
    pair.sender->last_sent = nic.now();
    return frame;
  }
  /// The queue number in a frame's tag.
  std::size_t queue(const Pair& pair) { return *queue_in(send(pair).tag, 4'096); }
  void hear(FrameId id) {
    EXPECT_TRUE(policy.on_control(nic, nic.frames()[id]));
    nic.frames().release(id);
  }
  void hear(bool pause, std::size_t queue) { hear(make_message(nic.frames(), nic.framing(), pause, queue)); }
  void wait(Duration time) { nic.set_now(nic.now() + time); }

  FakeNic nic;
  BfcNic policy;
};

TEST(BfcNic, GivesEachQueuePairAQueueOfItsOwn) {
  Lab lab({{"queues", std::int64_t{8}}});
  std::set<std::size_t> queues;
  for (int i = 0; i < 8; ++i) queues.insert(lab.queue(lab.open()));
  EXPECT_THAT(queues, SizeIs(8)) << "[BFC-N-1]";
  for (int i = 0; i < 40; ++i) queues.insert(lab.queue(lab.open()));
  EXPECT_THAT(queues, SizeIs(8)) << "any, when all are taken";
}

TEST(BfcNic, WritesBytesOfItsOwnFieldsOnly) {
  const HeaderLayout layout({.name = "bfc", .fields = scheme.fields});
  for (const FrameKind kind : {FrameKind::data, FrameKind::datagram}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Lab lab({{"order", std::string("shortest_remaining")}});
    const Lab::Pair pair = lab.open(1);
    Frame frame{};
    frame.kind = kind;
    lab.policy.on_sent(lab.nic, *pair.sender, pair.gate, frame);
    EXPECT_NE(frame.tag, 0) << "[BFC-W-1]";
    EXPECT_NE(frame.tag_value, 0u) << "[BFC-V-3]";
    EXPECT_FALSE(layout.is_free(kind, offsetof(Frame, tag)));
    EXPECT_FALSE(layout.is_free(kind, offsetof(Frame, tag_value)));
  }
}

TEST(BfcNic, HasAsManyQueuesAsTold) {
  Lab lab({{"nic_queues", std::int64_t{100}}});
  std::set<std::size_t> queues;
  for (int i = 0; i < 100; ++i) queues.insert(lab.queue(lab.open()));
  EXPECT_THAT(queues, SizeIs(100)) << "[BFC-N-1]";
}

TEST(BfcNic, ChoosesAmongEmptyQueuesAsSwitchesDo) {
  Lab lowest({{"empty_queue", std::string("lowest")}});
  for (std::size_t i = 0; i < 5; ++i) {
    const auto pair = lowest.open(1);
    EXPECT_EQ(lowest.queue(pair), 0u) << "[BFC-Q-8] it is empty again";
    lowest.close(pair);
  }
  Lab scan({{"nic_queues", std::int64_t{8}}});
  std::set<std::size_t> queues;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto pair = scan.open(1);
    queues.insert(scan.queue(pair));
    scan.close(pair);
  }
  EXPECT_THAT(queues, SizeIs(8)) << "[BFC-Q-8]";
}

TEST(BfcNic, HoldsTheQueuePairsOfAPausedQueue) {
  Lab lab;
  const auto one = lab.open();
  const auto other = lab.open();
  const std::size_t queue = lab.queue(one);
  lab.hear(true, queue);
  EXPECT_FALSE(lab.nic.gate_open(one.gate)) << "[BFC-N-2]";
  EXPECT_TRUE(lab.nic.gate_open(other.gate));
  lab.hear(false, queue);
  EXPECT_TRUE(lab.nic.gate_open(one.gate));
}

// The turns themselves are implemented by the NIC: see NicTurns.
TEST(BfcNic, LetsItsQueuesTakeTurns) {
  EXPECT_TRUE(Lab().policy.serves_by_gate()) << "[BFC-N-4]";
  EXPECT_FALSE(Lab({{"nic_backpressure", false}}).policy.serves_by_gate());
}

TEST(BfcNic, FollowsABitmapWhateverWasLost) {
  Lab lab;
  lab.hear(true, 3);
  const std::vector<std::uint64_t> words = {1u << 4};
  lab.hear(make_bitmap(lab.nic.frames(), lab.nic.framing(), words, 32));
  EXPECT_FALSE(lab.policy.paused(3)) << "[BFC-N-2] [BFC-R-2]";
  EXPECT_TRUE(lab.policy.paused(4));
}

TEST(BfcNic, PutsNewQueuePairsIntoOpenQueues) {
  Lab lab({{"queues", std::int64_t{3}}});
  lab.hear(true, 0);
  lab.hear(true, 2);
  EXPECT_EQ(lab.queue(lab.open()), 1u) << "[BFC-N-1]";
}

TEST(BfcNic, ForgetsQueuePairsThatAreDone) {
  Lab lab({{"queues", std::int64_t{2}}});
  const auto one = lab.open(1);
  lab.open();
  const std::size_t queue = lab.queue(one);  // its only packet
  EXPECT_EQ(lab.policy.users(queue), 0u);
  EXPECT_EQ(lab.queue(lab.open()), queue) << "[BFC-N-3]";
  lab.close(one);
  EXPECT_EQ(lab.policy.users(queue), 1u);
}

TEST(BfcNic, CountsAQueuePairThatClosesBeforeItIsDone) {
  Lab lab;
  const auto one = lab.open();
  const std::size_t queue = lab.queue(one);
  EXPECT_EQ(lab.policy.users(queue), 1u);
  lab.close(one);
  EXPECT_EQ(lab.policy.users(queue), 0u);
}

TEST(BfcNic, MovesAQueuePairThatWasLongIdleAndIsNotAlone) {
  Lab lab({{"queues", std::int64_t{2}}, {"hop_round_trip", 2_us}});
  const auto idle = lab.open(1);
  const auto busy = lab.open();
  const std::size_t queue = lab.queue(idle);
  lab.queue(busy);
  const auto newcomer = lab.open();
  EXPECT_EQ(lab.queue(newcomer), queue);
  lab.close(busy);
  idle.sender->end += 2;
  lab.wait(4_us);
  EXPECT_EQ(lab.queue(idle), queue) << "[BFC-N-3] not yet";
  idle.sender->end = idle.sender->next;
  ++idle.sender->end;
  EXPECT_EQ(lab.queue(idle), queue);
  idle.sender->end += 2;
  lab.wait(4_us + 1_ps);
  EXPECT_NE(lab.queue(idle), queue) << "[BFC-N-3]";
  EXPECT_NE(lab.gate(idle), idle.gate);
  lab.close(idle);
  lab.close(newcomer);
  EXPECT_EQ(lab.policy.users(0) + lab.policy.users(1), 0u);
}

TEST(BfcNic, WritesWhatIsLeftOfTheMessage) {
  Lab lab({{"order", std::string("shortest_remaining")}});
  const auto pair = lab.open(10);
  EXPECT_EQ(lab.send(pair).tag_value, 10'000u) << "[BFC-V-3]";
  pair.sender->acknowledged_bytes = 9'000;
  EXPECT_EQ(lab.send(pair).tag_value, 1'000u);
  pair.sender->posted_bytes = std::int64_t{1} << 40;
  EXPECT_EQ(lab.send(pair).tag_value, 0xffff'ffffu);
  Lab fair;
  EXPECT_EQ(fair.send(fair.open()).tag_value, 0u);
}

TEST(BfcNic, LabelsIncasts) {
  Lab lab({{"incast_label", true}});
  const auto pair = lab.open();
  EXPECT_EQ(lab.send(pair).tag & kIncastBit, 0);
  pair.sender->incast = true;
  EXPECT_EQ(lab.send(pair).tag & kIncastBit, kIncastBit) << "[BFC-V-5]";
  Lab plain;
  const auto other = plain.open();
  other.sender->incast = true;
  EXPECT_EQ(plain.send(other).tag & kIncastBit, 0);
}

// Paused incasts leave the other queues to other flows.
TEST(BfcNic, PutsIncastsIntoAQueueOfTheirOwn) {
  Lab lab({{"nic_queues", std::int64_t{4}}, {"incast_label", true}});
  std::set<std::size_t> incasts;
  std::set<std::size_t> others;
  for (int i = 0; i < 8; ++i) {
    incasts.insert(lab.queue(lab.open(10, kPriority, true)));
    others.insert(lab.queue(lab.open()));
  }
  EXPECT_THAT(incasts, testing::ElementsAre(3)) << "[BFC-V-5]";
  EXPECT_THAT(others, testing::ElementsAre(0, 1, 2)) << "any of them, when all are taken";
  // An idle incast that sends again stays in that queue.
  const auto idle = lab.open(1, kPriority, true);
  lab.send(idle);
  lab.wait(1_ms);
  ++idle.sender->end;
  EXPECT_EQ(lab.queue(idle), 3u);
  Lab plain({{"nic_queues", std::int64_t{4}}});
  std::set<std::size_t> all;
  for (int i = 0; i < 4; ++i) all.insert(plain.queue(plain.open(10, kPriority, true)));
  EXPECT_THAT(all, SizeIs(4));
}

TEST(BfcNic, KeepsClassesApart) {
  Lab lab({{"queues", std::int64_t{8}}, {"classes", std::int64_t{4}}});
  EXPECT_LT(lab.queue(lab.open(10, 3)), 2u) << "[BFC-V-4]";
  EXPECT_GE(lab.queue(lab.open(10, 0)), 6u);
  EXPECT_EQ(lab.open(10, 5).gate, GateId::none());
}

TEST(BfcNic, IgnoresPausesOnRequest) {
  Lab lab({{"nic_backpressure", false}});
  const auto pair = lab.open();
  EXPECT_EQ(pair.gate, GateId::none());
  EXPECT_FALSE(lab.policy.marks_sent()) << "[BFC-V-6] the switch learns no queue to pause";
  lab.hear(true, 0);
}

TEST(BfcNic, WritesSizeAndLabelThoughItIgnoresPauses) {
  Lab lab({{"nic_backpressure", false}, {"order", std::string("shortest_remaining")}, {"incast_label", true}});
  EXPECT_TRUE(lab.policy.marks_sent()) << "[BFC-V-6]";
  const auto pair = lab.open(10);
  pair.sender->incast = true;
  const Frame frame = lab.send(pair);
  EXPECT_EQ(frame.tag_value, 10'000u);
  EXPECT_EQ(frame.tag, kIncastBit) << "and no queue";
  const Frame other = lab.send(lab.open(10, kPriority + 1));
  EXPECT_EQ(other.tag_value, 0u) << "[BFC-P-2] it is none of BFC's";
  lab.hear(true, 0);
  EXPECT_FALSE(pair.gate.exists());
  EXPECT_TRUE(Lab({{"nic_backpressure", false}, {"order", std::string("shortest_remaining")}}).policy.marks_sent());
  EXPECT_TRUE(Lab({{"nic_backpressure", false}, {"incast_label", true}}).policy.marks_sent());
}

TEST(BfcNic, StartsAgainWithTheLink) {
  Lab lab({{"queues", std::int64_t{2}}});
  lab.hear(true, 0);
  lab.hear(true, 1);
  lab.policy.on_link(lab.nic, false);
  lab.policy.on_link(lab.nic, true);
  EXPECT_FALSE(lab.policy.paused(0)) << "[BFC-L-1]";
  std::set<std::size_t> queues = {lab.queue(lab.open()), lab.queue(lab.open())};
  EXPECT_THAT(queues, SizeIs(2));
}

}  // namespace
}  // namespace weir::bfc::bfc_nic_test
