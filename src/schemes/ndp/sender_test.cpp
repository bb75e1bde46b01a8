// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "policy/testing/fake_nic.h"
#include "schemes/ndp/message.h"
#include "schemes/ndp/ndp.h"
#include "schemes/ndp/ndp_transport.h"

namespace weir::ndp::sender_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Priority kPriority = 2;
constexpr Duration kTimeout = Duration::picoseconds(1'000'000'000);

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> out;
  for (; first != end; ++first) out.push_back(first);
  return out;
}

/// A NIC whose flows have an initial window of four packets.
struct Setting {
  Setting() {
    Parameters parameters(scheme.parameters);
    parameters.set("initial_window", Bytes(4'000));
    parameters.set("timeout", kTimeout);
    parameters.set("paths", std::int64_t{5});
    policy = std::make_unique<NdpTransport>(Settings(parameters));
    nic.set_transport(*policy);
    static_cast<NicPolicy&>(*policy).attach(nic);
  }
  SendState& open(std::int64_t packets) {
    SendState& sender = nic.open_sender(HostId(1), kPriority);
    policy->open(nic, sender);
    post(sender, packets);
    return sender;
  }
  void post(SendState& sender, std::int64_t packets) {
    policy->on_post(nic, sender, nic.post(sender, packets * 1'000));
  }
  /// Sends all packets that may be sent; their numbers.
  std::vector<std::uint32_t> send() {
    std::vector<std::uint32_t> out;
    while (nic.offered(kPriority)) {
      const std::optional<ChosenPacket> chosen = nic.send_chosen(kPriority);
      if (!chosen) break;
      out.push_back(chosen->sequence);
    }
    return out;
  }
  void hear(const SendState& sender, Message message, std::uint32_t number, HostId from = HostId(1)) {
    Frame frame{};
    frame.kind = FrameKind::host_control;
    frame.protocol = kProtocol;
    frame.source = from;
    frame.destination = nic.host();
    frame.queue_pair = sender.number;
    write(frame, message, number);
    EXPECT_TRUE(policy->on_feedback(nic, frame));
  }
  void bounce(SendState& sender, std::uint32_t sequence) {
    Frame frame{};
    frame.kind = FrameKind::data;
    frame.set_returned();
    frame.sequence = sequence;
    policy->on_returned(nic, sender, frame);
  }
  void wait(Duration time) { nic.run_until(nic.now() + time); }

  FakeNic nic;
  std::unique_ptr<NdpTransport> policy;
};

TEST(NdpSender, SendsTheInitialWindowAndThenWaits) {
  Setting setting;
  setting.open(10);
  EXPECT_EQ(setting.send(), range(0, 4));  // [NDP-SND-1]
  EXPECT_FALSE(setting.nic.offered(kPriority));
}

TEST(NdpSender, AnInitialWindowIsOnePacketAtLeast) {
  Setting setting;
  setting.nic.set_maximum_payload(9'000);
  static_cast<NicPolicy&>(*setting.policy).attach(setting.nic);
  setting.open(100);
  EXPECT_EQ(setting.send(), range(0, 1));  // [NDP-SND-1]
}

TEST(NdpSender, AnInitialWindowIsRoundedUpToWholePackets) {
  Setting setting;
  setting.nic.set_maximum_payload(3'000);
  static_cast<NicPolicy&>(*setting.policy).attach(setting.nic);
  setting.open(100);
  EXPECT_EQ(setting.send(), range(0, 2));  // [NDP-SND-1]
}

TEST(NdpSender, HasNoMorePacketsInFlightThanItCanTrack) {
  Setting setting;
  const SendState& sender = setting.open(9'000);
  setting.send();
  setting.hear(sender, Message::pull, PacketBitmap::kSpan);
  for (std::uint32_t packet = 4; packet < PacketBitmap::kSpan; ++packet) {
    ASSERT_TRUE(setting.nic.send_chosen(kPriority).has_value()) << packet;
    setting.nic.release_sent();
  }
  EXPECT_FALSE(setting.nic.offered(kPriority));
}

TEST(NdpSender, EndsWithItsApplication) {
  Setting setting;
  SendState& sender = setting.open(10);
  setting.nic.send_chosen(kPriority);
  sender.end = 1;  // what was sent
  setting.policy->on_stop(setting.nic, sender);
  EXPECT_FALSE(setting.nic.offered(kPriority));
}

TEST(NdpSender, APullReleasesOnePacket) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::ack, 0);
  EXPECT_THAT(setting.send(), IsEmpty()) << "an acknowledgement does not";
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(4));  // [NDP-SND-2]
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), IsEmpty()) << "it is known";
  setting.hear(sender, Message::pull, 2);
  setting.hear(sender, Message::pull, 3);
  EXPECT_THAT(setting.send(), ElementsAre(5, 6));
}

TEST(NdpSender, ALaterPullReplacesALostOne) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::pull, 3);
  EXPECT_EQ(setting.send(), range(4, 7));  // [NDP-SND-2]
  setting.hear(sender, Message::pull, 2);
  EXPECT_THAT(setting.send(), IsEmpty());
}

TEST(NdpSender, IgnoresDamagedNumbers) {
  Setting setting;
  SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::pull, 1u << 31);
  setting.hear(sender, Message::ack, 4);
  setting.hear(sender, Message::nack, 1u << 30);
  setting.hear(sender, static_cast<Message>(77), 0);
  setting.hear(sender, Message::pull, 1, HostId(9));
  setting.bounce(sender, 1u << 29);
  EXPECT_THAT(setting.send(), IsEmpty());
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(4));
  Frame other{};
  other.protocol = kProtocol + 1;
  EXPECT_FALSE(setting.policy->on_feedback(setting.nic, other));
}

TEST(NdpSender, ANackedPacketWaitsForAPullAndThenGoesFirst) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::nack, 2);
  setting.hear(sender, Message::nack, 2);
  EXPECT_THAT(setting.send(), IsEmpty());
  setting.hear(sender, Message::pull, 2);
  EXPECT_THAT(setting.send(), ElementsAre(2, 4));  // [NDP-SND-3]
  EXPECT_TRUE(setting.nic.sent()[4].frame.retransmitted());
}

TEST(NdpSender, APullIsUsedByARetransmissionDuringTheInitialWindow) {
  Setting setting;
  const SendState& sender = setting.open(10);
  for (int i = 0; i < 2; ++i) setting.nic.send_chosen(kPriority);
  setting.hear(sender, Message::nack, 0);
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(0, 2, 3));  // [NDP-SND-3]
}

TEST(NdpSender, AcknowledgesInAnyOrder) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : {2u, 1u, 3u}) setting.hear(sender, Message::ack, packet);
  EXPECT_EQ(sender.unacknowledged, 0u);
  setting.hear(sender, Message::ack, 0);  // [NDP-SND-4]
  EXPECT_TRUE(sender.finished());
  EXPECT_EQ(setting.nic.deadline(sender), Time::never());
}

TEST(NdpSender, AnAcknowledgementAfterANackPreventsTheRetransmission) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::nack, 1);
  setting.hear(sender, Message::ack, 1);
  setting.hear(sender, Message::nack, 1);
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(4));  // [NDP-SND-4]
}

TEST(NdpSender, APullThatArrivesBeforeItsNackReleasesThePacket) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), IsEmpty());
  setting.hear(sender, Message::nack, 1);
  EXPECT_THAT(setting.send(), ElementsAre(1)) << "its pull has arrived";  // [NDP-SND-5]
  setting.hear(sender, Message::nack, 2);
  EXPECT_THAT(setting.send(), IsEmpty()) << "its own pull follows";
  setting.hear(sender, Message::pull, 2);
  EXPECT_THAT(setting.send(), ElementsAre(2));
}

TEST(NdpSender, APullThatArrivesBeforeItsAcknowledgementIsUsedUpByIt) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  setting.hear(sender, Message::pull, 2);
  setting.hear(sender, Message::ack, 3);
  setting.hear(sender, Message::ack, 0);
  setting.hear(sender, Message::nack, 1);  // [NDP-SND-5]
  EXPECT_THAT(setting.send(), IsEmpty()) << "the pulls were those of the acknowledgements";
  setting.hear(sender, Message::pull, 3);
  EXPECT_THAT(setting.send(), ElementsAre(1));
}

TEST(NdpSender, AnEarlyPullThatReleasedANewPacketReleasesNoOther) {
  Setting setting;
  SendState& sender = setting.open(5);
  setting.send();
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(4));
  setting.hear(sender, Message::nack, 1);  // [NDP-SND-5]
  EXPECT_THAT(setting.send(), IsEmpty()) << "the pull of packet 4 will release it";
  setting.hear(sender, Message::pull, 2);
  EXPECT_THAT(setting.send(), ElementsAre(1));
}

TEST(NdpSender, ThePullsOfAcknowledgementsAreNotKeptWithoutAPacket) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : {0u, 1u}) setting.hear(sender, Message::ack, packet);
  setting.hear(sender, Message::pull, 2);  // [NDP-SND-5]
  setting.hear(sender, Message::nack, 2);
  EXPECT_THAT(setting.send(), IsEmpty()) << "its own pull follows";
  setting.hear(sender, Message::pull, 3);
  EXPECT_THAT(setting.send(), ElementsAre(2));
}

TEST(NdpSender, NoMorePullsAreEarlyThanPacketsAreUnanswered) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : {0u, 1u, 2u}) setting.hear(sender, Message::ack, packet);
  setting.hear(sender, Message::pull, 9);  // two acknowledgements and a duplicate of one were lost, for example
  setting.hear(sender, Message::nack, 3);
  EXPECT_THAT(setting.send(), ElementsAre(3));
  setting.hear(sender, Message::nack, 3);
  EXPECT_THAT(setting.send(), IsEmpty()) << "its own pull follows";  // [NDP-SND-5]
}

TEST(NdpSender, FlowsTakeTurns) {
  Setting setting;
  const SendState& first = setting.open(10);
  const SendState& second = setting.open(2);
  const SendState& third = setting.open(10);
  std::vector<QueuePairId> turns;
  for (int i = 0; i < 7; ++i) turns.push_back(setting.nic.send_chosen(kPriority)->sender->number);
  EXPECT_THAT(turns, ElementsAre(first.number, second.number, third.number, first.number, second.number, third.number,
                                 first.number));  // [NDP-SND-6]
}

TEST(NdpSender, ABlockedFlowLosesItsTurnUntilAGateOpens) {
  Setting setting;
  SendState& first = setting.open(2);
  SendState& second = setting.open(2);
  const GateOwner owner = setting.nic.new_gate_owner();
  setting.nic.set_gate(first, owner, false);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(setting.nic.send_chosen(kPriority)->sender, &second);
  EXPECT_EQ(setting.nic.send_chosen(kPriority), std::nullopt);
  setting.nic.set_gate(first, owner, true);
  setting.policy->on_gates(setting.nic);
  EXPECT_TRUE(setting.nic.offered(kPriority));
  EXPECT_EQ(setting.nic.send_chosen(kPriority)->sender, &first);  // [NDP-SND-6]
}

TEST(NdpSender, AClosedFlowLeavesTheTurns) {
  Setting setting;
  SendState& first = setting.open(2);
  const SendState& second = setting.open(2);
  SendState& third = setting.open(2);
  for (SendState* closed : {&first, &third}) {
    setting.policy->on_close(setting.nic, *closed);
    setting.nic.close_sender(*closed);
  }
  EXPECT_EQ(setting.nic.send_chosen(kPriority)->sender, &second);
  EXPECT_EQ(setting.nic.send_chosen(kPriority)->sender, &second);
  EXPECT_FALSE(setting.nic.offered(kPriority));
}

TEST(NdpSender, EachPacketTakesTheNextPath) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::pull, 1);
  setting.send();
  std::set<std::uint16_t> paths;
  for (const FakeNic::Sent& sent : setting.nic.sent()) paths.insert(sent.frame.entropy);
  EXPECT_EQ(paths, (std::set<std::uint16_t>{0, 1, 2, 3, 4}));  // [NDP-PATH-1]
}

// ---- returned headers ----

TEST(NdpSender, AReturnedPacketWaitsIfAPullWillCome) {
  Setting setting;
  SendState& sender = setting.open(10);
  setting.send();
  setting.bounce(sender, 0);
  EXPECT_THAT(setting.send(), IsEmpty()) << "three packets are without an answer";  // [NDP-RTS-1]
  for (const std::uint32_t packet : {1u, 2u}) setting.hear(sender, Message::nack, packet);
  setting.bounce(sender, 3);
  EXPECT_THAT(setting.send(), IsEmpty()) << "two pulls are due";
  setting.hear(sender, Message::pull, 2);
  EXPECT_THAT(setting.send(), ElementsAre(0, 1));
}

TEST(NdpSender, TheLastReturnedPacketIsSentAtOnceIfNoPullComes) {
  Setting setting;
  SendState& sender = setting.open(10);
  setting.send();
  for (const std::uint32_t packet : {3u, 1u, 0u}) setting.bounce(sender, packet);
  EXPECT_THAT(setting.send(), IsEmpty());
  setting.bounce(sender, 2);
  EXPECT_THAT(setting.send(), ElementsAre(0)) << "the receiver does not know of it";  // [NDP-RTS-1]
}

TEST(NdpSender, APacketReturnedFromABadPathIsSentAtOnce) {
  Setting setting;
  SendState& sender = setting.open(100);
  setting.send();
  for (const std::uint32_t packet : {0u, 1u}) setting.hear(sender, Message::ack, packet);
  setting.bounce(sender, 2);
  EXPECT_THAT(setting.send(), ElementsAre(2)) << "two of three answers are acknowledgements";  // [NDP-RTS-2]
}

TEST(NdpSender, AReturnedPacketThatWasAcknowledgedFreesNoOther) {
  Setting setting;
  SendState& sender = setting.open(100);
  setting.send();
  for (const std::uint32_t packet : {0u, 1u}) setting.hear(sender, Message::ack, packet);
  setting.bounce(sender, 2);
  setting.hear(sender, Message::ack, 2);
  EXPECT_THAT(setting.send(), IsEmpty());
}

TEST(NdpSender, AReturnedPacketDoesNotWaitForThePullsOfAnother) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : {0u, 1u}) setting.hear(sender, Message::ack, packet);
  setting.bounce(sender, 2);
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(2)) << "without the pull";
  setting.hear(sender, Message::pull, 2);  // there is no packet for these two pulls
  setting.hear(sender, Message::nack, 3);
  EXPECT_THAT(setting.send(), IsEmpty()) << "its own pull follows";
}

TEST(NdpSender, AReturnedPacketUsesAPullThatHasArrived) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : range(0, 3)) setting.hear(sender, Message::nack, packet);
  setting.hear(sender, Message::pull, 3);
  setting.bounce(sender, 3);
  EXPECT_EQ(setting.send(), range(0, 3)) << "these pull the fourth";  // [NDP-RTS-1]
}

TEST(NdpSender, AReturnedPacketDoesNotWaitForAPullThatArrivedBeforeItsAnswer) {
  Setting setting;
  SendState& sender = setting.open(9);
  setting.send();
  setting.hear(sender, Message::pull, 4);
  EXPECT_EQ(setting.send(), range(4, 8));
  for (const std::uint32_t packet : range(0, 4)) setting.hear(sender, Message::nack, packet);
  for (const std::uint32_t packet : range(4, 7)) setting.bounce(sender, packet);
  EXPECT_THAT(setting.send(), IsEmpty()) << "packet 7 is without an answer";
  setting.bounce(sender, 7);
  EXPECT_THAT(setting.send(), ElementsAre(0)) << "no pull can come";  // [NDP-RTS-1]
}

TEST(NdpSender, AQuarterOfTwelveAnswersIsNoBadPath) {
  Setting setting;
  SendState& sender = setting.open(100);
  setting.send();
  setting.hear(sender, Message::pull, 20);
  setting.send();
  for (std::uint32_t packet = 0; packet < 4; ++packet) setting.hear(sender, Message::ack, packet);
  for (std::uint32_t packet = 4; packet < 12; ++packet) setting.hear(sender, Message::nack, packet);
  setting.bounce(sender, 12);
  EXPECT_THAT(setting.send(), IsEmpty()) << "three of twelve; the first acknowledgement has passed";  // [NDP-RTS-2]
}

TEST(NdpSender, OnlyTheLastTwelveAnswersCount) {
  Setting setting;
  SendState& sender = setting.open(100);
  setting.send();
  setting.hear(sender, Message::pull, 20);
  setting.send();
  for (std::uint32_t packet = 0; packet < 6; ++packet) setting.hear(sender, Message::ack, packet);
  for (std::uint32_t packet = 6; packet < 15; ++packet) setting.hear(sender, Message::nack, packet);
  setting.bounce(sender, 15);
  EXPECT_THAT(setting.send(), IsEmpty()) << "two acknowledgements in twelve";  // [NDP-RTS-2]
  setting.hear(sender, Message::ack, 16);
  setting.bounce(sender, 17);
  EXPECT_THAT(setting.send(), IsEmpty()) << "one in twelve: others have passed";
}

// ---- the timer ----

TEST(NdpSender, APacketWithoutAnAnswerIsSentAgainWithoutAPull) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  for (const std::uint32_t packet : {0u, 3u}) setting.hear(sender, Message::ack, packet);
  setting.hear(sender, Message::nack, 1);
  setting.wait(kTimeout);
  EXPECT_THAT(setting.send(), IsEmpty()) << "it has just been noticed";
  setting.wait(kTimeout);
  EXPECT_THAT(setting.send(), ElementsAre(1)) << "one permit, for the first of those to be sent again";  // [NDP-TMO-1]
  EXPECT_EQ(setting.policy->statistic(2, 0).value, 1);
}

TEST(NdpSender, APacketSentAgainAfterANackHasItsTimeAgain) {
  Setting setting;
  const SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : {0u, 2u, 3u}) setting.hear(sender, Message::ack, packet);
  setting.wait(kTimeout);
  setting.hear(sender, Message::nack, 1);
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(1));
  setting.wait(kTimeout);
  EXPECT_THAT(setting.send(), IsEmpty()) << "it has just been noticed";  // [NDP-TMO-1]
}

TEST(NdpSender, APacketSentAgainHasItsTimeAgain) {
  Setting setting;
  SendState& sender = setting.open(1);
  setting.send();
  for (int i = 0; i < 3; ++i) {
    setting.wait(kTimeout);
    EXPECT_THAT(setting.send(), IsEmpty());
    setting.wait(kTimeout);
    EXPECT_THAT(setting.send(), ElementsAre(0)) << i;  // [NDP-TMO-1]
  }
  setting.hear(sender, Message::ack, 0);
  EXPECT_TRUE(sender.finished());
  EXPECT_EQ(setting.nic.deadline(sender), Time::never());
}

TEST(NdpSender, ALostPullIsReplacedIfNothingElseIsHeard) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  for (const std::uint32_t packet : range(0, 4)) setting.hear(sender, Message::ack, packet);
  setting.wait(kTimeout);
  EXPECT_THAT(setting.send(), IsEmpty()) << "something was heard in this time";
  setting.wait(kTimeout);
  EXPECT_THAT(setting.send(), ElementsAre(4));  // [NDP-TMO-2]
  EXPECT_EQ(setting.policy->statistic(2, 0).value, 0);
  EXPECT_EQ(setting.policy->statistic(3, 0).value, 1);
}

TEST(NdpSender, AReturnedPacketDoesNotWaitForPullsThatCountAsLost) {
  Setting setting;
  SendState& sender = setting.open(6);
  setting.send();
  for (const std::uint32_t packet : range(0, 4)) setting.hear(sender, Message::nack, packet);
  for (int i = 0; i < 2; ++i) setting.wait(kTimeout);
  EXPECT_THAT(setting.send(), ElementsAre(0));  // [NDP-TMO-2]
  setting.bounce(sender, 0);
  EXPECT_THAT(setting.send(), ElementsAre(0)) << "no pull can come";  // [NDP-RTS-1]
}

// Numbers wrap: an end that stayed 2^31 packets behind would lie ahead again.
TEST(NdpSender, TheEndOfTheInitialWindowDoesNotStayBehind) {
  Setting setting;
  const SendState& sender = setting.open(10);
  setting.send();
  setting.hear(sender, Message::pull, 2);
  EXPECT_EQ(setting.send(), range(4, 6));
  for (const std::uint32_t packet : range(0, 6)) setting.hear(sender, Message::ack, packet);
  EXPECT_EQ(sender.congestion.as<Sending>().blind_end, 6u);
}

// ---- transfers of one queue pair ----

TEST(NdpSender, ThePacketAfterWhichNoneFollowsSaysSo) {
  Setting setting;
  const SendState& sender = setting.open(3);
  setting.send();
  std::vector<bool> last;
  for (const FakeNic::Sent& sent : setting.nic.sent()) last.push_back(sent.frame.wants_ack());
  EXPECT_THAT(last, ElementsAre(false, false, true));  // [NDP-END-1]
  EXPECT_TRUE(setting.nic.sent()[2].frame.ends_message());
  EXPECT_FALSE(sender.finished());
}

TEST(NdpSender, ATransferAfterACompleteOneHasAnInitialWindow) {
  Setting setting;
  SendState& sender = setting.open(3);
  setting.send();
  for (const std::uint32_t packet : range(0, 3)) setting.hear(sender, Message::ack, packet);
  setting.hear(sender, Message::pull, 2);
  setting.post(sender, 10);
  EXPECT_EQ(setting.send(), range(3, 7)) << "not more: the pulls were for the first transfer";  // [NDP-END-2]
}

TEST(NdpSender, AMessagePostedDuringATransferContinuesIt) {
  Setting setting;
  SendState& sender = setting.open(4);
  EXPECT_EQ(setting.send(), range(0, 4));
  setting.post(sender, 10);
  EXPECT_THAT(setting.send(), IsEmpty());
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(4));
  // The receiver has all packets of the first message, and may have dropped its other pulls.
  for (const std::uint32_t packet : range(0, 4)) setting.hear(sender, Message::ack, packet);
  EXPECT_EQ(setting.send(), range(5, 8));  // [NDP-END-2]
}

TEST(NdpSender, EachPacketAfterWhichNoneFollowedEndsATransfer) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  setting.post(sender, 1);
  setting.hear(sender, Message::pull, 1);
  EXPECT_THAT(setting.send(), ElementsAre(4));
  setting.post(sender, 10);
  for (const std::uint32_t packet : range(0, 4)) setting.hear(sender, Message::ack, packet);
  EXPECT_EQ(setting.send(), range(5, 8)) << "the first ended with packet 3";  // [NDP-END-2]
  setting.hear(sender, Message::ack, 4);
  EXPECT_THAT(setting.send(), ElementsAre(8)) << "the second with packet 4";
}

TEST(NdpSender, ATransferUsesNoPullsOfACompleteOne) {
  Setting setting;
  SendState& sender = setting.open(3);
  setting.send();
  setting.hear(sender, Message::nack, 0);
  setting.hear(sender, Message::pull, 1);
  for (const std::uint32_t packet : range(0, 3)) setting.hear(sender, Message::ack, packet);
  setting.post(sender, 10);
  EXPECT_EQ(setting.send(), range(3, 7));  // [NDP-END-2]
}

TEST(NdpSender, ATransferDoesNotWaitForPullsOfACompleteOne) {
  Setting setting;
  SendState& sender = setting.open(4);
  setting.send();
  for (const std::uint32_t packet : range(0, 4)) setting.hear(sender, Message::ack, packet);
  setting.post(sender, 4);
  // The first eight go out again at once, because of the acknowledgements.
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(setting.send(), range(4, 8));
    for (const std::uint32_t packet : range(4, 8)) setting.bounce(sender, packet);
  }
  EXPECT_THAT(setting.send(), ElementsAre(4)) << "no pull can come";  // [NDP-RTS-1]
}

}  // namespace
}  // namespace weir::ndp::sender_test
