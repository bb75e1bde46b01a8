// SPDX-License-Identifier: Apache-2.0
#include "net/routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "net/test_topologies.h"

namespace weir::routing_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> ports_of(const Routes& routes, HostId host) {
  std::vector<std::size_t> ports;
  for (const PortId port : routes.to(host).ports) ports.push_back(port.index());
  return ports;
}

// Hop counts between switches, computed independently.
std::vector<std::vector<std::size_t>> distances(const Topology& topology, const std::vector<LinkId>& failed) {
  const std::size_t n = topology.switches();
  constexpr std::size_t kFar = 1'000'000;
  std::vector<std::vector<std::size_t>> distance(n, std::vector<std::size_t>(n, kFar));
  for (std::size_t i = 0; i < n; ++i) distance[i][i] = 0;
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const Node& a = topology.node(topology.links()[i].a);
    const Node& b = topology.node(topology.links()[i].b);
    if (a.is_host() || b.is_host() || std::find(failed.begin(), failed.end(), LinkId(i)) != failed.end()) continue;
    distance[a.switch_id.index()][b.switch_id.index()] = distance[b.switch_id.index()][a.switch_id.index()] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
    }
  }
  for (auto& row : distance)
    std::replace_if(
        row.begin(), row.end(), [](std::size_t d) { return d >= kFar; }, kFar);
  return distance;
}

TEST(Routing, LeafSpineHasAllSpinesAsEquals) {
  const Topology topology = testing::leaf_spine(10, 16, 4);
  const std::vector<Routes> routes = compute_routes(topology);
  ASSERT_EQ(routes.size(), 14U);
  EXPECT_THAT(ports_of(routes[0], HostId(3)), ElementsAre(3));
  EXPECT_THAT(ports_of(routes[0], HostId(16)), ElementsAre(16, 17, 18, 19));
  EXPECT_THAT(ports_of(routes[9], HostId(159)), ElementsAre(15));
  EXPECT_THAT(ports_of(routes[13], HostId(47)), ElementsAre(2));
  // The empty group, one per local host, one for all other hosts.
  EXPECT_EQ(routes[0].groups(), 1U + 16U + 1U);
  EXPECT_EQ(routes[13].groups(), 1U + 10U);
}

TEST(Routing, ParallelLinksAreEquals) {
  const Topology topology = testing::leaf_spine(3, 2, 2, 100, 2);
  const std::vector<Routes> routes = compute_routes(topology);
  EXPECT_THAT(ports_of(routes[0], HostId(5)), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(ports_of(routes[3], HostId(5)), ElementsAre(4, 5));
}

// The number of paths from a switch to a host.
std::size_t paths(const Topology& topology, const std::vector<Routes>& routes, SwitchId at, HostId to) {
  std::size_t sum = 0;
  for (const PortId port : routes[at.index()].to(to).ports) {
    const Peer peer = topology.peer(topology.node_of(at), port);
    sum += peer.is_host() ? (peer.host == to ? 1U : 0U) : paths(topology, routes, peer.neighbour, to);
  }
  return sum;
}

class RoutesOfFatTree : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, RoutesOfFatTree, ::testing::Values(4, 8, 16));

TEST_P(RoutesOfFatTree, HaveTheNumberOfPathsOfTheBook) {
  const auto k = static_cast<std::size_t>(GetParam());
  const Topology topology = testing::fat_tree(GetParam());
  const std::vector<Routes> routes = compute_routes(topology);
  const SwitchId edge = topology.edge_of(HostId(0));
  EXPECT_EQ(paths(topology, routes, edge, HostId(1)), 1U);                            // same rack
  EXPECT_EQ(paths(topology, routes, edge, HostId(k / 2)), k / 2);                     // same pod
  EXPECT_EQ(paths(topology, routes, edge, HostId(topology.hosts() - 1)), k * k / 4);  // another pod
  for (std::size_t i = 0; i < topology.switches(); ++i) EXPECT_LE(routes[i].groups(), 2 + k) << i;
}

TEST(Routing, GoesAroundFailedLinks) {
  const Topology topology = testing::leaf_spine(3, 2, 3);
  RoutingOptions options;
  options.failed_links = topology.links_between(topology.find("tor1"), topology.find("spine0"));
  const std::vector<Routes> routes = compute_routes(topology, options);
  // Spine 0 no longer leads to rack 1, and rack 1 does not use it.
  EXPECT_THAT(ports_of(routes[0], HostId(2)), ElementsAre(3, 4));
  EXPECT_THAT(ports_of(routes[0], HostId(4)), ElementsAre(2, 3, 4));
  EXPECT_THAT(ports_of(routes[1], HostId(0)), ElementsAre(3, 4));
  // From spine 0 the shortest path to rack 1 is down and up again.
  EXPECT_THAT(ports_of(routes[3], HostId(2)), ElementsAre(0, 2));
}

TEST(Routing, HasNoRouteToWhatIsCutOff) {
  const Topology topology = testing::leaf_spine(2, 2, 1);
  RoutingOptions options;
  options.failed_links = {topology.port(topology.node_of(HostId(0)), PortId(0)).link,
                          topology.links_between(topology.find("tor1"), topology.find("spine0"))[0]};
  const std::vector<Routes> routes = compute_routes(topology, options);
  EXPECT_THAT(ports_of(routes[0], HostId(0)), IsEmpty());
  EXPECT_THAT(ports_of(routes[0], HostId(1)), ElementsAre(1));
  EXPECT_THAT(ports_of(routes[0], HostId(2)), IsEmpty());
  EXPECT_THAT(ports_of(routes[1], HostId(1)), IsEmpty());
  EXPECT_THAT(ports_of(routes[1], HostId(2)), ElementsAre(0));
  EXPECT_THAT(ports_of(routes[2], HostId(0)), IsEmpty());
}

TEST(Routing, WeighsPorts) {
  const Topology topology = testing::leaf_spine(2, 2, 4);
  RoutingOptions options;
  options.weights = {{SwitchId(0), PortId(2), 9}, {SwitchId(0), PortId(2), 3}};  // half of four uplinks' traffic
  const std::vector<Routes> routes = compute_routes(topology, options);
  const NextHops polarised = routes[0].to(HostId(2));
  EXPECT_THAT(ports_of(routes[0], HostId(2)), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(polarised.weights, ElementsAre(3U, 1U, 1U, 1U));
  EXPECT_TRUE(routes[0].to(HostId(0)).weights.empty());
  EXPECT_TRUE(routes[1].to(HostId(0)).weights.empty());

  constexpr std::uint32_t kSteps = 1000;
  constexpr std::uint32_t kStep = 0xffffffffu / kSteps;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    if (select(polarised, i * kStep + kStep / 2) == PortId(2)) ++first;
  }
  EXPECT_EQ(first, kSteps / 2);
}

TEST(Routing, WeightZeroIsTheLastResort) {
  const Topology topology = testing::leaf_spine(2, 1, 2);
  RoutingOptions options;
  options.weights = {{SwitchId(0), PortId(1), 0}, {SwitchId(1), PortId(1), 0}, {SwitchId(1), PortId(2), 0}};
  const std::vector<Routes> routes = compute_routes(topology, options);
  EXPECT_THAT(ports_of(routes[0], HostId(1)), ElementsAre(2));
  EXPECT_TRUE(routes[0].to(HostId(1)).weights.empty());
  EXPECT_THAT(ports_of(routes[1], HostId(0)), ElementsAre(1, 2));
  EXPECT_TRUE(routes[1].to(HostId(0)).weights.empty());
}

TEST(Routing, LikeWeightsAreNone) {
  const Topology topology = testing::leaf_spine(2, 1, 2);
  RoutingOptions options;
  options.weights = {{SwitchId(0), PortId(1), 7}, {SwitchId(0), PortId(2), 7}};
  EXPECT_TRUE(compute_routes(topology, options)[0].to(HostId(1)).weights.empty());
}

TEST(Routing, NextHopsAreAllThePortsThatComeNearer) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    RoutingOptions options;
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
      if (*rc::gen::weightedElement<bool>({{4, false}, {1, true}})) options.failed_links.emplace_back(i);
    }
    const auto failed = [&](LinkId link) {
      return std::find(options.failed_links.begin(), options.failed_links.end(), link) != options.failed_links.end();
    };
    const std::vector<Routes> routes = compute_routes(topology, options);
    const auto distance = distances(topology, options.failed_links);
    for (std::size_t at = 0; at < topology.switches(); ++at) {
      const NodeId node = topology.node_of(SwitchId(at));
      for (std::size_t host = 0; host < topology.hosts(); ++host) {
        const std::size_t edge = topology.edge_of(HostId(host)).index();
        const bool connected = !failed(topology.port(topology.node_of(HostId(host)), PortId(0)).link);
        std::vector<std::size_t> expected;
        for (std::size_t port = 0; connected && port < topology.ports(node).size(); ++port) {
          if (failed(topology.port(node, PortId(port)).link)) continue;
          const Peer peer = topology.peer(node, PortId(port));
          const bool nearer = peer.is_host() ? peer.host == HostId(host)
                                             : distance[peer.neighbour.index()][edge] + 1 == distance[at][edge];
          if (nearer) expected.push_back(port);
        }
        RC_ASSERT(ports_of(routes[at], HostId(host)) == expected);
      }
    }
  }));
}

TEST(Routing, OfAThousandHostsIsQuickAndSmall) {
  const Topology topology = testing::fat_tree(16);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Routes> routes = compute_routes(topology);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 5.0);  // about 0.1 s in a debug build: the bound detects a change in complexity
  std::size_t groups = 0;
  for (const Routes& table : routes) groups += table.groups();
  EXPECT_LE(groups, 320U * 18U);
}

}  // namespace
}  // namespace weir::routing_test
