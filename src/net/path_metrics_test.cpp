// SPDX-License-Identifier: Apache-2.0
#include "net/path_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "net/path_table.h"
#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::path_metrics_test {
namespace {

using namespace literals;
using testing::built;

// The HPCC simulator's definition, for its payload of 1000 bytes.
constexpr RoundTripFrames kHpcc{1000_B, 0_B};

TEST(BaseRoundTrip, IsThatOfTheHpccSimulator) {
  const Topology star = built(build_single_switch({{{3, {100_Gbps, 1_us}}}}));
  const PathMetrics of_star(star, compute_routes(star), kHpcc);
  EXPECT_EQ(of_star.between(HostId(0), HostId(2))->longest, 4160_ns);
  EXPECT_EQ(of_star.longest_round_trip(), 4160_ns);
  EXPECT_EQ(of_star.largest_bandwidth_delay_product(), 52000_B);

  const Topology fabric = testing::leaf_spine(10, 16, 4);
  const PathMetrics of_fabric(fabric, compute_routes(fabric), kHpcc);
  EXPECT_EQ(of_fabric.between(HostId(0), HostId(15))->longest, 2560_ns);
  EXPECT_EQ(of_fabric.between(HostId(0), HostId(16))->longest, 5_us);
  EXPECT_EQ(of_fabric.between(HostId(0), HostId(16))->shortest, 5_us);
  EXPECT_EQ(of_fabric.between(HostId(0), HostId(16))->links, 4U);
  EXPECT_EQ(of_fabric.longest_round_trip(), 5_us);
  EXPECT_EQ(of_fabric.largest_bandwidth_delay_product(), 62500_B);
}

TEST(BaseRoundTrip, CountsTheAcknowledgementsSerialisationWhenAsked) {
  const Topology star = built(build_single_switch({{{1, {100_Gbps, 1_us}}, {1, {10_Gbps, 2_us}}}}));
  const PathMetrics metrics(star, compute_routes(star), {1000_B, 100_B});
  // 2 x 3 us; 1000 bytes in 80 and 800 ns; 100 bytes in 8 and 80 ns.
  EXPECT_EQ(metrics.between(HostId(0), HostId(1))->longest, 6968_ns);
  EXPECT_EQ(metrics.between(HostId(1), HostId(0))->longest, 6968_ns);
  EXPECT_EQ(metrics.between(HostId(1), HostId(0))->widest, 10_Gbps);
}

TEST(BaseRoundTrip, TakesTwoHostsForThePairOfAGroup) {
  // One far host: there is no pair of two far hosts, so the longest pair is a far and a near one.
  const Topology star = built(build_single_switch({{{1, {100_Gbps, 9_us}}, {2, {100_Gbps, 1_us}}}}));
  EXPECT_EQ(PathMetrics(star, compute_routes(star), kHpcc).longest_round_trip(), 20160_ns);
  const Topology two_far = built(build_single_switch({{{2, {100_Gbps, 9_us}}, {2, {100_Gbps, 1_us}}}}));
  EXPECT_EQ(PathMetrics(two_far, compute_routes(two_far), kHpcc).longest_round_trip(), 36160_ns);
  const Topology alone = built(build_single_switch({{{1, {100_Gbps, 9_us}}}}));
  EXPECT_EQ(PathMetrics(alone, compute_routes(alone), kHpcc).longest_round_trip(), 0_ns);
}

TEST(BaseRoundTrip, CrossesDataCentres) {
  TwoDataCentresSettings settings;
  for (LeafSpineSettings& centre : settings.data_centres) {
    centre.tors = 2;
    centre.hosts_per_tor = 2;
    centre.spines = 2;
    centre.host_link = centre.fabric_link = testing::common_link();
  }
  settings.spine_gateway_link = testing::common_link();
  settings.gateway_link = {200_Gbps, 200_us};
  const Topology topology = built(build_two_data_centres(settings));
  const PathMetrics metrics(topology, compute_routes(topology), {0_B, 0_B});
  EXPECT_EQ(metrics.between(HostId(0), HostId(3))->longest, 8_us);
  EXPECT_EQ(metrics.between(HostId(0), HostId(7))->longest, 412_us);
  EXPECT_EQ(metrics.longest_round_trip(), 412_us);
}

TEST(PathMetrics, LeaveOutDeadEnds) {
  const Topology topology = testing::leaf_spine(2, 1, 2, 100);
  std::vector<Routes> routes = compute_routes(topology);
  routes[3] = Routes(topology.hosts());  // spine 1 has lost its table
  const PathMetrics metrics(topology, routes, kHpcc);
  const auto range = metrics.between(HostId(0), HostId(1));
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->shortest, range->longest);
  EXPECT_EQ(range->narrowest, 100_Gbps);
  routes[2] = Routes(topology.hosts());
  EXPECT_FALSE(PathMetrics(topology, routes, kHpcc).between(HostId(0), HostId(1)).has_value());
}

struct Path {
  std::vector<Hop> hops;
  Duration round_trip;
  BitRate rate;
};

// Collects all paths by trying every choice.
void collect(const Topology& topology, const std::vector<Routes>& routes, SwitchId at, HostId source, HostId to,
             const RoundTripFrames& frames, std::vector<Hop>& hops, std::vector<Path>& paths) {
  for (const PortId port : routes[at.index()].to(to).ports) {
    hops.push_back({at, port});
    const Peer peer = topology.peer(topology.node_of(at), port);
    if (peer.host == to) {
      paths.push_back({hops, base_round_trip(topology, source, hops, frames), minimum_rate(topology, source, hops)});
    } else if (peer.neighbour.exists()) {
      collect(topology, routes, peer.neighbour, source, to, frames, hops, paths);
    }
    hops.pop_back();
  }
}

TEST(PathMetrics, AreTheExtremesOfAllPaths) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    RoutingOptions options;
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
      if (*rc::gen::weightedElement<bool>({{6, false}, {1, true}})) options.failed_links.emplace_back(i);
    }
    const std::vector<Routes> routes = compute_routes(topology, options);
    const RoundTripFrames frames{1086_B, 90_B};
    const PathMetrics metrics(topology, routes, frames);
    Duration longest;
    Bytes product;
    for (std::size_t a = 0; a < topology.hosts(); ++a) {
      for (std::size_t b = 0; b < topology.hosts(); ++b) {
        std::vector<Path> paths;
        std::vector<Hop> hops;
        const SwitchId edge = topology.edge_of(HostId(a));
        const bool connected = !routes[edge.index()].to(HostId(a)).ports.empty();
        if (a != b && connected) collect(topology, routes, edge, HostId(a), HostId(b), frames, hops, paths);
        const auto range = metrics.between(HostId(a), HostId(b));
        RC_ASSERT(range.has_value() == !paths.empty());
        if (paths.empty()) continue;
        const auto by_time = [](const Path& x, const Path& y) { return x.round_trip < y.round_trip; };
        const auto by_rate = [](const Path& x, const Path& y) { return x.rate < y.rate; };
        RC_ASSERT(range->shortest == std::min_element(paths.begin(), paths.end(), by_time)->round_trip);
        RC_ASSERT(range->longest == std::max_element(paths.begin(), paths.end(), by_time)->round_trip);
        RC_ASSERT(range->narrowest == std::min_element(paths.begin(), paths.end(), by_rate)->rate);
        RC_ASSERT(range->widest == std::max_element(paths.begin(), paths.end(), by_rate)->rate);
        RC_ASSERT(range->links == paths.front().hops.size() + 1);
        longest = std::max(longest, range->longest);
        product = std::max(product, bytes_in(range->longest, range->widest));
      }
    }
    RC_ASSERT(metrics.longest_round_trip() == longest);
    RC_ASSERT(metrics.largest_bandwidth_delay_product() == product);
  }));
}

}  // namespace
}  // namespace weir::path_metrics_test
