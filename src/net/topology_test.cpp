// SPDX-License-Identifier: Apache-2.0
#include "net/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "net/test_topologies.h"

namespace weir::topology_test {
namespace {

using namespace literals;
using testing::common_link;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Topology, NumbersNodesAndPortsByAppearance) {
  Topology topology;
  const NodeId s0 = topology.add_switch("s0", 1);
  const NodeId h0 = topology.add_host("h0");
  const NodeId s1 = topology.add_switch("s1", 1, 3, 4);
  const NodeId h1 = topology.add_host("h1", 3, 4);
  topology.connect(s1, h1, common_link());
  topology.connect(s0, s1, {40_Gbps, 2_us, 0.5});
  const LinkId last = topology.connect(h0, s0, common_link());

  EXPECT_EQ(topology.hosts(), 2U);
  EXPECT_EQ(topology.switches(), 2U);
  EXPECT_EQ(topology.node(h1).host, HostId(1));
  EXPECT_FALSE(topology.node(h1).switch_id.exists());
  EXPECT_EQ(topology.node(s1).switch_id, SwitchId(1));
  EXPECT_EQ(topology.node_of(HostId(1)), h1);
  EXPECT_EQ(topology.node_of(SwitchId(1)), s1);
  EXPECT_EQ(topology.node(s1).pod, 3);
  EXPECT_EQ(topology.node(h1).rack, 4);

  const Link& middle = topology.link_at(s0, PortId(0));
  EXPECT_EQ(middle.a_port, PortId(0));
  EXPECT_EQ(middle.b_port, PortId(1));
  EXPECT_EQ(middle.rate, 40_Gbps);
  EXPECT_EQ(middle.delay, 2_us);
  EXPECT_EQ(middle.error_rate, 0.5);
  EXPECT_EQ(topology.port(s0, PortId(1)).link, last);

  const Peer to_switch = topology.peer(s0, PortId(0));
  EXPECT_EQ(to_switch.node, s1);
  EXPECT_EQ(to_switch.port, PortId(1));
  EXPECT_EQ(to_switch.neighbour, SwitchId(1));
  EXPECT_FALSE(to_switch.is_host());
  const Peer to_host = topology.peer(s1, PortId(0));
  EXPECT_EQ(to_host.host, HostId(1));
  EXPECT_FALSE(to_host.neighbour.exists());
  EXPECT_EQ(topology.edge_of(HostId(0)), SwitchId(0));
  EXPECT_THAT(topology.errors(), IsEmpty());
}

TEST(Topology, FindsByNameAndKeepsParallelLinks) {
  Topology topology;
  const NodeId a = topology.add_switch("a", 1);
  const NodeId b = topology.add_switch("b", 1);
  const LinkId first = topology.connect(a, b, common_link());
  const LinkId second = topology.connect(b, a, common_link());
  EXPECT_EQ(topology.find("b"), b);
  EXPECT_FALSE(topology.find("c").exists());
  EXPECT_THAT(topology.links_between(a, b), ElementsAre(first, second));
  EXPECT_THAT(topology.links_between(b, a), ElementsAre(first, second));
  EXPECT_THAT(topology.links_between(a, a), IsEmpty());
}

TEST(Topology, BothEndsOfEveryLinkNameEachOther) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
      const Link& link = topology.links()[i];
      RC_ASSERT(topology.port(link.a, link.a_port).link == LinkId(i));
      RC_ASSERT(topology.port(link.a, link.a_port).peer == link.b);
      RC_ASSERT(topology.port(link.a, link.a_port).peer_port == link.b_port);
      RC_ASSERT(topology.port(link.b, link.b_port).link == LinkId(i));
      RC_ASSERT(topology.port(link.b, link.b_port).peer == link.a);
      RC_ASSERT(topology.port(link.b, link.b_port).peer_port == link.a_port);
    }
  }));
}

TEST(Topology, GivesALinkFromANodeToItselfTwoPorts) {
  Topology topology;
  const NodeId s = topology.add_switch("s", 1);
  const LinkId loop = topology.connect(s, s, common_link());
  ASSERT_EQ(topology.ports(s).size(), 2U);
  EXPECT_EQ(topology.port(s, PortId(0)).peer_port, PortId(1));
  EXPECT_EQ(topology.port(s, PortId(1)).peer_port, PortId(0));
  EXPECT_EQ(topology.link(loop).b_port, PortId(1));
  EXPECT_THAT(topology.links_between(s, s), ElementsAre(loop));
}

TEST(Topology, DerivesTiersFromTheDistanceToHosts) {
  Topology derived = testing::fat_tree(4);
  const Topology given = derived;
  derived.derive_tiers();
  for (std::size_t i = 0; i < given.nodes().size(); ++i) {
    EXPECT_EQ(derived.node(NodeId(i)).tier, given.node(NodeId(i)).tier);
    EXPECT_EQ(derived.node(NodeId(i)).rack, given.node(NodeId(i)).rack);
  }
}

TEST(Topology, DerivesTierOneForSwitchesWithoutAnyHost) {
  Topology topology;
  topology.add_switch("alone", 7);
  topology.derive_tiers();
  EXPECT_EQ(topology.node(NodeId(0)).tier, 1);
}

TEST(Errors, OfAnEmptyNetwork) {
  EXPECT_THAT(Topology().errors(), ElementsAre("the network has no hosts"));
}

TEST(Errors, OfHostsAndTheirLinks) {
  Topology topology;
  const NodeId s = topology.add_switch("s", 1);
  const NodeId two = topology.add_host("two");
  topology.add_host("none");
  const NodeId left = topology.add_host("left");
  const NodeId right = topology.add_host("right");
  topology.connect(two, s, common_link());
  topology.connect(two, s, common_link());
  topology.connect(left, right, common_link());
  EXPECT_THAT(topology.errors(),
              ElementsAre("host two has 2 links, expected one", "host none has 0 links, expected one",
                          "host left is connected to host right, expected a switch"));
}

TEST(Errors, OfASwitchWithoutLinks) {
  Topology topology;
  const NodeId s = topology.add_switch("s", 1);
  topology.add_switch("lone", 1);
  topology.connect(topology.add_host("h"), s, common_link());
  EXPECT_THAT(topology.errors(), ElementsAre("switch lone has no link, expected at least one"));
}

TEST(Errors, OfWhatLinksAreMadeOf) {
  Topology topology;
  const NodeId s = topology.add_switch("s", 1);
  const NodeId h = topology.add_host("h");
  topology.connect(h, s, {0_Gbps, -1_ns, 1.5});
  topology.connect(s, s, {1_bps, 0_ns, std::nan("")});
  EXPECT_THAT(topology.errors(),
              ElementsAre("link h - s: rate is 0 bit/s, expected 1000000 to 8000000000000 bit/s",
                          "link h - s: delay is -1000 ps, expected 0 to 1000000000000 ps",
                          "link h - s: error rate is 1.5, expected 0 to 1", "link s - s: a link from a node to itself",
                          "link s - s: rate is 1 bit/s, expected 1000000 to 8000000000000 bit/s",
                          "link s - s: error rate is nan, expected 0 to 1"));
}

TEST(Errors, OfNamesUsedTwice) {
  Topology topology;
  const NodeId s = topology.add_switch("x", 1);
  topology.connect(topology.add_host("x"), s, common_link());
  topology.connect(topology.add_host("x"), s, common_link());
  EXPECT_THAT(topology.errors(), ElementsAre("two nodes are named x"));
}

TEST(Errors, OfHostsThatOnlyAHostConnects) {
  Topology topology;
  const NodeId left = topology.add_switch("left", 1);
  const NodeId right = topology.add_switch("right", 1);
  topology.connect(topology.add_host("a"), left, common_link());
  topology.connect(topology.add_host("b"), right, common_link());
  topology.connect(topology.add_host("c"), right, common_link());
  EXPECT_THAT(topology.errors(), ElementsAre("hosts a and b cannot reach each other (nor can 1 others with a)"));
  const NodeId bridge = topology.add_host("bridge");
  topology.connect(bridge, left, common_link());
  topology.connect(bridge, right, common_link());
  EXPECT_THAT(topology.errors(), ElementsAre("host bridge has 2 links, expected one",
                                             "hosts a and b cannot reach each other (nor can 1 others with a)"));
}

TEST(Errors, OfMorePortsThanCanBeNumbered) {
  Topology topology;
  const NodeId s = topology.add_switch("s", 1);
  const NodeId t = topology.add_switch("t", 1);
  topology.connect(topology.add_host("h"), s, common_link());
  for (int i = 0; i < 65535; ++i) topology.connect(s, t, common_link());
  EXPECT_THAT(topology.errors(), ElementsAre("s has 65536 ports, expected at most 65535"));
}

TEST(OversubscriptionOf, IsDownOverUp) {
  const Topology topology = testing::leaf_spine(4, 8, 2, 100);
  EXPECT_EQ(oversubscription(topology, SwitchId(0)), 4.0);
  EXPECT_EQ(oversubscription(topology, SwitchId(4)), 0.0);  // a spine has nothing above it
}

}  // namespace
}  // namespace weir::topology_test
