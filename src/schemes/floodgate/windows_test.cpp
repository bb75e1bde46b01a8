// SPDX-License-Identifier: Apache-2.0
// Windows of Floodgate: their sizes, what is charged to them, and what gives it back.
#include "schemes/floodgate/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/floodgate/test_network.h"

namespace weir::floodgate::windows_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::uint32_t window_with(const Values& values) {
  Node node(4, values);
  node.faces_switch(2, true).attach();
  return node.policy.windows().window(PortId(2));
}

// [FLOODGATE-W-1] 2 us at 100 Gbit/s are 25,000 B, 10 us are 125,000 B; a packet takes 1,086 B of the link.
TEST(FloodgateWindows, AreOfTheNextHopAndTheCreditTimer) {
  EXPECT_EQ(window_with({}), 139u);  // 150,000 / 1,086
  EXPECT_EQ(window_with({{"credit_timer", us(20)}}), 254u);
  EXPECT_EQ(window_with({{"window_factor", 1.5}}), 150u);
  EXPECT_EQ(window_with({{"variant", std::string("ideal")}}), 35u);  // 37,500 / 1,086
  EXPECT_EQ(window_with({{"variant", std::string("ideal")}, {"window_factor", 1.0}}), 24u);
  EXPECT_EQ(window_with({{"unit", std::string("bytes")}}), 150'000u);
  EXPECT_EQ(window_with({{"window", Bytes(10 * kPacket)}}), 10u);
  EXPECT_EQ(window_with({{"window", Bytes(1)}}), 1u);
  EXPECT_EQ(window_with({{"window", Bytes(1)}, {"unit", std::string("bytes")}}), 1'086u);
}

// [FLOODGATE-W-2]
TEST(FloodgateWindows, HoldBackWhatExceedsThem) {
  const auto node = tor(3);
  for (int i = 0; i < 5; ++i) node->receive(0, 2, 40);
  EXPECT_EQ(node->policy.windows().charged(40), 3u);
  EXPECT_EQ(node->waiting(), 2u);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 2, 3));
  EXPECT_EQ(node->policy.windows().in_flight(PortId(2), 40), 3u);
  EXPECT_EQ(node->policy.windows().charged(40), 3u);  // they are not credited yet
}

TEST(FloodgateWindows, AreOfEachDestination) {
  const auto node = tor(2);
  for (std::size_t to = 40; to < 50; ++to) {
    node->receive(0, 2, to);
    node->receive(1, 2, to);
  }
  EXPECT_EQ(node->waiting(), 0u);
  node->receive(0, 2, 45);
  EXPECT_EQ(node->waiting(), 1u);
}

// [FLOODGATE-W-3]
TEST(FloodgateWindows, AreGivenBackByCredits) {
  const auto node = tor(3, {{"recovery", false}});
  for (int i = 0; i < 7; ++i) node->receive(0, 2, 40);
  node->drain(2);
  node->hear(2, Say::credit, {40, 2, 0});
  EXPECT_EQ(node->policy.windows().charged(40), 3u);
  EXPECT_THAT(node->drain(2), ElementsAre(4, 5));
  node->hear(2, {{41, 1, 0}, {40, 3, 0}});
  EXPECT_THAT(node->drain(2), ElementsAre(6, 7));
  EXPECT_EQ(node->policy.windows().charged(40), 2u);
  node->hear(2, Say::credit, {40, 2, 0});
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
}

TEST(FloodgateWindows, DoNotGrowByCreditsForWhatWasNeverSent) {
  const auto node = tor(3, {{"recovery", false}});
  node->receive(0, 2, 40);
  node->hear(2, Say::credit, {40, 5, 0});  // it is still here
  EXPECT_EQ(node->policy.windows().charged(40), 1u);
  node->drain(2);
  node->hear(2, Say::credit, {40, 5, 0});
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
  node->hear(2, Say::credit, {40, 5, 0});
  node->hear(2, Say::credit, {17, 5, 0});
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
  EXPECT_EQ(node->statistic("floodgate.ignored"), 4);
}

// Two of the packets of the destination go by one port, one by the other: one window for all, or one each.
TEST(FloodgateWindows, AreOfTheDestinationOverAllPortsOrOfEachPort) {
  for (const bool of_port : {false, true}) {
    const auto node = tor(2, {{"window_of", std::string(of_port ? "port" : "destination")}});
    node->receive(0, 2, 40);
    node->receive(0, 2, 40);
    node->receive(0, 3, 40);
    EXPECT_EQ(node->waiting(), of_port ? 0u : 1u);
    EXPECT_THAT(node->drain(3), SizeIs(of_port ? 1 : 0));
    node->drain(2);
    node->hear(2, Say::credit, {40, 1, 1});
    EXPECT_THAT(node->drain(3), SizeIs(of_port ? 0 : 1));
  }
}

// [FLOODGATE-W-4]
TEST(FloodgateWindows, AreNotForTheLastHop) {
  const auto node = tor(1);
  for (int i = 0; i < 10; ++i) node->receive(2, 0, 0, field_of(static_cast<std::uint32_t>(i + 1)));
  EXPECT_EQ(node->waiting(), 0u);
  EXPECT_THAT(node->drain(0), SizeIs(10));
}

// [FLOODGATE-U-2]
TEST(FloodgateWindows, AreForDataOfTheirPriorityOnly) {
  const auto node = tor(1);
  for (int i = 0; i < 4; ++i) {
    Frame& ack = node->make(0, 2, 40);
    ack.kind = FrameKind::ack;
    EXPECT_EQ(node->policy.classify(node->context, ack), node->fifo(2));
    node->policy.on_depart(node->context, node->fifo(2), ack);
    Frame& other = node->make(0, 2, 40);
    other.priority = 5;
    EXPECT_EQ(node->policy.classify(node->context, other), node->context.default_queue(PortId(2), 5));
  }
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
}

// [FLOODGATE-U-1] A window of two full packets is one of 2,172 bytes, or of two packets of whatever size.
TEST(FloodgateWindows, CountPacketsOrBytes) {
  const auto packets = tor(2);
  const auto bytes = tor(2, {{"unit", std::string("bytes")}});
  for (Node* node : {packets.get(), bytes.get()}) {
    for (int i = 0; i < 20; ++i) node->receive(0, 2, 40, 0, 100);
  }
  EXPECT_EQ(packets->waiting(), 18u);
  EXPECT_EQ(bytes->waiting(), 20u - 2'172 / 166);
  EXPECT_EQ(bytes->policy.windows().charged(40), 13u * 166u);
}

// [FLOODGATE-U-1] What other schemes add on the way is not counted: both ends of a link count the same.
TEST(FloodgateWindows, CountNoBytesOfSchemes) {
  const auto node = tor(10, {{"unit", std::string("bytes")}});
  Frame& frame = node->make(0, 2, 40);
  frame.frame_bytes += 42;
  node->policy.classify(node->context, frame);
  EXPECT_EQ(node->policy.windows().charged(40), 1'066u);
}

// [FLOODGATE-U-3]
TEST(FloodgateWindows, ForgetWhatIsTrimmed) {
  const auto node = tor(2);
  Frame& frame = node->make(0, 2, 40);
  node->policy.classify(node->context, frame);
  EXPECT_EQ(node->policy.windows().charged(40), 1u);
  frame.set_trimmed(true);
  EXPECT_EQ(node->policy.classify(node->context, frame), node->fifo(2));
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
  node->policy.on_depart(node->context, node->fifo(2), frame);
  EXPECT_FALSE(is_charged(frame.tag_value));
  EXPECT_EQ(node->policy.windows().in_flight(PortId(2), 40), 0u);
}

// [FLOODGATE-T-1] Destinations with a full window make room for others.
TEST(FloodgateWindows, NeedAnEntryWhileTheyAreNotFull) {
  const auto node = tor(4, {{"table_entries", std::int64_t{4}}});
  for (std::size_t to = 10; to < 60; ++to) {
    node->receive(0, 2, to);
    EXPECT_EQ(node->policy.windows().active(), 1u);
    node->drain(2);
    node->hear(2, Say::credit, {static_cast<std::uint32_t>(to), 1, 1});
    EXPECT_EQ(node->policy.windows().active(), 0u);
  }
  EXPECT_EQ(node->statistic("floodgate.untracked"), 0);
}

// [FLOODGATE-T-3]
TEST(FloodgateWindows, LetPassWhatFindsNoEntry) {
  const auto node = tor(1, {{"table_entries", std::int64_t{2}}});
  for (std::size_t to = 10; to < 13; ++to) {
    node->receive(0, 2, to);
    node->receive(0, 2, to);
  }
  EXPECT_EQ(node->waiting(), 2u);  // of 10 and 11
  EXPECT_EQ(node->statistic("floodgate.untracked"), 2);
  node->drain(2);
  std::vector<bool> charged;
  for (const OnWire& on : node->wires[2]) charged.push_back(is_charged(on.frame.tag_value));
  EXPECT_THAT(charged, ElementsAre(true, true, false, false));
}

// [FLOODGATE-T-2] In a table of one entry all destinations share a window.
TEST(FloodgateWindows, MayBeOfAHashOfTheDestination) {
  const auto node = tor(3, {{"table", std::string("hashed")}, {"table_entries", std::int64_t{1}}});
  for (std::size_t to = 10; to < 15; ++to) node->receive(0, 2, to);
  EXPECT_EQ(node->waiting(), 2u);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 2, 3));
  node->hear(2, Say::credit, {0, 2, 2});
  EXPECT_THAT(node->drain(2), ElementsAre(4, 5));
}

// [FLOODGATE-T-4] In one entry, what goes up and what goes down have windows and VOQs of their own.
TEST(FloodgateWindows, OfAHashedTableAreOfOneDirection) {
  const auto node = middle(2, {{"table", std::string("hashed")}, {"table_entries", std::int64_t{1}}});
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  for (int i = 0; i < 4; ++i) node->receive(2, 0, 10);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 2);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 2));
  EXPECT_THAT(node->drain(0), ElementsAre(5, 6));
  EXPECT_EQ(node->policy.windows().charged(0), 4u);
  node->hear(0, Say::credit, {0, 2, 2});
  EXPECT_THAT(node->drain(2), IsEmpty());
  EXPECT_THAT(node->drain(0), ElementsAre(7, 8));
}

TEST(FloodgateWindows, OfAHashedTableAreAlsoOfTheSameTier) {
  Node node(4, {{"window", Bytes(2 * kPacket)}, {"table", std::string("hashed")}, {"table_entries", std::int64_t{1}}});
  node.faces_sibling(1).faces_sibling(2).faces_switch(3).attach();
  for (int i = 0; i < 3; ++i) node.receive(0, 1, 40);
  for (int i = 0; i < 3; ++i) node.receive(0, 3, 10);
  EXPECT_THAT(node.drain(1), ElementsAre(1, 2));
  EXPECT_THAT(node.drain(3), ElementsAre(4, 5));
  node.receive(0, 2, 41);
  EXPECT_THAT(node.drain(2), IsEmpty()) << "it shares the window of port 1";
}

// [FLOODGATE-P-1] What a window has let through waits for PFC in its egress queue; the VOQ holds the rest.
TEST(FloodgateWindows, HoldAlsoWhileAPauseHoldsTheEgress) {
  const auto node = tor(2);
  node->context.set_priority_gate(PortId(2), kPriority, 7, false);
  for (int i = 0; i < 5; ++i) node->receive(0, 2, 40);
  EXPECT_EQ(node->context.queue(node->fifo(2)).frames, 2u);
  EXPECT_EQ(node->waiting(), 3u);
}

// What a queue pair's destination is routed by changes: what it has sent by the old port counts until it is credited,
// and packets stay in order.
TEST(FloodgateWindows, FollowADestinationThatMoves) {
  const auto node = tor(3);
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  for (int i = 0; i < 2; ++i) node->receive(0, 3, 40);  // it has moved
  EXPECT_EQ(node->waiting(), 3u);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 2, 3));
  EXPECT_THAT(node->drain(3), IsEmpty());
  node->hear(2, Say::credit, {40, 2, 2});
  EXPECT_THAT(node->drain(2), ElementsAre(4));
  EXPECT_THAT(node->drain(3), ElementsAre(5));
  node->hear(3, Say::credit, {40, 1, 1});
  EXPECT_THAT(node->drain(3), ElementsAre(6));
  node->hear(2, Say::credit, {40, 2, 4});
  node->hear(3, Say::credit, {40, 1, 2});
  EXPECT_EQ(node->policy.windows().charged(40), 0u);
  EXPECT_EQ(node->policy.windows().active(), 0u);
}

}  // namespace
}  // namespace weir::floodgate::windows_test
