// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/expresspass/test_nic.h"

namespace weir::expresspass::credit_sender_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Duration kRoundTrip = 8_us;
constexpr Priority kPriority = TestNic::kPriority;

/// Sends packets until the transport has none.
std::vector<std::uint32_t> send_all(TestNic& at, Priority priority = kPriority) {
  std::vector<std::uint32_t> out;
  while (at.nic.offered(priority)) {
    const auto chosen = at.nic.send_chosen(priority);
    if (!chosen) break;
    out.push_back(chosen->sequence);
  }
  return out;
}

/// A sender half with this many packets whose first credit arrives a round trip after its request.
SendState& started(TestNic& at, std::uint32_t packets) {
  SendState& sender = at.open_sender();
  at.post(sender, packets);
  at.pass(kRoundTrip);
  at.get_credit(sender, 0);
  send_all(at);
  return sender;
}

void acknowledge(TestNic& at, SendState& sender, std::uint32_t sequence) {
  const FrameId id = at.nic.frames().allocate();
  at.nic.frames()[id].kind = FrameKind::ack;
  at.nic.frames()[id].sequence = sequence;
  at.transport->on_acknowledgement(at.nic, sender, at.nic.frames()[id]);
  at.nic.frames().release(id);
}

TEST(CreditSender, AsksForCreditsAndSendsNothingBefore) {
  TestNic at;
  SendState& sender = at.open_sender();
  at.post(sender, 30);
  ASSERT_THAT(at.sent(Kind::request), SizeIs(1));  // [XPASS-S-1]
  const Frame request = at.sent(Kind::request).front().frame;
  EXPECT_EQ(request.sequence, 0u);
  EXPECT_EQ(request.tag_value, 30u);
  EXPECT_EQ(request.frame_bytes + at.nic.framing().wire_overhead, 84);  // [XPASS-M-1]
  EXPECT_EQ(request.priority, kPriority) << "[XPASS-M-3] in the queue of data";
  EXPECT_FALSE(at.nic.offered(kPriority));
  at.post(sender, 5);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1)) << "the credits serve this message too";
}

TEST(CreditSender, FramesHave84BytesOnTheWireInEveryFraming) {
  TestNic at;
  at.nic.set_framing(Framing::hpcc_simulator());
  at.post(at.open_sender(), 1);
  EXPECT_EQ(at.sent(Kind::request).front().frame.frame_bytes, 84);
}

TEST(CreditSender, SendsAPacketPerCredit) {
  TestNic at;
  SendState& sender = started(at, 100);
  EXPECT_THAT(at.sent(FrameKind::data), SizeIs(1));
  at.get(sender.number, Kind::credit, 70'000, 123);
  at.get(sender.number, Kind::credit, 70'002, 456);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{1, 2}));  // [XPASS-S-2]
  const auto data = at.sent(FrameKind::data);
  ASSERT_THAT(data, SizeIs(3));
  // [XPASS-M-2]
  EXPECT_EQ(InlineField<std::uint16_t>().read(data[1].frame), 70'000 - 65'536);
  EXPECT_EQ(InlineField<std::uint32_t>().read(data[1].frame), 123u);
  EXPECT_EQ(InlineField<std::uint16_t>().read(data[2].frame), 70'002 - 65'536);
  EXPECT_EQ(InlineField<std::uint32_t>().read(data[2].frame), 456u);
  EXPECT_FALSE(at.nic.offered(kPriority));
  EXPECT_EQ(at.count("expresspass.credits_wasted"), 0);
}

TEST(CreditSender, ServesCreditsInTheirOrderAndByPriority) {
  TestNic at;
  SendState& first = started(at, 100);
  SendState& second = started(at, 100);
  SendState& other = at.open_sender(HostId(1), 5);
  at.post(other, 10);
  at.get_credit(second, 1);
  at.get_credit(other, 0);
  at.get_credit(first, 1);
  EXPECT_EQ(at.nic.send_chosen(kPriority)->sender, &second);
  EXPECT_EQ(at.nic.send_chosen(kPriority)->sender, &first);
  EXPECT_EQ(at.nic.send_chosen(5)->sender, &other);
}

TEST(CreditSender, RepeatsARequestWithoutCredits) {
  TestNic at;
  SendState& sender = at.open_sender();
  at.post(sender, 30);
  at.pass(99_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1));
  at.pass(1_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(2));  // [XPASS-S-3]
  at.pass(100_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
  at.get_credit(sender, 0);
  at.pass(1_ms);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
}

// As when its request is lost and a credit of an earlier request arrives.
TEST(CreditSender, AsksAgainWhenCreditsFailToArrive) {
  TestNic at;
  SendState& sender = started(at, 100);
  at.pass(60_us);
  at.get_credit(sender, 1);
  send_all(at);
  at.pass(99_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1)) << "100 us from the last credit on";
  at.pass(1_us);
  ASSERT_THAT(at.sent(Kind::request), SizeIs(2));  // [XPASS-R-5]
  EXPECT_EQ(at.sent(Kind::request).back().frame.sequence, 2u);
  at.get_credit(sender, 2);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{2}));
}

TEST(CreditSender, MeasuresTheRoundTripFromItsFirstRequest) {
  TestNic at;
  SendState& sender = at.open_sender();
  at.post(sender, 1);
  at.pass(100_us);
  at.pass(100_us);
  at.pass(30_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
  at.get_credit(sender, 0);
  send_all(at);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1));
  at.pass(459_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
  at.pass(1_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(4)) << "two round trips after the stop";  // [XPASS-R-4]
}

TEST(CreditSender, KeepsItsRoundTripWhenTheRequestWasRepeated) {
  TestNic at;
  SendState& sender = started(at, 1);
  acknowledge(at, sender, 1);
  at.pass(50_us);
  at.post(sender, 1);
  at.pass(100_us);
  at.pass(50_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
  at.get_credit(sender, 1);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{1}));
  at.pass(20_us);
  at.pass(79_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
  at.pass(1_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(4)) << "twice 8 us are less than the timeout";  // [XPASS-R-4]
}

TEST(CreditSender, StopsCreditsWithItsLastPacket) {
  TestNic at;
  SendState& sender = started(at, 2);
  EXPECT_THAT(at.sent(Kind::stop), IsEmpty());
  at.get_credit(sender, 1);
  send_all(at);
  ASSERT_THAT(at.sent(Kind::stop), SizeIs(1));  // [XPASS-S-4]
  EXPECT_EQ(at.sent(Kind::stop).front().frame.priority, kPriority) << "not ahead of the packet";
}

TEST(CreditSender, CountsCreditsThatFindNothingToSend) {
  TestNic at;
  SendState& sender = started(at, 2);
  at.get_credit(sender, 1);
  at.get_credit(sender, 2);  // before the last packet has left
  send_all(at);
  at.get_credit(sender, 3);
  EXPECT_EQ(at.count("expresspass.credits_received"), 4);
  EXPECT_EQ(at.count("expresspass.credits_wasted"), 2);  // [XPASS-S-7]
  at.nic.close_sender(sender);
  at.get_credit(sender, 4);
  EXPECT_EQ(at.count("expresspass.credits_wasted"), 3);
  EXPECT_THAT(at.sent(FrameKind::data), SizeIs(2));
}

TEST(CreditSender, StopsEarlyWhenCreditsInFlightSuffice) {
  TestNic at;
  SendState& sender = started(at, 16);
  for (std::uint32_t credit = 1; credit <= 6; ++credit) {
    at.pass(kRoundTrip / 8);
    at.get_credit(sender, credit);
    send_all(at);
  }
  EXPECT_THAT(at.sent(Kind::stop), IsEmpty());
  at.pass(kRoundTrip / 4);
  at.get_credit(sender, 7);                     // a round trip after the first: 8 credits came, and 8 packets are left
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1));  // [XPASS-S-5]
  send_all(at);
  for (std::uint32_t credit = 8; credit <= 10; ++credit) at.get_credit(sender, credit);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{8, 9, 10})) << "credits in flight are used";
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1));
  at.pass(2 * kRoundTrip);
  ASSERT_THAT(at.sent(Kind::request), SizeIs(2)) << "they did not suffice";
  EXPECT_EQ(at.sent(Kind::request).back().frame.sequence, 11u);
  EXPECT_EQ(at.sent(Kind::request).back().frame.tag_value, 5u);
}

TEST(CreditSender, CountsTheCreditsOfOneRoundTripOnly) {
  TestNic at;
  SendState& sender = started(at, 30);
  for (std::uint32_t credit = 1; credit <= 16; ++credit) {
    at.pass(kRoundTrip / 8);
    at.get_credit(sender, credit);
    send_all(at);
  }
  EXPECT_THAT(at.sent(Kind::stop), IsEmpty()) << "[XPASS-S-5] 8 credits came, and 13 packets are left";
}

TEST(CreditSender, KeepsNoMoreCreditsThanItHasRoomFor) {
  TestNic at({{"early_stop", false}});
  SendState& sender = started(at, 1'000);
  for (std::uint32_t credit = 1; credit <= 257; ++credit) at.get_credit(sender, credit);
  EXPECT_EQ(at.count("expresspass.credits_wasted"), 1);
  EXPECT_THAT(send_all(at), SizeIs(256));
}

TEST(CreditSender, CountsNoCreditsOfAnEarlierRequest) {
  TestNic at;
  SendState& sender = started(at, 1);
  acknowledge(at, sender, 1);
  for (std::uint32_t credit = 1; credit <= 6; ++credit) at.get_credit(sender, credit);  // they were on their way
  at.post(sender, 6);
  for (std::uint32_t credit = 7; credit <= 8; ++credit) {
    at.pass(kRoundTrip);
    at.get_credit(sender, credit);
    send_all(at);
  }
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1)) << "[XPASS-S-5] 2 credits came, and 4 packets are left";
}

TEST(CreditSender, StopsLateOnRequest) {
  TestNic at({{"early_stop", false}});
  SendState& sender = started(at, 3);
  at.pass(kRoundTrip);
  at.get_credit(sender, 1);
  send_all(at);
  EXPECT_THAT(at.sent(Kind::stop), IsEmpty());
  TestNic early;
  SendState& other = started(early, 3);
  early.pass(kRoundTrip);
  early.get_credit(other, 1);
  EXPECT_THAT(early.sent(Kind::stop), SizeIs(1));
}

TEST(CreditSender, SaysStopAgainIfCreditsGoOn) {
  TestNic at;
  SendState& sender = started(at, 1);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1));
  acknowledge(at, sender, 1);
  at.pass(2 * kRoundTrip - 1_us);
  at.get_credit(sender, 1);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1)) << "it may have been on its way";
  at.pass(1_us);
  at.get_credit(sender, 2);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(2));  // [XPASS-S-6]
  at.get_credit(sender, 3);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(2));
}

TEST(CreditSender, AsksAgainForALaterMessage) {
  TestNic at;
  SendState& sender = started(at, 1);
  at.post(sender, 4);
  ASSERT_THAT(at.sent(Kind::request), SizeIs(2)) << "it had stopped credits";
  acknowledge(at, sender, 1);
  EXPECT_EQ(at.sent(Kind::request).back().frame.sequence, 1u);
  EXPECT_EQ(at.sent(Kind::request).back().frame.tag_value, 4u);
}

TEST(CreditSender, GoesBackToWhatIsMissing) {
  TestNic at;
  SendState& sender = started(at, 10);
  for (std::uint32_t credit = 1; credit < 5; ++credit) at.get_credit(sender, credit);
  send_all(at);
  at.get(sender.number, Kind::nack, 2);
  EXPECT_EQ(sender.unacknowledged, 2u) << "what is before it has arrived";
  at.get_credit(sender, 5);
  at.get_credit(sender, 6);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{2, 3}));  // [XPASS-R-2]
  EXPECT_TRUE(at.nic.sent().back().frame.retransmitted());
  at.get(sender.number, Kind::nack, 1);
  at.get(sender.number, Kind::nack, 9);
  at.get_credit(sender, 7);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{4})) << "neither what has arrived nor what was not sent";
}

TEST(CreditSender, AsksAgainIfThereIsSomethingMissingAfterTheStop) {
  TestNic at;
  SendState& sender = started(at, 2);
  at.get_credit(sender, 1);
  send_all(at);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1));
  at.get(sender.number, Kind::nack, 1);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(2));  // [XPASS-R-2]
  EXPECT_EQ(at.sent(Kind::request).back().frame.sequence, 1u);
}

TEST(CreditSender, AsksWhenItsLastPacketsAreNotAcknowledged) {
  TestNic at;
  SendState& sender = started(at, 2);
  at.get_credit(sender, 1);
  send_all(at);
  at.pass(99_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1));
  at.pass(1_us);
  ASSERT_THAT(at.sent(Kind::request), SizeIs(2));  // [XPASS-R-4]
  EXPECT_EQ(at.sent(Kind::request).back().frame.sequence, 0u);
  acknowledge(at, sender, 1);  // the answer
  at.get_credit(sender, 2);
  EXPECT_EQ(send_all(at), (std::vector<std::uint32_t>{1}));
}

TEST(CreditSender, WaitsTwoRoundTripsForTheLastAcknowledgement) {
  TestNic at;
  SendState& sender = at.open_sender();
  at.post(sender, 1);
  at.pass(80_us);
  at.get_credit(sender, 0);
  send_all(at);
  at.pass(159_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1));
  at.pass(1_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(2));  // [XPASS-R-4]
}

TEST(CreditSender, IsQuietWhenAllIsAcknowledged) {
  TestNic at;
  SendState& sender = started(at, 1);
  acknowledge(at, sender, 1);
  at.get(sender.number, Kind::nack, 1);
  EXPECT_EQ(at.nic.deadline(sender), Time::never());
  at.pass(1_ms);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(1));
  // An acknowledgement that answers a needless request ends the credits that this request started.
  SendState& late = started(at, 1);
  at.pass(100_us);
  EXPECT_THAT(at.sent(Kind::request), SizeIs(3));
  acknowledge(at, late, 1);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(3));
}

TEST(CreditSender, KeepsCreditsOfABlockedQueuePair) {
  TestNic at;
  SendState& blocked = started(at, 10);
  SendState& free = started(at, 10);
  const GateOwner owner = at.nic.new_gate_owner();
  at.nic.set_gate(blocked, owner, false);
  at.get_credit(blocked, 1);
  at.get_credit(free, 1);
  EXPECT_EQ(at.nic.send_chosen(kPriority)->sender, &free);
  EXPECT_FALSE(at.nic.send_chosen(kPriority).has_value());
  at.nic.set_gate(blocked, owner, true);
  at.transport->on_gates(at.nic);
  EXPECT_TRUE(at.nic.offered(kPriority));
  EXPECT_EQ(at.nic.send_chosen(kPriority)->sender, &blocked);
}

TEST(CreditSender, EndsWithItsApplication) {
  TestNic at;
  SendState& sender = started(at, 10);
  sender.end = 1;  // what was sent
  at.transport->on_stop(at.nic, sender);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1));
  at.get_credit(sender, 1);
  EXPECT_THAT(send_all(at), IsEmpty());
  SendState& other = started(at, 10);
  other.end = 5;  // some is left to be sent
  at.transport->on_stop(at.nic, other);
  EXPECT_THAT(at.sent(Kind::stop), SizeIs(1));
}

TEST(CreditSender, IgnoresFramesOfOtherSchemes) {
  TestNic at;
  const FrameId id = at.nic.frames().allocate();
  Frame& frame = at.nic.frames()[id];
  frame.kind = FrameKind::host_control;
  frame.protocol = kProtocol + 1;
  EXPECT_FALSE(at.transport->on_feedback(at.nic, frame));
  frame.protocol = kProtocol;
  frame.tag = 0;
  EXPECT_FALSE(at.transport->on_feedback(at.nic, frame));
}

}  // namespace
}  // namespace weir::expresspass::credit_sender_test
