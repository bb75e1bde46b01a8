// SPDX-License-Identifier: Apache-2.0
#include "net/builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "net/test_topologies.h"

namespace weir::builders_test {
namespace {

using namespace literals;
using testing::built;
using testing::common_link;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::size_t nodes_of_tier(const Topology& topology, int tier) {
  return static_cast<std::size_t>(std::count_if(topology.nodes().begin(), topology.nodes().end(),
                                                [tier](const Node& node) { return node.tier == tier; }));
}

TEST(SingleSwitch, GivesEachGroupItsLinks) {
  // SPFC, section III-A, figure 3(a): 30 senders 9 us away, two receivers 1 us away.
  const Topology topology = built(build_single_switch({{{30, {100_Gbps, 9_us}}, {2, {100_Gbps, 1_us}}}}));
  EXPECT_EQ(topology.hosts(), 32U);
  EXPECT_EQ(topology.switches(), 1U);
  const NodeId center = topology.node_of(SwitchId(0));
  ASSERT_THAT(topology.ports(center), SizeIs(32));
  for (std::size_t port = 0; port < 32; ++port) {
    EXPECT_EQ(topology.peer(center, PortId(port)).host, HostId(port));
    EXPECT_EQ(topology.link_at(center, PortId(port)).delay, port < 30 ? 9_us : 1_us);
  }
}

TEST(Dumbbell, HasTwoSidesAndAMiddle) {
  // RoCC, figure 10: six hosts and five at 10 Gbit/s, 40 Gbit/s between.
  DumbbellSettings settings;
  settings.left = {6, {10_Gbps, 1_us}};
  settings.right = {5, {10_Gbps, 1_us}};
  settings.middle = {40_Gbps, 2_us};
  const Topology topology = built(build_dumbbell(settings));
  EXPECT_EQ(topology.hosts(), 11U);
  EXPECT_EQ(topology.links().size(), 12U);
  EXPECT_EQ(topology.edge_of(HostId(5)), SwitchId(0));
  EXPECT_EQ(topology.edge_of(HostId(6)), SwitchId(1));
  const std::vector<LinkId> middle = topology.links_between(topology.find("left"), topology.find("right"));
  ASSERT_THAT(middle, SizeIs(1));
  EXPECT_EQ(topology.link(middle[0]).rate, 40_Gbps);
}

TEST(LeafSpine, LinksEveryTorToEverySpine) {
  const Topology topology = testing::leaf_spine(10, 16, 4);  // Floodgate 6.1, Pyrrha 6
  EXPECT_EQ(topology.hosts(), 160U);
  EXPECT_EQ(topology.switches(), 14U);
  EXPECT_EQ(topology.links().size(), 200U);
  for (std::size_t tor = 0; tor < 10; ++tor) {
    const NodeId node = topology.node_of(SwitchId(tor));
    ASSERT_THAT(topology.ports(node), SizeIs(20));
    for (std::size_t port = 0; port < 16; ++port) {
      EXPECT_EQ(topology.peer(node, PortId(port)).host, HostId(tor * 16 + port));
      EXPECT_EQ(topology.node(topology.port(node, PortId(port)).peer).rack, static_cast<int>(tor));
    }
    for (std::size_t spine = 0; spine < 4; ++spine) {
      EXPECT_EQ(topology.peer(node, PortId(16 + spine)).neighbour, SwitchId(10 + spine));
      EXPECT_EQ(topology.peer(node, PortId(16 + spine)).port, PortId(tor));
      EXPECT_EQ(topology.link_at(node, PortId(16 + spine)).rate, 400_Gbps);
    }
    EXPECT_EQ(oversubscription(topology, SwitchId(tor)), 1.0);
  }
}

TEST(LeafSpine, HasParallelLinks) {
  // RoCC, section 6.2: three cores, three edges, two links each, 30 hosts at 40 Gbit/s per edge.
  LeafSpineSettings settings;
  settings.tors = 3;
  settings.hosts_per_tor = 30;
  settings.spines = 3;
  settings.host_link = {40_Gbps, 1_us};
  settings.fabric_link = {100_Gbps, 1_us};
  settings.parallel_links = 2;
  const Topology topology = built(build_leaf_spine(settings));
  EXPECT_EQ(topology.links().size(), 90U + 18U);
  EXPECT_THAT(topology.links_between(topology.find("tor1"), topology.find("spine2")), SizeIs(2));
  EXPECT_EQ(oversubscription(topology, SwitchId(0)), 2.0);
}

TEST(LeafSpine, DerivesTheFabricRateFromOversubscription) {
  LeafSpineSettings settings;
  settings.tors = 8;
  settings.hosts_per_tor = 16;
  settings.spines = 8;
  settings.host_link = {100_Gbps, 1_us};
  settings.fabric_link.delay = 1_us;
  settings.tor_oversubscription = Oversubscription{2, 1};
  const Topology topology = built(build_leaf_spine(settings));  // BFC 6.2.1
  EXPECT_EQ(topology.link_at(topology.find("spine3"), PortId(0)).rate, 100_Gbps);

  settings.tor_oversubscription = Oversubscription{3, 1};
  EXPECT_THAT(build_leaf_spine(settings).errors,
              ElementsAre("oversubscription of fabric_link: 3:1 of 16 x 100000000000 bit/s over 8 links is not a whole "
                          "rate in bit/s"));
  settings.fabric_link.rate = 1_Gbps;
  EXPECT_THAT(build_leaf_spine(settings).errors,
              ElementsAre("both the rate and the oversubscription of fabric_link are given"));
}

TEST(LeafSpine, NamesAllThatIsImpossible) {
  LeafSpineSettings settings;
  settings.tors = -1;
  settings.hosts_per_tor = 4;
  settings.fabric_link = {1_Gbps, -1_ns, 2.0};
  settings.host_link = {0_Gbps, 1_us};
  const BuiltTopology result = build_leaf_spine(settings);
  EXPECT_THAT(result.errors, ElementsAre("tors is -1, expected at least 1", "spines is 0, expected at least 1",
                                         "rate of host_link is 0 bit/s, expected above zero",
                                         "delay of fabric_link is -1000 ps, expected zero or more",
                                         "error rate of fabric_link is 2, expected 0 to 1"));
  EXPECT_TRUE(result.topology.nodes().empty());
}

TEST(LeafSpine, RefusesWhatIsTooLarge) {
  LeafSpineSettings settings;
  settings.tors = std::numeric_limits<int>::max();
  settings.hosts_per_tor = std::numeric_limits<int>::max();
  settings.spines = std::numeric_limits<int>::max();
  settings.host_link = settings.fabric_link = common_link();
  EXPECT_THAT(build_leaf_spine(settings).errors,
              ElementsAre(HasSubstr("nodes, expected at most 1000000"), HasSubstr("links, expected at most 10000000"),
                          HasSubstr("ports on a ToR, expected at most 65535"),
                          HasSubstr("ports on a spine, expected at most 65535")));
}

class FatTreeOf : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, FatTreeOf, ::testing::Values(2, 4, 8, 16));

TEST_P(FatTreeOf, HasTheCountsOfTheBook) {
  const auto k = static_cast<std::size_t>(GetParam());
  const Topology topology = testing::fat_tree(GetParam());
  EXPECT_EQ(topology.hosts(), k * k * k / 4);
  EXPECT_EQ(topology.switches(), 5 * k * k / 4);
  EXPECT_EQ(topology.links().size(), 3 * k * k * k / 4);
  EXPECT_EQ(nodes_of_tier(topology, 1), k * k / 2);
  EXPECT_EQ(nodes_of_tier(topology, 2), k * k / 2);
  EXPECT_EQ(nodes_of_tier(topology, 3), k * k / 4);
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    EXPECT_EQ(topology.ports(topology.node_of(SwitchId(i))).size(), k) << i;
    // A core has one link to each pod.
    const NodeId node = topology.node_of(SwitchId(i));
    if (topology.node(node).tier != 3) continue;
    for (std::size_t pod = 0; pod < k; ++pod) {
      EXPECT_EQ(topology.node(topology.port(node, PortId(pod)).peer).pod, static_cast<int>(pod));
    }
  }
}

TEST(FatTree, TakesOtherNumbersOfHostsAndRatesByTier) {
  FatTreeSettings settings;
  settings.k = 4;
  settings.hosts_per_edge = 5;
  settings.host_link = {10_Gbps, 1_us};
  settings.edge_agg_link = {25_Gbps, 2_us};
  settings.agg_core_link = {100_Gbps, 3_us};
  const Topology topology = built(build_fat_tree(settings));
  EXPECT_EQ(topology.hosts(), 40U);
  EXPECT_EQ(topology.node(topology.node_of(HostId(12))).rack, 2);
  EXPECT_EQ(topology.node(topology.node_of(HostId(12))).pod, 1);
  EXPECT_EQ(topology.link_at(topology.find("tor0.0"), PortId(0)).rate, 10_Gbps);
  EXPECT_EQ(topology.link_at(topology.find("agg0.0"), PortId(0)).delay, 2_us);
  EXPECT_EQ(topology.link_at(topology.find("core0"), PortId(0)).rate, 100_Gbps);
}

TEST(FatTree, RefusesOddAndHugeK) {
  EXPECT_THAT(build_fat_tree({}).errors, ElementsAre("k is 0, expected an even number of 2 or more"));
  FatTreeSettings settings;
  settings.host_link = settings.edge_agg_link = settings.agg_core_link = common_link();
  settings.k = 5;
  EXPECT_THAT(build_fat_tree(settings).errors, ElementsAre("k is 5, expected an even number of 2 or more"));
  settings.k = 1'000'000;
  EXPECT_THAT(build_fat_tree(settings).errors, ElementsAre("k is 1000000, expected at most 1000"));
  settings.k = 4;
  settings.hosts_per_edge = 0;
  EXPECT_THAT(build_fat_tree(settings).errors, ElementsAre("hosts_per_tor is 0, expected at least 1"));
}

ClosSettings spfc_pods() {
  // SPFC, section V-C: 8 pods of 2 leaves, 4 ToRs and 64 hosts, 4 spines; 100 Gbit/s below ToRs, 400 above.
  ClosSettings settings;
  settings.pods = 8;
  settings.tors_per_pod = 4;
  settings.hosts_per_tor = 16;
  settings.aggs_per_pod = 2;
  settings.cores = 4;
  settings.wiring = CoreWiring::full;
  settings.host_link = {100_Gbps, 2_us};
  settings.tor_agg_link = {400_Gbps, 2_us};
  settings.agg_core_link = {400_Gbps, 2_us};
  return settings;
}

TEST(Clos, FullWiringLinksEveryAggregationSwitchToEveryCore) {
  const Topology topology = built(build_clos(spfc_pods()));
  EXPECT_EQ(topology.hosts(), 512U);
  EXPECT_EQ(topology.switches(), 32U + 16U + 4U);
  EXPECT_EQ(topology.links().size(), 512U + 64U + 64U);
  EXPECT_THAT(topology.links_between(topology.find("agg5.1"), topology.find("core3")), SizeIs(1));
  EXPECT_EQ(oversubscription(topology, topology.node(topology.find("tor0.0")).switch_id), 2.0);
  EXPECT_EQ(oversubscription(topology, topology.node(topology.find("agg0.0")).switch_id), 1.0);
}

TEST(Clos, PlanesKeepApart) {
  ClosSettings settings = spfc_pods();
  settings.wiring = CoreWiring::planes;
  const Topology topology = built(build_clos(settings));
  EXPECT_EQ(topology.links().size(), 512U + 64U + 32U);
  EXPECT_THAT(topology.links_between(topology.find("agg5.1"), topology.find("core1")), SizeIs(0));
  EXPECT_THAT(topology.links_between(topology.find("agg5.1"), topology.find("core2")), SizeIs(1));
  settings.cores = 5;
  EXPECT_THAT(build_clos(settings).errors,
              ElementsAre("cores is 5, expected a multiple of aggs_per_pod, which is 2 (or full core wiring)"));
}

TEST(Clos, DerivesRatesOfBothTiers) {
  ClosSettings settings = spfc_pods();
  settings.tor_agg_link.rate = settings.agg_core_link.rate = 0_Gbps;
  settings.tor_oversubscription = Oversubscription{2, 1};
  settings.agg_oversubscription = Oversubscription{4, 1};
  settings.agg_core_links = 2;
  const Topology topology = built(build_clos(settings));
  EXPECT_EQ(topology.link_at(topology.find("agg0.0"), PortId(0)).rate, 400_Gbps);
  EXPECT_EQ(topology.link_at(topology.find("core0"), PortId(0)).rate, 50_Gbps);
  EXPECT_EQ(oversubscription(topology, topology.node(topology.find("agg7.1")).switch_id), 4.0);
}

TEST(TwoDataCentres, MeetOnlyAtTheGateways) {
  // BFC, appendix A.9.
  TwoDataCentresSettings settings;
  for (LeafSpineSettings& centre : settings.data_centres) {
    centre.tors = 4;
    centre.hosts_per_tor = 16;
    centre.spines = 8;
    centre.host_link = centre.fabric_link = common_link();
  }
  settings.spine_gateway_link = common_link();
  settings.gateway_link = {200_Gbps, 200_us};
  const Topology topology = built(build_two_data_centres(settings));
  EXPECT_EQ(topology.nodes().size(), 154U);
  EXPECT_EQ(topology.hosts(), 128U);
  EXPECT_EQ(topology.links().size(), 2U * 104U + 1U);
  EXPECT_EQ(topology.node(topology.node_of(HostId(63))).pod, 0);
  EXPECT_EQ(topology.node(topology.node_of(HostId(64))).pod, 1);
  EXPECT_EQ(topology.node(topology.node_of(HostId(64))).rack, 4);
  std::size_t between = 0;
  for (const Link& link : topology.links()) {
    if (topology.node(link.a).pod == topology.node(link.b).pod) continue;
    ++between;
    EXPECT_EQ(topology.node(link.a).name, "dc0.gateway0");
    EXPECT_EQ(topology.node(link.b).name, "dc1.gateway0");
    EXPECT_EQ(link.delay, 200_us);
  }
  EXPECT_EQ(between, 1U);

  settings.gateways = 2;
  settings.gateway_links = 3;
  EXPECT_EQ(built(build_two_data_centres(settings)).links().size(), 2U * (64 + 32 + 16) + 6);
  settings.data_centres[1].spines = 0;
  EXPECT_THAT(build_two_data_centres(settings).errors, ElementsAre("data_centres[1].spines is 0, expected at least 1"));
}

TEST(Builders, NumberHostsBeforeSwitchesAndLowerTiersFirst) {
  for (const Topology& topology :
       {testing::leaf_spine(3, 4, 2), testing::fat_tree(4), built(build_clos(spfc_pods()))}) {
    for (std::size_t i = 1; i < topology.nodes().size(); ++i) {
      EXPECT_LE(topology.nodes()[i - 1].tier, topology.nodes()[i].tier);
    }
    for (std::size_t i = 0; i < topology.hosts(); ++i) EXPECT_EQ(topology.node_of(HostId(i)), NodeId(i));
  }
}

}  // namespace
}  // namespace weir::builders_test
