// SPDX-License-Identifier: Apache-2.0
// One rule per test: roots, thresholds, isolation queues and their transitions.
#include "schemes/pyrrha/pyrrha_switch.h"

#include <gtest/gtest.h>

#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::pyrrha_switch_test {
namespace {

TEST(PyrrhaRoot, IsAnOutputQueueAboveItsThreshold) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull - 1);
  EXPECT_EQ(node.said(0), kNothing);
  node.receive(0, 2, kToElsewhere);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));  // [PYRRHA-ROOT-2]
  EXPECT_EQ(node.said(1), kNothing) << "only the ingress of the packet is paused";
  EXPECT_TRUE(node.policy.is_root(PortId(2)));
  node.receive(0, 2, kToElsewhere, 5);
  EXPECT_EQ(node.said(0), kNothing) << "once";
  node.receive(1, 2, kToElsewhere);
  EXPECT_EQ(node.said(1), only(Kind::pause, own(2)));
}

TEST(PyrrhaRoot, PausesNobodyForPacketsThatTurnBack) {
  Node node;
  node.receive(2, 2, kToElsewhere, kFull + 5);
  EXPECT_EQ(node.said(2), kNothing);  // [PYRRHA-PATH-5]
  node.receive(0, 2, kToElsewhere);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));
  Node further;
  further.hear(2, Kind::pause, kNear);
  further.receive(2, 2, kToNear, kFull + 5);
  EXPECT_EQ(further.said(2), kNothing);
  further.receive(0, 2, kToNear);
  EXPECT_EQ(further.said(0), only(Kind::pause, kNear));
}

TEST(PyrrhaRoot, IsNoQueueOfExactlyItsThreshold) {
  Node node;
  node.context.queue_state(node.output(2)).bytes = 2 * kProduct - kPacket;
  node.receive(0, 2, kToElsewhere);
  EXPECT_EQ(node.said(0), kNothing);  // [PYRRHA-ROOT-2]
  node.receive(0, 2, kToElsewhere);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));
  node.context.queue_state(node.output(2)).bytes = kProduct + kPacket;
  node.transmit(2);
  EXPECT_EQ(node.said(0), kNothing) << "nor is one of exactly the lower threshold short";  // [PYRRHA-TH-3]
  node.transmit(2);
  EXPECT_EQ(node.said(0), only(Kind::resume, own(2)));
}

// [PYRRHA-TH-1]
TEST(PyrrhaRoot, HasThresholdsOfItsRateAndTheIngressDelay) {
  struct Case {
    std::size_t in;
    std::size_t out;
    std::int64_t product;
  };
  for (const auto& [in, out, product] :
       {Case{0, 2, 12 * kProduct}, Case{1, 2, 4 * kProduct}, Case{0, 3, 3 * kProduct}, Case{1, 3, kProduct}}) {
    Node node({}, {}, [](FakeSwitch& context) {
      PortState& far = context.port_state(PortId(0));
      far.delay = 3 * far.delay;
      context.set_rate(PortId(2), BitRate(400'000'000'000));
    });
    const auto to = out == 2 ? kToElsewhere : kBeside;
    node.context.queue_state(node.output(out)).bytes = 2 * product - kPacket;
    node.receive(in, out, to);
    EXPECT_EQ(node.said(in), kNothing) << in << " to " << out;
    node.receive(in, out, to);
    EXPECT_EQ(node.said(in), only(Kind::pause, own(out))) << in << " to " << out;
    node.context.queue_state(node.output(out)).bytes = product + kPacket;
    node.transmit(out);
    EXPECT_EQ(node.said(in), kNothing) << in << " to " << out;
    node.transmit(out);
    EXPECT_EQ(node.said(in), only(Kind::resume, own(out))) << in << " to " << out;
  }
}

TEST(PyrrhaRoot, ResumesBelowItsLowerThreshold) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull);
  node.said(0);
  node.transmit(2, kFull - kHalf - 1);
  EXPECT_EQ(node.said(0), kNothing);
  node.transmit(2);
  EXPECT_EQ(node.said(0), only(Kind::resume, own(2)));  // [PYRRHA-TH-3]
  EXPECT_FALSE(node.policy.is_root(PortId(2)));
  EXPECT_EQ(node.statistic("pyrrha.roots"), 0);
  const std::vector<FakeSwitch::Pause>& pauses = node.context.hop_pauses();
  ASSERT_EQ(pauses.size(), 2u);
  EXPECT_TRUE(pauses[0].paused);
  EXPECT_FALSE(pauses[1].paused);
  EXPECT_EQ(pauses[1].name, root_of(own(2)));
}

TEST(PyrrhaRoot, ResumesAlsoWithoutAThreshold) {
  Node node({{"resume_factor", 0.0}});
  node.receive(0, 2, kToElsewhere, kFull);
  node.transmit(2, kFull - 1);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));
  node.transmit(2);
  EXPECT_EQ(node.said(0), only(Kind::resume, own(2)));
}

TEST(PyrrhaRoot, IsCountedOnceHoweverManyNeighboursItPauses) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull);
  node.receive(1, 2, kToElsewhere);
  EXPECT_EQ(node.statistic("pyrrha.pauses"), 2);
  EXPECT_EQ(node.statistic("pyrrha.roots"), 1);
}

TEST(PyrrhaRoot, IsNotResumedByWhatLeavesAnotherQueue) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));
  constexpr Priority kOther = 5;
  Frame& frame = node.context.new_frame(PortId(0), PortId(2), kOther);
  node.policy.on_depart(node.context, node.context.default_queue(PortId(2), kOther), frame);
  EXPECT_EQ(node.said(0), kNothing);
  EXPECT_TRUE(node.policy.is_root(PortId(2)));
}

TEST(PyrrhaRoot, IsNoneOfThisSwitchBecauseAHostHasTheNumberOfItsSwitch) {
  Node node;
  const Hop root{SwitchId(4), PortId(1)};  // host 4 is at port 4
  node.hear(2, Kind::pause, root);
  EXPECT_EQ(node.state(root), State::paused);
  EXPECT_EQ(node.statistic("pyrrha.looped"), 0);
}

TEST(PyrrhaRoot, IgnoresItsOwnPause) {
  Node node;
  node.hear(2, Kind::pause, own(3));  // [PYRRHA-ROOT-3]
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.statistic("pyrrha.looped"), 1);
}

TEST(PyrrhaRoot, IsOfDataOfItsPriorityOnly) {
  Node node;
  Frame& ack = node.context.new_frame(PortId(0), PortId(2), kPriority);
  ack.kind = FrameKind::ack;
  node.context.queue_state(node.output(2)).bytes = 1'000'000;
  node.policy.on_enter(node.context, node.output(2), ack);
  EXPECT_EQ(node.said(0), kNothing);
  node.hear(2, Kind::pause, kNear);
  ack.destination = HostId(kToNear);
  EXPECT_EQ(node.policy.classify(node.context, ack), node.output(2));
  Frame& data = node.context.new_frame(PortId(0), PortId(2), kPriority);
  const QueueId other = node.context.default_queue(PortId(2), 5);
  node.context.queue_state(other).bytes = 1'000'000;
  node.policy.on_enter(node.context, other, data);
  EXPECT_EQ(node.said(0), kNothing) << "a queue of another priority";
}

TEST(PyrrhaRoot, IsAPortToAHostOnlyOnRequest) {
  Node node({{"roots", std::string("last_hop")}});
  node.receive(0, 2, kToElsewhere, kFull);
  EXPECT_EQ(node.said(0), kNothing);
  node.receive(0, 4, kToElsewhere, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(4)));  // [PYRRHA-PATH-2]
}

TEST(PyrrhaPath, IsTheLastHopOnRequest) {
  Node node({{"roots", std::string("last_hop")}});
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::pause, kFarthest);
  const QueueId queue = node.receive(0, 2, kToBoth);
  EXPECT_EQ(queue, node.isolation(kFarthest));  // [PYRRHA-PATH-2]
  EXPECT_FALSE(node.isolation(kNear).exists());
}

TEST(PyrrhaPath, IsMatchedToItsEnd) {
  for (const std::size_t length : {7, 8, 9, 16, 17, 40}) {
    Node node;
    std::vector<Hop>& path = node.paths.hops[kToFar];
    path.clear();
    for (std::size_t i = 0; i < length; ++i) path.push_back({SwitchId(20 + i), PortId(1)});
    node.hear(2, Kind::pause, path[length - 2]);
    node.hear(2, Kind::pause, path[length - 1]);
    const QueueId first = node.receive(0, 2, kToFar);
    ASSERT_NE(first, node.output(2)) << length;  // [PYRRHA-PATH-1]
    const bool is_nearer = first == node.isolation(path[length - 2]);
    node.hear(2, Kind::resume, path[length - (is_nearer ? 2 : 1)]);
    const QueueId second = node.serve(first);
    EXPECT_EQ(second, node.isolation(path[length - (is_nearer ? 1 : 2)])) << "both at the last level of the port";
    EXPECT_FALSE(node.context.gate_open(second));
  }
}

TEST(PyrrhaPath, EndsWithTheLastHopEvenIfItCannotBePredicted) {
  for (const std::size_t predictable : {0, 1, 2}) {
    Node node;
    node.paths.predictable = predictable;
    for (const Hop root : {kNear, kFar, kFarthest}) node.hear(2, Kind::pause, root);
    node.receive(0, 2, kToBoth);
    EXPECT_EQ(node.isolation(kNear).exists(), predictable > 0);
    EXPECT_EQ(node.isolation(kFar).exists(), predictable > 1);
    EXPECT_TRUE(node.isolation(kFarthest).exists()) << predictable;  // [PYRRHA-PATH-3]
    EXPECT_EQ(node.receive(0, 2, kToElsewhere), node.output(2));
  }
}

// Otherwise two neighbours that send packets of one tree back to each other would wait for each other.
TEST(PyrrhaPath, EndsWhereThePacketComesBack) {
  for (const std::int64_t tiers : {0, 1}) {
    Node node({{"tiers", tiers}});
    for (const Hop root : {kNear, kFar, kFarthest}) node.hear(2, Kind::pause, root);
    node.paths.hops[kToBoth] = {kNear, own(3), kFar, kFarthest};
    const QueueId queue = node.receive(0, 2, kToBoth);
    EXPECT_EQ(queue, tiers == 0 ? node.isolation(kNear) : node.output(2));
    node.hear(2, Kind::resume, kNear);
    if (tiers == 0) {
      EXPECT_EQ(node.serve(queue), node.output(2));  // [PYRRHA-PATH-4]
    }
  }
  Node last({{"roots", std::string("last_hop")}});
  last.paths.hops[kToFar] = {kNear, own(4)};
  EXPECT_EQ(last.receive(0, 2, kToFar), last.output(2));
}

TEST(PyrrhaPath, ComesBackWithPacketsForASlowHost) {
  Node node({}, {kToBoth});
  node.hear(2, Kind::pause, host_root(kToBoth));
  node.paths.hops[kToBoth] = {kNear, own(3), kFar};
  EXPECT_EQ(node.receive(0, 2, kToBoth), node.output(2));  // [PYRRHA-PATH-4]
  node.paths.hops[kToBoth] = {kNear, kFar};
  EXPECT_NE(node.receive(0, 2, kToBoth), node.output(2));
}

TEST(PyrrhaQueue, IsFollowedByThatOfAnotherRootOfItsLevel) {
  for (const bool first_near : {false, true}) {
    Node node;
    node.paths.hops[100] = {kFar};  // the first packet that meets it meets it as its first hop
    node.hear(2, Kind::pause, kNear);
    node.hear(2, Kind::pause, kFar);
    if (first_near) node.receive(0, 2, kToNear);
    const QueueId far = node.receive(0, 2, 100);
    const QueueId near = node.receive(0, 2, kToNear);
    ASSERT_EQ(node.context.queue(near).stage, node.context.queue(far).stage);
    node.paths.hops[101] = {kNear, kFar};
    const QueueId first = node.receive(0, 2, 101, 2);
    const QueueId second = first == near ? far : near;
    node.hear(2, Kind::resume, first == near ? kNear : kFar);
    while (node.context.frames()[node.context.queue(first).head].destination != HostId(101)) node.serve(first);
    EXPECT_EQ(node.serve(first), second);  // [PYRRHA-IQ-3]
    // The same flow on a path without roots: behind the second packet, which is behind the first one.
    node.paths.hops[101] = {{SwitchId(20), PortId(9)}};
    ++node.paths.changes;
    EXPECT_EQ(node.receive(0, 2, 101), first);  // [PYRRHA-ORDER-1]
    EXPECT_EQ(node.serve(first), second);
    EXPECT_EQ(node.serve(first), second);
  }
}

TEST(PyrrhaQueue, HoldsWhatMeetsTheRootAndNothingElse) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  EXPECT_FALSE(node.isolation(kNear).exists()) << "no packet has met it";
  EXPECT_EQ(node.receive(0, 2, kToElsewhere), node.output(2));  // [PYRRHA-PATH-1]
  const QueueId queue = node.receive(0, 2, kToNear);
  EXPECT_EQ(queue, node.isolation(kNear));  // [PYRRHA-IQ-1]
  EXPECT_FALSE(node.context.gate_open(queue));
  EXPECT_EQ(node.context.queue(queue).port, PortId(2));
  EXPECT_EQ(node.context.queue(queue).service, Service::at_rate);
  EXPECT_EQ(node.receive(0, 3, kToNear), node.output(3)) << "the root is known beyond port 2 only";
  EXPECT_EQ(node.receive(0, 4, kToNear), node.output(4));
}

TEST(PyrrhaQueue, IsMetFromNearToFar) {
  Node node;
  node.hear(2, Kind::pause, kFarthest);
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::pause, kFar);
  const QueueId first = node.receive(0, 2, kToBoth);
  EXPECT_EQ(first, node.isolation(kNear));  // [PYRRHA-IQ-3]
  EXPECT_EQ(node.in_use(), 3u) << "a queue for each root that it meets";
  const auto stage = [&](Hop root) { return node.context.queue(node.isolation(root)).stage; };
  EXPECT_GT(stage(kNear), stage(kFar));  // [PYRRHA-IQ-2]
  EXPECT_GT(stage(kFar), stage(kFarthest));
  const QueueId second = node.isolation(kFar);
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.serve(first), second);
  EXPECT_EQ(node.receive(0, 2, kToFar), second) << "it joins the level of its root";
  const QueueId third = node.isolation(kFarthest);
  node.hear(2, Kind::resume, kFar);
  EXPECT_EQ(node.serve(second), third);
  EXPECT_EQ(node.serve(second), node.output(2));
  node.hear(2, Kind::resume, kFarthest);
  EXPECT_EQ(node.serve(third), node.output(2)) << "all its roots have resumed";
  EXPECT_EQ(node.in_use(), 0u);
}

TEST(PyrrhaQueue, PausesTheIngressWhenItIsLong) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  node.receive(0, 2, kToFar, kFull - 1);
  EXPECT_EQ(node.said(0), kNothing);
  node.receive(1, 2, kToFar);
  EXPECT_EQ(node.said(1), only(Kind::pause, kFar));  // [PYRRHA-TH-2]
  EXPECT_EQ(node.said(0), kNothing);
  node.hear(2, Kind::resume, kFar);
  const QueueId queue = node.isolation(kFar);
  for (int i = 0; i < kFull - kHalf - 1; ++i) node.serve(queue);
  EXPECT_EQ(node.said(1), kNothing);
  node.serve(queue);
  EXPECT_EQ(node.said(1), only(Kind::resume, kFar));  // [PYRRHA-TH-3]
}

TEST(PyrrhaQueue, ResumesWhenPacketsAreWithdrawnFromIt) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kNear));
  node.context.queue_state(queue).bytes = kHalf * kPacket;
  node.policy.on_withdraw(node.context, queue, node.context.frames()[node.context.queue(queue).head]);
  EXPECT_EQ(node.said(0), only(Kind::resume, kNear));  // [PYRRHA-TH-3]
}

TEST(PyrrhaQueue, IsCounted) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::pause, kFar);
  const QueueId near = node.receive(0, 2, kToNear);
  const QueueId far = node.receive(0, 2, kToFar);
  node.hear(2, Kind::resume, kNear);
  node.hear(2, Kind::resume, kFar);
  node.drain(near, 2);
  node.drain(far, 2);
  EXPECT_EQ(node.statistic("pyrrha.isolated"), 2);
  EXPECT_EQ(node.statistic("pyrrha.port_roots"), 0);
  node.hear(2, Kind::pause, kNear);
  node.receive(0, 2, kToNear);
  constexpr std::size_t kQueues = 0;
  EXPECT_EQ(node.policy.statistics()[kQueues].name, "pyrrha.queues");
  const Statistic queues = node.policy.statistic(kQueues, PortId(2), 0);
  EXPECT_EQ(queues.value, 1);
  EXPECT_EQ(queues.maximum, 2);
}

TEST(PyrrhaQueue, IsSpokenForOnceByAllPortsOfARoot) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  node.hear(3, Kind::pause, kFar);
  node.receive(0, 2, kToFar, kFull);
  node.receive(0, 3, kToFar, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kFar));  // [PYRRHA-TH-4]
  node.hear(2, Kind::resume, kFar);
  const QueueId queue = node.isolation(kFar);
  node.drain(queue, 2);
  EXPECT_EQ(node.said(0), kNothing) << "the other port still needs the pause";
  node.hear(3, Kind::resume, kFar);
  const QueueId other = node.isolation(kFar, 3);
  node.drain(other, 3);
  EXPECT_EQ(node.said(0), only(Kind::resume, kFar));
}

// Figure 6: paused to resumed and back, to unassigned, to soft merging.
TEST(PyrrhaQueue, IsUnassignedWhenItIsEmptyAndResumed) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, 2);
  EXPECT_EQ(node.state(kNear), State::paused);
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.state(kNear), State::resumed);
  EXPECT_TRUE(node.context.gate_open(queue));
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.state(kNear), State::paused);
  EXPECT_FALSE(node.context.gate_open(queue));
  node.hear(2, Kind::resume, kNear);
  node.serve(queue);
  EXPECT_EQ(node.said(2), kNothing);
  node.serve(queue);
  EXPECT_EQ(node.state(kNear), std::nullopt);  // [PYRRHA-IQ-4]
  EXPECT_EQ(node.in_use(), 0u);
  EXPECT_EQ(node.said(2), only(Kind::deallocate, kNear));  // [PYRRHA-FRAME-3]
  EXPECT_EQ(node.receive(0, 2, kToNear), node.output(2));
}

TEST(PyrrhaQueue, IsKeptWhileItIsPausedThoughEmpty) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear);
  node.lose(queue, DropReason::watchdog);
  EXPECT_EQ(node.state(kNear), State::paused);
  EXPECT_EQ(node.in_use(), 1u);
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.in_use(), 0u);
}

TEST(PyrrhaQueue, IsKeptUntilItsChildrenHaveDeallocated) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kNear));
  node.hear(2, Kind::resume, kNear);
  while (!node.context.queue(queue).empty()) node.serve(queue);
  EXPECT_EQ(node.state(kNear), State::resumed) << "not a leaf";
  EXPECT_EQ(node.receive(0, 2, kToNear), queue);
  node.hear(0, Kind::deallocate, kNear);
  EXPECT_EQ(node.state(kNear), State::resumed) << "not empty";
  EXPECT_EQ(node.said(2), kNothing);
  node.serve(queue);
  EXPECT_EQ(node.said(2), only(Kind::deallocate, kNear));
}

TEST(PyrrhaQueue, IsKeptWhenADeallocationNamesAPortThatDoesNotExist) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.hear(2, Kind::resume, kNear);
  while (!node.context.queue(queue).empty()) node.serve(queue);
  for (const std::size_t port : {5, 6, 60'000}) node.hear(0, Kind::deallocate, own(port));
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.state(kNear), State::resumed) << "neighbour 0 has not deallocated this root";
}

TEST(PyrrhaQueue, BelievesNoDeallocationThatCrossedAPause) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.hear(0, Kind::deallocate, kNear);  // sent before it heard the pause
  node.hear(2, Kind::resume, kNear);
  while (!node.context.queue(queue).empty()) node.serve(queue);
  EXPECT_EQ(node.state(kNear), State::resumed);
  node.hear(0, Kind::deallocate, kNear);
  EXPECT_EQ(node.state(kNear), std::nullopt);
}

TEST(PyrrhaQueue, IsSharedByHashWhenAllAreAssigned) {
  Node node({{"queues", std::int64_t{8}}});
  std::vector<Hop> roots;
  for (std::size_t i = 0; i < 12; ++i) {
    const Hop hop{SwitchId(20), PortId(100 + i)};
    node.paths.hops[static_cast<std::uint32_t>(100 + i)] = {hop, {SwitchId(30), PortId(100 + i)}};
    node.hear(2, Kind::pause, hop);
    node.receive(0, 2, 100 + i);
    roots.push_back(hop);
  }
  EXPECT_EQ(node.in_use(), 6u) << "one queue is left for each of the other two levels";  // [PYRRHA-IQ-5]
  EXPECT_EQ(node.statistic("pyrrha.shared"), 6);
  std::map<QueueId, std::vector<std::size_t>> users;
  for (std::size_t i = 0; i < roots.size(); ++i) users[node.isolation(roots[i])].push_back(i);
  const auto shared = std::find_if(users.begin(), users.end(), [](const auto& user) { return user.second.size() > 1; });
  ASSERT_NE(shared, users.end());
  const auto is_shared = [](const auto& user) { return user.second.size() > 1; };
  EXPECT_GT(std::count_if(users.begin(), users.end(), is_shared), 1) << "the hash decides which one";
  for (std::size_t i = 1; i < shared->second.size(); ++i) node.hear(2, Kind::resume, roots[shared->second[i]]);
  EXPECT_FALSE(node.context.gate_open(shared->first)) << "one of its roots is paused";  // [PYRRHA-IQ-6]
  node.hear(2, Kind::resume, roots[shared->second.front()]);
  EXPECT_TRUE(node.context.gate_open(shared->first));
  while (!node.context.queue(shared->first).empty()) node.serve(shared->first);
  EXPECT_EQ(node.in_use(), 5u);
  node.hear(2, Kind::pause, {SwitchId(30), PortId(101)});
  node.receive(0, 2, 101);
  EXPECT_EQ(node.in_use(), 6u) << "the level of the second hop has its queue";
  node.hear(2, Kind::pause, {SwitchId(30), PortId(102)});
  node.receive(0, 2, 102);
  EXPECT_EQ(node.in_use(), 7u) << "one is left for the third level";
  node.hear(2, Kind::pause, {SwitchId(30), PortId(103)});
  node.receive(0, 2, 103);
  const QueueId queue = node.isolation({SwitchId(30), PortId(103)});
  const QueueId first = node.isolation({SwitchId(30), PortId(101)});
  EXPECT_TRUE(queue == first || queue == node.isolation({SwitchId(30), PortId(102)})) << "of its level";
}

TEST(PyrrhaQueue, IsLeftForALevelThatHasNoneAnyMore) {
  Node node({{"queues", std::int64_t{8}}});
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear);
  node.hear(2, Kind::resume, kNear);
  node.drain(queue, 2);
  EXPECT_EQ(node.in_use(), 0u);
  for (std::size_t i = 0; i < 8; ++i) {
    const Hop hop{SwitchId(30), PortId(100 + i)};
    node.paths.hops[static_cast<std::uint32_t>(100 + i)] = {{SwitchId(20), PortId(9)}, hop};
    node.hear(2, Kind::pause, hop);
    node.receive(0, 2, 100 + i);
  }
  EXPECT_EQ(node.in_use(), 6u);  // [PYRRHA-IQ-5]
  node.hear(2, Kind::pause, kNear);
  node.receive(0, 2, kToNear);
  EXPECT_EQ(node.in_use(), 7u);
}

TEST(PyrrhaQueue, CountsWhatItHoldsForRootsOffItsPath) {
  Node node({{"queues", std::int64_t{8}}});
  node.context.set_keeps_statistics(true);
  for (std::size_t i = 0; i < 7; ++i) {
    const Hop hop{SwitchId(20), PortId(100 + i)};
    node.paths.hops[static_cast<std::uint32_t>(100 + i)] = {hop, {SwitchId(30), PortId(100 + i)}};
    node.hear(2, Kind::pause, hop);
    if (i < 6) node.receive(0, 2, 100 + i, 3);
  }
  EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 0);
  EXPECT_EQ(node.statistic("pyrrha.port_roots"), 7);
  node.receive(0, 2, 106);
  EXPECT_EQ(node.statistic("pyrrha.held_off_path"), 3 + 1) << "packets in the queue that it shares, and itself";
}

// Theorem 3.1: with one queue fewer than there are roots, two of them share one. While only one of the two is paused,
// the queue is either closed for a packet that meets the other one only, or open for a packet that meets the paused
// one.
TEST(PyrrhaTheorem, FailsWithOneQueueFewer) {
  constexpr std::size_t kRoots = 7;
  for (const std::size_t queues : {kRoots, kRoots - 1}) {
    Node node({{"queues", static_cast<std::int64_t>(queues + 2)}});  // the other two levels keep one each
    std::vector<Hop> roots;
    for (std::size_t i = 0; i < kRoots; ++i) {
      roots.push_back({SwitchId(20), PortId(100 + i)});
      node.paths.hops[static_cast<std::uint32_t>(100 + i)] = {roots.back(), {SwitchId(30), PortId(100 + i)}};
      node.hear(2, Kind::pause, roots.back());
      node.receive(0, 2, 100 + i);
    }
    ASSERT_EQ(node.in_use(), queues);
    std::size_t innocent = 0;
    for (const Hop& root : roots) {
      node.hear(2, Kind::resume, root);
      innocent += node.context.gate_open(node.isolation(root)) ? 0 : 1;
      node.hear(2, Kind::pause, root);
    }
    EXPECT_EQ(innocent, queues == kRoots ? 0u : 2u);
  }
}

TEST(PyrrhaTable, IgnoresPausesBeyondItsSize) {
  Node node({{"known_roots", std::int64_t{1}}});
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::pause, kFar);  // [PYRRHA-TABLE-2]
  EXPECT_EQ(node.statistic("pyrrha.unheeded"), 1);
  EXPECT_EQ(node.receive(0, 2, kToFar), node.output(2));
  node.hear(2, Kind::resume, kNear);
  node.hear(2, Kind::pause, kFar);
  const QueueId queue = node.receive(0, 2, kToFar);
  EXPECT_EQ(queue, node.isolation(kFar));
}

TEST(PyrrhaTable, AnswersTheEndOfAPauseThatWasIgnored) {
  for (const Kind end : {Kind::resume, Kind::merge}) {
    Node node({{"known_roots", std::int64_t{1}}});
    node.hear(2, Kind::pause, kNear);
    node.hear(2, Kind::pause, kFar);    // the table is full
    node.hear(3, Kind::pause, own(2));  // returned to its root
    EXPECT_EQ(node.said(2), kNothing) << "a DEALLOCATE would be taken for one that crossed the PAUSE";
    node.hear(2, end, kFar, kFarthest);
    node.hear(3, end, own(2), kFarthest);
    EXPECT_EQ(node.said(2), only(Kind::deallocate, kFar));  // [PYRRHA-FRAME-5]
    EXPECT_EQ(node.said(3), only(Kind::deallocate, own(2)));
    EXPECT_EQ(node.state(kNear), State::paused) << "the known root is not concerned";
  }
}

// The switch that has sent the PAUSE.
TEST(PyrrhaTable, ForgetsARootWhosePauseWasIgnored) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kNear));
  node.hear(2, Kind::resume, kNear);
  node.drain(queue, 2);
  EXPECT_EQ(node.said(0), only(Kind::resume, kNear));
  node.hear(2, Kind::pause, kNear);
  node.receive(0, 2, kToNear, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kNear));
  node.hear(0, Kind::deallocate, kNear);  // the answer to the RESUME
  node.hear(2, Kind::resume, kNear);
  node.drain(node.isolation(kNear), 2);
  EXPECT_EQ(node.state(kNear), State::resumed) << "the answer has crossed the second PAUSE";
  node.hear(0, Kind::deallocate, kNear);  // the answer to the second RESUME
  EXPECT_EQ(node.state(kNear), std::nullopt);
}

TEST(PyrrhaOrder, SurvivesAChangeOfRoutes) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  const QueueId old = node.receive(0, 2, kToFar, 2);
  node.paths.hops[kToFar] = {{SwitchId(20), PortId(9)}};
  ++node.paths.changes;
  EXPECT_EQ(node.receive(0, 2, kToFar), old) << "behind its predecessors";  // [PYRRHA-ORDER-1]
  EXPECT_EQ(node.receive(0, 3, kToFar), node.output(3)) << "another port";
  node.hear(2, Kind::pause, kNear);
  node.paths.hops[kToFar] = {kNear};
  ++node.paths.changes;
  const QueueId nearer = node.receive(0, 2, kToFar);
  EXPECT_EQ(nearer, node.isolation(kNear)) << "the level of its new root comes before";
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.serve(nearer), old);
  node.hear(2, Kind::resume, kFar);
  node.drain(old, 2);
  EXPECT_EQ(node.receive(0, 2, kToFar), node.output(2));
  EXPECT_EQ(node.statistic("pyrrha.untracked"), 0);
}

TEST(PyrrhaOrder, GoesNoFurtherThanPredecessorsThatAreNearer) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId old = node.receive(0, 2, kToNear);
  node.hear(2, Kind::pause, kFar);
  node.paths.hops[kToNear] = node.paths.hops[kToFar];
  ++node.paths.changes;
  EXPECT_EQ(node.receive(0, 2, kToNear), old);  // [PYRRHA-ORDER-1]
}

TEST(PyrrhaOrder, IsFollowedUntilNoPacketIsIsolated) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  const QueueId old = node.receive(0, 2, kToFar, 3);
  node.hear(2, Kind::resume, kFar);
  EXPECT_EQ(node.serve(old), node.output(2));
  node.paths.hops[kToFar] = node.paths.hops[kToElsewhere];
  ++node.paths.changes;
  EXPECT_EQ(node.receive(0, 2, kToFar), old);
  node.drain(old, 2);
  EXPECT_EQ(node.receive(0, 2, kToFar), node.output(2));
  // Once more, from the queues as they are now.
  node.hear(2, Kind::pause, kNear);
  const QueueId again = node.receive(0, 2, kToNear);
  node.paths.hops[kToNear] = node.paths.hops[kToElsewhere];
  ++node.paths.changes;
  EXPECT_EQ(node.receive(0, 2, kToNear), again);
}

TEST(PyrrhaOrder, CountsATrimmedPacketOnce) {
  Node node;
  ++node.paths.changes;
  node.hear(2, Kind::pause, kFar);
  const QueueId queue = node.receive(0, 2, kToFar, 2);
  EXPECT_EQ(node.trim(queue), queue);
  node.hear(2, Kind::resume, kFar);
  node.drain(queue, 2);
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.receive(0, 2, kToFar), node.output(2)) << "none of its predecessors is isolated";
}

TEST(PyrrhaOrder, IsKeptForSoManyFlows) {
  Node node({{"flows", std::int64_t{1}}});
  node.hear(2, Kind::pause, kFar);
  const QueueId queue = node.receive(0, 2, kToFar);
  EXPECT_EQ(node.receive(0, 2, kToBoth), queue);
  EXPECT_EQ(node.statistic("pyrrha.untracked"), 0);
  node.paths.hops[kToBoth] = node.paths.hops[kToElsewhere];
  ++node.paths.changes;
  EXPECT_EQ(node.receive(0, 2, kToBoth), node.output(2));
  EXPECT_EQ(node.statistic("pyrrha.untracked"), 1);
  node.lose(queue, DropReason::watchdog);
  EXPECT_EQ(node.receive(0, 2, kToFar), queue) << "its entry is free again";
  EXPECT_EQ(node.statistic("pyrrha.untracked"), 1);
}

TEST(PyrrhaSignal, IsTheQueueInWhichThePacketStood) {
  for (const bool output : {false, true}) {
    Node node({{"signal", std::string(output ? "output" : "queue")}});
    node.receive(0, 2, kToElsewhere);
    node.hear(2, Kind::pause, kFar);
    const QueueId queue = node.receive(0, 2, kToFar, 5);
    const auto length = [&](QueueId at, const Frame& frame) {
      return node.policy.signalled_length(node.context, at, frame);
    };
    const Frame& free = *node.context.peek(node.output(2));
    EXPECT_EQ(length(node.output(2), free), kPacket);
    EXPECT_EQ(length(queue, *node.context.peek(queue)), 5 * kPacket);
    node.hear(2, Kind::resume, kFar);
    node.serve(queue);
    node.serve(queue);
    node.transmit(2);
    const Frame& isolated = *node.context.peek(node.output(2));
    EXPECT_EQ(length(node.output(2), isolated), (output ? 2 : 3) * kPacket);  // [PYRRHA-SIGNAL-1]
    node.drain(queue, 2);
    EXPECT_EQ(length(node.output(2), isolated), output ? 2 * kPacket : 0) << "its queue is unassigned";
  }
}

TEST(PyrrhaSignal, IsTheOutputQueueOfAPacketThatWasTrimmedIntoIt) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  const QueueId queue = node.receive(0, 2, kToFar);
  EXPECT_EQ(node.receive(0, 2, kToBoth, 3), queue);
  node.paths.hops.erase(kToFar);
  EXPECT_EQ(node.trim(queue), node.output(2));
  const Frame& frame = *node.context.peek(node.output(2));
  EXPECT_EQ(node.policy.signalled_length(node.context, node.output(2), frame), kPacket);
}

TEST(PyrrhaSignal, IsNoQueueThatAnotherPortHasNow) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  const QueueId queue = node.receive(0, 2, kToFar);
  node.hear(2, Kind::resume, kFar);
  node.serve(queue);
  node.hear(3, Kind::pause, kFar);
  EXPECT_EQ(node.receive(0, 3, kToFar, 7), queue);
  const Frame& frame = *node.context.peek(node.output(2));
  EXPECT_EQ(node.policy.signalled_length(node.context, node.output(2), frame), 0);
}

TEST(PyrrhaSwitch, SpeaksAndListensOnlyToThoseThatTakePart) {
  Node node;
  Node to_hosts({{"pause_hosts", false}});
  to_hosts.receive(4, 2, kToElsewhere, kFull);
  EXPECT_EQ(to_hosts.said(4), kNothing);
  node.receive(4, 2, kToElsewhere, kFull);
  EXPECT_EQ(node.said(4), only(Kind::pause, own(2)));
  node.hear(4, Kind::pause, kNear);  // [PYRRHA-FRAME-2]
  EXPECT_EQ(node.policy.known_roots(), 0u);
  node.context.port_state(PortId(2)).peer.protocols = HopProtocols::none();
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.statistic("pyrrha.refused"), 2);
}

// [PYRRHA-FRAME-4]
TEST(PyrrhaSwitch, AcceptsFramesForRootsThatExist) {
  Node node;
  constexpr Hop kNoPort{SwitchId(20), PortId(64)};
  constexpr Hop kNoSwitch{SwitchId(64), PortId(1)};
  FramePool& frames = node.context.frames();
  const auto verdict = [&](std::size_t port, Kind kind, Hop root, Hop successor = kNear) {
    const FrameId id = make_message(frames, node.context.framing(), {kind, root_of(root), root_of(successor)});
    const auto out = node.policy.judge(node.context, PortId(port), frames[id]);
    frames.release(id);
    return out;
  };
  for (const Kind kind : {Kind::pause, Kind::resume}) {
    EXPECT_EQ(verdict(2, kind, kNear), ControlVerdict::accepted);
    EXPECT_EQ(verdict(2, kind, kNoPort), ControlVerdict::no_target);
    EXPECT_EQ(verdict(2, kind, kNoSwitch), ControlVerdict::no_target);
    EXPECT_EQ(verdict(4, kind, kNear), ControlVerdict::wrong_neighbour) << "a host";
  }
  EXPECT_EQ(verdict(4, Kind::deallocate, kNear), ControlVerdict::accepted);
  EXPECT_EQ(verdict(4, Kind::deallocate, kNoPort), ControlVerdict::no_target);
  EXPECT_EQ(verdict(2, Kind::merge, kFarthest), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, Kind::merge, kFarthest, kNoSwitch), ControlVerdict::no_target);
  const FrameId unknown = make_message(frames, node.context.framing(), {Kind::pause, root_of(kNear), 0});
  frames[unknown].tag = 99;
  EXPECT_EQ(node.policy.judge(node.context, PortId(2), frames[unknown]), ControlVerdict::malformed);
  frames[unknown].protocol = kProtocol + 1;
  EXPECT_EQ(node.policy.judge(node.context, PortId(2), frames[unknown]), std::nullopt);
  node.context.port_state(PortId(2)).peer.protocols = HopProtocols::none();
  EXPECT_EQ(verdict(2, Kind::pause, kNear), ControlVerdict::not_spoken);
}

TEST(PyrrhaSwitch, SaysWhatItHoldsAndKeeps) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.receive(1, 2, kToElsewhere, kFull);
  std::vector<HeldBy> held;
  node.policy.held_by(node.context, queue, held);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0], (HeldBy{PortId(2), root_of(kNear), QueueId::none()}));
  held.clear();
  node.policy.held_by(node.context, node.output(2), held);
  EXPECT_TRUE(held.empty());
  std::vector<HopPause> kept;
  node.policy.keeps(node.context, queue, *node.context.peek(queue), kept);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].ingress, PortId(0));
  EXPECT_EQ(kept[0].name, root_of(kNear));
  kept.clear();
  node.policy.keeps(node.context, node.output(2), *node.context.peek(node.output(2)), kept);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].name, root_of(own(2)));
  kept.clear();
  const QueueId other = node.context.default_queue(PortId(2), 5);
  node.policy.keeps(node.context, other, *node.context.peek(node.output(2)), kept);
  EXPECT_TRUE(kept.empty()) << "a queue of another priority";
  node.hear(2, Kind::resume, kNear);
  node.policy.held_by(node.context, queue, held);
  EXPECT_TRUE(held.empty()) << "its root has resumed";
}

}  // namespace
}  // namespace weir::pyrrha::pyrrha_switch_test
