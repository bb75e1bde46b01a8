// SPDX-License-Identifier: Apache-2.0
// Floodgate's recovery of windows from lost packets, credits and SYNs, and from links that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/floodgate/test_network.h"

namespace weir::floodgate::recovery_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

const Values kOff = {{"recovery", false}};

// [FLOODGATE-R-1]
TEST(FloodgateRecovery, NumbersPacketsOfEachPortAndDestination) {
  const auto node = tor(10);
  for (const std::size_t to : {40u, 41u, 40u, 40u}) node->receive(0, 2, to);
  node->receive(0, 3, 40);
  node->drain(2);
  node->drain(3);
  std::vector<std::uint32_t> psns;
  for (const OnWire& on : node->wires[2]) {
    EXPECT_TRUE(is_charged(on.frame.tag_value));
    psns.push_back(psn_in(on.frame.tag_value));
  }
  EXPECT_THAT(psns, ElementsAre(1, 1, 2, 3));
  EXPECT_EQ(psn_in(node->wires[3].front().frame.tag_value), 1u);
  // What leaves for a host carries none, whatever its neighbour wrote.
  node->receive(2, 0, 0, field_of(7));
  node->drain(0);
  EXPECT_EQ(node->wires[0].back().frame.tag_value, 0u);
}

TEST(FloodgateRecovery, CountsBytesWhereWindowsDo) {
  const auto node = tor(10, {{"unit", std::string("bytes")}});
  node->receive(0, 2, 40);
  node->receive(0, 2, 40, 0, 500);
  node->drain(2);
  EXPECT_EQ(psn_in(node->wires[2].back().frame.tag_value), 1'066u + 566u);
}

// [FLOODGATE-R-2] Upstream: one credit of three is lost; the next makes up for it.
TEST(FloodgateRecovery, MakesUpForALostCredit) {
  for (const bool recovery : {true, false}) {
    const auto node = tor(6, {{"recovery", recovery}});
    for (int i = 0; i < 6; ++i) node->receive(0, 2, 40);
    node->drain(2);
    node->hear(2, Say::credit, {40, 2, 2});
    node->hear(2, Say::credit, {40, 2, 6});  // that of two more was lost
    EXPECT_EQ(node->policy.windows().charged(40), recovery ? 0u : 2u);
    EXPECT_EQ(node->statistic("floodgate.recovered"), recovery ? 2 : 0);
  }
}

// [FLOODGATE-R-2] Downstream: what was lost on the link lies behind the PSN of the last packet credited.
TEST(FloodgateRecovery, CreditsWhatWasLostOnTheLink) {
  const auto node = tor(10);
  for (const std::uint32_t psn : {1u, 2u, 5u}) node->receive(2, 0, 0, field_of(psn));
  node->drain(0);
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 3, 5}));
}

// [FLOODGATE-R-2] The PSN is of the last packet credited: what is still here, and what is delayed, lies after it.
TEST(FloodgateRecovery, CreditsNothingThatIsHereOrDelayed) {
  const auto node = tor(10);
  for (std::uint32_t psn = 1; psn <= 5; ++psn) node->receive(2, 0, 0, field_of(psn));
  node->transmit(0);
  node->transmit(0);
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 2, 2}));
  const auto delaying = middle(2, {{"credit_threshold", Bytes(1'066)}});
  for (std::uint32_t psn = 1; psn <= 6; ++psn) delaying->receive(0, 2, 40, field_of(psn));
  delaying->drain(2);
  delaying->hear(0, Say::syn, {40, 0, 6});
  EXPECT_THAT(delaying->credits(0), ElementsAre(Credit{40, 0, 0}));
}

// [FLOODGATE-R-3]
TEST(FloodgateRecovery, CreditsWhatIsLostInTheSwitch) {
  for (const bool recovery : {true, false}) {
    const auto node = tor(10, {{"recovery", recovery}});
    for (std::uint32_t psn = 1; psn <= 3; ++psn) node->receive(2, 0, 0, field_of(psn));
    node->lose_last(node->fifo(0));
    Frame& refused = node->make(2, 0, 0, field_of(4));
    refused.charged_bytes = 0;
    node->policy.on_drop(node->context, QueueId::none(), refused, DropReason::buffer_full);
    node->drain(0);
    node->wait(us(10));
    const std::vector<Credit> credits = node->credits(2);
    ASSERT_THAT(credits, SizeIs(1));
    EXPECT_EQ(credits[0].units, 2u);
    if (recovery) {
      EXPECT_EQ(credits[0].psn, 4u);
    }
    EXPECT_EQ(node->policy.accounts().outstanding(PortId(2), 0), 0u);
  }
}

TEST(FloodgateRecovery, SaysSoThoughNothingElseIsOwed) {
  const auto node = tor(10);
  node->receive(2, 0, 0, field_of(1));
  node->lose_first(node->fifo(0));
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 0, 1}));
}

TEST(FloodgateRecovery, BelievesNoDamagedFrame) {
  const auto node = tor(10);
  Frame& frame = node->make(2, 0, 0, field_of(77));
  node->policy.on_drop(node->context, QueueId::none(), frame, DropReason::corrupt);
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), IsEmpty());
}

// Packets that wait in a VOQ get the window of those that are lost in the egress queue.
TEST(FloodgateRecovery, GivesTheWindowOfLostPacketsToThoseThatWait) {
  const auto node = tor(2);
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  node->lose_last(node->fifo(2));
  EXPECT_EQ(node->waiting(), 1u);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 3));
}

// [FLOODGATE-R-4] All credits are lost, or the last packets: the switch asks, and asks again when the SYN is lost.
TEST(FloodgateRecovery, AsksAfterATimeWithoutCredit) {
  const auto node = tor(3);
  node->wait(us(7));
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  node->drain(2);
  node->wires[2].clear();
  node->wait(us(999));
  EXPECT_THAT(node->said(2), IsEmpty());
  node->wait(us(2));
  EXPECT_THAT(node->said(2), ElementsAre(Pair(Say::syn, 40)));
  node->wait(us(1'000));
  EXPECT_THAT(node->said(2), ElementsAre(Pair(Say::syn, 40)));
  EXPECT_EQ(node->statistic("floodgate.syns"), 2);
  node->hear(2, Say::credit, {40, 0, 3});
  EXPECT_EQ(node->policy.windows().charged(40), 1u);  // the one that waited
  node->drain(2);
  node->hear(2, Say::credit, {40, 1, 4});
  node->wires[2].clear();
  node->wait(us(5'000));
  EXPECT_THAT(node->said(2), IsEmpty());
}

TEST(FloodgateRecovery, CountsTheTimeFromTheLastCredit) {
  const auto node = tor(10);
  node->receive(0, 2, 40);
  node->receive(0, 2, 40);
  node->receive(0, 2, 41);
  node->drain(2);
  node->wires[2].clear();
  node->wait(us(600));
  node->hear(2, Say::credit, {40, 1, 1});
  node->wait(us(600));
  EXPECT_THAT(node->said(2), ElementsAre(Pair(Say::syn, 41)));
  node->wait(us(500));
  EXPECT_THAT(node->said(2), ElementsAre(Pair(Say::syn, 40)));
}

TEST(FloodgateRecovery, IsOffOnRequest) {
  const auto node = tor(3, kOff);
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  node->drain(2);
  node->wires[2].clear();
  node->wait(us(10'000));
  EXPECT_THAT(node->said(2), IsEmpty());
  EXPECT_EQ(node->policy.windows().charged(40), 3u);  // for good
  node->hear(2, Say::syn, {40, 0, 1});
  EXPECT_THAT(node->said(2), IsEmpty());
  EXPECT_EQ(scheme.header_bytes(parameters_with({})).at_source, 4);
  EXPECT_EQ(scheme.header_bytes(parameters_with(kOff)).at_source, 0);
}

// [FLOODGATE-R-4] All that was sent before the SYN has come or never will: the last packets are credited by it.
TEST(FloodgateRecovery, AnswersWithThePsnOfTheSynLessWhatIsHere) {
  const auto node = tor(10);
  node->hear(2, Say::syn, {0, 0, 9});
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 0, 9}));
  for (std::uint32_t psn = 10; psn <= 12; ++psn) node->receive(2, 0, 0, field_of(psn));
  node->transmit(0);
  node->hear(2, Say::syn, {0, 0, 20});
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 1, 18}));
}

TEST(FloodgateRecovery, IgnoresCreditsForWhatWasNeverSent) {
  const auto node = tor(3);
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  node->drain(2);
  node->hear(2, Say::credit, {40, 3, 4});
  node->hear(2, Say::credit, {40, 3, 0x7000'0000});
  EXPECT_EQ(node->policy.windows().charged(40), 3u);
  EXPECT_EQ(node->statistic("floodgate.ignored"), 2);
  node->hear(2, Say::credit, {40, 3, 3});
  node->hear(2, Say::credit, {40, 3, 2});  // an old one
  EXPECT_EQ(node->policy.windows().charged(40), 1u);
}

// PSNs of 31 bits wrap.
TEST(FloodgateRecovery, CountsOnWhenPsnsWrap) {
  const auto node = tor(10, {{"unit", std::string("bytes")}});
  std::uint32_t psn = 0;
  node->receive(2, 0, 0, field_of(kSequenceMask - 5));
  node->receive(2, 0, 0, field_of((kSequenceMask - 5 + 1'066) & kSequenceMask));
  node->drain(0);
  node->wait(us(10));
  const std::vector<Credit> credits = node->credits(2);
  ASSERT_THAT(credits, SizeIs(1));
  EXPECT_EQ(credits[0].psn, 1'060u);
  // A sender whose window has a length of 2^30 at most sees no PSN twice.
  for (int round = 0; round < 3; ++round) {
    node->receive(0, 2, 40);
    node->drain(2);
    psn = psn_in(node->wires[2].back().frame.tag_value);
    node->hear(2, Say::credit, {40, 1'066, psn});
  }
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
}

// [FLOODGATE-R-5] Nothing is on its way over a link that has failed; what waited for it is dropped.
TEST(FloodgateRecovery, ForgetsALinkThatFails) {
  for (const Values& values : {Values{}, Values{{"pipeline", std::string("port")}}, kOff}) {
    const auto node = tor(3, values);
    for (int i = 0; i < 6; ++i) node->receive(0, 2, 40);
    for (int i = 0; i < 2; ++i) node->receive(0, 3, 41);
    node->drain(2);
    node->link(2, false);
    EXPECT_EQ(node->policy.windows().charged(40), 0u);
    EXPECT_EQ(node->waiting(), 0u);
    EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
    EXPECT_EQ(node->policy.windows().charged(41), 2u);
    node->link(2, true);
    for (int i = 0; i < 3; ++i) node->receive(0, 2, 40);
    EXPECT_EQ(node->waiting(), 0u);
    node->drain(2);
    node->wires[2].clear();
    node->hear(2, Say::credit, {40, 3, 6});
    EXPECT_EQ(node->policy.windows().charged(40), 0u);
  }
}

/// What waits for other destinations by the port that failed is behind what waits for the other port.
TEST(FloodgateRecovery, LetsGoWhatSharesAVoqWithADeadLink) {
  const auto node = tor(1, {{"queues", std::int64_t{1}}});
  for (int i = 0; i < 2; ++i) node->receive(0, 2, 40);
  for (int i = 0; i < 2; ++i) node->receive(0, 3, 41);
  EXPECT_EQ(node->waiting(), 2u);
  node->drain(3);
  node->hear(3, Say::credit, {41, 1, 1});
  EXPECT_EQ(node->waiting(), 2u);
  node->link(2, false);
  EXPECT_EQ(node->waiting(), 0u);
  EXPECT_THAT(node->drain(3), ElementsAre(4));
}

TEST(FloodgateRecovery, OwesNothingOverALinkThatHasFailed) {
  for (const Values& values : {Values{}, kOff}) {
    const auto node = tor(10, values);
    for (std::uint32_t psn = 1; psn <= 3; ++psn) node->receive(2, 0, 0, field_of(psn));
    node->transmit(0);
    node->link(2, false);
    node->link(2, true);
    node->receive(2, 0, 0, field_of(1));
    node->drain(0);
    node->wait(us(20));
    EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 1, 1}));
    EXPECT_EQ(node->policy.accounts().outstanding(PortId(2), 0), 0u);
  }
}

}  // namespace
}  // namespace weir::floodgate::recovery_test
