// SPDX-License-Identifier: Apache-2.0
#include "schemes/go_back_n/go_back_n.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "policy/testing/fake_nic.h"
#include "schemes/test_loss_recovery.h"

namespace weir::go_back_n::go_back_n_test {
namespace {

using namespace literals;

class GoBackNTest : public testing_scheme::LossRecoveryTest {
 protected:
  GoBackNTest() : LossRecoveryTest(scheme.loss_recovery(Parameters(scheme.parameters))) {}

  void make(const Parameters& parameters) { use(scheme.loss_recovery(parameters)); }
  void nack(std::uint32_t sequence) { policy->on_nack(nic, sender, frame_of(FrameKind::nack, sequence)); }
};

TEST_F(GoBackNTest, ReceiverAcceptsAndAcknowledgesInOrder) {  // [GBN-R-1]
  for (std::uint32_t sequence = 0; sequence < 3; ++sequence) {
    const Reception reception = data(sequence, sequence == 2);
    EXPECT_EQ(reception.reply, Reply::ack);
    EXPECT_TRUE(reception.accepted);
    EXPECT_EQ(reception.completed_messages, sequence == 2 ? 1u : 0u);
    EXPECT_EQ(receiver.expected, sequence + 1);
  }
}

TEST_F(GoBackNTest, ReceiverReportsAGapOnce) {  // [GBN-R-2]
  data(0);
  EXPECT_EQ(data(2).reply, Reply::nack);
  EXPECT_EQ(data(3).reply, Reply::none);
  EXPECT_EQ(receiver.expected, 1u);
}

TEST_F(GoBackNTest, ReceiverDropsWhatComesBehindAGap) {  // [GBN-R-2]
  const Reception reception = data(1, true);
  EXPECT_FALSE(reception.accepted);
  EXPECT_EQ(reception.completed_messages, 0u);
}

TEST_F(GoBackNTest, ReceiverReportsAGapAgainAfterTheInterval) {  // [GBN-R-2]
  data(1);
  nic.set_now(Time() + 500_us - 1_ps);
  EXPECT_EQ(data(2).reply, Reply::none);
  nic.set_now(Time() + 500_us);
  EXPECT_EQ(data(3).reply, Reply::nack);
  nic.set_now(Time() + 999_us);
  EXPECT_EQ(data(4).reply, Reply::none);
}

TEST_F(GoBackNTest, ReceiverReportsANewGapAtOnce) {  // [GBN-R-2]
  EXPECT_EQ(data(1).reply, Reply::nack);
  data(0);
  EXPECT_EQ(data(2).reply, Reply::nack);
}

TEST_F(GoBackNTest, ReceiverAcknowledgesADuplicate) {  // [GBN-R-3]
  data(0, true);
  const Reception reception = data(0, true);
  EXPECT_EQ(reception.reply, Reply::ack);
  EXPECT_FALSE(reception.accepted);
  EXPECT_EQ(reception.completed_messages, 0u);
  EXPECT_EQ(receiver.duplicates, 1u);
  EXPECT_EQ(receiver.expected, 1u);
}

TEST_F(GoBackNTest, SenderAdvances) {  // [GBN-S-1]
  in_flight(0, 10);
  ack(4);
  EXPECT_EQ(sender.unacknowledged, 4u);
  EXPECT_EQ(sender.next, 10u);
}

TEST_F(GoBackNTest, AnAcknowledgeOfWhatIsBeingRepeatedMovesNext) {  // [GBN-S-1]
  in_flight(0, 10);
  nack(2);
  ack(7);
  EXPECT_EQ(sender.unacknowledged, 7u);
  EXPECT_EQ(sender.next, 7u);
}

TEST_F(GoBackNTest, SenderGoesBackOnANack) {  // [GBN-S-3]
  in_flight(0, 10);
  nack(4);
  EXPECT_EQ(sender.unacknowledged, 4u);
  EXPECT_EQ(sender.next, 4u);
  EXPECT_FALSE(sender.resend);
  sender.next = 8;
  nack(4);  // it was lost again
  EXPECT_EQ(sender.next, 4u);
}

TEST_F(GoBackNTest, SenderIgnoresSequencesItCannotHaveCaused) {  // [GBN-S-2]
  in_flight(5, 10);
  for (const std::uint32_t sequence : {4u, 0u, 11u, 1'000'000u, 0x8000'0005u, 0xffff'ffffu}) {
    ack(sequence);
    nack(sequence);
    EXPECT_EQ(sender.unacknowledged, 5u) << sequence;
    EXPECT_EQ(sender.next, 10u) << sequence;
  }
}

TEST_F(GoBackNTest, SenderHoldsAcrossTheWrap) {  // [GBN-S-2]
  in_flight(0xffff'fffe, 3);
  ack(0xffff'fffd);
  EXPECT_EQ(sender.unacknowledged, 0xffff'fffe);
  ack(1);
  EXPECT_EQ(sender.unacknowledged, 1u);
  EXPECT_EQ(sender.next, 3u);
  nack(2);
  EXPECT_EQ(sender.next, 2u);
  ack(4);
  EXPECT_EQ(sender.unacknowledged, 2u);
}

TEST_F(GoBackNTest, SenderGoesBackOnATimeout) {  // [GBN-S-4]
  in_flight(5, 10);
  EXPECT_EQ(policy->timeout(nic, sender), Duration::picoseconds(4'096'000) * (1 << 14));
  policy->on_timeout(nic, sender);
  EXPECT_EQ(sender.next, 5u);
  EXPECT_EQ(sender.unacknowledged, 5u);
}

TEST_F(GoBackNTest, TimeoutDoublesUntilProgress) {  // [GBN-S-5]
  Parameters parameters(scheme.parameters);
  parameters.set("timeout", 1_ms);
  parameters.set("timeout_doublings", std::int64_t{2});
  make(parameters);
  in_flight(5, 10);
  for (const Duration expected : {1_ms, 2_ms, 4_ms, 4_ms}) {
    EXPECT_EQ(policy->timeout(nic, sender), expected);
    policy->on_timeout(nic, sender);
  }
  ack(5);  // no progress
  EXPECT_EQ(policy->timeout(nic, sender), 4_ms);
  ack(6);
  EXPECT_EQ(policy->timeout(nic, sender), 1_ms);
}

TEST_F(GoBackNTest, TimerCanBeSwitchedOff) {  // [GBN-S-4]
  Parameters parameters(scheme.parameters);
  parameters.set("timeout", Duration());
  make(parameters);
  policy->on_timeout(nic, sender);
  EXPECT_EQ(policy->timeout(nic, sender), Duration::max());
}

// Both halves over a wire that loses and duplicates frames but keeps their order: every packet is delivered once and in
// order. The wire stops losing frames at some time, as the property requires.
RC_GTEST_FIXTURE_PROP(GoBackNTest, DeliversEverythingOnceAndInOrder, ()) {  // [GBN-R-1] [GBN-S-3] [GBN-S-4]
  const auto start = *rc::gen::element(0u, 0xffff'fff0u);
  const auto fates = *rc::gen::container<std::vector<int>>(300, rc::gen::inRange(0, 8));
  constexpr std::uint32_t kPackets = 40;
  sender.unacknowledged = sender.next = sender.highest_sent = receiver.expected = start;
  sender.end = start + kPackets;
  std::deque<std::uint32_t> forth;
  std::deque<Frame> back;
  std::uint32_t delivered = start;
  for (std::size_t step = 0; sender.unacknowledged != sender.end; ++step) {
    RC_ASSERT(step < 10'000);
    nic.set_now(nic.now() + 20_us);
    const int fate = step < fates.size() ? fates[step] : 7;
    if (sender.next != sender.end && sender.next - sender.unacknowledged < 16) {
      if (fate != 0) forth.push_back(sender.next);
      if (fate == 1) forth.push_back(sender.next);
      if (!sequence_before(++sender.next, sender.highest_sent)) sender.highest_sent = sender.next;
    }
    if (fate > 2 && !forth.empty()) {
      const Reception reception = data(forth.front());
      if (reception.accepted) RC_ASSERT(forth.front() == delivered++);
      forth.pop_front();
      Frame reply{};
      reply.kind = reception.reply == Reply::nack ? FrameKind::nack : FrameKind::ack;
      reply.sequence = receiver.expected;
      if (reception.reply != Reply::none && fate != 3) back.push_back(reply);
    }
    if (fate > 4 && !back.empty()) {
      back.front().kind == FrameKind::ack ? policy->on_ack(nic, sender, back.front())
                                          : policy->on_nack(nic, sender, back.front());
      back.pop_front();
    }
    RC_ASSERT(!sequence_before(sender.next, sender.unacknowledged));
    RC_ASSERT(!sequence_before(sender.highest_sent, sender.next));
    if (forth.empty() && back.empty() && sender.next == sender.highest_sent && sender.next != sender.unacknowledged) {
      policy->on_timeout(nic, sender);
    }
  }
  RC_ASSERT(delivered == sender.end);
}

}  // namespace
}  // namespace weir::go_back_n::go_back_n_test
