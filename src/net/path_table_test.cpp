// SPDX-License-Identifier: Apache-2.0
#include "net/path_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "net/routing.h"
#include "net/test_topologies.h"
#include "policy/hashed_forwarding.h"
#include "policy/testing/fake_switch.h"

namespace weir::path_table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One hashing forwarding per switch, each with its own seed.
struct Forwardings {
  std::vector<std::unique_ptr<testing::HashingFake>> owned;
  std::vector<const Forwarding*> all;

  explicit Forwardings(std::size_t switches) {
    for (std::size_t i = 0; i < switches; ++i) {
      owned.push_back(std::make_unique<testing::HashingFake>(static_cast<std::uint32_t>(i)));
      all.push_back(owned.back().get());
    }
  }
};

// Follows a frame from hop to hop as the switches would forward it, each by its table and hash.
std::vector<Hop> walk(const Topology& topology, const std::vector<Routes>& routes, const FlowKey& key) {
  std::vector<Hop> hops;
  Peer at = topology.peer(topology.node_of(key.source), PortId(0));
  while (!at.is_host() && hops.size() < kMaximumHops) {
    const NextHops next = routes[at.neighbour.index()].to(key.destination);
    if (next.ports.empty()) break;
    const PortId port = select(next, flow_hash(HashKind::mix, at.neighbour.value, key));
    hops.push_back({at.neighbour, port});
    at = topology.peer(topology.node_of(at.neighbour), port);
  }
  return hops;
}

/// A scheme's own hash, which is the same in both directions.
std::uint32_t sum_hash(std::uint32_t seed, const FlowKey& key) {
  const std::uint64_t sum = std::uint64_t{key.source.value} + key.destination.value;
  const std::uint64_t difference =
      std::uint64_t{std::max(key.source, key.destination).value} - std::min(key.source, key.destination).value;
  return static_cast<std::uint32_t>(mix(mix(sum, difference) ^ key.entropy, seed) >> 32);
}

/// The numbers of the links that frames with this key take between hosts, in either direction.
std::set<std::uint32_t> links_of(const Topology& topology, const PathTable& table, const FlowKey& key) {
  std::set<std::uint32_t> out;
  for (const Hop& hop : path_of(table, key)) {
    out.insert(topology.ports(topology.node_of(hop.node))[hop.port.index()].link.value);
  }
  out.insert(topology.ports(topology.node_of(key.source))[0].link.value);
  return out;
}

// ExpressPass 3.1: credits and data take the same links. Uses the predictions of the switches.
TEST(PathTable, FollowsAHashThatTakesBothDirectionsTheSameWay) {
  const Topology topology = testing::fat_tree(4);
  const std::vector<Routes> routes = compute_routes(topology);
  std::vector<std::unique_ptr<Forwarding>> owned;
  std::vector<const Forwarding*> all;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    owned.push_back(std::make_unique<HashedForwarding<&sum_hash>>(1, SeedScope::tier));
    FakeSwitch context(4);
    context.set_id(SwitchId(i));
    context.set_tier(topology.node(topology.node_of(SwitchId(i))).tier);
    owned.back()->attach(context);
    all.push_back(owned.back().get());
  }
  const PathTable table(topology, routes, all);
  std::set<Hop> ways;
  for (std::size_t a = 0; a < topology.hosts(); ++a) {
    for (std::size_t b = 0; b < topology.hosts(); ++b) {
      if (a == b) continue;
      const FlowKey key{HostId(a), HostId(b), static_cast<std::uint16_t>(7 * a * b + a)};
      EXPECT_EQ(links_of(topology, table, key), links_of(topology, table, reversed(key))) << a << " " << b;
      for (const Hop& hop : path_of(table, key)) ways.insert(hop);
    }
  }
  // Every port of every switch: the choices of the tiers do not polarise.
  EXPECT_EQ(ways.size(), topology.switches() * 4);
}

TEST(PathTable, AgreesWithAWalkAndEndsAtTheDestination) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    const std::vector<Routes> routes = compute_routes(topology);
    const Forwardings forwardings(topology.switches());
    const PathTable table(topology, routes, forwardings.all);
    for (std::size_t a = 0; a < topology.hosts(); ++a) {
      for (std::size_t b = 0; b < topology.hosts(); ++b) {
        const FlowKey key{HostId(a), HostId(b), *rc::gen::arbitrary<std::uint16_t>()};
        const std::vector<Hop> path = path_of(table, key);
        RC_ASSERT(path == walk(topology, routes, key));
        if (routes[topology.edge_of(HostId(a)).index()].to(HostId(b)).ports.empty()) {
          RC_ASSERT(path.empty());
          continue;
        }
        RC_ASSERT(!path.empty());
        const Peer end = topology.peer(topology.node_of(path.back().node), path.back().port);
        RC_ASSERT(end.host == HostId(b));
        // From any hop on, the remaining path is the rest of the path.
        for (std::size_t i = 0; i < path.size(); ++i) {
          std::array<Hop, kMaximumHops> rest;
          const std::size_t count = table.beyond(path[i].node, path[i].port, key, rest);
          RC_ASSERT(std::vector<Hop>(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count)) ==
                    std::vector<Hop>(path.begin() + static_cast<std::ptrdiff_t>(i) + 1, path.end()));
        }
      }
    }
  }));
}

TEST(PathTable, UsesEveryPathOfAFatTree) {
  const Topology topology = testing::fat_tree(4);
  const Forwardings forwardings(topology.switches());
  const PathTable table(topology, compute_routes(topology), forwardings.all);
  std::set<std::vector<Hop>> seen;
  for (std::uint16_t entropy = 0; entropy < 200; ++entropy) {
    const std::vector<Hop> path = path_of(table, {HostId(0), HostId(15), entropy});
    EXPECT_THAT(path, SizeIs(5));
    seen.insert(path);
  }
  EXPECT_THAT(seen, SizeIs(4));
}

TEST(PathTable, StopsWhereNoOneCanForesee) {
  const Topology topology = testing::fat_tree(4);
  const Forwardings forwardings(topology.switches());
  const testing::SprayingFake spraying;
  std::vector<const Forwarding*> mixed = forwardings.all;
  const SwitchId agg = topology.node(topology.find("agg0.0")).switch_id;
  const SwitchId other_agg = topology.node(topology.find("agg0.1")).switch_id;
  mixed[agg.index()] = &spraying;
  mixed[other_agg.index()] = nullptr;
  const PathTable table(topology, compute_routes(topology), mixed);
  EXPECT_THAT(path_of(table, {HostId(0), HostId(15), 1}), SizeIs(1));  // the edge switch, and no prediction beyond it
  // On downward links there is no choice, so no prediction is needed.
  EXPECT_THAT(path_of(table, {HostId(0), HostId(2), 1}), SizeIs(3));
}

TEST(PathTable, GivesNoMoreThanThereIsRoomFor) {
  const Topology topology = testing::fat_tree(4);
  const Forwardings forwardings(topology.switches());
  const PathTable table(topology, compute_routes(topology), forwardings.all);
  const FlowKey key{HostId(0), HostId(15), 1};
  const std::vector<Hop> path = path_of(table, key);
  std::array<Hop, 2> two;
  EXPECT_EQ(table.from_host(HostId(0), key, two), 2U);
  EXPECT_THAT(two, ElementsAre(path[0], path[1]));
  EXPECT_EQ(table.from_host(HostId(0), key, {}), 0U);
}

TEST(PathTable, GivesNothingForWhatDoesNotExist) {
  const Topology topology = testing::leaf_spine(2, 1, 1);
  const Forwardings forwardings(topology.switches());
  const PathTable table(topology, compute_routes(topology), forwardings.all);
  std::array<Hop, kMaximumHops> out;
  EXPECT_EQ(table.from_host(HostId(7), {HostId(7), HostId(0), 0}, out), 0U);
  EXPECT_EQ(table.from_host(HostId(0), {HostId(0), HostId(7), 0}, out), 0U);
  EXPECT_EQ(table.from_host(HostId(0), {HostId(0), HostId::none(), 0}, out), 0U);
  for (std::size_t port = 2; port < 10; ++port) {
    EXPECT_EQ(table.beyond(SwitchId(0), PortId(port), {HostId(0), HostId(1), 0}, out), 0U);
  }
  EXPECT_EQ(table.beyond(SwitchId(0), PortId(0), {HostId(1), HostId(0), 0}, out), 0U);  // leads to a host
}

TEST(PathTable, FollowsReroutes) {
  const Topology topology = testing::leaf_spine(2, 1, 2);
  const Forwardings forwardings(topology.switches());
  PathTable table(topology, compute_routes(topology), forwardings.all);
  RoutingOptions options;
  options.failed_links = topology.links_between(topology.find("tor0"), topology.find("spine0"));
  std::vector<Routes> around = compute_routes(topology, options);
  const std::uint64_t before = table.version();
  for (std::size_t i = 0; i < around.size(); ++i) table.set_routes(SwitchId(i), around[i]);
  EXPECT_NE(table.version(), before);
  for (std::uint16_t entropy = 0; entropy < 20; ++entropy) {
    EXPECT_THAT(path_of(table, {HostId(0), HostId(1), entropy}),
                ElementsAre(Hop{SwitchId(0), PortId(2)}, Hop{SwitchId(3), PortId(1)}, Hop{SwitchId(1), PortId(0)}));
  }
  EXPECT_THAT(table.routes(SwitchId(0)).to(HostId(1)).ports, ElementsAre(PortId(2)));
  table.set_routes(SwitchId(3), Routes(2));
  EXPECT_THAT(path_of(table, {HostId(0), HostId(1), 0}), ElementsAre(Hop{SwitchId(0), PortId(2)}));
}

TEST(PathTable, KeepsTheWaysOfHostsOfOneSwitchApart) {
  const Topology topology = testing::leaf_spine(2, 3, 2);  // three hosts at each of two switches, two spines
  std::vector<Routes> routes = compute_routes(topology);
  const Forwardings forwardings(topology.switches());
  PathTable table(topology, routes, forwardings.all);
  // By policy, the hosts at the second switch are reached by different spines.
  const std::array<PortId, 1> first = {PortId(3)};
  const std::array<PortId, 1> second = {PortId(4)};
  Routes& left = routes[0];
  left.set_group(HostId(3), left.add_group(first));
  left.set_group(HostId(4), left.add_group(second));
  left.set_group(HostId(5), left.add_group(second));
  table.set_routes(SwitchId(0), left);
  for (const auto& [host, port] : {std::pair(3, first), {4, second}, {5, second}}) {
    const std::vector<Hop> path = path_of(table, {HostId(0), HostId(host), 0});
    EXPECT_THAT(path, SizeIs(3)) << host;
    EXPECT_EQ(path.front(), (Hop{SwitchId(0), port.front()})) << host;
    EXPECT_EQ(path.back(), (Hop{SwitchId(1), PortId(host - 3)})) << host;
  }
  // And all by the same one again.
  left.set_group(HostId(3), left.add_group(second));
  table.set_routes(SwitchId(0), left);
  for (const int host : {3, 4, 5}) {
    EXPECT_EQ(path_of(table, {HostId(0), HostId(host), 0}).front(), (Hop{SwitchId(0), PortId(4)})) << host;
  }
}

TEST(PathTable, HasNoPathToAHostThatIsAtNoSwitch) {
  Topology topology;
  const NodeId middle = topology.add_switch("middle", 1);
  topology.connect(topology.add_host("a"), middle, testing::common_link());
  topology.connect(topology.add_host("b"), topology.add_host("c"), testing::common_link());
  const PathTable table(topology, compute_routes(topology), {nullptr});
  EXPECT_THAT(path_of(table, {HostId(0), HostId(1), 0}), IsEmpty());
  EXPECT_THAT(path_of(table, {HostId(1), HostId(2), 0}), IsEmpty());
  EXPECT_THAT(path_of(table, {HostId(2), HostId(0), 0}), IsEmpty());
}

TEST(PathTable, KnowsTheHostsThatDrainSlowly) {
  const Topology topology = testing::leaf_spine(3, 1, 2);
  const Forwardings forwardings(topology.switches());
  PathTable table(topology, compute_routes(topology), forwardings.all);
  EXPECT_FALSE(table.any_drains_slowly());
  EXPECT_FALSE(table.drains_slowly(HostId(1)));
  table.set_slow_hosts({false, true, false});
  EXPECT_TRUE(table.any_drains_slowly());
  EXPECT_FALSE(table.drains_slowly(HostId(0)));
  EXPECT_TRUE(table.drains_slowly(HostId(1)));
  EXPECT_FALSE(table.drains_slowly(HostId(3))) << "there is no such host";
  table.set_slow_hosts({false, false, false});
  EXPECT_FALSE(table.any_drains_slowly());
}

TEST(PathTable, CutsCyclesShort) {
  // Two switches, each of which has the other as next hop for host 0, as may happen during a reroute.
  Topology topology;
  const NodeId left = topology.add_switch("left", 1);
  const NodeId right = topology.add_switch("right", 1);
  topology.connect(left, right, testing::common_link());
  topology.connect(topology.add_host("a"), left, testing::common_link());
  topology.connect(topology.add_host("b"), right, testing::common_link());
  std::vector<Routes> routes(2, Routes(2));
  const std::array<PortId, 1> across = {PortId(0)};
  for (Routes& table : routes) table.set_group(HostId(0), table.add_group(across));
  const PathTable table(topology, routes, {nullptr, nullptr});
  EXPECT_THAT(path_of(table, {HostId(1), HostId(0), 0}), SizeIs(kMaximumHops));
  EXPECT_THAT(path_of(table, {HostId(0), HostId(1), 0}), IsEmpty());
}

}  // namespace
}  // namespace weir::path_table_test
