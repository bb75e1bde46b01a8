// SPDX-License-Identifier: Apache-2.0
#include "net/buffer_cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::buffer_cycles_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

BufferCycles cycles_in(const Topology& topology, const std::vector<std::pair<const char*, const char*>>& failed = {}) {
  RoutingOptions options;
  for (const auto& [a, b] : failed) {
    for (const LinkId link : topology.links_between(topology.find(a), topology.find(b))) {
      options.failed_links.push_back(link);
    }
  }
  return find_buffer_cycles(topology, compute_routes(topology, options));
}

std::vector<std::string> names(const Topology& topology, const BufferCycles& cycles) {
  std::vector<std::string> out;
  for (const Hop& direction : cycles.shortest) out.push_back(direction_name(topology, direction));
  return out;
}

/// `size` switches in a ring, each with one host.
Topology ring(std::size_t size) {
  Topology topology;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < size; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1));
  for (std::size_t i = 0; i < size; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i)), switches[i], testing::common_link());
    topology.connect(switches[i], switches[(i + 1) % size], testing::common_link());
  }
  return topology;
}

TEST(BufferCycles, AreNoneWhereEveryPathGoesUpAndThenDown) {
  for (const Topology& topology : {testing::fat_tree(4), testing::leaf_spine(4, 2, 2)}) {
    const BufferCycles cycles = cycles_in(topology);
    EXPECT_EQ(cycles.directions, 0u);
    EXPECT_THAT(cycles.shortest, IsEmpty());
  }
}

TEST(BufferCycles, AreNoneOfWhatIsElided) {
  const Topology topology = testing::leaf_spine(4, 2, 2);
  std::vector<LinkId> failed;
  for (const auto& [a, b] : {std::pair("spine0", "tor3"), std::pair("spine1", "tor0")}) {
    failed.push_back(topology.links_between(topology.find(a), topology.find(b)).front());
  }
  const std::vector<Routes> routes = compute_routes(topology, {.failed_links = failed, .weights = {}});
  EXPECT_EQ(find_buffer_cycles(topology, routes).directions, 8u);
  EXPECT_EQ(find_buffer_cycles(topology, routes, down_up_turns(topology)).directions, 0u);
  // Two rings, of which one remains.
  const Topology two_ways = ring(5);
  const std::vector<Routes> around = compute_routes(two_ways);
  const BufferCycles both = find_buffer_cycles(two_ways, around);
  EXPECT_EQ(both.directions, 10u);
  const Hop& before = both.shortest[0];
  const PortId ingress = two_ways.port(two_ways.node_of(before.node), before.port).peer_port;
  const std::vector<Turn> one = {{both.shortest[1].node, ingress, both.shortest[1].port}};
  EXPECT_EQ(find_buffer_cycles(two_ways, around, one).directions, 5u);
}

TEST(BufferCycles, AreNoneWithoutOneLinkOfALeafAndSpine) {
  EXPECT_EQ(cycles_in(testing::leaf_spine(4, 2, 2), {{"tor0", "spine0"}}).directions, 0u);
}

// spfc figure 17 (a): T0 has lost its link to one leaf and T3 that to the other, so frames between them go up and down
// twice, by T1 or T2.
TEST(BufferCycles, IsInAPodThatHasLostTwoLinks) {
  const Topology topology = testing::leaf_spine(4, 2, 2);
  const BufferCycles cycles = cycles_in(topology, {{"spine0", "tor3"}, {"spine1", "tor0"}});
  EXPECT_EQ(cycles.directions, 8u);  // both directions of the four links between T1, T2 and the leaves
  EXPECT_THAT(names(topology, cycles),
              ElementsAre("tor1 -> spine0", "spine0 -> tor2", "tor2 -> spine1", "spine1 -> tor1"));
}

TEST(BufferCycles, IsBothWaysAroundARing) {
  const Topology topology = ring(5);
  const BufferCycles cycles = cycles_in(topology);
  EXPECT_EQ(cycles.directions, 10u);
  EXPECT_THAT(names(topology, cycles), ElementsAre("s0 -> s1", "s1 -> s2", "s2 -> s3", "s3 -> s4", "s4 -> s0"));
}

/// In a ring of three each frame uses one link only, so there are no dependencies.
TEST(BufferCycles, AreNoneWhereNoFrameTakesTwoLinksOfTheRing) {
  EXPECT_EQ(cycles_in(ring(3)).directions, 0u);
}

/// The ring exists, but there are no hosts that would send across it.
TEST(BufferCycles, CountOnlyWhereHostsSend) {
  Topology topology;
  std::vector<NodeId> switches;
  for (int i = 0; i < 5; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1));
  for (std::size_t i = 0; i < 5; ++i) topology.connect(switches[i], switches[(i + 1) % 5], testing::common_link());
  for (int i = 0; i < 2; ++i)
    topology.connect(topology.add_host("h" + std::to_string(i)), switches[0], testing::common_link());
  EXPECT_EQ(cycles_in(topology).directions, 0u);
}

/// Each dependency of the cycle is that of some path, and none is the reverse of another.
TEST(BufferCycles, AreClosed) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    const BufferCycles cycles = cycles_in(topology);
    RC_ASSERT(cycles.shortest.empty() == (cycles.directions == 0));
    RC_ASSERT(cycles.directions >= cycles.shortest.size());
    for (std::size_t i = 0; i < cycles.shortest.size(); ++i) {
      const Hop& here = cycles.shortest[i];
      const Hop& next = cycles.shortest[(i + 1) % cycles.shortest.size()];
      RC_ASSERT(topology.port(topology.node_of(here.node), here.port).peer == topology.node_of(next.node));
      RC_ASSERT(topology.port(topology.node_of(next.node), next.port).peer != topology.node_of(here.node));
    }
  }));
}

/// Routes of a leaf-spine without one link, and later without another instead: never without both.
TEST(BufferCycles, OfReroutesAreOfFramesThatMeetLaterRoutes) {
  const Topology topology = testing::leaf_spine(4, 2, 2);
  const auto without = [&](const char* tor, const char* spine) {
    const LinkId link = topology.links_between(topology.find(tor), topology.find(spine)).front();
    return compute_routes(topology, {.failed_links = {link}, .weights = {}});
  };
  const std::vector<std::vector<Routes>> states = {compute_routes(topology, {}), without("tor3", "spine0"),
                                                   without("tor0", "spine1")};
  const auto directions = [&](const std::vector<std::size_t>& order) {
    return find_buffer_cycles_of_reroutes(topology, states, order).directions;
  };
  for (const auto& routes : states) EXPECT_EQ(find_buffer_cycles(topology, routes).directions, 0U);
  // Frames that went up to spine0 come down again and go up to spine1; none returns to routes of the past.
  EXPECT_EQ(directions({0, 1}), 0U);
  EXPECT_EQ(directions({1, 0}), 0U);
  EXPECT_GT(directions({0, 1, 0}), 0U);
  EXPECT_GT(directions({0, 1, 2}), 0U);
  // Repeated failures of the same link add nothing.
  EXPECT_EQ(directions({0, 1, 0, 1, 0, 1, 0}), directions({0, 1, 0}));
  // The same edges as for a mixture of routes.
  std::vector<BackpressureEdge> edges = backpressure_edges(topology, std::span(states).first(2));
  EXPECT_EQ(held_for_ever(edges).empty(), directions({0, 1, 0}) == 0);
  EXPECT_EQ(find_buffer_cycles_of_reroutes(topology, states, std::vector<std::size_t>{0, 1, 0}, down_up_turns(topology))
                .directions,
            0U);
}

}  // namespace
}  // namespace weir::buffer_cycles_test
