// SPDX-License-Identifier: Apache-2.0
#include "net/offered_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::offered_load_test {
namespace {

using namespace literals;
using testing::built;

double load_of(const Topology& topology, const OfferedLoad& load, std::string_view from, std::string_view to) {
  double sum = 0;
  for (const LinkLoad& link : load.links) {
    if (topology.node(link.from).name == from && topology.node(topology.port(link.from, link.port).peer).name == to) {
      sum += link.bits_per_second;
    }
  }
  return sum;
}

TEST(OfferedLoad, SplitsEqually) {
  const Topology topology = testing::leaf_spine(2, 2, 4, 100);
  const std::vector<Demand> demands = {{HostId(0), HostId(2), 80e9}, {HostId(1), HostId(2), 40e9}};
  const OfferedLoad load = offered_load(topology, compute_routes(topology), demands);
  EXPECT_EQ(load.links.size(), 2 * topology.links().size());
  EXPECT_EQ(load_of(topology, load, "h0", "tor0"), 80e9);
  EXPECT_EQ(load_of(topology, load, "h1", "tor0"), 40e9);
  for (const char* spine : {"spine0", "spine1", "spine2", "spine3"}) {
    EXPECT_EQ(load_of(topology, load, "tor0", spine), 30e9);
    EXPECT_EQ(load_of(topology, load, spine, "tor1"), 30e9);
    EXPECT_EQ(load_of(topology, load, spine, "tor0"), 0);
  }
  EXPECT_EQ(load_of(topology, load, "tor1", "h2"), 120e9);
  EXPECT_EQ(load.undelivered_bits_per_second, 0);
  // The worst first: the receiver's link, 120 % of its rate.
  EXPECT_EQ(topology.node(load.links[0].from).name, "tor1");
  EXPECT_EQ(load.links[0].fraction, 1.2);
  EXPECT_EQ(topology.node(load.links[1].from).name, "h0");
  EXPECT_EQ(load.links[1].fraction, 0.8);
}

TEST(OfferedLoad, IsSplitAfreshEachTime) {
  const Topology topology = testing::leaf_spine(2, 2, 4, 100);
  const std::vector<Routes> routes = compute_routes(topology);
  LoadSplitter splitter(topology, routes);
  const std::vector<Demand> first = {{HostId(0), HostId(2), 80e9}, {HostId(1), HostId(0), 10e9}};
  const std::vector<Demand> second = {{HostId(0), HostId(3), 20e9}};
  splitter.split(first);
  const OfferedLoad load = splitter.split(second);
  EXPECT_EQ(load_of(topology, load, "h0", "tor0"), 20e9);
  EXPECT_EQ(load_of(topology, load, "h1", "tor0"), 0);
  EXPECT_EQ(load_of(topology, load, "tor0", "spine0"), 5e9);
  EXPECT_EQ(load_of(topology, load, "tor1", "h2"), 0);
  EXPECT_EQ(load.undelivered_bits_per_second, 0);
}

TEST(OfferedLoad, FollowsWeights) {
  // Pyrrha, figure 19: half of the traffic on one of four uplinks.
  const Topology topology = testing::leaf_spine(2, 4, 4, 100);
  RoutingOptions options;
  options.weights = {{SwitchId(0), PortId(4), 3}};
  const std::vector<Demand> demands = {{HostId(0), HostId(4), 60e9}, {HostId(4), HostId(0), 60e9}};
  const OfferedLoad load = offered_load(topology, compute_routes(topology, options), demands);
  EXPECT_DOUBLE_EQ(load_of(topology, load, "tor0", "spine0"), 30e9);
  EXPECT_DOUBLE_EQ(load_of(topology, load, "tor0", "spine3"), 10e9);
  EXPECT_DOUBLE_EQ(load_of(topology, load, "tor1", "spine0"), 15e9);
}

TEST(OfferedLoad, StaysBelowASwitchWithinARack) {
  const Topology topology = testing::leaf_spine(2, 2, 1, 100);
  const std::vector<Demand> demands = {{HostId(0), HostId(1), 5e9}, {HostId(0), HostId(0), 7e9}};
  const OfferedLoad load = offered_load(topology, compute_routes(topology), demands);
  EXPECT_EQ(load_of(topology, load, "h0", "tor0"), 5e9);
  EXPECT_EQ(load_of(topology, load, "tor0", "h1"), 5e9);
  EXPECT_EQ(load_of(topology, load, "tor0", "spine0"), 0);
  EXPECT_EQ(load.undelivered_bits_per_second, 0);
}

TEST(OfferedLoad, OfAllToAllFillsANonBlockingFatTreeEvenly) {
  const Topology topology = testing::fat_tree(4);
  std::vector<Demand> demands;
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b) {
      if (a != b) demands.push_back({HostId(a), HostId(b), 15e9});
    }
  }
  const OfferedLoad load = offered_load(topology, compute_routes(topology), demands);
  EXPECT_EQ(load_of(topology, load, "h3", "tor0.1"), 225e9);
  // 2 hosts x 14 others outside the rack over 2 uplinks; 4 x 12 outside the pod over 4.
  EXPECT_DOUBLE_EQ(load_of(topology, load, "tor2.0", "agg2.1"), 210e9);
  EXPECT_DOUBLE_EQ(load_of(topology, load, "agg2.1", "core3"), 180e9);
  EXPECT_DOUBLE_EQ(load_of(topology, load, "core0", "agg3.0"), 180e9);
  EXPECT_EQ(load.undelivered_bits_per_second, 0);
}

TEST(OfferedLoad, TellsWhatDoesNotArrive) {
  const Topology topology = testing::leaf_spine(2, 2, 2, 100);
  RoutingOptions options;
  options.failed_links = {topology.port(topology.node_of(HostId(3)), PortId(0)).link};
  const std::vector<Routes> routes = compute_routes(topology, options);
  const std::vector<Demand> demands = {
      {HostId(0), HostId(2), 1e9}, {HostId(0), HostId(3), 2e9}, {HostId(3), HostId(0), 4e9}};
  const OfferedLoad load = offered_load(topology, routes, demands);
  EXPECT_EQ(load_of(topology, load, "h0", "tor0"), 3e9);  // lost traffic loads the links up to the point of loss
  EXPECT_EQ(load_of(topology, load, "tor0", "spine0"), 0.5e9);
  EXPECT_EQ(load_of(topology, load, "h3", "tor1"), 0);
  EXPECT_EQ(load_of(topology, load, "tor1", "h3"), 0);
  EXPECT_EQ(load_of(topology, load, "tor1", "h2"), 1e9);
  EXPECT_EQ(load.undelivered_bits_per_second, 6e9);
}

TEST(OfferedLoad, LosesWhatRunsInACycle) {
  Topology topology;
  const NodeId left = topology.add_switch("left", 1);
  const NodeId right = topology.add_switch("right", 1);
  topology.connect(left, right, testing::common_link());
  topology.connect(topology.add_host("a"), left, testing::common_link());
  topology.connect(topology.add_host("b"), right, testing::common_link());
  const NodeId end = topology.add_switch("end", 1);
  topology.connect(right, end, testing::common_link());
  topology.connect(topology.add_host("c"), end, testing::common_link());
  std::vector<Routes> routes = compute_routes(topology);
  // Right sends half of the traffic for c back to left.
  const std::array<PortId, 2> both = {PortId(0), PortId(2)};
  routes[1].set_group(HostId(2), routes[1].add_group(both));
  const std::vector<Demand> demands = {{HostId(0), HostId(2), 8e9}};
  const OfferedLoad load = offered_load(topology, routes, demands);
  EXPECT_EQ(load_of(topology, load, "right", "end"), 4e9);
  EXPECT_EQ(load_of(topology, load, "end", "c"), 4e9);
  EXPECT_EQ(load.undelivered_bits_per_second, 4e9);
}

using Sums = std::map<std::pair<NodeId, PortId>, double>;

// Splits one demand by trying every choice; returns the traffic that arrives.
double spread(const Topology& topology, const std::vector<Routes>& routes, SwitchId at, HostId to, double amount,
              Sums& sums) {
  const NextHops hops = routes[at.index()].to(to);
  double total = 0;
  for (const std::uint32_t weight : hops.weights) total += weight;
  double arrived = 0;
  for (std::size_t i = 0; i < hops.ports.size(); ++i) {
    const double part =
        hops.weights.empty() ? amount / static_cast<double>(hops.ports.size()) : amount * hops.weights[i] / total;
    sums[{topology.node_of(at), hops.ports[i]}] += part;
    const Peer peer = topology.peer(topology.node_of(at), hops.ports[i]);
    arrived += peer.is_host() ? part : spread(topology, routes, peer.neighbour, to, part, sums);
  }
  return arrived;
}

TEST(OfferedLoad, IsTheSumOfEveryDemandOnEveryPath) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    RoutingOptions options;
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
      if (*rc::gen::weightedElement<bool>({{6, false}, {1, true}})) options.failed_links.emplace_back(i);
    }
    for (std::size_t at = 0; at < topology.switches(); ++at) {
      for (std::size_t port = 0; port < topology.ports(topology.node_of(SwitchId(at))).size(); ++port) {
        options.weights.push_back({SwitchId(at), PortId(port), *rc::gen::inRange<std::uint16_t>(0, 4)});
      }
    }
    const std::vector<Routes> routes = compute_routes(topology, options);
    const auto demands = *rc::gen::container<std::vector<Demand>>(rc::gen::apply(
        [](std::size_t a, std::size_t b, int rate) {
          return Demand{HostId(a), HostId(b), rate * 1e6};
        },
        rc::gen::inRange<std::size_t>(0, topology.hosts()), rc::gen::inRange<std::size_t>(0, topology.hosts()),
        rc::gen::inRange(0, 100'000)));

    Sums expected;
    double undelivered = 0;
    for (const Demand& demand : demands) {
      if (demand.source == demand.destination) continue;
      const SwitchId edge = topology.edge_of(demand.source);
      double arrived = 0;
      if (!routes[edge.index()].to(demand.source).ports.empty()) {
        expected[{topology.node_of(demand.source), PortId(0)}] += demand.bits_per_second;
        arrived = spread(topology, routes, edge, demand.destination, demand.bits_per_second, expected);
      }
      undelivered += demand.bits_per_second - arrived;
    }
    const OfferedLoad load = offered_load(topology, routes, demands);
    for (std::size_t i = 0; i < load.links.size(); ++i) {
      const LinkLoad& link = load.links[i];
      RC_ASSERT(std::abs(link.bits_per_second - expected[{link.from, link.port}]) < 1.0);
      RC_ASSERT(topology.port(link.from, link.port).link == link.link);
      RC_ASSERT(std::abs(link.fraction * static_cast<double>(topology.link(link.link).rate.bits_per_second()) -
                         link.bits_per_second) < 1.0);
      RC_ASSERT((i == 0 || load.links[i - 1].fraction >= link.fraction));
    }
    RC_ASSERT(std::abs(load.undelivered_bits_per_second - undelivered) < 1.0);
  }));
}

TEST(OfferedLoad, OfAMillionPairsIsQuick) {
  const Topology topology = testing::fat_tree(16);
  const std::vector<Routes> routes = compute_routes(topology);
  std::vector<Demand> demands;
  for (std::size_t a = 0; a < topology.hosts(); ++a) {
    for (std::size_t b = 0; b < topology.hosts(); ++b) demands.push_back({HostId(a), HostId(b), 1e7});
  }
  const auto start = std::chrono::steady_clock::now();
  const OfferedLoad load = offered_load(topology, routes, demands);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 10.0);  // about 0.3 s in a debug build: the bound detects a change in complexity
  EXPECT_DOUBLE_EQ(load_of(topology, load, "h0", "tor0.0"), 1023e7);
  EXPECT_EQ(load.undelivered_bits_per_second, 0);
}

}  // namespace
}  // namespace weir::offered_load_test
