// SPDX-License-Identifier: Apache-2.0
#include "net/failure_cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "net/test_topologies.h"

namespace weir::failure_cycles_test {
namespace {

using ::testing::IsEmpty;

/// Whether the routes of a state have a cycle, computed from the routes themselves.
bool has_cycle(const Topology& topology, const std::vector<LinkId>& failed, const std::vector<PortWeight>& weights,
               std::span<const Turn> turns) {
  const std::vector<Routes> routes = compute_routes(topology, {.failed_links = failed, .weights = weights});
  return !find_buffer_cycles(topology, routes, turns).shortest.empty();
}

/// Tries each state.
bool any_has_cycle(const Topology& topology, const std::vector<PortWeight>& weights, std::span<const Turn> turns) {
  if (has_cycle(topology, {}, weights, turns)) return true;
  for (std::size_t link = 0; link < topology.links().size(); ++link) {
    if (has_cycle(topology, {LinkId(link)}, weights, turns)) return true;
  }
  for (std::size_t node = 0; node < topology.switches(); ++node) {
    if (has_cycle(topology, links_of(topology, {.link = {}, .node = SwitchId(node)}), weights, turns)) return true;
  }
  return false;
}

/// Switches in a ring with some chords, hosts at some of them: single failures have large effects.
Topology ring_with_chords() {
  const auto size = *rc::gen::inRange<std::size_t>(3, 10);
  Topology topology;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < size; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1));
  for (std::size_t i = 0; i < size; ++i) {
    topology.connect(switches[i], switches[(i + 1) % size], testing::common_link());
    if (*rc::gen::inRange(0, 3) > 0)
      topology.connect(topology.add_host("h" + std::to_string(i)), switches[i], testing::common_link());
  }
  const int chords = *rc::gen::inRange(0, 12);
  for (int i = 0; i < chords; ++i) {
    const auto a = *rc::gen::inRange<std::size_t>(0, size);
    const auto b = *rc::gen::inRange<std::size_t>(0, size);
    if (a != b) topology.connect(switches[a], switches[b], testing::common_link());
  }
  return topology;
}

/// A leaf-spine that lacks some links.
Topology broken_leaf_spine() {
  const int tors = *rc::gen::inRange(2, 6);
  const int spines = *rc::gen::inRange(1, 5);
  Topology topology;
  std::vector<NodeId> up;
  for (int i = 0; i < spines; ++i) up.push_back(topology.add_switch("spine" + std::to_string(i), 2));
  for (int i = 0; i < tors; ++i) {
    const NodeId tor = topology.add_switch("tor" + std::to_string(i), 1);
    topology.connect(topology.add_host("h" + std::to_string(i)), tor, testing::common_link());
    for (const NodeId spine : up) {
      if (*rc::gen::inRange(0, 5) > 0) topology.connect(tor, spine, testing::common_link());
    }
  }
  return topology;
}

std::vector<PortWeight> some_weights(const Topology& topology) {
  std::vector<PortWeight> out;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    for (std::size_t port = 0; port < topology.ports(topology.node_of(SwitchId(i))).size(); ++port) {
      if (*rc::gen::inRange(0, 4) > 0) continue;
      out.push_back({SwitchId(i), PortId(port), *rc::gen::inRange<std::uint16_t>(0, 3)});
    }
  }
  return out;
}

void agrees(const Topology& topology) {
  const std::vector<PortWeight> weights =
      *rc::gen::inRange(0, 3) == 0 ? some_weights(topology) : std::vector<PortWeight>();
  const std::vector<Turn> turns = *rc::gen::inRange(0, 3) == 0 ? down_up_turns(topology) : std::vector<Turn>();
  const OneFailureCycles found = find_cycles_with_one_failure(topology, weights, turns);
  RC_ASSERT(found.found.shortest.empty() == !any_has_cycle(topology, weights, turns));
  RC_ASSERT(!surely_free_of_cycles(topology, turns) || !has_cycle(topology, {}, weights, turns));
  RC_ASSERT(surely_free_of_cycles(topology, turns) == !has_cycle(topology, {}, {}, turns));
  if (found.found.shortest.empty()) return;
  const std::vector<LinkId> failed = found.failed ? links_of(topology, *found.failed) : std::vector<LinkId>();
  RC_ASSERT(has_cycle(topology, failed, weights, turns));
  RC_ASSERT(!found.failed || !has_cycle(topology, {}, weights, turns));
}

RC_GTEST_PROP(FailureCycles, AreThoseOfTheRoutesOfEachFailure, ()) {
  agrees(testing::random_topology());
}

RC_GTEST_PROP(FailureCycles, AreThoseOfRingsWithChords, ()) {
  agrees(ring_with_chords());
}

RC_GTEST_PROP(FailureCycles, AreThoseOfTiersThatLackLinks, ()) {
  agrees(broken_leaf_spine());
}

TEST(FailureCycles, AreNoneInNetworksOfTiersThatLackNothing) {
  for (const Topology& topology : {testing::fat_tree(4), testing::fat_tree(8), testing::leaf_spine(4, 2, 2),
                                   testing::leaf_spine(4, 2, 1), testing::leaf_spine(3, 1, 2, 400, 2)}) {
    EXPECT_THAT(find_cycles_with_one_failure(topology).found.shortest, IsEmpty());
  }
}

// spfc figure 17 (a): T0 has no link to one leaf. If T3 loses its link to the other, frames between them go up and down
// twice.
TEST(FailureCycles, NameTheLinkWithoutWhichThereIsOne) {
  using namespace weir::literals;
  Topology topology;
  std::vector<NodeId> tors;
  for (int i = 0; i < 4; ++i) {
    tors.push_back(topology.add_switch("T" + std::to_string(i), 1));
    topology.connect(topology.add_host("h" + std::to_string(i)), tors.back(), testing::common_link());
  }
  for (int spine = 0; spine < 2; ++spine) {
    const NodeId above = topology.add_switch("L" + std::to_string(spine), 2);
    for (int i = 0; i < 4; ++i) {
      if (i != 0 || spine != 1) topology.connect(tors[static_cast<std::size_t>(i)], above, testing::common_link());
    }
  }
  const OneFailureCycles found = find_cycles_with_one_failure(topology);
  ASSERT_TRUE(found.failed.has_value());
  ASSERT_TRUE(found.failed->link.exists());
  const Link& link = topology.link(found.failed->link);
  EXPECT_EQ(topology.node(link.b).name, "L0");
  EXPECT_THAT(topology.node(link.a).name, ::testing::AnyOf("T1", "T2", "T3"));
  EXPECT_EQ(found.found.shortest.size(), 4U);
  EXPECT_THAT(find_cycles_with_one_failure(topology, {}, down_up_turns(topology)).found.shortest, IsEmpty());
}

TEST(FailureCycles, NameNothingThatIsDownWhereAllLinksUpHaveOne) {
  Topology ring;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < 5; ++i) switches.push_back(ring.add_switch("s" + std::to_string(i), 1));
  for (std::size_t i = 0; i < 5; ++i) {
    ring.connect(ring.add_host("h" + std::to_string(i)), switches[i], testing::common_link());
    ring.connect(switches[i], switches[(i + 1) % 5], testing::common_link());
  }
  const OneFailureCycles found = find_cycles_with_one_failure(ring);
  EXPECT_FALSE(found.failed.has_value());
  EXPECT_EQ(found.found.shortest.size(), 5U);
}

TEST(FailureCycles, AreNoneWithoutSwitchesThatMeet) {
  Topology topology;
  topology.connect(topology.add_host("h0"), topology.add_switch("s0", 1), testing::common_link());
  EXPECT_THAT(find_cycles_with_one_failure(topology).found.shortest, IsEmpty());
  EXPECT_THAT(find_cycles_with_one_failure(Topology()).found.shortest, IsEmpty());
}

}  // namespace
}  // namespace weir::failure_cycles_test
