// SPDX-License-Identifier: Apache-2.0
#include "net/backpressure_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::backpressure_graph_test {
namespace {

Exempting anything(const BackpressureEdge& /*edge*/) {
  return Exempting::rather;
}

using testing::built;
using testing::common_link;
using ::testing::IsEmpty;
using ::testing::Not;

using Edges = std::vector<BackpressureEdge>;

/// Finds cycles by following edges from every port, independently of held_for_ever(). For each port, all ports that can
/// be reached.
std::map<Hop, std::set<Hop>> reach_of(const Edges& edges) {
  std::map<Hop, std::set<Hop>> reach;
  for (const BackpressureEdge& edge : edges) reach[edge.from].insert(edge.to);
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [from, ends] : reach) {
      const std::set<Hop> now = ends;
      for (const Hop& end : now) {
        if (const auto next = reach.find(end); next != reach.end()) {
          for (const Hop& further : next->second) grown = ends.insert(further).second || grown;
        }
      }
    }
  }
  return reach;
}

bool has_cycle(const Edges& edges) {
  for (const auto& [from, ends] : reach_of(edges)) {
    if (ends.contains(from)) return true;
  }
  return false;
}

/// Three switches in a triangle, each with one host; frames to the second next host go clockwise.
struct Triangle {
  Triangle() {
    for (std::size_t i = 0; i < 3; ++i) {
      const NodeId node = topology.add_switch("s" + std::to_string(i), 1);
      topology.connect(topology.add_host("h" + std::to_string(i)), node, common_link());
    }
    for (std::size_t i = 0; i < 3; ++i) {
      topology.connect(topology.node_of(SwitchId(i)), topology.node_of(SwitchId((i + 1) % 3)), common_link());
    }
    for (std::size_t i = 0; i < 3; ++i) {
      Routes table(3);
      for (std::size_t host = 0; host < 3; ++host) {
        const NodeId node = topology.node_of(SwitchId(i));
        const NodeId next = host == i ? topology.node_of(HostId(i)) : topology.node_of(SwitchId((i + 1) % 3));
        for (std::size_t port = 0; port < 3; ++port) {
          const PortId ports[] = {PortId(port)};
          if (topology.port(node, PortId(port)).peer == next) table.set_group(HostId(host), table.add_group(ports));
        }
      }
      routes.push_back(std::move(table));
    }
  }
  Topology topology;
  std::vector<Routes> routes;
};

TEST(BackpressureGraph, HasAnEdgeAgainstTheFramesWay) {
  Topology topology;
  const NodeId left = topology.add_switch("left", 1);
  const NodeId right = topology.add_switch("right", 1);
  topology.connect(topology.add_host("h0"), left, common_link());
  topology.connect(left, right, common_link());
  topology.connect(right, topology.add_host("h1"), common_link());
  const Edges edges = backpressure_edges(topology, compute_routes(topology));
  const Edges expected = {{{SwitchId(0), PortId(0)}, {SwitchId(1), PortId(0)}, PortId(1)},
                          {{SwitchId(1), PortId(1)}, {SwitchId(0), PortId(1)}, PortId(0)}};
  EXPECT_EQ(edges, expected);
  EXPECT_THAT(held_for_ever(edges), IsEmpty());
}

TEST(BackpressureGraph, FindsTheRing) {
  const Triangle triangle;
  const Edges edges = backpressure_edges(triangle.topology, triangle.routes);
  EXPECT_TRUE(has_cycle(edges));
  EXPECT_EQ(held_for_ever(edges).size(), 3u) << "the three ports of the ring; those to hosts drain";
  const std::vector<Turn> turns = break_cycles(edges, anything);
  EXPECT_EQ(turns.size(), 1u);
  EXPECT_THAT(held_for_ever(without(edges, turns)), IsEmpty());
}

TEST(BackpressureGraph, ElidesOnlyWhatComesFromAboveAndGoesBack) {
  const Topology topology = testing::leaf_spine(2, 1, 2);
  const std::vector<Turn> turns = down_up_turns(topology);
  std::set<SwitchId> nodes;
  for (const Turn& turn : turns) nodes.insert(turn.node);
  EXPECT_EQ(nodes, (std::set{SwitchId(0), SwitchId(1)})) << "the ToRs";
  EXPECT_EQ(turns.size(), 2u * 2 * 2) << "from each of two uplinks to each";
  const Edges edges = backpressure_edges(topology, compute_routes(topology));
  EXPECT_EQ(without(edges, turns).size(), edges.size()) << "nothing on the routes of a whole network";
}

TEST(BackpressureGraph, OfAnyFrameHasCyclesThatValleysMake) {
  const Topology topology = testing::leaf_spine(3, 2, 3);
  const Edges edges = backpressure_edges(topology);
  EXPECT_THAT(held_for_ever(edges), Not(IsEmpty()));
  EXPECT_THAT(held_for_ever(without(edges, down_up_turns(topology))), IsEmpty());
}

/// Pods of ToRs and aggregation switches, and cores.
Topology random_clos() {
  ClosSettings settings;
  settings.pods = *rc::gen::inRange(2, 5);
  settings.tors_per_pod = *rc::gen::inRange(1, 4);
  settings.hosts_per_tor = *rc::gen::inRange(1, 3);
  settings.aggs_per_pod = *rc::gen::inRange(1, 4);
  settings.cores = settings.aggs_per_pod * *rc::gen::inRange(1, 3);
  settings.host_link = settings.tor_agg_link = settings.agg_core_link = common_link();
  return built(build_clos(settings));
}

/// Up to a quarter of the links.
std::vector<LinkId> some_failed(const Topology& topology) {
  const auto links = static_cast<int>(topology.links().size());
  const auto failed = *rc::gen::unique<std::vector<int>>(static_cast<std::size_t>(*rc::gen::inRange(0, links / 4 + 1)),
                                                         rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, links)));
  std::vector<LinkId> out;
  for (const int link : failed) out.emplace_back(static_cast<std::size_t>(link));
  return out;
}

/// Theorem 1, in both directions, and that the elided edges are sufficient.
RC_GTEST_PROP(BackpressureGraph, HoldsNobodyForEverWithoutACycle, ()) {
  const Topology topology = random_clos();
  const Edges edges = backpressure_edges(topology, compute_routes(topology, {some_failed(topology), {}}));
  RC_TAG(has_cycle(edges) ? "a cycle" : "none");
  RC_ASSERT(held_for_ever(edges).empty() == !has_cycle(edges));
  RC_ASSERT(held_for_ever(without(edges, down_up_turns(topology))).empty());
  RC_ASSERT(held_for_ever(without(edges, break_cycles(edges, anything))).empty());
}

/// Some switches elide, the others always apply backpressure.
RC_GTEST_PROP(BackpressureGraph, LosesTheCyclesOnWhichASwitchThatElidesLies, ()) {
  const Edges edges = backpressure_edges(testing::random_topology());
  // One bit for each of the first six. (A set of six numbers has no more elements, whatever size RapidCheck requests.)
  const auto chosen = *rc::gen::inRange<std::uint32_t>(0, 1u << 6);
  const auto is_chosen = [chosen](SwitchId node) { return node.index() < 6 && (chosen >> node.index() & 1u) != 0; };
  const auto may = [&](const BackpressureEdge& edge) { return is_chosen(edge.from.node); };
  const std::vector<Turn> turns = break_cycles(
      edges, [&](const BackpressureEdge& edge) { return may(edge) ? Exempting::rather : Exempting::never; });
  for (const Turn& turn : turns) RC_ASSERT(is_chosen(turn.node));
  RC_ASSERT(std::is_sorted(turns.begin(), turns.end()));
  const Edges left = without(edges, turns);
  RC_TAG(has_cycle(left) ? "a cycle of others is left" : "none is left");
  std::map<Hop, std::set<Hop>> reach = reach_of(left);
  for (const BackpressureEdge& edge : edges) {
    if (!may(edge)) continue;
    // The remaining ones close no cycle, and the elided ones would.
    const bool elided = std::find(left.begin(), left.end(), edge) == left.end();
    RC_ASSERT(elided == (edge.to == edge.from || reach[edge.to].contains(edge.from)));
  }
}

/// During a reroute a frame meets the old routes at one switch and the new ones at the next.
TEST(BackpressureGraph, HasTheEdgesOfRoutesInAnyMixture) {
  const Topology topology = testing::leaf_spine(4, 2, 2);
  std::vector<std::vector<Routes>> states;
  for (const auto& [tor, spine] : {std::pair("tor3", "spine0"), std::pair("tor0", "spine1")}) {
    const LinkId link = topology.links_between(topology.find(tor), topology.find(spine)).front();
    states.push_back(compute_routes(topology, {.failed_links = {link}, .weights = {}}));
    EXPECT_TRUE(held_for_ever(backpressure_edges(topology, states.back())).empty());
  }
  const Edges mixed = backpressure_edges(topology, states);
  EXPECT_FALSE(held_for_ever(mixed).empty());
  EXPECT_TRUE(held_for_ever(without(mixed, break_cycles(mixed, anything))).empty());
  EXPECT_EQ(backpressure_edges(topology, std::span(states).first(1)), backpressure_edges(topology, states.front()));
}

/// Appendix B elides valleys only: eliding other turns would lose frames unnecessarily.
RC_GTEST_PROP(BackpressureGraph, OfTiersLosesItsCyclesByValleysAlone, ()) {
  const Topology topology = random_clos();
  const std::vector<Turn> valleys = down_up_turns(topology);
  const auto is_down_up_turn = [&](const Turn& turn) {
    return std::binary_search(valleys.begin(), valleys.end(), turn);
  };
  const Edges edges = backpressure_edges(topology, compute_routes(topology, {some_failed(topology), {}}));
  for (const Edges& of : {edges, backpressure_edges(topology)}) {
    const std::vector<Turn> turns = break_cycles(of, [&](const BackpressureEdge& edge) {
      return is_down_up_turn({edge.from.node, edge.ingress, edge.from.port}) ? Exempting::rather
                                                                             : Exempting::if_need_be;
    });
    RC_ASSERT(std::all_of(turns.begin(), turns.end(), is_down_up_turn));
    RC_ASSERT(held_for_ever(without(of, turns)).empty());
  }
}

RC_GTEST_PROP(BackpressureGraph, NeedsNoMoreThanValleysWhateverRoutesDo, ()) {
  const Topology topology = random_clos();
  RC_ASSERT(held_for_ever(without(backpressure_edges(topology), down_up_turns(topology))).empty());
}

RC_GTEST_PROP(BackpressureGraph, LosesItsCyclesInAnyNetwork, ()) {
  const Edges edges = backpressure_edges(testing::random_topology());
  RC_ASSERT(held_for_ever(edges).empty() == !has_cycle(edges));
  RC_ASSERT(held_for_ever(without(edges, break_cycles(edges, anything))).empty());
}

}  // namespace
}  // namespace weir::backpressure_graph_test
