// SPDX-License-Identifier: Apache-2.0
// One tier of isolation queues: one rule per test.
#include "schemes/pyrrha/single_tier_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::single_tier_switch_test {
namespace {

// Roots behind port 2, two hops from destinations (a) and at the last hop (b), and destinations by those on their path.
constexpr Hop kA1 = kNear;
constexpr Hop kA2{SwitchId(20), PortId(2)};
constexpr Hop kB1{SwitchId(31), PortId(0)};
constexpr Hop kB2{SwitchId(31), PortId(1)};
constexpr std::size_t kA1B1 = kToNear;
constexpr std::size_t kA2B1 = 6;
constexpr std::size_t kA1B2 = 7;

class OneTier : public Node {
 public:
  explicit OneTier(Values values = {}) : Node(with_one_tier(std::move(values))) {
    paths.hops[kA2B1] = {kA2, kB1};
    paths.hops[kA1B2] = {kA1, kB2};
  }
  [[nodiscard]] SingleTierSwitch& tier() { return dynamic_cast<SingleTierSwitch&>(policy); }
  [[nodiscard]] QueueId both(Hop near, Hop last) {
    return tier().queue_of_both(PortId(2), root_of(near), root_of(last));
  }
  [[nodiscard]] bool open(QueueId queue) const { return context.gate_open(queue); }
  [[nodiscard]] std::vector<HeldBy> held_by(QueueId queue) const {
    std::vector<HeldBy> held;
    policy.held_by(context, queue, held);
    return held;
  }
  /// What a packet at the head of an isolation queue keeps in force, as roots.
  [[nodiscard]] std::vector<Root> kept(QueueId queue) const {
    std::vector<HopPause> pauses;
    policy.keeps(context, queue, *context.peek(queue), pauses);
    std::vector<Root> roots;
    for (const HopPause& pause : pauses) roots.push_back(pause.name);
    return roots;
  }

 private:
  static Values with_one_tier(Values values) {
    values.emplace_back("tiers", std::int64_t{1});
    return values;
  }
};

HeldBy paused_by(Hop root) {
  return {PortId(2), root_of(root), QueueId::none()};
}

TEST(PyrrhaOneTier, MeetsRootsAtMostTwoHopsFromTheDestination) {
  OneTier node;
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.receive(0, 2, kToBoth), node.output(2)) << "the root is three hops away";  // [PYRRHA-ONE-1]
  const QueueId near = node.receive(0, 2, kToNear);
  EXPECT_EQ(near, node.isolation(kNear)) << "for this destination it is two hops away";
  node.hear(2, Kind::pause, kFar);
  const QueueId middle = node.receive(0, 2, kToBoth);
  EXPECT_EQ(middle, node.isolation(kFar));
  node.hear(2, Kind::pause, kFarthest);
  const QueueId both = node.receive(0, 2, kToBoth);
  EXPECT_EQ(both, node.both(kFar, kFarthest));
}

TEST(PyrrhaOneTier, MeetsTheLastHopIfThePathCannotBePredicted) {
  OneTier node;
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::pause, kFar);
  node.hear(2, Kind::pause, kFarthest);
  node.paths.predictable = 2;
  const QueueId queue = node.receive(0, 2, kToBoth);
  EXPECT_EQ(queue, node.isolation(kFarthest));  // [PYRRHA-ONE-1]
  OneTier last({{"roots", std::string("last_hop")}});
  last.hear(2, Kind::pause, kFar);
  last.hear(2, Kind::pause, kFarthest);
  const QueueId requested = last.receive(0, 2, kToBoth);
  EXPECT_EQ(requested, last.isolation(kFarthest)) << "on request";
}

TEST(PyrrhaOneTier, HasRootsAtMostTwoHopsFromDestinations) {
  OneTier node;
  node.receive(0, 2, kToElsewhere, kFull);
  EXPECT_EQ(node.said(0), kNothing);  // [PYRRHA-ONE-1]
  node.receive(0, 3, kBeside, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(3))) << "this port leads to a switch of hosts";
  node.receive(1, 4, kToElsewhere, kFull);
  EXPECT_EQ(node.said(1), only(Kind::pause, own(4)));
  OneTier last({{"roots", std::string("last_hop")}});
  last.receive(0, 3, kBeside, kFull);
  EXPECT_EQ(last.said(0), kNothing);
  last.receive(0, 4, kToElsewhere, kFull);
  EXPECT_EQ(last.said(0), only(Kind::pause, own(4)));
}

TEST(PyrrhaOneTier, WaitsForTheOutputQueueAfterAChangeOfRoutes) {
  OneTier node;
  node.hear(2, Kind::pause, kB1);
  const QueueId queue = node.receive(0, 2, kA2B1);
  const auto reroute = [&](std::size_t to, Hop last) {
    node.paths.hops[static_cast<std::uint32_t>(to)] = {{SwitchId(20), PortId(9)}, last};
    ++node.paths.changes;
  };
  node.receive(0, 2, kToElsewhere, 2);
  reroute(kToElsewhere, kB1);
  EXPECT_EQ(node.receive(0, 2, kToElsewhere), queue);
  node.hear(2, Kind::resume, kB1);
  EXPECT_FALSE(node.open(queue)) << "earlier packets of the flow are in the output queue";  // [PYRRHA-ONE-10]
  EXPECT_THAT(node.held_by(queue), testing::ElementsAre(HeldBy{PortId::none(), 0, node.output(2)}));
  node.receive(0, 2, kToFar);
  reroute(kToFar, kB1);
  EXPECT_EQ(node.receive(0, 2, kToFar), queue);
  EXPECT_EQ(node.transmit(2, 2), 3u);
  EXPECT_FALSE(node.open(queue)) << "those of another flow, since the second change";
  node.transmit(2);
  EXPECT_TRUE(node.open(queue));
  reroute(kToFar, kB1);
  EXPECT_EQ(node.receive(0, 2, kToFar), queue);
  EXPECT_TRUE(node.open(queue)) << "the output queue is empty";
  node.transmit(queue, 4);
  EXPECT_EQ(node.in_use(), 0u);
  EXPECT_EQ(node.policy.known_roots(), 0u);
}

TEST(PyrrhaOneTier, HasTwoLevelsOnlyWherePathsHaveTwoHops) {
  OneTier node;
  EXPECT_EQ(node.policy.queues().levels(PortId(2)), 2u);
  EXPECT_EQ(node.policy.queues().levels(PortId(4)), 1u) << "a port to a host";
}

TEST(PyrrhaOneTier, HasAQueueForEachSetOfRoots) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  EXPECT_EQ(node.in_use(), 0u) << "no packet has met them";
  const QueueId both = node.receive(0, 2, kA1B1);
  const QueueId last = node.receive(0, 2, kA2B1);
  const QueueId near = node.receive(0, 2, kA1B2);
  EXPECT_EQ(both, node.both(kA1, kB1));  // [PYRRHA-ONE-2]
  EXPECT_EQ(last, node.isolation(kB1));
  EXPECT_EQ(near, node.isolation(kA1));
  EXPECT_EQ(node.in_use(), 3u);
  EXPECT_EQ(node.receive(0, 2, kToElsewhere), node.output(2));
  EXPECT_THAT(node.held_by(both), testing::ElementsAre(paused_by(kA1), paused_by(kB1)));
  node.hear(2, Kind::resume, kA1);
  EXPECT_TRUE(node.open(near));
  EXPECT_FALSE(node.open(both)) << "its other root is paused";
  EXPECT_FALSE(node.open(last));
  EXPECT_THAT(node.held_by(both), testing::ElementsAre(paused_by(kB1)));
  node.hear(2, Kind::resume, kB1);
  EXPECT_TRUE(node.open(both));
  EXPECT_TRUE(node.open(last));
  node.hear(2, Kind::pause, kA1);
  EXPECT_FALSE(node.open(both));
  EXPECT_TRUE(node.open(last));
}

TEST(PyrrhaOneTier, ServesAllQueuesOfAPortInTurn) {
  OneTier node;
  EXPECT_EQ(node.context.discipline(kPriority), Discipline::round_robin);  // [PYRRHA-ONE-3]
  node.hear(2, Kind::pause, kB1);
  const QueueState& queue = node.context.queue(node.receive(0, 2, kA1B1));
  EXPECT_EQ(queue.service, Service::scheduled);
  EXPECT_EQ(queue.port, PortId(2));
  EXPECT_EQ(queue.priority, kPriority);
  EXPECT_EQ(Node().context.discipline(kPriority), Discipline::deficit_round_robin) << "in levels, it stays as it is";
}

TEST(PyrrhaOneTier, WaitsForEarlierPacketsInTheOutputQueue) {
  OneTier node;
  node.receive(0, 2, kA1B1, 2);
  node.hear(2, Kind::pause, kB1);
  const QueueId queue = node.receive(0, 2, kA1B1);
  node.receive(0, 2, kToElsewhere);
  node.hear(2, Kind::resume, kB1);
  EXPECT_FALSE(node.open(queue)) << "its marker stands in the output queue";  // [PYRRHA-ONE-4]
  EXPECT_THAT(node.held_by(queue), testing::ElementsAre(HeldBy{PortId::none(), 0, node.output(2)}));
  node.transmit(2);
  EXPECT_FALSE(node.open(queue));
  node.transmit(2);
  EXPECT_TRUE(node.open(queue)) << "what came after the marker need not leave before";
  EXPECT_THAT(node.held_by(queue), testing::IsEmpty());
  EXPECT_EQ(node.transmit(queue), 3u);
  EXPECT_EQ(node.statistic("pyrrha.order_markers"), 1);
}

TEST(PyrrhaOneTier, WaitsForEarlierPacketsInTheQueuesOfItsParts) {
  for (const bool near_first : {true, false}) {
    const Hop first = near_first ? kA1 : kB1;
    const Hop second = near_first ? kB1 : kA1;
    OneTier node;
    node.hear(2, Kind::pause, first);
    const QueueId part = node.receive(0, 2, kA1B1);
    node.hear(2, Kind::pause, second);
    const QueueId both = node.receive(0, 2, kA1B1);
    EXPECT_EQ(part, node.isolation(first));
    ASSERT_NE(both, part);
    EXPECT_TRUE(node.tier().has_marker(part));
    node.receive(0, 2, near_first ? kA1B2 : kA2B1);
    node.hear(2, Kind::resume, first);
    node.hear(2, Kind::resume, second);
    EXPECT_FALSE(node.open(both));  // [PYRRHA-ONE-4]
    EXPECT_THAT(node.held_by(both), testing::ElementsAre(HeldBy{PortId::none(), 0, part}));
    EXPECT_TRUE(node.open(part));
    EXPECT_EQ(node.transmit(part), 1u);
    EXPECT_FALSE(node.tier().has_marker(part));
    EXPECT_TRUE(node.open(both));
    EXPECT_EQ(node.transmit(both), 2u);
    EXPECT_EQ(node.statistic("pyrrha.order_markers"), 1);
  }
}

TEST(PyrrhaOneTier, HoldsWhatIsAheadOfAMarkerForTheOtherRootToo) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  const QueueId part = node.receive(0, 2, kA1B1, 2);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, kA1B1);
  node.hear(2, Kind::resume, kA1);
  EXPECT_FALSE(node.open(part)) << "it holds packets that meet the other root";  // [PYRRHA-ONE-5]
  EXPECT_THAT(node.held_by(part), testing::ElementsAre(paused_by(kB1)));
  node.hear(2, Kind::resume, kB1);
  EXPECT_TRUE(node.open(part));
  node.transmit(part);
  node.hear(2, Kind::pause, kB1);
  EXPECT_FALSE(node.open(part));
  node.hear(2, Kind::resume, kB1);
  node.receive(0, 2, kA1B2);
  node.transmit(part);
  node.hear(2, Kind::pause, kB1);
  EXPECT_TRUE(node.open(part)) << "the marker has left";
  EXPECT_FALSE(node.open(both));
}

TEST(PyrrhaOneTier, CountsWhatItHoldsForRootsOffItsPath) {
  OneTier node;
  node.context.set_keeps_statistics(true);
  node.hear(2, Kind::pause, kA1);
  node.receive(0, 2, kA1B1, 2);
  node.receive(0, 2, kA1B2, 3);
  EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 0);
  node.hear(2, Kind::pause, kB1);
  node.receive(0, 2, kA1B1);
  EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 3) << "they are ahead of the marker";
  node.paths.hops[kA1B1] = {kA2, kB1};
  node.receive(0, 2, kA1B1);
  EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 4) << "it stays behind its predecessors";
}

TEST(PyrrhaOneTier, OpensWhatIsAheadOfAMarkerThatLeavesWhileTheOtherRootIsPaused) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  const QueueId part = node.receive(0, 2, kA1B1);
  node.hear(2, Kind::pause, kB1);
  node.receive(0, 2, kA1B1);
  node.hear(2, Kind::resume, kA1);
  node.lose(part, DropReason::watchdog);
  EXPECT_EQ(node.said(0), kNothing);
  EXPECT_TRUE(node.open(part));
  EXPECT_EQ(node.receive(0, 2, kA1B2), part);
}

TEST(PyrrhaOneTier, NeedsNoMarkerInAnEmptyQueue) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  const QueueId part = node.receive(0, 2, kA1B2);
  node.hear(2, Kind::resume, kA1);
  EXPECT_EQ(node.in_use(), 1u);
  node.hear(2, Kind::pause, kA1);
  node.lose(part, DropReason::watchdog);
  node.hear(2, Kind::pause, kB1);
  node.receive(0, 2, kA1B1);
  EXPECT_EQ(node.statistic("pyrrha.order_markers"), 0);
}

TEST(PyrrhaOneTier, PausesNeighboursForThoseRootsOfASetThatArePaused) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, kA1B1, kFull);
  const std::vector<Message> pauses = node.said(0);
  EXPECT_THAT(pauses, testing::UnorderedElementsAre(Message{Kind::pause, root_of(kA1), 0},
                                                    Message{Kind::pause, root_of(kB1), 0}));  // [PYRRHA-ONE-7]
  EXPECT_THAT(node.kept(both), testing::UnorderedElementsAre(root_of(kA1), root_of(kB1)));
  node.hear(2, Kind::resume, kA1);
  EXPECT_EQ(node.said(0), only(Kind::resume, kA1)) << "its queue is long because of the other root";
  EXPECT_THAT(node.kept(both), testing::ElementsAre(root_of(kB1)));
  node.receive(1, 2, kA1B1);
  EXPECT_EQ(node.said(1), only(Kind::pause, kB1));
  node.hear(2, Kind::resume, kB1);
  EXPECT_EQ(node.said(0), kNothing) << "the queue is still long";
  node.receive(1, 2, kA1B1);
  EXPECT_EQ(node.said(1), only(Kind::pause, kA1)) << "neither is paused: both";
  node.transmit(both, kFull + 2 - kHalf - 1);
  EXPECT_EQ(node.said(0), kNothing);
  node.transmit(both);
  EXPECT_EQ(node.said(0), only(Kind::resume, kB1));
  EXPECT_THAT(node.said(1), testing::UnorderedElementsAre(Message{Kind::resume, root_of(kA1), 0},
                                                          Message{Kind::resume, root_of(kB1), 0}));
}

TEST(PyrrhaOneTier, ResumesForARootWhenTheOtherPausesAgain) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  node.receive(0, 2, kA1B1);
  node.hear(2, Kind::resume, kA1);
  node.hear(2, Kind::resume, kB1);
  node.receive(0, 2, kA1B1, kFull);
  EXPECT_EQ(node.said(0).size(), 2u) << "due to both";
  node.hear(2, Kind::pause, kB1);
  EXPECT_EQ(node.said(0), only(Kind::resume, kA1)) << "due to the other root only";  // [PYRRHA-ONE-7]
}

TEST(PyrrhaOneTier, FollowsFlowsUntilTheirPacketsHaveLeft) {
  OneTier node({{"flows", std::int64_t{1}}});
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId queue = node.receive(0, 2, kA1B2);
  node.hear(2, Kind::resume, kA1);
  node.transmit(queue);
  node.receive(0, 2, kA2B1);
  EXPECT_EQ(node.statistic("pyrrha.untracked"), 0);  // [PYRRHA-ORDER-1]
  node.receive(0, 2, kA1B1);
  EXPECT_EQ(node.statistic("pyrrha.untracked"), 1);
}

TEST(PyrrhaOneTier, ResumesWhenAllQueuesThatAreDueToTheRootAreShort) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.receive(0, 2, kA1B2, kFull);
  node.hear(2, Kind::pause, kB1);
  node.receive(0, 2, kA1B1, kFull);
  node.said(0);
  node.hear(2, Kind::resume, kA1);
  EXPECT_EQ(node.said(0), kNothing) << "the queue of this root alone is long";
  node.hear(2, Kind::resume, kB1);
  const QueueId part = node.isolation(kA1);
  node.transmit(part, kFull);
  EXPECT_EQ(node.said(0), kNothing) << "that of both is long";  // [PYRRHA-ONE-7]
  node.transmit(node.both(kA1, kB1), kFull - kHalf);
  EXPECT_THAT(node.said(0), testing::UnorderedElementsAre(Message{Kind::resume, root_of(kA1), 0},
                                                          Message{Kind::resume, root_of(kB1), 0}));
}

TEST(PyrrhaOneTier, LetsARootInSoftMergingPauseNobody) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  const QueueId part = node.receive(0, 2, kA1B2);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, kA1B1);
  node.hear(2, Kind::merge, kA1, kB1);
  EXPECT_EQ(node.state(kA1), State::merging);
  EXPECT_FALSE(node.open(both)) << "the new root is paused";
  node.receive(0, 2, kA1B1, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kB1));
  node.hear(2, Kind::resume, kB1);
  node.transmit(part);
  node.receive(1, 2, kA1B1);
  EXPECT_EQ(node.said(1), only(Kind::pause, kB1));
}

TEST(PyrrhaOneTier, UnassignsARootWhenAllItsQueuesAreEmpty) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, kA1B1);
  const QueueId part = node.receive(0, 2, kA1B2);
  node.hear(2, Kind::resume, kA1);
  node.transmit(part);
  EXPECT_EQ(node.state(kA1), State::resumed) << "packets that meet it wait for another root";  // [PYRRHA-ONE-8]
  EXPECT_EQ(node.said(2), kNothing);
  node.hear(2, Kind::resume, kB1);
  node.transmit(both);
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.in_use(), 0u);
  EXPECT_THAT(node.said(2), testing::UnorderedElementsAre(Message{Kind::deallocate, root_of(kA1), 0},
                                                          Message{Kind::deallocate, root_of(kB1), 0}));
}

TEST(PyrrhaOneTier, TakesTheSetsOfARootAlongWhenItIsForgotten) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, kA1B1);
  node.hear(2, Kind::resume, kB1);
  node.lose(both, DropReason::watchdog);
  EXPECT_EQ(node.state(kB1), std::nullopt);
  EXPECT_EQ(node.in_use(), 0u);
  const QueueId near = node.receive(0, 2, kA1B1);
  EXPECT_EQ(near, node.isolation(kA1)) << "the other root is still known";
  EXPECT_FALSE(node.open(node.isolation(kA1)));
}

TEST(PyrrhaOneTier, ForgetsARootThatWaitedForAMarkerOnly) {
  for (const Hop root : {kA1, kB1}) {
    OneTier node;
    node.receive(0, 2, kToElsewhere);
    node.hear(2, Kind::pause, root);
    const QueueId queue = node.receive(0, 2, kA1B1);
    node.hear(2, Kind::resume, root);
    node.lose(queue, DropReason::watchdog);
    EXPECT_EQ(node.state(root), State::resumed) << "its marker is in the output queue";
    node.transmit(2);
    EXPECT_EQ(node.state(root), std::nullopt);  // [PYRRHA-ONE-8]
    EXPECT_EQ(node.in_use(), 0u);
  }
}

TEST(PyrrhaOneTier, HasRoomForPairsAgainWhenOthersAreForgotten) {
  OneTier node({{"known_roots", std::int64_t{2}}});
  for (int i = 0; i < 4; ++i) {
    node.hear(2, Kind::pause, kA1);
    node.hear(2, Kind::pause, kB1);
    const QueueId queue = node.receive(0, 2, kA1B1);
    EXPECT_EQ(queue, node.both(kA1, kB1)) << i;
    node.hear(2, Kind::resume, kA1);
    node.hear(2, Kind::resume, kB1);
    node.transmit(queue);
    EXPECT_EQ(node.policy.known_roots(), 0u);
  }
  EXPECT_EQ(node.statistic("pyrrha.shared"), 0);
}

TEST(PyrrhaOneTier, SharesTheQueueOfTheNearerRoot) {
  OneTier node({{"queues", std::int64_t{8}}});
  std::vector<Hop> near;
  for (std::size_t i = 0; i < 9; ++i) {
    near.push_back({SwitchId(20), PortId(100 + i)});
    node.paths.hops[static_cast<std::uint32_t>(100 + i)] = {near[i], {SwitchId(50), PortId(i)}};
    node.paths.hops[static_cast<std::uint32_t>(200 + i)] = {near[i], kB1};
    node.hear(2, Kind::pause, near[i]);
    node.receive(0, 2, 100 + i);
  }
  EXPECT_EQ(node.in_use(), 7u) << "one is left for roots at the last hop";  // [PYRRHA-ONE-6]
  EXPECT_EQ(node.statistic("pyrrha.shared"), 2);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, 200);
  EXPECT_EQ(both, node.isolation(near[0]));
  EXPECT_EQ(node.statistic("pyrrha.shared"), 3);
  EXPECT_EQ(node.both(near[0], kB1), node.isolation(near[0]));
  EXPECT_FALSE(node.tier().has_marker(node.isolation(near[0]))) << "it is the same queue";
  node.hear(2, Kind::resume, near[0]);
  EXPECT_FALSE(node.open(node.isolation(near[0])));  // [PYRRHA-IQ-6]
  const QueueId last = node.receive(0, 2, kA2B1);
  EXPECT_EQ(last, node.isolation(kB1));
  EXPECT_EQ(node.in_use(), 8u);
}

TEST(PyrrhaOneTier, TreatsPairsBeyondItsTableAsTheirNearerRoot) {
  OneTier node({{"known_roots", std::int64_t{5}}});
  node.paths.hops[100] = {kA2, kB2};
  node.paths.hops[101] = {{SwitchId(20), PortId(3)}, kB2};
  node.paths.hops[102] = {{SwitchId(20), PortId(3)}, kB1};
  for (const Hop root : {kA1, kA2, Hop{SwitchId(20), PortId(3)}, kB1, kB2}) node.hear(2, Kind::pause, root);
  for (const std::size_t to : {kA1B1, kA2B1, kA1B2, std::size_t{100}, std::size_t{101}}) node.receive(0, 2, to);
  EXPECT_EQ(node.in_use(), 5u);
  EXPECT_EQ(node.statistic("pyrrha.shared"), 0);
  const QueueId sixth = node.receive(0, 2, 102);
  EXPECT_EQ(sixth, node.isolation({SwitchId(20), PortId(3)}));  // [PYRRHA-ONE-6]
  EXPECT_EQ(node.statistic("pyrrha.shared"), 1);
  EXPECT_EQ(node.receive(0, 2, 101), node.both({SwitchId(20), PortId(3)}, kB2));
}

TEST(PyrrhaOneTier, KeepsOrderWhenAPacketEnteredBehindTheMarker) {
  OneTier node;
  constexpr std::size_t kToIt = 100;
  constexpr std::size_t kToOther = 101;
  node.paths.hops[kToIt] = node.paths.hops[kToOther] = {{SwitchId(20), PortId(9)}, kB1};
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId last = node.receive(0, 2, kToOther);
  node.receive(0, 2, kA1B1);  // its marker follows the packet to the other destination
  EXPECT_EQ(node.receive(0, 2, kToIt), last);
  node.paths.hops[kToIt] = {kA1, kB1};
  EXPECT_EQ(node.receive(0, 2, kToIt), last) << "behind its predecessor, which no marker follows";  // [PYRRHA-ORDER-1]
}

TEST(PyrrhaOneTier, KeepsOrderWhenRoutesChange) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId old = node.receive(0, 2, kA1B1);
  const std::vector<Hop> route = std::exchange(node.paths.hops[kA1B1], {kA2, kB1});
  EXPECT_EQ(node.receive(0, 2, kA1B1), old) << "behind its predecessors";  // [PYRRHA-ORDER-1]
  node.paths.hops[kA1B1] = {kA2, {SwitchId(31), PortId(9)}};
  EXPECT_EQ(node.receive(0, 2, kA1B1), old) << "also if it meets no root now";
  EXPECT_EQ(node.receive(0, 3, kA1B1), node.output(3)) << "another port";
  node.hear(2, Kind::resume, kA1);
  node.hear(2, Kind::resume, kB1);
  node.transmit(old, 3);
  EXPECT_EQ(node.receive(0, 2, kA1B1), node.output(2));
}

TEST(PyrrhaOneTier, KeepsOrderWhenTheNewRouteHasAnotherLastHop) {
  OneTier node;
  for (const Hop root : {kA1, kB1, kB2}) node.hear(2, Kind::pause, root);
  const QueueId old = node.receive(0, 2, kA1B1);
  const QueueId other = node.receive(0, 2, kA1B2);  // made later, but no marker of it stands behind the packet
  node.paths.hops[kA1B1] = {kA1, kB2};
  EXPECT_EQ(node.receive(0, 2, kA1B1), old);  // [PYRRHA-ORDER-1]
  EXPECT_NE(other, old);
}

TEST(PyrrhaOneTier, KeepsOrderWhenTheNewRouteMeetsASupersetThatExists) {
  OneTier node;
  node.hear(2, Kind::pause, kA1);
  node.hear(2, Kind::pause, kB1);
  const QueueId both = node.receive(0, 2, kA1B1);  // its marker would have been ahead of what follows
  const QueueId part = node.receive(0, 2, kA1B2);
  node.paths.hops[kA1B2] = {kA1, kB1};
  EXPECT_EQ(node.receive(0, 2, kA1B2), part);  // [PYRRHA-ORDER-1]
  EXPECT_NE(both, part);
}

TEST(PyrrhaOneTier, SignalsTheLengthOfTheQueueThatThePacketLeaves) {
  for (const bool output : {false, true}) {
    OneTier node({{"signal", std::string(output ? "output" : "queue")}});
    node.receive(0, 2, kToElsewhere);
    node.hear(2, Kind::pause, kB1);
    const QueueId queue = node.receive(0, 2, kA1B1, 3);
    const auto length = [&](QueueId at) {
      return node.policy.signalled_length(node.context, at, *node.context.peek(at));
    };
    EXPECT_EQ(length(queue), output ? kPacket : 3 * kPacket);  // [PYRRHA-SIGNAL-1]
    EXPECT_EQ(length(node.output(2)), kPacket);
    const QueueId other = node.context.default_queue(PortId(2), 5);
    node.context.queue_state(other).bytes = 777;
    EXPECT_EQ(node.policy.signalled_length(node.context, other, *node.context.peek(queue)), 777);
  }
}

TEST(PyrrhaOneTier, ForgetsSetsAndMarkersWithALink) {
  OneTier node;
  node.receive(0, 2, kToElsewhere);
  node.hear(2, Kind::pause, kA1);
  node.receive(0, 2, kA1B1);
  node.hear(2, Kind::pause, kB1);
  node.receive(0, 2, kA1B1, kFull);
  EXPECT_EQ(node.statistic("pyrrha.order_markers"), 3);
  node.said(0);
  node.link(2, false);
  EXPECT_THAT(node.said(0), testing::UnorderedElementsAre(Message{Kind::resume, root_of(kA1), 0},
                                                          Message{Kind::resume, root_of(kB1), 0}));
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.in_use(), 0u);
  node.link(2, true);
  node.hear(2, Kind::pause, kA1);
  const QueueId queue = node.receive(0, 2, kA1B1);
  node.hear(2, Kind::resume, kA1);
  EXPECT_TRUE(node.open(queue));
}

}  // namespace
}  // namespace weir::pyrrha::single_tier_switch_test
