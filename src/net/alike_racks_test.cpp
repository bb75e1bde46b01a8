// SPDX-License-Identifier: Apache-2.0
#include "net/alike_racks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "net/path_metrics.h"
#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::alike_racks_test {
namespace {

void expect_same_extremes(const Topology& whole) {
  const Topology part = without_repeated_racks(whole);
  const RoundTripFrames frames = {Bytes(1086), Bytes(90)};
  const std::vector<Routes> of_whole = compute_routes(whole);
  const std::vector<Routes> of_part = compute_routes(part);
  const PathMetrics a(whole, of_whole, frames);
  const PathMetrics b(part, of_part, frames);
  RC_ASSERT(a.shortest_round_trip() == b.shortest_round_trip());
  RC_ASSERT(a.longest_round_trip() == b.longest_round_trip());
  RC_ASSERT(a.largest_bandwidth_delay_product() == b.largest_bandwidth_delay_product());
}

RC_GTEST_PROP(AlikeRacks, HaveTheExtremesOfTheWhole, ()) {
  expect_same_extremes(testing::random_topology());
}

RC_GTEST_PROP(AlikeRacks, HaveThemInTiersOfFewKindsOfLinks, ()) {
  Topology topology;
  std::vector<NodeId> up;
  const int spines = *rc::gen::inRange(1, 4);
  const int tors = *rc::gen::inRange(1, 8);
  const auto spec = [] {
    return LinkSpec{BitRate(*rc::gen::inRange<std::int64_t>(1, 3) * 10'000'000'000),
                    Duration::picoseconds(*rc::gen::inRange<std::int64_t>(1, 3) * 100'000)};
  };
  for (int i = 0; i < spines; ++i) up.push_back(topology.add_switch("spine" + std::to_string(i), 2));
  for (int i = 0; i < tors; ++i) {
    const NodeId tor = topology.add_switch("tor" + std::to_string(i), 1);
    const LinkSpec uplink = spec();
    for (const NodeId spine : up) topology.connect(tor, spine, uplink);
    const int hosts = *rc::gen::inRange(0, 5);
    for (int host = 0; host < hosts; ++host)
      topology.connect(topology.add_host("h" + std::to_string(topology.hosts())), tor, spec());
  }
  expect_same_extremes(topology);
}

TEST(AlikeRacks, AreFewInAFatTree) {
  const Topology part = without_repeated_racks(testing::fat_tree(8));
  EXPECT_EQ(part.hosts(), 8U * 2 * 2);
  EXPECT_EQ(part.switches(), 80U);
}

}  // namespace
}  // namespace weir::alike_racks_test
