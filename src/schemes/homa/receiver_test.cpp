// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "schemes/homa/test_nic.h"

namespace weir::homa::receiver_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Said = TestNic::Said;

constexpr Duration kSilence = Duration::picoseconds(2'000'000'000);  // resend_after

TestNic with_two_active() {
  return TestNic({{"round_trip_bytes", Bytes(10'000)}, {"overcommitment", std::int64_t{2}}});
}

TEST(HomaReceiver, GrantsAheadOfWhatHasArrived) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 11, 0})) << "[HOMA-RCV-3] one has arrived, ten may follow";
  host.get_data(receiver, 1, 30);
  host.get_data(receiver, 3, 30);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 12, 0}, Said{0, 0, 13, 0})) << "[HOMA-RCV-3]";
  EXPECT_EQ(host.nic.kept(receiver), 3'000);
  EXPECT_EQ(receiver.expected, 2u);
  EXPECT_EQ(host.count("homa.grants"), 3);
}

TEST(HomaReceiver, GrantsNothingToAMessageOfARoundTrip) {
  TestNic host;
  ReceiveState& receiver = host.open_receiver();
  for (std::uint32_t i = 0; i < 10; ++i) host.get_data(receiver, i, 10);
  EXPECT_THAT(host.said(Kind::grant), IsEmpty()) << "[HOMA-SND-1]";
  EXPECT_EQ(host.nic.completed(receiver), 1u);
}

TEST(HomaReceiver, SaysThatAMessageIsComplete) {
  TestNic host;
  ReceiveState& receiver = host.open_receiver();
  host.get_data(receiver, 1, 3);
  host.get_data(receiver, 2, 3);
  EXPECT_EQ(host.nic.completed(receiver), 0u);
  host.get_data(receiver, 0, 3);
  EXPECT_EQ(host.nic.completed(receiver), 1u);
  EXPECT_EQ(host.nic.sent().back().frame.priority, 7) << "[HOMA-MSG-2]";
  EXPECT_THAT(host.said(Kind::done), ElementsAre(Said{0, 0, 3, 7})) << "[HOMA-END-2]";
  EXPECT_EQ(host.nic.deadline(receiver), Time::never());
  host.get_data(receiver, 1, 3);
  EXPECT_EQ(receiver.duplicates, 1u);
  EXPECT_EQ(host.nic.completed(receiver), 1u);
  EXPECT_THAT(host.said(Kind::done), ElementsAre(Said{0, 0, 3, 7})) << "[HOMA-LOSS-4]";
  host.get_data(receiver, 3, 5);
  host.get_data(receiver, 4, 5);
  EXPECT_EQ(host.nic.completed(receiver), 2u);
  EXPECT_THAT(host.said(Kind::done), ElementsAre(Said{0, 0, 5, 7}));
}

TEST(HomaReceiver, GrantsToTheShortestMessagesOnly) {
  TestNic host = with_two_active();
  host.receiving(90, HostId(1));
  ReceiveState& middle = host.receiving(60, HostId(2));
  host.nic.release_sent();
  ReceiveState& shortest = host.receiving(40, HostId(3));
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{2, 0, 11, 1})) << "[HOMA-RCV-1] of two, the higher priority";
  host.get_data(*host.nic.receiver(QueuePairId(0)), 1, 90);
  EXPECT_THAT(host.said(Kind::grant), IsEmpty()) << "[HOMA-RCV-1] the longest of three, of which two are active";
  host.get_data(middle, 1, 60);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{1, 0, 12, 0}));  // [HOMA-PRIO-2]
  for (std::uint32_t i = 1; i < 40; ++i) host.get_data(shortest, i, 40);
  const auto grants = host.said(Kind::grant);
  EXPECT_EQ(grants.back(), (Said{0, 0, 12, 0})) << "[HOMA-RCV-3] when the shortest needs no more grants";
  EXPECT_EQ(grants[grants.size() - 2], (Said{2, 0, 40, 1}));
}

TEST(HomaReceiver, MovesAMessageUpAsItsPacketsArrive) {
  TestNic host({{"round_trip_bytes", Bytes(10'000)}, {"overcommitment", std::int64_t{1}}});
  ReceiveState& first = host.receiving(50, HostId(1));
  ReceiveState& second = host.receiving(51, HostId(2));
  host.nic.release_sent();
  host.get_data(second, 1, 51);
  EXPECT_THAT(host.said(Kind::grant), IsEmpty()) << "49 packets are missing of each, and the first is older";
  host.get_data(second, 2, 51);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{1, 0, 13, 0})) << "[HOMA-RCV-1]";
  host.get_data(first, 1, 50);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 12, 0})) << "48 packets are missing of each";
}

TEST(HomaReceiver, GrantsToOneMessageOfEachSender) {
  TestNic host = with_two_active();
  ReceiveState& shortest = host.receiving(40, HostId(1));
  ReceiveState& same_host = host.receiving(60, HostId(1));
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 11, 0})) << "[HOMA-RCV-2]";
  host.get_data(shortest, 1, 40);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 12, 0})) << "[HOMA-PRIO-2] alone";
  host.receiving(80, HostId(2));
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{2, 0, 11, 0})) << "[HOMA-RCV-2]";
  host.get_data(shortest, 2, 40);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 13, 1})) << "[HOMA-PRIO-2] one of two";
  host.transport->on_close(host.nic, shortest);
  host.nic.close_receiver(shortest);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{1, 0, 11, 1})) << "[HOMA-RCV-2]";
  host.get_data(same_host, 1, 60);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{1, 0, 12, 1}));
}

TEST(HomaReceiver, RequestsWhatIsMissing) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30);
  host.get_data(receiver, 5, 30);
  host.nic.release_sent();
  host.pass(kSilence - Duration::picoseconds(1));
  EXPECT_THAT(host.said(Kind::resend), IsEmpty());
  host.pass(Duration::picoseconds(1));
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 1, 5, 0})) << "[HOMA-LOSS-1] the first gap";
  for (std::uint32_t i = 1; i < 5; ++i) host.get_data(receiver, i, 30);
  host.nic.release_sent();
  host.pass(kSilence);
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 6, 16, 0})) << "[HOMA-LOSS-1] up to what is granted";
  EXPECT_EQ(host.count("homa.resends"), 2);
}

TEST(HomaReceiver, RequestsWithThePriorityOfItsPlace) {
  TestNic host = with_two_active();
  host.receiving(40, HostId(1));
  host.receiving(60, HostId(2));
  host.receiving(80, HostId(3));
  host.nic.release_sent();
  host.pass(kSilence);
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 1, 11, 1}, Said{1, 1, 11, 0}, Said{2, 1, 10, 0}))
      << "[HOMA-PRIO-2] the third is not active";
}

TEST(HomaReceiver, WaitsFromTheLastPacketOn) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30);
  host.pass(kSilence / 2);
  host.get_data(receiver, 5, 30);
  host.pass(kSilence / 2);
  EXPECT_THAT(host.said(Kind::resend), IsEmpty());
  host.pass(kSilence / 2);
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 1, 5, 0})) << "[HOMA-LOSS-1]";
}

TEST(HomaReceiver, RequestsNothingThatItHasNotGranted) {
  TestNic host({{"round_trip_bytes", Bytes(10'000)}, {"overcommitment", std::int64_t{1}}});
  host.receiving(50, HostId(1));
  ReceiveState& waiting = host.receiving(90, HostId(2));
  for (std::uint32_t i = 1; i < 10; ++i) host.get_data(waiting, i, 90);
  host.nic.release_sent();
  host.pass(kSilence);
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 1, 11, 0})) << "[HOMA-LOSS-1]";
}

TEST(HomaReceiver, IsPatientIfItsSenderIsBusy) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30);
  host.nic.release_sent();
  host.pass(kSilence / 2);
  host.get(receiver.number, Kind::busy, 0, 0);
  host.pass(kSilence / 2);
  EXPECT_THAT(host.said(Kind::resend), IsEmpty()) << "[HOMA-LOSS-2]";
  host.pass(kSilence / 2);
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 1, 11, 0}));
  host.pass(kSilence / 2);
  host.get(receiver.number, Kind::busy, 0, 0, 0, HostId(5));
  host.get(QueuePairId(88), Kind::busy, 0, 0);
  host.pass(kSilence / 2);
  EXPECT_THAT(host.said(Kind::resend), ElementsAre(Said{0, 1, 11, 0})) << "neither was its sender";
}

TEST(HomaReceiver, AnswersAProbe) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30);
  host.nic.release_sent();
  host.get_data(receiver, 0, 30);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 11, 0})) << "[HOMA-LOSS-3]";
  EXPECT_EQ(receiver.duplicates, 1u);
}

TEST(HomaReceiver, LearnsThatTheSenderHasStopped) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30, HostId(1));
  host.receiving(50, HostId(2));
  for (std::uint32_t i = 1; i < 4; ++i) host.get_data(receiver, i, 30);
  host.nic.release_sent();
  host.get_data(receiver, 3, 5);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 5, 0})) << "[HOMA-END-1] one more is missing";
  host.pass(kSilence);
  host.nic.release_sent();
  const FrameId id = host.nic.frames().allocate();
  Frame& last = host.nic.frames()[id];
  last.kind = FrameKind::data;
  last.sequence = 4;
  last.payload_bytes = 1'000;
  InlineField<std::uint32_t>().write(last, 5);
  host.transport->on_data(host.nic, receiver, last);
  host.nic.frames().release(id);
  EXPECT_THAT(host.said(Kind::done), ElementsAre(Said{0, 0, 5, 7})) << "[HOMA-END-1]";
  EXPECT_EQ(host.nic.completed(receiver), 0u) << "the message itself is not complete";
}

TEST(HomaReceiver, GrantsToTheNextMessageWhenTheSenderHasStopped) {
  TestNic host({{"round_trip_bytes", Bytes(10'000)}, {"overcommitment", std::int64_t{1}}});
  ReceiveState& stopped = host.receiving(50, HostId(1));
  host.receiving(90, HostId(2));
  host.nic.release_sent();
  host.get_data(stopped, 3, 8);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{1, 0, 11, 0})) << "[HOMA-RCV-3] it needs no more grants";
}

TEST(HomaReceiver, GivesThePlaceOfADeadSenderToAnother) {
  TestNic host({{"round_trip_bytes", Bytes(10'000)}, {"overcommitment", std::int64_t{1}}});
  ReceiveState& dead = host.receiving(50, HostId(1));
  ReceiveState& alive = host.receiving(90, HostId(2));
  for (std::uint32_t i = 1; i < 10; ++i) host.get_data(alive, i, 90);
  host.nic.release_sent();
  for (int i = 0; i < 4; ++i) host.pass(kSilence);
  EXPECT_THAT(host.said(Kind::grant), IsEmpty());
  host.pass(kSilence);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{1, 0, 20, 0})) << "[HOMA-LOSS-5] after five requests";
  host.nic.release_sent();
  host.pass(kSilence);
  EXPECT_THAT(host.said(Kind::resend), testing::Contains(Said{0, 1, 11, 0})) << "it is asked all the same";
  host.nic.release_sent();
  host.get_data(dead, 1, 50);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 12, 0})) << "[HOMA-LOSS-5] it lives";
}

TEST(HomaReceiver, CompletesAMessageThatWasCutToWhatHasArrived) {
  TestNic host;
  ReceiveState& receiver = host.receiving(30);
  host.get_data(receiver, 1, 30);
  host.nic.release_sent();
  host.get_data(receiver, 1, 2);
  EXPECT_THAT(host.said(Kind::done), ElementsAre(Said{0, 0, 2, 7})) << "[HOMA-END-1]";
}

TEST(HomaReceiver, CompletesNoMessageWithoutItsLastPacket) {
  TestNic host;
  ReceiveState& receiver = host.open_receiver();
  host.get_data(receiver, 0, 1);
  EXPECT_EQ(host.nic.completed(receiver), 1u);
  host.get_data(receiver, 1, 30);
  host.get_data(receiver, 2, 30);
  host.get_data(receiver, 2, 3);
  EXPECT_EQ(host.nic.completed(receiver), 1u) << "[HOMA-END-1] the second one was cut";
}

TEST(HomaReceiver, IgnoresWhatCannotBe) {
  TestNic host;
  ReceiveState& receiver = host.open_receiver();
  host.get_data(receiver, 0, 0);
  host.get_data(receiver, 2, 30, true);
  host.get_data(receiver, 5'000, 30'000);
  EXPECT_EQ(host.nic.kept(receiver), 0) << "a message without packets, a trimmed one, one far ahead";
  host.get_data(receiver, 0, 30'000);
  EXPECT_EQ(host.nic.kept(receiver), 1'000);
}

TEST(HomaReceiver, GrantsNoMoreThanItCanKeep) {
  TestNic host({{"round_trip_bytes", Bytes(50'000'000)}});
  ReceiveState& receiver = host.open_receiver();
  for (std::uint32_t i = 1; i < 100; ++i) host.get_data(receiver, i, 9'000);
  EXPECT_THAT(host.said(Kind::grant), IsEmpty()) << "[HOMA-RCV-3] 2,048 packets beyond the missing one";
  host.get_data(receiver, 0, 9'000);
  EXPECT_THAT(host.said(Kind::grant), ElementsAre(Said{0, 0, 2'148, 0}));
}

}  // namespace
}  // namespace weir::homa::receiver_test
