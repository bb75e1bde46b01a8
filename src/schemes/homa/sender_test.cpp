// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "schemes/homa/test_nic.h"

namespace weir::homa::sender_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kSilence = Duration::picoseconds(2'000'000'000);  // resend_after

TEST(HomaSender, SendsARoundTripWithoutGrants) {
  TestNic host;
  host.sending(30);
  EXPECT_THAT(host.send_all(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) << "[HOMA-SND-1] 9,500 bytes";
  EXPECT_EQ(InlineField<std::uint32_t>().read(host.nic.sent().back().frame), 30u) << "[HOMA-MSG-1]";
  host.sending(4);
  EXPECT_THAT(host.send_all(), ElementsAre(0, 1, 2, 3));
}

TEST(HomaSender, SendsWhatIsGranted) {
  TestNic host;
  SendState& sender = host.sending(16);
  host.send_all();
  host.get_grant(sender, 13, 4);
  host.get_grant(sender, 11, 4);
  EXPECT_EQ(host.send(), (TestNic::Packet{0, 10, 4})) << "[HOMA-SND-2]";
  EXPECT_THAT(host.send_all(), ElementsAre(11, 12)) << "[HOMA-SND-2] an earlier grant that comes late";
  host.get_grant(sender, 11, 4);
  EXPECT_THAT(host.send_all(), IsEmpty()) << "an earlier grant";
  host.get_grant(sender, 14, 2);
  EXPECT_EQ(host.send(), (TestNic::Packet{0, 13, 2})) << "the latest priority";
  host.get_grant(sender, 99, 2);
  EXPECT_THAT(host.send_all(), ElementsAre(14, 15)) << "not beyond the message";
  EXPECT_FALSE(host.nic.offered(2));
}

TEST(HomaSender, MarksUnscheduledPacketsByTheSizeOfTheMessage) {
  TestNic host({{"round_trip_bytes", Bytes(10'000)},
                {"cutoffs", std::vector<Bytes>{Bytes(2'000), Bytes(5'000)}},
                {"scheduled_priorities", std::int64_t{5}}});
  host.sending(20);
  EXPECT_EQ(host.send(), (TestNic::Packet{0, 0, 5}));  // [HOMA-PRIO-1]
  host.sending(5);
  EXPECT_EQ(host.send(), (TestNic::Packet{1, 0, 6}));
  host.sending(2);
  EXPECT_EQ(host.send(), (TestNic::Packet{2, 0, 7}));
}

TEST(HomaSender, SendsTheMessageWithTheFewestUnsentPacketsFirst) {
  TestNic host;
  host.sending(9);
  for (std::uint32_t i = 0; i < 6; ++i) host.send();
  host.sending(4);
  host.sending(2);
  EXPECT_EQ(host.send()->sender, 2u) << "[HOMA-SND-3]";
  EXPECT_EQ(host.send()->sender, 2u);
  EXPECT_EQ(host.send()->sender, 0u) << "[HOMA-SND-3] three are left of nine";
  EXPECT_EQ(host.send()->sender, 0u);
  EXPECT_EQ(host.send()->sender, 0u);
  EXPECT_EQ(host.send()->sender, 1u);
}

TEST(HomaSender, SendsTheMessageOfTheLowerNumberFirstIfTheyAreEqual) {
  TestNic host;
  SendState& first = host.open_sender(HostId(1));
  SendState& second = host.open_sender(HostId(1));
  host.post(second, 2);
  host.post(first, 2);
  EXPECT_EQ(host.send()->sender, first.number.value) << "[HOMA-SND-3]";
}

TEST(HomaSender, SendsAnotherMessageWhileTheShortestIsBlocked) {
  TestNic host({{"round_trip_bytes", Bytes(10'000)},
                {"cutoffs", std::vector<Bytes>{Bytes(3'000)}},
                {"scheduled_priorities", std::int64_t{6}}});
  host.sending(2);
  host.sending(5);
  host.sending(8);
  const GateOwner owner = host.nic.new_gate_owner();
  host.nic.set_priority_gate(7, owner, false);
  host.transport->on_gates(host.nic);
  EXPECT_EQ(host.send(), (TestNic::Packet{1, 0, 6}));
  host.nic.set_gate(*host.nic.sender(QueuePairId(1)), owner, false);
  host.transport->on_gates(host.nic);
  EXPECT_EQ(host.send(), (TestNic::Packet{2, 0, 6}));
  host.nic.set_gate(*host.nic.sender(QueuePairId(1)), owner, true);
  host.nic.set_priority_gate(7, owner, true);
  host.transport->on_gates(host.nic);
  EXPECT_EQ(host.send(), (TestNic::Packet{0, 0, 7}));
}

TEST(HomaSender, KeepsTheOrderWhenABlockedMessageIsOvertaken) {
  TestNic host;
  host.sending(5);
  host.sending(6);
  const GateOwner owner = host.nic.new_gate_owner();
  host.nic.set_gate(*host.nic.sender(QueuePairId(0)), owner, false);
  host.transport->on_gates(host.nic);
  EXPECT_EQ(host.send()->sender, 1u);
  EXPECT_EQ(host.send()->sender, 1u);
  host.nic.set_gate(*host.nic.sender(QueuePairId(0)), owner, true);
  host.transport->on_gates(host.nic);
  EXPECT_EQ(host.send()->sender, 1u) << "[HOMA-SND-3] four are left of six";
}

TEST(HomaSender, SendsTheMessagesOfAQueuePairOneAfterTheOther) {
  TestNic host;
  SendState& sender = host.sending(3);
  host.post(sender, 2);
  EXPECT_THAT(host.send_all(), ElementsAre(0, 1, 2));
  host.get_done(sender, 3);
  EXPECT_EQ(sender.unacknowledged, 3u) << "[HOMA-END-2]";
  EXPECT_THAT(host.send_all(), ElementsAre(3, 4)) << "[HOMA-SND-4]";
  EXPECT_EQ(InlineField<std::uint32_t>().read(host.nic.sent().back().frame), 5u);
  host.get_done(sender, 5);
  EXPECT_TRUE(sender.finished());
  EXPECT_EQ(host.nic.deadline(sender), Time::never());
  host.post(sender, 1);
  EXPECT_THAT(host.send_all(), ElementsAre(5)) << "[HOMA-SND-4]";
}

TEST(HomaSender, IgnoresAnEndThatCannotBe) {
  TestNic host;
  SendState& sender = host.sending(3);
  host.send();
  host.get_done(sender, 3);
  EXPECT_EQ(sender.unacknowledged, 0u) << "[HOMA-END-2] not all was sent";
  host.send_all();
  host.get_done(sender, 2);
  EXPECT_EQ(sender.unacknowledged, 0u) << "of another message";
  host.get(sender.number, Kind::done, 0, 3, 0, HostId(5));
  EXPECT_EQ(sender.unacknowledged, 0u) << "of another host";
  host.get(QueuePairId(77), Kind::done, 0, 3);
  host.get_done(sender, 3);
  EXPECT_TRUE(sender.finished());
  SendState& longer = host.sending(20);
  host.send_all();
  host.get_grant(longer, 13);
  host.get_done(longer, 20);
  EXPECT_THAT(host.send_all(), ElementsAre(10, 11, 12)) << "what was granted stays granted";
}

TEST(HomaSender, SendsAgainWhatIsMissing) {
  TestNic host;
  SendState& sender = host.sending(20);
  host.send_all();
  host.get(sender.number, Kind::resend, 3, 5, 4);
  EXPECT_EQ(host.send(), (TestNic::Packet{0, 3, 7})) << "[HOMA-LOSS-1] an unscheduled one";
  EXPECT_EQ(host.send()->sequence, 4u);
  EXPECT_THAT(host.send_all(), IsEmpty());
  EXPECT_THAT(host.said(Kind::busy), IsEmpty());
  host.get_grant(sender, 13, 4);
  host.send();
  host.get(sender.number, Kind::resend, 10, 14, 5);
  EXPECT_EQ(host.send(), (TestNic::Packet{0, 10, 5})) << "[HOMA-LOSS-1] before new packets";
  EXPECT_THAT(host.send_all(), ElementsAre(11, 12, 13)) << "[HOMA-LOSS-1] a lost grant is replaced";
}

TEST(HomaSender, SaysThatItIsBusyIfAShorterMessageGoesFirst) {
  TestNic host;
  SendState& longer = host.sending(20);
  host.send_all();
  host.sending(4);
  host.nic.release_sent();
  host.get(longer.number, Kind::resend, 3, 4);
  EXPECT_THAT(host.said(Kind::busy), ElementsAre(TestNic::Said{0, 0, 0, 7})) << "[HOMA-LOSS-2]";
  EXPECT_EQ(host.count("homa.busies"), 1);
  EXPECT_THAT(host.send_all(), ElementsAre(0, 1, 2, 3, 3)) << "[HOMA-LOSS-1] afterwards";
}

TEST(HomaSender, ProbesIfNobodyAnswers) {
  TestNic host;
  SendState& sender = host.sending(20);
  host.send_all();
  host.pass(kSilence);
  EXPECT_THAT(host.send_all(), ElementsAre(0)) << "[HOMA-LOSS-3]";
  EXPECT_EQ(host.count("homa.probes"), 1);
  host.pass(kSilence);
  EXPECT_THAT(host.send_all(), ElementsAre(0)) << "[HOMA-LOSS-3]";
  host.get_grant(sender, 10);
  host.pass(3 * kSilence);
  EXPECT_THAT(host.send_all(), IsEmpty()) << "[HOMA-LOSS-3] the receiver knows of it";
  host.get_grant(sender, 20);
  host.send_all();
  host.pass(kSilence - Duration::picoseconds(1));
  EXPECT_THAT(host.send_all(), IsEmpty());
  host.pass(Duration::picoseconds(1));
  EXPECT_THAT(host.send_all(), ElementsAre(0)) << "[HOMA-LOSS-3] the end may be lost";
  EXPECT_EQ(host.count("homa.probes"), 3);
}

TEST(HomaSender, TakesAGrantBeyondTheEndForTheWholeMessage) {
  TestNic host;
  SendState& sender = host.sending(12);
  host.send_all();
  host.get_grant(sender, 15);
  EXPECT_THAT(host.send_all(), ElementsAre(10, 11));
  host.pass(kSilence);
  EXPECT_THAT(host.send_all(), ElementsAre(0)) << "[HOMA-LOSS-3] the end may be lost";
}

TEST(HomaSender, ProbesForALaterMessageToo) {
  TestNic host;
  SendState& sender = host.sending(3);
  host.send_all();
  host.get_done(sender, 3);
  host.post(sender, 20);
  host.send_all();
  host.pass(kSilence);
  EXPECT_THAT(host.send_all(), ElementsAre(3)) << "[HOMA-LOSS-3]";
}

TEST(HomaSender, DoesNotProbeBeforeItHasSent) {
  TestNic host;
  SendState& sender = host.sending(3);
  const GateOwner owner = host.nic.new_gate_owner();
  host.nic.set_gate(sender, owner, false);
  host.transport->on_gates(host.nic);
  host.pass(2 * kSilence);
  EXPECT_EQ(host.count("homa.probes"), 0);
}

TEST(HomaSender, TellsThatItsApplicationHasStopped) {
  TestNic host;
  SendState& sender = host.sending(20);
  for (int i = 0; i < 4; ++i) host.send();
  sender.end = 4;
  host.transport->on_stop(host.nic, sender);
  EXPECT_THAT(host.send_all(), ElementsAre(3)) << "[HOMA-END-1]";
  EXPECT_EQ(InlineField<std::uint32_t>().read(host.nic.sent().back().frame), 4u) << "[HOMA-END-1]";
  host.get_done(sender, 4);
  EXPECT_TRUE(sender.finished());
}

TEST(HomaSender, HasNothingToTellIfNothingWasSent) {
  TestNic host;
  SendState& sender = host.sending(20);
  sender.end = 0;
  host.transport->on_stop(host.nic, sender);
  EXPECT_THAT(host.send_all(), IsEmpty());
  host.pass(3 * kSilence);
  EXPECT_THAT(host.send_all(), IsEmpty());
}

TEST(HomaSender, ForgetsAClosedQueuePair) {
  TestNic host;
  SendState& sender = host.sending(5);
  host.sending(7);
  host.transport->on_close(host.nic, sender);
  host.nic.close_sender(sender);
  EXPECT_EQ(host.send()->sender, 1u);
}

}  // namespace
}  // namespace weir::homa::sender_test
