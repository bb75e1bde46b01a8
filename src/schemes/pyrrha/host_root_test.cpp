// SPDX-License-Identifier: Apache-2.0
// Hosts that drain slowly as congestion roots: at their own switch, and further upstream.
#include <gtest/gtest.h>

#include <set>

#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::host_root_test {
namespace {

/// The host behind port 4 of a Node, and its root.
constexpr std::uint32_t kHost = 4;
constexpr std::size_t kHostPort = 4;
/// Packets for more than K_pause.
constexpr int kFull = 2 * kProduct / kPacket + 1;

Hop root() {
  return host_root(kHost);
}

TEST(PyrrhaHostRoot, IsHeldAtTheSwitchOfTheHost) {
  Node node({}, {kHost});
  node.hear(kHostPort, Kind::pause, root());
  EXPECT_EQ(node.state(root(), kHostPort), State::paused);
  const QueueId queue = node.receive(0, kHostPort, kHost);
  EXPECT_EQ(queue, node.isolation(root(), kHostPort));  // [PYRRHA-ROOT-4]
  EXPECT_FALSE(node.context.gate_open(queue));
  EXPECT_EQ(node.receive(0, 2, kToNear), node.output(2));
  node.hear(kHostPort, Kind::resume, root());
  EXPECT_EQ(node.said(kHostPort), kNothing);
  node.drain(queue, kHostPort);
  EXPECT_EQ(node.said(kHostPort), only(Kind::deallocate, root()));
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.receive(0, kHostPort, kHost), node.output(kHostPort));
}

TEST(PyrrhaHostRoot, PausesTheNeighboursOfItsSwitch) {
  Node node({}, {kHost});
  node.hear(kHostPort, Kind::pause, root());
  node.receive(0, kHostPort, kHost, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, root()));
  EXPECT_FALSE(node.policy.is_root(PortId(kHostPort)));
  node.hear(kHostPort, Kind::resume, root());
  node.drain(node.isolation(root(), kHostPort), kHostPort);
  EXPECT_EQ(node.said(0), only(Kind::resume, root()));
  EXPECT_EQ(node.said(kHostPort), kNothing) << "the neighbour still has a queue for it";
  node.hear(0, Kind::deallocate, root());
  EXPECT_EQ(node.said(kHostPort), only(Kind::deallocate, root()));
}

TEST(PyrrhaHostRoot, TakesOverTheTreeOfThePortToIt) {
  Node node({}, {kHost});
  node.receive(0, kHostPort, kHost, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(kHostPort)));
  node.hear(kHostPort, Kind::pause, root());
  EXPECT_EQ(node.said(0), merged(own(kHostPort), root()));  // [PYRRHA-MERGE-1]
  EXPECT_FALSE(node.policy.is_root(PortId(kHostPort)));
  EXPECT_EQ(node.policy.root_of_pause(root_of(root())), CongestionRoot{.host = HostId(kHost)});
}

TEST(PyrrhaHostRoot, IsMetByItsDestinationAlone) {
  for (const std::size_t predictable : {kMaximumHops, std::size_t{0}}) {
    Node node({}, {kToBoth});
    node.paths.predictable = predictable;
    node.hear(2, Kind::pause, host_root(kToBoth));
    const QueueId queue = node.receive(0, 2, kToBoth);
    EXPECT_EQ(queue, node.isolation(host_root(kToBoth)));
    EXPECT_EQ(node.receive(0, 2, kToNear), node.output(2));
    EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 0);
  }
}

TEST(PyrrhaHostRoot, HoldsPacketsOffItsPathWhereItSharesAQueue) {
  const std::set<std::uint32_t> slow{100, 101, 102, 103, 104, 105};
  Node node({{"queues", std::int64_t{8}}}, slow);
  node.context.set_keeps_statistics(true);
  // The last of four levels has five of the eight queues.
  for (const std::uint32_t host : slow) {
    EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 0);
    node.hear(2, Kind::pause, host_root(host));
    node.receive(0, 2, host, host == 105 ? 1 : 3);
  }
  EXPECT_EQ(node.in_use(), 5u);
  EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 3 + 1) << "packets in the queue that it shares, and itself";
}

TEST(PyrrhaHostRoot, IsMetAfterThePortsOnTheWay) {
  Node node({}, {kToBoth});
  node.hear(2, Kind::pause, host_root(kToBoth));
  node.hear(2, Kind::pause, kFarthest);
  const QueueId first = node.receive(0, 2, kToBoth);
  EXPECT_EQ(first, node.isolation(kFarthest));
  node.hear(2, Kind::resume, kFarthest);
  const QueueId second = node.serve(first);
  EXPECT_EQ(second, node.isolation(host_root(kToBoth)));
  EXPECT_FALSE(node.context.gate_open(second));
}

TEST(PyrrhaHostRoot, HasALevelOfItsOwnOnlyIfHostsDrainSlowly) {
  const Node without;
  const Node with({}, {kHost});
  EXPECT_EQ(without.policy.queues().levels(PortId(kHostPort)), 0u);
  EXPECT_EQ(with.policy.queues().levels(PortId(kHostPort)), 1u);
  EXPECT_EQ(with.policy.queues().levels(PortId(2)), without.policy.queues().levels(PortId(2)) + 1);
  const Node elsewhere({}, {kHost + 1});
  EXPECT_EQ(elsewhere.policy.queues().levels(PortId(kHostPort)), 0u);
}

TEST(PyrrhaHostRoot, IsBelievedOfTheHostItselfOnly) {
  Node node({}, {kHost, kToBoth});
  node.receive(0, kHostPort, kHost, kFull);
  node.said(0);
  node.hear(kHostPort, Kind::pause, host_root(kToBoth));      // another host
  node.hear(kHostPort, Kind::pause, kNear);                   // a port
  node.hear(kHostPort, Kind::merge, own(kHostPort), root());  // its switch does that
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.said(0), kNothing);
  EXPECT_EQ(node.statistic("pyrrha.refused"), 3);  // [PYRRHA-FRAME-2]
  node.hear(kHostPort, Kind::pause, root());
  node.hear(kHostPort, Kind::resume, host_root(kToBoth));
  EXPECT_EQ(node.state(root(), kHostPort), State::paused);
  EXPECT_EQ(node.statistic("pyrrha.refused"), 4);
}

TEST(PyrrhaHostRoot, IsNoHostThatDrainsAtOnce) {
  Node node({}, {kToBoth});
  node.hear(kHostPort, Kind::pause, root());
  node.hear(2, Kind::pause, host_root(kToNear));
  node.hear(2, Kind::merge, kNear, host_root(kToNear));
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.statistic("pyrrha.refused"), 3);
}

TEST(PyrrhaHostRoot, IsNotHeardOfFromOtherSwitches) {
  Node node({}, {kHost});
  node.hear(2, Kind::pause, root());
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.statistic("pyrrha.looped"), 1);  // [PYRRHA-ROOT-3]
}

// [PYRRHA-ONE-9]
TEST(PyrrhaHostRoot, IsNoneWithOneTier) {
  Node node({{"tiers", std::int64_t{1}}}, {kHost, kToBoth});
  node.hear(kHostPort, Kind::pause, root());
  node.hear(2, Kind::pause, host_root(kToBoth));
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.statistic("pyrrha.refused"), 2);
  EXPECT_EQ(node.policy.queues().levels(PortId(kHostPort)),
            Node({{"tiers", std::int64_t{1}}}).policy.queues().levels(PortId(kHostPort)));
}

// A neighbour with levels has another view of hosts: what ends a pause is heard all the same. [PYRRHA-ONE-9]
TEST(PyrrhaHostRoot, EndsPausesOfASwitchWithOneTier) {
  Node node({{"tiers", std::int64_t{1}}}, {kToBoth});
  node.hear(2, Kind::pause, host_root(kToBoth));
  node.hear(2, Kind::resume, host_root(kToBoth));
  EXPECT_EQ(node.said(2), only(Kind::deallocate, host_root(kToBoth)));
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear);
  EXPECT_FALSE(node.context.gate_open(queue));
  node.hear(2, Kind::merge, kNear, host_root(kToBoth));
  EXPECT_TRUE(node.context.gate_open(queue));
  EXPECT_EQ(node.statistic("pyrrha.refused"), 1);
}

// [PYRRHA-FRAME-4]
TEST(PyrrhaHostRoot, IsJudgedOnRealPorts) {
  Node node({}, {kHost, kToBoth});
  FramePool& frames = node.context.frames();
  const auto verdict = [&](std::size_t port, Kind kind, Hop of, Hop successor = kNear) {
    const FrameId id = make_message(frames, node.context.framing(), {kind, root_of(of), root_of(successor)});
    const auto out = node.policy.judge(node.context, PortId(port), frames[id]);
    frames.release(id);
    return out;
  };
  EXPECT_EQ(verdict(kHostPort, Kind::pause, root()), ControlVerdict::accepted);
  EXPECT_EQ(verdict(kHostPort, Kind::resume, root()), ControlVerdict::accepted);
  EXPECT_EQ(verdict(kHostPort, Kind::pause, host_root(kToBoth)), ControlVerdict::wrong_neighbour);
  EXPECT_EQ(verdict(kHostPort, Kind::merge, kNear, root()), ControlVerdict::wrong_neighbour);
  EXPECT_EQ(verdict(kHostPort, Kind::deallocate, host_root(kToBoth)), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, Kind::pause, host_root(kToBoth)), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, Kind::pause, host_root(kToNear)), ControlVerdict::no_target);
  EXPECT_EQ(verdict(2, Kind::merge, kNear, host_root(kToNear)), ControlVerdict::no_target);
}

}  // namespace
}  // namespace weir::pyrrha::host_root_test
