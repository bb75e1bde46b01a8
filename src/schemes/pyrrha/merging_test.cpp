// SPDX-License-Identifier: Apache-2.0
// Roots that merge into roots further downstream, and what becomes of their queues.
#include <gtest/gtest.h>

#include "schemes/pyrrha/pyrrha_switch.h"
#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::merging_test {
namespace {

TEST(PyrrhaMerging, GivesUpARootThatIsPausedByAnother) {
  Node node;
  node.receive(0, 2, kToNear, kFull);
  node.said(0);
  node.hear(2, Kind::pause, kNear);                // [PYRRHA-MERGE-1]
  EXPECT_EQ(node.said(0), merged(own(2), kNear));  // [PYRRHA-MERGE-2]
  EXPECT_EQ(node.said(1), kNothing) << "it does not belong to the tree";
  EXPECT_FALSE(node.policy.is_root(PortId(2)));
  EXPECT_EQ(node.statistic("pyrrha.given_up"), 1);
  ASSERT_EQ(node.context.merges().size(), 1u);
  EXPECT_EQ(node.context.merges()[0], std::pair(root_of(own(2)), root_of(kNear)));
  EXPECT_EQ(node.policy.root_of_pause(root_of(kNear)), CongestionRoot{.port = kNear});
  node.transmit(2, kFull);
  EXPECT_EQ(node.said(0), kNothing) << "MERGE has ended the pause";
}

TEST(PyrrhaMerging, IsOfRootsOnly) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.statistic("pyrrha.given_up"), 0) << "the port was no root";
  EXPECT_EQ(node.statistic("pyrrha.roots"), 0);
  EXPECT_TRUE(node.context.merges().empty());
}

TEST(PyrrhaMerging, HappensOncePerRoot) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull);
  node.hear(2, Kind::pause, kNear);
  node.said(0);
  node.receive(0, 2, kToElsewhere);  // it grows again, by itself: a second root
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));
  node.receive(0, 2, kToNear);
  node.hear(2, Kind::resume, kNear);
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.said(0), kNothing);
  EXPECT_TRUE(node.policy.is_root(PortId(2)));
  node.hear(2, Kind::pause, kFar);
  EXPECT_EQ(node.said(0), merged(own(2), kFar)) << "the first PAUSE of another root";
}

TEST(PyrrhaMerging, IsOffOnRequest) {
  Node node({{"merging", false}});
  node.receive(0, 2, kToNear, kFull);
  node.said(0);
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.said(0), kNothing);
  EXPECT_TRUE(node.policy.is_root(PortId(2)));
}

TEST(PyrrhaMerging, OpensTheQueueAndIsPassedOn) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.said(0);
  node.hear(2, Kind::merge, kNear, kFarthest);  // [PYRRHA-MERGE-3]
  EXPECT_EQ(node.state(kNear), State::merging);
  EXPECT_TRUE(node.context.gate_open(queue));
  EXPECT_EQ(node.said(0), merged(kNear, kFarthest));
  node.receive(1, 2, kToNear, 5);
  EXPECT_EQ(node.said(1), kNothing) << "it belongs to no tree, and pauses nobody";
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.state(kNear), State::merging);
}

TEST(PyrrhaMerging, KeepsPacketsInOrder) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId old = node.receive(0, 2, kToNear, 2);
  node.receive(0, 2, kToBoth);
  node.hear(2, Kind::pause, kFarthest);
  node.hear(2, Kind::merge, kNear, kFarthest);
  EXPECT_EQ(node.receive(0, 2, kToNear), old) << "behind its predecessors";  // [PYRRHA-MERGE-4]
  EXPECT_EQ(node.receive(0, 2, kToBoth), old);
  EXPECT_EQ(node.serve(old), node.output(2));
  EXPECT_EQ(node.serve(old), node.output(2));
  EXPECT_EQ(node.serve(old), node.isolation(kFarthest)) << "congested packets go on to the queue of the new root";
  EXPECT_EQ(node.serve(old), node.output(2));
  EXPECT_EQ(node.serve(old), node.isolation(kFarthest));
  EXPECT_EQ(node.state(kNear), std::nullopt);
  EXPECT_EQ(node.receive(0, 2, kToNear), node.output(2));
  EXPECT_EQ(node.transmit(2, 3), 4u);
}

TEST(PyrrhaMerging, ReturnsToPausedWhenTheOldRootPausesAgain) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear);
  node.hear(2, Kind::merge, kNear, kFarthest);
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.state(kNear), State::paused);
  EXPECT_FALSE(node.context.gate_open(queue));
}

TEST(PyrrhaMerging, LeavesAResumedQueueOpen) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.hear(2, Kind::resume, kNear);
  for (int i = 0; i < kFull - 1; ++i) node.serve(queue);
  ASSERT_EQ(node.context.hop_pauses().size(), 2u) << "neighbour 0 was paused and resumed";
  node.said(0);
  node.hear(2, Kind::merge, kNear, kFarthest);
  EXPECT_EQ(node.state(kNear), State::merging);
  EXPECT_TRUE(node.context.gate_open(queue));
  EXPECT_EQ(node.said(0), merged(kNear, kFarthest)) << "it is still a child";
  EXPECT_EQ(node.context.hop_pauses().size(), 2u) << "its pause had ended";
  node.hear(2, Kind::pause, kNear);
  EXPECT_FALSE(node.context.gate_open(queue));
}

TEST(PyrrhaMerging, AnswersAMergeThatCrossedItsDeallocation) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  node.hear(2, Kind::resume, kNear);
  EXPECT_EQ(node.said(2), only(Kind::deallocate, kNear));
  node.hear(2, Kind::merge, kNear, kFarthest);
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.said(2), only(Kind::deallocate, kNear)) << "as if the PAUSE had been ignored";  // [PYRRHA-FRAME-5]
}

}  // namespace
}  // namespace weir::pyrrha::merging_test
