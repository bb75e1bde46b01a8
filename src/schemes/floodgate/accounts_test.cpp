// SPDX-License-Identifier: Apache-2.0
// Credits of Floodgate: when they are earned, when they are sent, and what a frame of them holds.
#include "schemes/floodgate/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/floodgate/test_network.h"

namespace weir::floodgate::accounts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const Values kList = {{"credit_frames", std::string("list")}};
const Values kIdeal = {{"variant", std::string("ideal")}};

/// Packets 1..count of a neighbour, for host `to`.
void receive(Node& node, std::size_t in, std::size_t out, std::size_t to, std::uint32_t count, std::uint32_t from = 0) {
  for (std::uint32_t i = 1; i <= count; ++i) node.receive(in, out, to, field_of(from + i));
}

// [FLOODGATE-C-1] At the last hop and elsewhere.
TEST(FloodgateCredits, AreEarnedWhenPacketsLeaveTheSwitch) {
  const auto node = tor(10);
  receive(*node, 2, 0, 0, 3);
  node->wait(us(30));
  EXPECT_THAT(node->credits(2), IsEmpty());
  EXPECT_EQ(node->policy.accounts().outstanding(PortId(2), 0), 3u);
  node->transmit(0);
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 1, 1}));
  node->drain(0);
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 2, 3}));
  EXPECT_EQ(node->policy.accounts().outstanding(PortId(2), 0), 0u);
}

// [FLOODGATE-C-2] Of four packets two find a window.
TEST(FloodgateCredits, AreEarnedInTheEgressQueueOnRequest) {
  const auto node = middle(2, {{"credit_earned", std::string("voq")}});
  receive(*node, 0, 2, 40, 4);
  node->wait(us(10));
  EXPECT_THAT(node->credits(0), ElementsAre(Credit{40, 2, 2}));
  node->drain(2);
  node->hear(2, Say::credit, {40, 1, 1});
  node->wait(us(10));
  EXPECT_THAT(node->credits(0), ElementsAre(Credit{40, 1, 3}));
  // At the last hop there is no window: they leave first.
  const auto last = tor(2, {{"credit_earned", std::string("voq")}});
  receive(*last, 2, 0, 0, 2);
  last->wait(us(10));
  EXPECT_THAT(last->credits(2), IsEmpty());
}

// [FLOODGATE-C-3]
TEST(FloodgateCredits, LeaveAtTicksOfTheirIngress) {
  const auto node = tor(10);
  std::vector<std::int64_t> phases;
  for (int round = 0; round < 3; ++round) {
    receive(*node, 2, 0, 0, 2);
    node->drain(0);
    const Time before = node->context.now();
    while (node->credits(2).empty()) node->wait(Duration::picoseconds(10'000));
    EXPECT_LE(node->context.now() - before, us(10));
    phases.push_back(node->context.now().picoseconds() % us(10).picoseconds());
    node->wait(us(7));
  }
  EXPECT_EQ(phases[0], phases[1]);
  EXPECT_EQ(phases[0], phases[2]);
  // With nothing owed nothing is said, and no timer runs.
  node->wait(us(1'000));
  EXPECT_THAT(node->credits(2), IsEmpty());
  EXPECT_THAT(node->said(3), IsEmpty());
}

TEST(FloodgateCredits, AreOneFrameForEachDestination) {
  const auto node = tor(10);
  for (std::size_t i = 0; i < 5; ++i) node->receive(2, i % 2, i % 2, field_of(static_cast<std::uint32_t>(i / 2 + 1)));
  node->drain(0);
  node->drain(1);
  node->wait(us(10));
  ASSERT_THAT(node->wires[2], SizeIs(2));
  EXPECT_EQ(node->wires[2][0].frame.frame_bytes, 64);
  EXPECT_THAT(node->credits(2), UnorderedElementsAre(Credit{0, 3, 3}, Credit{1, 2, 2}));
}

// [FLOODGATE-C-4] 122 fit into 1.5 KB.
TEST(FloodgateCredits, AreListedOnRequest) {
  Values values = kList;
  values.emplace_back("window", Bytes(10 * kPacket));
  auto node = std::make_unique<Node>(4, values, 1'000);
  node->faces_switch(0).faces_switch(1).faces_switch(2, true).faces_switch(3, true).attach();
  for (std::size_t to = 0; to < 130; ++to) node->receive(0, 2, 500 + to, field_of(1));
  node->drain(2);
  node->wires[2].clear();
  node->wait(us(10));
  ASSERT_THAT(node->wires[0], SizeIs(2));
  EXPECT_THAT(node->wires[0][0].listed, SizeIs(kMostListed));
  EXPECT_THAT(node->wires[0][1].listed, SizeIs(130 - kMostListed));
  EXPECT_EQ(node->wires[0][0].frame.frame_bytes, 22 + 32 + 122 * 12);
  EXPECT_EQ(node->wires[0][1].frame.frame_bytes, 22 + 32 + 8 * 12);
  EXPECT_EQ(node->statistic("floodgate.credit_frames"), 2);
  EXPECT_EQ(node->statistic("floodgate.credits"), 130);
}

// [FLOODGATE-C-5]
TEST(FloodgateCredits, AreOneForEachPacketOfTheIdeal) {
  const auto node = tor(10, kIdeal);
  receive(*node, 2, 0, 0, 3);
  node->transmit(0);
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 1, 1}));
  node->drain(0);
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 1, 2}, Credit{0, 1, 3}));
}

// [FLOODGATE-C-6]
TEST(FloodgateCredits, LeaveAfterSoManyBytesOnRequest) {
  const auto node = tor(10, {{"credit_bytes", Bytes(3 * 1'066)}});
  receive(*node, 2, 0, 0, 5);
  node->transmit(0);
  node->transmit(0);
  EXPECT_THAT(node->credits(2), IsEmpty());
  node->transmit(0);
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 3, 3}));
  node->drain(0);
  EXPECT_THAT(node->credits(2), IsEmpty());
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 2, 5}));
}

// [FLOODGATE-C-7] Neither the switch that counts bytes nor the one without Floodgate gets or gives any.
TEST(FloodgateCredits, AreForNeighboursThatCountTheSame) {
  Node node(4, {});
  node.faces_switch(1).faces_switch(2).faces_switch(3);
  node.context.port_state(PortId(1)).peer.announced = {
      {kProtocol, Settings(parameters_with({{"unit", std::string("bytes")}})).announced()}};
  node.context.port_state(PortId(2)).peer.protocols = HopProtocols::none();
  node.attach();
  for (const std::size_t other : {1u, 2u}) {
    EXPECT_FALSE(node.policy.windows().has_window(PortId(other)));
    receive(node, other, 0, 0, 2);
    node.drain(0);
    node.wait(us(20));
    EXPECT_THAT(node.credits(other), IsEmpty());
  }
  EXPECT_TRUE(node.policy.windows().has_window(PortId(3)));
}

// [FLOODGATE-C-9]
TEST(FloodgateCredits, AreNotTakenFromHosts) {
  const auto node = tor(1);
  node->receive(1, 2, 40);
  node->receive(1, 2, 40);
  node->drain(2);
  node->hear(0, Say::credit, {40, 1, 1});
  node->hear(0, Say::syn, {40, 0, 9});
  EXPECT_EQ(node->waiting(), 1u);
  EXPECT_THAT(node->said(0), IsEmpty());
}

// [FLOODGATE-C-10]
TEST(FloodgateCredits, AreAcceptedFromSwitchesForDestinationsThatExist) {
  const auto node = tor(1);
  FramePool& frames = node->context.frames();
  const Framing& framing = node->context.framing();
  const auto hosts = static_cast<std::uint32_t>(node->context.hosts());
  const auto verdict = [&](std::size_t port, FrameId id) {
    const auto out = node->policy.judge(node->context, PortId(port), frames[id]);
    frames.release(id);
    return out;
  };
  const auto credit = [&](std::uint32_t name) { return make_message(frames, framing, Say::credit, {name, 1, 1}); };
  EXPECT_EQ(verdict(2, credit(hosts - 1)), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, credit(hosts)), ControlVerdict::no_target);
  EXPECT_EQ(verdict(0, credit(0)), ControlVerdict::wrong_neighbour) << "a host";
  EXPECT_EQ(verdict(2, make_message(frames, framing, Say::pause, {1, 0, 0})), ControlVerdict::wrong_neighbour);
  const std::vector<Credit> one_exists = {{hosts, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(verdict(2, make_list(frames, framing, one_exists)), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, make_list(frames, framing, std::span(one_exists).first(1))), ControlVerdict::no_target);
  const FrameId unknown = credit(0);
  frames[unknown].tag = 77;
  EXPECT_EQ(verdict(2, unknown), ControlVerdict::malformed);
  const FrameId other = credit(0);
  frames[other].protocol = kProtocol + 1;
  EXPECT_EQ(verdict(2, other), std::nullopt);
  Node stranger(4, {});
  stranger.faces_switch(1);
  stranger.context.port_state(PortId(1)).peer.protocols = HopProtocols::none();
  stranger.attach();
  const FrameId from_stranger = make_message(stranger.context.frames(), framing, Say::credit, {0, 1, 1});
  EXPECT_EQ(stranger.policy.judge(stranger.context, PortId(1), stranger.context.frames()[from_stranger]),
            ControlVerdict::not_spoken);
}

TEST(FloodgateCredits, AreNotForPacketsOfHostsOrWithoutWindow) {
  const auto node = tor(10);
  node->receive(1, 0, 0, field_of(1));
  node->receive(2, 0, 0, 0);
  node->drain(0);
  node->wait(us(20));
  EXPECT_THAT(node->credits(1), IsEmpty());
  EXPECT_THAT(node->credits(2), IsEmpty());
}

// [FLOODGATE-C-8] Of 8 packets 2 go, so 6 wait: more than the threshold of 3.
TEST(FloodgateCredits, AreDelayedWhileTheVoqIsLong) {
  const auto node = middle(2, {{"credit_threshold", Bytes(3 * 1'066)}});
  receive(*node, 0, 2, 40, 8);
  receive(*node, 0, 3, 41, 1);
  node->drain(2);
  node->drain(3);
  node->wait(us(50));
  EXPECT_THAT(node->credits(0), ElementsAre(Credit{41, 1, 1}));
  EXPECT_EQ(node->policy.accounts().outstanding(PortId(0), 40), 8u);
  EXPECT_GE(node->statistic("floodgate.delayed"), 4);
  node->hear(2, Say::credit, {40, 2, 2});
  node->wait(us(10));
  EXPECT_THAT(node->credits(0), IsEmpty());  // 4 wait
  node->drain(2);
  node->hear(2, Say::credit, {40, 1, 3});
  node->wait(us(10));
  EXPECT_THAT(node->credits(0), ElementsAre(Credit{40, 4, 4}));
}

// [FLOODGATE-T-4] The VOQ of an entry upwards is none of what comes from above: it goes down.
TEST(FloodgateCredits, OfAHashedTableAreDelayedByWhatGoesTheSameWay) {
  const auto node = tor(
      1, {{"table", std::string("hashed")}, {"table_entries", std::int64_t{1}}, {"credit_threshold", Bytes(1'066)}});
  for (int i = 0; i < 5; ++i) node->receive(1, 2, 40);
  EXPECT_EQ(node->waiting(), 4u);
  receive(*node, 2, 0, 0, 2);
  node->drain(0);
  node->wait(us(10));
  EXPECT_THAT(node->credits(2), ElementsAre(Credit{0, 2, 2}));
  const auto between = middle(
      1, {{"table", std::string("hashed")}, {"table_entries", std::int64_t{1}}, {"credit_threshold", Bytes(1'066)}});
  for (std::uint32_t psn = 1; psn <= 5; ++psn) between->receive(0, 2, 40, field_of(psn));  // upwards
  between->receive(1, 0, 10, field_of(1));
  between->receive(2, 1, 11, field_of(1));
  for (std::size_t port = 0; port < 3; ++port) between->drain(port);
  between->wait(us(10));
  EXPECT_THAT(between->credits(0), IsEmpty());
  EXPECT_THAT(between->credits(1), IsEmpty()) << "from below it may go up, too";
  EXPECT_THAT(between->credits(2), SizeIs(0)) << "a packet of the window of one waits downwards";
  between->hear(0, Say::credit, {0, 1, 1});
  between->drain(1);
  between->wait(us(10));
  EXPECT_THAT(between->credits(2), ElementsAre(Credit{0, 1, 1}));
}

// Three switches of the same tier in a ring would wait for each other's credits for ever.
TEST(FloodgateCredits, OfAHashedTableAreNotDelayedBetweenSiblings) {
  Node node(4, {{"window", Bytes(kPacket)},
                {"table", std::string("hashed")},
                {"table_entries", std::int64_t{1}},
                {"credit_threshold", Bytes(0)}});
  node.faces_sibling(1).faces_sibling(2).faces_switch(3).attach();
  for (int i = 0; i < 3; ++i) node.receive(0, 1, 40);
  EXPECT_EQ(node.waiting(), 2u);
  for (const std::size_t from : {1u, 2u, 3u}) receive(node, from, 0, 0, 1);
  node.drain(0);
  node.wait(us(10));
  EXPECT_THAT(node.credits(1), SizeIs(1));
  EXPECT_THAT(node.credits(2), SizeIs(1)) << "the other neighbour";
  EXPECT_THAT(node.credits(3), IsEmpty()) << "from below it may go on to the same tier";
}

TEST(FloodgateCredits, AreNotDelayedOnRequestNorByTheIdeal) {
  for (const bool ideal : {false, true}) {
    Values values = {{"credit_threshold", Bytes(0)}};
    values.emplace_back(ideal ? "variant" : "delay_credit",
                        ideal ? ParameterValue(std::string("ideal")) : ParameterValue(false));
    const auto node = middle(2, values);
    receive(*node, 0, 2, 40, 8);
    node->drain(2);
    node->wait(us(10));
    EXPECT_THAT(node->credits(0), SizeIs(ideal ? 2 : 1));
  }
}

// [FLOODGATE-T-3]
TEST(FloodgateCredits, AreGivenAtOnceForWhatFindsNoAccount) {
  const auto node = middle(10, {{"table_entries", std::int64_t{1}}});
  receive(*node, 0, 2, 40, 1);
  EXPECT_THAT(node->credits(0), IsEmpty());
  receive(*node, 0, 2, 41, 1, 6);
  EXPECT_THAT(node->credits(0), ElementsAre(Credit{41, 1, 7}));
}

}  // namespace
}  // namespace weir::floodgate::accounts_test
