// SPDX-License-Identifier: Apache-2.0
#include "net/destination_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::destination_graph_test {
namespace {

using ::testing::SizeIs;

TEST(DestinationClasses, AreTheRacks) {
  const Topology topology = testing::fat_tree(4);
  const std::vector<DestinationClass> classes = destination_classes(topology, compute_routes(topology));
  ASSERT_THAT(classes, SizeIs(8));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(classes[i].edge, SwitchId(i));
    EXPECT_THAT(classes[i].hosts, ::testing::ElementsAre(HostId(2 * i), HostId(2 * i + 1)));
  }
}

TEST(DestinationClasses, SetApartHostsWhoseLinksFailed) {
  const Topology topology = testing::fat_tree(4);
  RoutingOptions options;
  options.failed_links = {topology.port(topology.node_of(HostId(2)), PortId(0)).link};
  const std::vector<Routes> routes = compute_routes(topology, options);
  EXPECT_THAT(destination_classes(topology, routes), SizeIs(9));
  EXPECT_FALSE(is_connected(topology, routes, HostId(2)));
  EXPECT_TRUE(is_connected(topology, routes, HostId(3)));
}

TEST(DestinationGraph, ListsSwitchesAfterTheirNextHopsWithShares) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    const std::vector<Routes> routes = compute_routes(topology);
    DestinationGraph graph(topology, routes);
    for (std::size_t host = 0; host < topology.hosts(); ++host) {
      graph.aim(HostId(host));
      RC_ASSERT(graph.order().size() == topology.switches());
      std::vector<bool> seen(topology.switches(), false);
      for (const SwitchId at : graph.order()) {
        RC_ASSERT(!seen[at.index()]);
        const NextHops hops = routes[at.index()].to(HostId(host));
        const bool is_edge = at == topology.edge_of(HostId(host));
        RC_ASSERT(graph.next_hops(at).size() == (is_edge ? 0 : hops.ports.size()));
        double sum = graph.lost_share(at);
        for (const DestinationGraph::NextHop& hop : graph.next_hops(at)) {
          RC_ASSERT(seen[hop.to.index()]);
          RC_ASSERT(topology.peer(topology.node_of(at), hop.port).neighbour == hop.to);
          sum += hop.share;
        }
        RC_ASSERT((is_edge ? sum == 0 : sum > 1 - 1e-12 && sum < 1 + 1e-12));
        RC_ASSERT((graph.lost_share(at) == (hops.ports.empty() && !is_edge ? 1.0 : 0.0)));
        seen[at.index()] = true;
      }
    }
  }));
}

TEST(DestinationGraph, LeavesOutPortsOfWeightZero) {
  const Topology topology = testing::leaf_spine(2, 1, 2);
  std::vector<Routes> routes = compute_routes(topology);
  const std::array<PortId, 2> uplinks = {PortId(1), PortId(2)};
  const std::array<std::uint32_t, 2> weights = {0, 5};
  routes[0].set_group(HostId(1), routes[0].add_group(uplinks, weights));
  DestinationGraph graph(topology, routes);
  graph.aim(HostId(1));
  ASSERT_THAT(graph.next_hops(SwitchId(0)), SizeIs(1));
  EXPECT_EQ(graph.next_hops(SwitchId(0))[0].to, SwitchId(3));
  EXPECT_EQ(graph.next_hops(SwitchId(0))[0].share, 1.0);
}

TEST(DestinationGraph, CutsCyclesWhateverTheRoutes) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    std::vector<Routes> routes(topology.switches(), Routes(topology.hosts()));
    for (std::size_t at = 0; at < topology.switches(); ++at) {
      const std::size_t ports = topology.ports(topology.node_of(SwitchId(at))).size();
      if (ports == 0) continue;
      const std::array<PortId, 2> any = {PortId(*rc::gen::inRange<std::size_t>(0, ports)),
                                         PortId(*rc::gen::inRange<std::size_t>(0, ports))};
      routes[at].set_group(HostId(0), routes[at].add_group(any));
    }
    DestinationGraph graph(topology, routes);
    graph.aim(HostId(0));
    RC_ASSERT(graph.order().size() == topology.switches());
    std::vector<bool> seen(topology.switches(), false);
    for (const SwitchId at : graph.order()) {
      for (const DestinationGraph::NextHop& hop : graph.next_hops(at)) RC_ASSERT(seen[hop.to.index()]);
      RC_ASSERT((graph.lost_share(at) >= 0 && graph.lost_share(at) <= 1));
      seen[at.index()] = true;
    }
  }));
}

}  // namespace
}  // namespace weir::destination_graph_test
