// SPDX-License-Identifier: Apache-2.0
// What a switch forgets, and whom it resumes, when links fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::pyrrha_link_test {
namespace {

TEST(PyrrhaLink, OfARootResumesItsNeighboursWhenItFails) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull);
  node.hear(3, Kind::pause, kFar);
  node.receive(1, 3, kToFar, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(2)));
  EXPECT_EQ(node.said(1), only(Kind::pause, kFar));
  node.link(2, false);
  EXPECT_EQ(node.said(0), only(Kind::resume, own(2)));  // [PYRRHA-LINK-1]
  EXPECT_EQ(node.said(1), kNothing);
  node.link(3, false);
  EXPECT_EQ(node.said(1), only(Kind::resume, kFar));
  EXPECT_EQ(node.policy.known_roots(), 0u);
  EXPECT_EQ(node.in_use(3), 0u);
}

TEST(PyrrhaLink, ForgetsNeighboursBehindAFailedLink) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.receive(0, 3, kToElsewhere, kFull);
  node.link(0, false);  // [PYRRHA-LINK-2]
  EXPECT_FALSE(node.policy.is_root(PortId(3)));
  node.hear(2, Kind::resume, kNear);
  while (!node.context.queue(queue).empty()) node.serve(queue);
  EXPECT_EQ(node.state(kNear), std::nullopt) << "it has no children";
  node.link(0, true);
  node.said(0);
  node.receive(0, 3, kToElsewhere);
  EXPECT_EQ(node.said(0), only(Kind::pause, own(3))) << "it is told anew";
}

TEST(PyrrhaLink, LeavesNoChildrenToTheNextRoot) {
  Node node({{"known_roots", std::int64_t{1}}});
  node.hear(2, Kind::pause, kFar);
  node.receive(0, 2, kToFar, kFull);
  node.link(2, false);  // [PYRRHA-LINK-1]
  node.link(2, true);
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear);
  node.hear(2, Kind::resume, kNear);
  node.serve(queue);
  EXPECT_EQ(node.state(kNear), std::nullopt) << "no neighbour was paused for it";
}

TEST(PyrrhaLink, LeavesNoChildrenToThePortOfARoot) {
  Node node;
  node.receive(0, 2, kToElsewhere, kFull);
  node.link(2, false);  // [PYRRHA-LINK-1]
  node.link(2, true);
  node.receive(1, 2, kToElsewhere, kFull);
  node.said(0);
  node.said(1);
  node.hear(2, Kind::pause, kNear);
  EXPECT_EQ(node.said(1), merged(own(2), kNear));
  EXPECT_EQ(node.said(0), kNothing) << "it belonged to the tree before the failure";
}

TEST(PyrrhaLink, CarriesNothingAfterItHasFailed) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  EXPECT_EQ(node.said(0), only(Kind::pause, kNear));
  node.link(0, false);
  node.hear(2, Kind::resume, kNear);
  while (!node.context.queue(queue).empty()) node.serve(queue);
  EXPECT_TRUE(node.policy.is_root(PortId(2))) << "because of packets from the failed link";
  EXPECT_EQ(node.said(0), kNothing);
}

TEST(PyrrhaLink, LeavesARootThatPausesOthers) {
  Node node;
  node.receive(0, 3, kToElsewhere, kFull);
  node.receive(1, 3, kToElsewhere);
  node.link(0, false);
  EXPECT_TRUE(node.policy.is_root(PortId(3)));
  EXPECT_EQ(node.statistic("pyrrha.roots"), 1);
}

TEST(PyrrhaLink, ForgetsARootWhoseLastChildIsGone) {
  Node node;
  node.hear(2, Kind::pause, kNear);
  const QueueId queue = node.receive(0, 2, kToNear, kFull);
  node.hear(2, Kind::resume, kNear);
  node.drain(queue, 2);
  EXPECT_EQ(node.state(kNear), State::resumed) << "neighbour 0 has not deallocated";
  node.link(0, false);  // [PYRRHA-LINK-2]
  EXPECT_EQ(node.state(kNear), std::nullopt);
}

TEST(PyrrhaLink, EndsAPauseByTwoPortsOnce) {
  Node node;
  node.hear(2, Kind::pause, kFar);
  node.hear(3, Kind::pause, kFar);
  node.receive(0, 2, kToFar, kFull);
  node.receive(0, 3, kToFar, kFull);
  node.link(0, false);
  const std::vector<FakeSwitch::Pause>& pauses = node.context.hop_pauses();
  EXPECT_EQ(std::count_if(pauses.begin(), pauses.end(), [](const auto& pause) { return !pause.paused; }), 1);
}

}  // namespace
}  // namespace weir::pyrrha::pyrrha_link_test
