// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "schemes/expresspass/test_nic.h"

namespace weir::expresspass::credit_receiver_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scheme::Values;

/// Between credits at the maximum rate: of data of 1,066 bytes and credits of 84.
const Duration kGap = time_to_send(Bytes(84), credit_rate(BitRate(100'000'000'000), 1'086));
const Values kEven = {{"jitter", 0.0}};

TEST(CreditReceiver, SendsTheFirstCreditAtOnce) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 100);
  ASSERT_THAT(at.sent(Kind::credit), SizeIs(1));  // [XPASS-C-1]
  const FakeNic::Sent credit = at.sent(Kind::credit).front();
  EXPECT_EQ(credit.at, at.nic.now());
  EXPECT_EQ(credit.frame.sequence, 0u);
  EXPECT_EQ(credit.frame.tag_value, stamp_of(at.nic.now()));
  EXPECT_EQ(credit.frame.frame_bytes + at.nic.framing().wire_overhead, 84);
  EXPECT_EQ(credit.frame.priority, kCreditPriority);
  EXPECT_EQ(credit.frame.queue_pair, receiver.remote_number);
}

TEST(CreditReceiver, PacesCreditsAtItsRate) {
  TestNic at(kEven);
  at.get_request(at.open_receiver(), 0, 100);
  at.pass(20 * kGap);
  const auto credits = at.sent(Kind::credit);
  ASSERT_GE(credits.size(), 10u);  // [XPASS-C-2] half of the maximum rate
  for (std::size_t i = 1; i < credits.size(); ++i) {
    EXPECT_EQ(credits[i].at - credits[i - 1].at, 2 * kGap);
    EXPECT_EQ(credits[i].frame.sequence, i);
  }
}

TEST(CreditReceiver, VariesTheTimeBetweenCredits) {
  TestNic at;
  at.get_request(at.open_receiver(), 0, 100);
  at.pass(15_us);
  const auto credits = at.sent(Kind::credit);
  Duration least = 1_ms;
  Duration most;
  for (std::size_t i = 1; i < credits.size(); ++i) {
    least = std::min(least, credits[i].at - credits[i - 1].at);
    most = std::max(most, credits[i].at - credits[i - 1].at);
  }
  EXPECT_GE(least, 2 * kGap * 9 / 10);  // [XPASS-C-2]
  EXPECT_LT(least, 2 * kGap * 92 / 100);
  EXPECT_LE(most, 2 * kGap * 11 / 10);
  EXPECT_GT(most, 2 * kGap * 108 / 100);
}

TEST(CreditReceiver, EndsCreditsOnRequest) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 100);
  at.pass(5_us);
  at.get(receiver.number, Kind::stop, 0);
  const std::size_t sent = at.sent(Kind::credit).size();
  at.pass(1_ms);
  EXPECT_THAT(at.sent(Kind::credit), SizeIs(sent));  // [XPASS-C-5]
  at.get_request(receiver, 0, 100);
  EXPECT_THAT(at.sent(Kind::credit), SizeIs(sent + 1));
}

TEST(CreditReceiver, IgnoresARepeatedRequest) {
  TestNic at(kEven);
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 100);
  at.pass(kGap);
  at.get_request(receiver, 0, 100);
  EXPECT_THAT(at.sent(Kind::credit), SizeIs(1));
}

TEST(CreditReceiver, CountsCreditsThatDoNotReturn) {
  // With a lower rate the next credit comes later. Both receive data of one round trip at a time.
  const auto credits_after = [](std::uint32_t step) {
    TestNic at(kEven);
    ReceiveState& receiver = at.open_receiver();
    at.get_request(receiver, 0, 1'000);
    std::uint32_t sequence = 0;
    for (std::uint32_t number = 0; at.nic.now() < Time() + 100_us; number += step) {
      at.pass(2 * kGap * step);
      at.get_data(receiver, sequence++, number, false, 4_us);
    }
    return at.sent(Kind::credit).size();
  };
  EXPECT_GT(10 * credits_after(1), 12 * credits_after(2));  // [XPASS-C-3]
}

TEST(CreditReceiver, ChangesItsRateOncePerMeasuredRoundTrip) {
  const auto credits_with = [](Duration first, Duration others) {
    TestNic at(kEven);
    ReceiveState& receiver = at.open_receiver();
    at.get_request(receiver, 0, 1'000);
    for (std::uint32_t number = 0; number < 200; ++number) {
      at.pass(2 * kGap);
      at.get_data(receiver, number, number, false, number == 0 ? first : others);
    }
    return at.sent(Kind::credit).size();
  };
  EXPECT_EQ(credits_with(100_us, 100_us), 201u) << "no round trip has passed in 38 us";
  EXPECT_GT(credits_with(4_us, 4_us), 260u);  // [XPASS-C-4]
  // A later sample counts a fifth.
  EXPECT_GT(credits_with(100_us, 4_us), 201u);
  EXPECT_LT(credits_with(100_us, 4_us), credits_with(4_us, 4_us));
}

TEST(CreditReceiver, AveragesTheRoundTrip) {
  TestNic at(kEven);
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 1'000);
  at.pass(1_us);
  at.get_data(receiver, 0, 0, false, 20_us);
  at.get_data(receiver, 1, 1, false, 10_us);
  at.pass(30_us);
  const auto credits = at.sent(Kind::credit);
  std::size_t change = 1;
  while (change + 1 < credits.size() && credits[change].at - credits[change - 1].at == 2 * kGap) ++change;
  const Duration after = credits[change - 1].at - credits.front().at;
  EXPECT_GE(after, 18_us) << "[XPASS-C-4] 0.8 x 20 + 0.2 x 10";
  EXPECT_LT(after, 18_us + 2 * kGap);
}

TEST(CreditReceiver, IgnoresCreditsOfAnEarlierRequest) {
  TestNic at(kEven);
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 1'000);
  at.pass(8_us);
  at.get(receiver.number, Kind::stop, 0);
  at.get_request(receiver, 0, 1'000);
  const std::size_t before = at.sent(Kind::credit).size();
  for (std::uint32_t number = 0; number < 10; number += 5) at.get_data(receiver, number / 5, number, false, 4_us);
  at.pass(40 * kGap);
  EXPECT_NEAR(static_cast<double>(at.sent(Kind::credit).size() - before), 20, 1) << "[XPASS-C-3] at the initial rate";
}

TEST(CreditReceiver, CountsNoCreditsOfAnEarlierRequestAsLost) {
  TestNic at(kEven);
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 1'000);
  at.pass(8_us);
  at.get(receiver.number, Kind::stop, 0);
  const auto first = static_cast<std::uint32_t>(at.sent(Kind::credit).size());
  at.get_request(receiver, 0, 1'000);
  at.pass(2_us);
  for (std::uint32_t i = 0; i < 5; ++i) at.get_data(receiver, i, first + i, false, 2_us);
  const std::size_t before = at.sent(Kind::credit).size();
  at.pass(40 * kGap);
  EXPECT_GE(at.sent(Kind::credit).size() - before, 20u) << "[XPASS-C-3] no loss";
}

TEST(CreditReceiver, IgnoresCreditsThatItHasNotMade) {
  TestNic at(kEven);
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 1'000);
  at.pass(2_us);
  const auto made = static_cast<std::uint32_t>(at.sent(Kind::credit).size());
  at.get_data(receiver, 0, made, false, 2_us);
  for (std::uint32_t i = 0; i < 5; ++i) at.get_data(receiver, i + 1, i, false, 2_us);
  const std::size_t before = at.sent(Kind::credit).size();
  at.pass(40 * kGap);
  EXPECT_GE(at.sent(Kind::credit).size() - before, 20u) << "[XPASS-C-3] no loss";
}

TEST(CreditReceiver, SpendsNoTokensOnClosedHalves) {
  TestNic at({{"jitter", 0.0}, {"alpha", 1.0}, {"credit_buffer", std::int64_t{16}}});
  ReceiveState& first = at.open_receiver();
  ReceiveState& second = at.open_receiver();
  at.get_request(first, 0, 1'000);
  at.get_request(second, 0, 1'000);
  at.pass(20 * kGap);
  at.transport->on_close(at.nic, first);
  at.nic.close_receiver(first);
  const std::size_t before = at.sent(Kind::credit).size();
  at.pass(8 * kGap);
  EXPECT_GE(at.sent(Kind::credit).size() - before, 8u) << "[XPASS-Q-4] one per gap";
}

TEST(CreditReceiver, LimitsTheCreditsOfItsNic) {
  TestNic at({{"jitter", 0.0}, {"alpha", 1.0}, {"credit_buffer", std::int64_t{8}}});
  for (int i = 0; i < 4; ++i) at.get_request(at.open_receiver(), 0, 1'000);
  // [XPASS-Q-4] Two at once, then one per gap; the queue holds eight.
  EXPECT_THAT(at.sent(Kind::credit), SizeIs(2));
  at.pass(100 * kGap);
  const auto credits = at.sent(Kind::credit);
  EXPECT_THAT(credits, SizeIs(102));
  for (std::size_t i = 2; i < credits.size(); ++i) EXPECT_GE(credits[i].at - credits[i - 2].at, kGap);
  EXPECT_EQ(at.count("expresspass.credits_sent"), 102);
  EXPECT_NEAR(at.count("expresspass.credits_dropped_in_nic"), 4 * 101 - 102 - 8, 4);
}

TEST(CreditReceiver, StartsWithAnEmptyBucket) {
  FakeNic nic;
  const auto transport = scheme.transport(Parameters(scheme.parameters));
  static_cast<NicPolicy&>(*transport).attach(nic);
  nic.set_transport(*transport);
  ReceiveState& receiver = nic.open_receiver();
  transport->open(nic, receiver);
  Frame& frame = nic.frames()[nic.frames().allocate()];
  frame.kind = FrameKind::host_control;
  frame.protocol = kProtocol;
  frame.queue_pair = receiver.number;
  write_control(frame, nic.framing(), Kind::request, 0, 100);
  transport->on_feedback(nic, frame);
  EXPECT_THAT(nic.sent(), IsEmpty());
  nic.run_until(Time() + kGap);
  EXPECT_THAT(nic.sent(), SizeIs(1));  // [XPASS-Q-4]
}

TEST(CreditReceiver, TakesPacketsInOrderAndAcknowledgesMessages) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 3);
  at.get_data(receiver, 0, 0);
  at.get_data(receiver, 1, 1);
  EXPECT_THAT(at.sent(FrameKind::ack), IsEmpty());
  at.get_data(receiver, 2, 2, true);
  ASSERT_THAT(at.sent(FrameKind::ack), SizeIs(1));  // [XPASS-R-3]
  EXPECT_EQ(at.sent(FrameKind::ack).front().frame.sequence, 3u);
  EXPECT_EQ(at.nic.kept(receiver), 3'000);
  EXPECT_EQ(at.nic.completed(receiver), 1u);
  at.get_data(receiver, 2, 3, true);
  EXPECT_THAT(at.sent(FrameKind::ack), SizeIs(2)) << "the first one may be lost";
  EXPECT_EQ(at.nic.kept(receiver), 3'000);
  EXPECT_EQ(at.nic.completed(receiver), 1u);
}

TEST(CreditReceiver, AcknowledgesWhatItHasWhenCreditsAreStopped) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 10);
  at.get_data(receiver, 0, 0);
  at.get(receiver.number, Kind::stop, 1);
  ASSERT_THAT(at.sent(FrameKind::ack), SizeIs(1));  // [XPASS-R-3]
  EXPECT_EQ(at.sent(FrameKind::ack).front().frame.sequence, 1u);
  at.get(receiver.number, Kind::stop, 1);
  EXPECT_THAT(at.sent(FrameKind::ack), SizeIs(1));
}

TEST(CreditReceiver, AsksForWhatIsMissing) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 10);
  at.get_data(receiver, 0, 0);
  at.get_data(receiver, 2, 2);
  ASSERT_THAT(at.sent(Kind::nack), SizeIs(1));  // [XPASS-R-1]
  EXPECT_EQ(at.sent(Kind::nack).front().frame.sequence, 1u);
  at.get_data(receiver, 3, 3);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(1));
  EXPECT_EQ(at.nic.kept(receiver), 1'000) << "later packets are not kept";
  at.pass(99_us);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(1));
  at.pass(10_us);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(2)) << "repeated after the time-out";
  at.get_data(receiver, 1, 4);
  at.pass(300_us);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(2));
  at.get_data(receiver, 2, 5, false, 8_us, true);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(3)) << "a trimmed packet is lost";
}

TEST(CreditReceiver, WaitsTwoRoundTripsForWhatIsMissing) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 10);
  at.get_data(receiver, 0, 0, false, 80_us);
  at.get_data(receiver, 2, 2, false, 80_us);
  at.pass(159_us);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(1));  // [XPASS-R-1]
  at.pass(20_us);
  EXPECT_THAT(at.sent(Kind::nack), SizeIs(2));
}

TEST(CreditReceiver, AnswersARequestForWhatHasArrived) {
  TestNic at;
  ReceiveState& receiver = at.open_receiver();
  at.get_request(receiver, 0, 2);
  EXPECT_THAT(at.sent(FrameKind::ack), IsEmpty());
  at.get_data(receiver, 0, 0);
  at.get_data(receiver, 1, 1, true);
  at.get_request(receiver, 0, 2);
  ASSERT_THAT(at.sent(FrameKind::ack), SizeIs(2));  // [XPASS-R-4]
  EXPECT_EQ(at.sent(FrameKind::ack).back().frame.sequence, 2u);
}

TEST(CreditReceiver, SlowsDownWhenNothingReturns) {
  TestNic at(kEven);
  at.get_request(at.open_receiver(), 0, 1'000);
  at.pass(23_us);
  const std::size_t before = at.sent(Kind::credit).size();
  EXPECT_GT(before, 80u);
  at.pass(1_us + 800_us);
  EXPECT_LE(at.sent(Kind::credit).size() - before, 101u + 8) << "[XPASS-F-7] after three round trips, one in each";
}

TEST(CreditReceiver, ForgetsClosedHalves) {
  TestNic at({{"alpha", 1.0}});
  ReceiveState& first = at.open_receiver();
  ReceiveState& second = at.open_receiver();
  at.get_request(first, 0, 1'000);
  at.get_request(second, 0, 1'000);
  at.pass(2_us);
  at.transport->on_close(at.nic, first);
  at.nic.close_receiver(first);
  EXPECT_EQ(at.nic.deadline(first), Time::never());
  const std::size_t before = at.sent(Kind::credit).size();
  at.pass(2_us);
  const auto credits = at.sent(Kind::credit);
  for (std::size_t i = before; i < credits.size(); ++i) {
    EXPECT_EQ(credits[i].frame.queue_pair, second.remote_number);
  }
  EXPECT_GT(credits.size(), before);
}

}  // namespace
}  // namespace weir::expresspass::credit_receiver_test
