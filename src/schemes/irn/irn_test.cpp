// SPDX-License-Identifier: Apache-2.0
#include "schemes/irn/irn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "policy/packet_bitmap.h"
#include "policy/testing/fake_nic.h"
#include "schemes/test_loss_recovery.h"
#include "schemes/test_parameters.h"

namespace weir::irn::irn_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scheme::Values;
using testing_scheme::with;

class IrnTest : public testing_scheme::LossRecoveryTest {
 protected:
  IrnTest() : LossRecoveryTest(scheme.loss_recovery(with(scheme, {}))) {}

  void make(const Values& values) { use(scheme.loss_recovery(with(scheme, values))); }
  void in_flight(std::uint32_t first, std::uint32_t next) {
    LossRecoveryTest::in_flight(first, next, 1'000);
    receiver.expected = first;
    policy->open(nic, sender);
  }
  /// The distance from the expected packet in a NACK that answers this packet.
  std::uint32_t ahead_in_nack(std::uint32_t sequence) {
    Frame nack = frame_of(FrameKind::nack, receiver.expected);
    policy->on_nack_made(nic, receiver, frame_of(FrameKind::data, sequence), nack);
    return nack.tag_value;
  }
  void send_new(std::uint32_t packets) { sender.next = sender.highest_sent += packets; }
  /// Packet `came` has arrived while `expected` was missing.
  void nack(std::uint32_t expected, std::uint32_t came) {
    Frame frame = frame_of(FrameKind::nack, expected);
    frame.tag_value = came - expected;
    policy->on_nack(nic, sender, frame);
  }
};

// ---- the receiver ----

TEST_F(IrnTest, ReceiverAcknowledgesWhatIsInOrder) {  // [IRN-R-1]
  for (std::uint32_t sequence = 0; sequence < 3; ++sequence) {
    const Reception reception = data(sequence, sequence == 2);
    EXPECT_EQ(reception.reply, Reply::ack);
    EXPECT_TRUE(reception.accepted);
    EXPECT_EQ(reception.completed_messages, sequence == 2 ? 1u : 0u);
  }
  EXPECT_EQ(receiver.expected, 3u);
}

TEST_F(IrnTest, ReceiverAnswersEveryPacketOutOfOrderWithANackThatNamesBoth) {  // [IRN-R-2]
  data(0);
  for (const std::uint32_t sequence : {2u, 3u, 7u}) {
    const Reception reception = data(sequence);
    EXPECT_EQ(reception.reply, Reply::nack);
    EXPECT_TRUE(reception.accepted);
    EXPECT_EQ(receiver.expected + ahead_in_nack(sequence), sequence);
  }
  EXPECT_EQ(receiver.expected, 1u);
  const Reception again = data(7);  // still out of order, but already received
  EXPECT_EQ(again.reply, Reply::nack);
  EXPECT_FALSE(again.accepted);
  EXPECT_EQ(receiver.duplicates, 1u);
}

TEST_F(IrnTest, ReceiverAcknowledgesADuplicate) {  // [IRN-R-3]
  data(0, true);
  const Reception reception = data(0, true);
  EXPECT_EQ(reception.reply, Reply::ack);
  EXPECT_FALSE(reception.accepted);
  EXPECT_EQ(reception.completed_messages, 0u);
  EXPECT_EQ(receiver.duplicates, 1u);
}

TEST_F(IrnTest, ReceiverCompletesMessagesWhenTheirGapIsFilled) {  // [IRN-R-4]
  data(1, true);
  data(2, true);
  data(4, true);
  EXPECT_EQ(data(0).completed_messages, 2u);
  EXPECT_EQ(receiver.expected, 3u);
  EXPECT_EQ(data(3).completed_messages, 1u);
}

TEST_F(IrnTest, ReceiverDropsWhatItsBitmapCannotHold) {  // [IRN-R-5]
  const Reception reception = data(PacketBitmap::kSpan);
  EXPECT_EQ(reception.reply, Reply::none);
  EXPECT_FALSE(reception.accepted);
  EXPECT_TRUE(data(PacketBitmap::kSpan - 1).accepted);
}

// ---- the sender ----

TEST_F(IrnTest, SenderAdvancesWithAcknowledgements) {  // [IRN-S-1]
  in_flight(0, 10);
  ack(4);
  EXPECT_EQ(sender.unacknowledged, 4u);
  EXPECT_EQ(sender.next, 10u);
  EXPECT_FALSE(sender.resend);
}

TEST_F(IrnTest, SenderIgnoresSequencesItCannotHaveCaused) {  // [IRN-S-1]
  in_flight(5, 10);
  for (const std::uint32_t sequence : {4u, 0u, 11u, 1'000'000u, 0x8000'0005u, 0xffff'ffffu}) {
    ack(sequence);
    nack(sequence, sequence);
    nack(5, sequence);
    EXPECT_EQ(sender.unacknowledged, 5u) << sequence;
    EXPECT_FALSE(sender.resend) << sequence;
  }
  nack(5, 10);  // never sent
  nack(5, 5);   // both missing and arrived
  EXPECT_FALSE(sender.resend);
}

TEST_F(IrnTest, SenderHoldsAcrossTheWrap) {  // [IRN-S-1]
  in_flight(0xffff'fffe, 6);
  nack(0xffff'ffff, 2);
  EXPECT_EQ(sender.unacknowledged, 0xffff'ffff);
  EXPECT_THAT(resent(), ElementsAre(0xffff'ffff, 0, 1));
  ack(6);
  EXPECT_EQ(sender.unacknowledged, 6u);
  EXPECT_FALSE(sender.resend);
}

TEST_F(IrnTest, TheFirstNackBeginsARecovery) {  // [IRN-S-2]
  in_flight(0, 10);
  nack(4, 5);
  EXPECT_TRUE(sender.resend);
  EXPECT_THAT(resent(), ElementsAre(4));
}

TEST_F(IrnTest, ALaterNackBeginsARecoveryWhenPathsReorder) {  // [IRN-S-2]
  make({{"nack_threshold", std::int64_t{3}}});
  in_flight(0, 10);
  nack(4, 5);
  nack(4, 6);
  EXPECT_FALSE(sender.resend);
  ack(7);  // it had only been overtaken
  nack(7, 8);
  nack(7, 9);
  EXPECT_FALSE(sender.resend);
  send_new(1);
  nack(7, 10);
  EXPECT_THAT(resent(), ElementsAre(7));
}

TEST_F(IrnTest, SendsAgainExactlyWhatIsLost) {  // [IRN-S-3]
  in_flight(0, 20);
  nack(4, 6);
  EXPECT_THAT(resent(), ElementsAre(4, 5));
  nack(4, 7);
  EXPECT_FALSE(sender.resend);  // no packet after 7 is known to be lost
  nack(4, 10);
  EXPECT_THAT(resent(), ElementsAre(8, 9));
  nack(4, 11);
  nack(4, 12);
  EXPECT_THAT(resent(), IsEmpty());  // each once
}

TEST_F(IrnTest, LetsWhatIsNewGoWhenAllThatIsLostWasSentAgain) {  // [IRN-S-3]
  in_flight(0, 20);
  nack(4, 6);
  EXPECT_EQ(policy->pick(nic, sender).sequence, 4u);
  EXPECT_TRUE(sender.resend);
  EXPECT_EQ(policy->pick(nic, sender).sequence, 5u);
  EXPECT_FALSE(sender.resend);
}

TEST_F(IrnTest, FindsLossesAmongWhatWasSentDuringTheRecovery) {  // [IRN-S-3]
  in_flight(0, 6);
  nack(2, 3);
  EXPECT_THAT(resent(), ElementsAre(2));
  send_new(4);
  nack(2, 8);
  EXPECT_THAT(resent(), ElementsAre(4, 5, 6, 7));
}

TEST_F(IrnTest, LeavesTheRecoveryBehindTheRecoverySequence) {  // [IRN-S-4]
  in_flight(0, 10);
  nack(2, 3);
  resent();
  send_new(5);
  ack(10);  // beyond the last packet sent before the retransmission
  nack(10, 12);
  EXPECT_THAT(resent(), ElementsAre(10, 11));  // a new recovery begins with the cumulative acknowledgement
}

TEST_F(IrnTest, EachRetransmissionPutsTheRecoverySequenceOff) {  // [IRN-S-4]
  in_flight(0, 10);
  nack(2, 3);
  resent();
  send_new(5);
  nack(2, 12);  // 10 and 11 were among the lost; 15 packets had been sent
  EXPECT_THAT(resent(), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  ack(10);
  nack(10, 13);
  EXPECT_THAT(resent(), IsEmpty());  // already in flight
  ack(15);
  send_new(3);
  nack(15, 16);
  EXPECT_THAT(resent(), ElementsAre(15));
}

TEST_F(IrnTest, AnAcknowledgementOvertakesARepeat) {  // [IRN-S-4]
  in_flight(0, 10);
  nack(2, 5);
  ack(8);
  EXPECT_FALSE(sender.resend);
  EXPECT_EQ(sender.unacknowledged, 8u);
}

// ---- the limit on packets in flight ----

TEST_F(IrnTest, CapsTheFlightAtTheBandwidthDelayProduct) {  // [IRN-F-1]
  sender.base_round_trip = 8'001_ns;                        // 100,012.5 bytes at 100 Gbit/s
  make({});
  EXPECT_EQ(sender.packet_limit, 101u);
  sender.line_rate = 1_Gbps;  // a flow's own limit does not reduce the path's
  make({});
  EXPECT_EQ(sender.packet_limit, 101u);
  make({{"bdp_cap", Bytes(104'000)}});
  EXPECT_EQ(sender.packet_limit, 104u);
}

TEST_F(IrnTest, CapsTheFlightAtWhatTheBitmapsHold) {  // [IRN-F-1]
  make({{"bdp_cap", Bytes(1'000'000'000)}});
  EXPECT_EQ(sender.packet_limit, PacketBitmap::kSpan);
  make({{"bdp_cap", Bytes(1)}});
  EXPECT_EQ(sender.packet_limit, 1u);
}

// ---- the timer ----

TEST_F(IrnTest, TheTimerIsShortWhenFewPacketsAreInFlight) {  // [IRN-T-1]
  in_flight(0, 3);
  EXPECT_EQ(policy->timeout(nic, sender), 100_us);
  in_flight(0, 4);
  EXPECT_EQ(policy->timeout(nic, sender), 320_us);
  make({{"low_timeout", Duration()}, {"high_timeout", Duration()}});
  EXPECT_EQ(policy->timeout(nic, sender), Duration::max());
}

TEST_F(IrnTest, ANackStartsTheTimerAnew) {  // [IRN-T-2]
  EXPECT_TRUE(policy->nack_is_progress());
}

TEST_F(IrnTest, ATimeoutSendsAgainWhatIsNotAcknowledged) {  // [IRN-T-3]
  in_flight(3, 8);
  nack(3, 5);
  EXPECT_THAT(resent(), ElementsAre(3, 4));
  policy->on_timeout(nic, sender);
  EXPECT_THAT(resent(), ElementsAre(3, 4, 6, 7));
  EXPECT_EQ(sender.next, 8u);
}

TEST_F(IrnTest, ATimeoutOverrulesADamagedNack) {  // [IRN-T-3]
  in_flight(0, 4);
  nack(0, 1);  // packet 1 has not arrived
  resent();
  ack(1);
  policy->on_timeout(nic, sender);
  EXPECT_THAT(resent(), ElementsAre(1, 2, 3));
}

TEST(Irn, RejectsTimersThatMakeNoSense) {
  const auto errors = [](Duration low, Duration high) {
    return scheme.errors(with(scheme, {{"low_timeout", low}, {"high_timeout", high}}));
  };
  EXPECT_THAT(errors(100_us, 320_us), IsEmpty());
  EXPECT_THAT(errors(Duration(), Duration()), IsEmpty());
  EXPECT_THAT(errors(321_us, 320_us), SizeIs(1));
  EXPECT_THAT(errors(100_us, Duration()), SizeIs(1));
  EXPECT_THAT(errors(Duration(), 320_us), SizeIs(1));
}

// ---- both halves ----

// Over a wire that loses, duplicates and reorders frames, every packet is delivered once; the wire stops doing so at
// some time, as the property requires.
RC_GTEST_FIXTURE_PROP(IrnTest, DeliversEverythingOnce, ()) {  // [IRN-R-2] [IRN-S-3] [IRN-T-3]
  const auto start = *rc::gen::element(0u, 0xffff'ffe0u);
  const auto fates = *rc::gen::container<std::vector<int>>(400, rc::gen::inRange(0, 8));
  constexpr std::uint32_t kPackets = 60;
  make({{"bdp_cap", Bytes(16'000)}});
  in_flight(start, start);
  sender.end = start + kPackets;
  std::size_t fate = 0;
  const auto next_fate = [&] { return fate < fates.size() ? fates[fate++] : 7; };
  std::deque<Frame> to_receiver;
  std::deque<Frame> to_sender;
  const auto put = [&](std::deque<Frame>& wire, const Frame& frame) {
    const int what = next_fate();
    if (what == 0) return;
    if (what == 1) wire.push_back(frame);
    if (what == 2) {
      wire.push_front(frame);
    } else {
      wire.push_back(frame);
    }
  };
  std::multiset<std::uint32_t> accepted;
  std::uint32_t messages = 0;
  for (int step = 0; step < 5'000 && !sender.finished(); ++step) {
    const bool may_send_new = sender.next != sender.end && sender.packets_in_flight() < sender.packet_limit;
    if (sender.resend || may_send_new) {
      LossRecovery::Pick pick{sender.next, true};
      if (sender.resend) pick = policy->pick(nic, sender);
      RC_ASSERT(pick.sequence - sender.unacknowledged <
                (pick.is_next ? sender.packet_limit : sender.packets_in_flight()));
      if (pick.is_next) sender.highest_sent = ++sender.next;
      Frame frame{};
      frame.kind = FrameKind::data;
      frame.sequence = pick.sequence;
      frame.set_ends_message((pick.sequence - start) % 5 == 4);
      put(to_receiver, frame);
    } else if (to_receiver.empty() && to_sender.empty()) {
      policy->on_timeout(nic, sender);
    }
    if (!to_receiver.empty() && step % 2 == 0) {
      const Frame frame = to_receiver.front();
      to_receiver.pop_front();
      const Reception reception = policy->on_data(nic, receiver, frame);
      if (reception.accepted) accepted.insert(frame.sequence);
      messages += reception.completed_messages;
      Frame reply{};
      reply.kind = reception.reply == Reply::nack ? FrameKind::nack : FrameKind::ack;
      reply.sequence = receiver.expected;
      if (reception.reply == Reply::nack) policy->on_nack_made(nic, receiver, frame, reply);
      if (reception.reply != Reply::none) put(to_sender, reply);
    }
    if (!to_sender.empty()) {
      const Frame frame = to_sender.front();
      to_sender.pop_front();
      if (frame.kind == FrameKind::nack) {
        policy->on_nack(nic, sender, frame);
      } else {
        policy->on_ack(nic, sender, frame);
      }
    }
  }
  RC_ASSERT(sender.finished());
  RC_ASSERT(accepted.size() == kPackets);
  RC_ASSERT(std::set<std::uint32_t>(accepted.begin(), accepted.end()).size() == kPackets);
  RC_ASSERT(messages == kPackets / 5);
}

}  // namespace
}  // namespace weir::irn::irn_test
