// SPDX-License-Identifier: Apache-2.0
// A network in partitions that share no frames gives the same results as the whole, whether partitions run one after
// the other or on one thread each.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "net/builders.h"
#include "partitioned_network.h"
#include "shape_credits.h"
#include "shape_grants.h"
#include "shape_pulls.h"
#include "whole_network.h"

namespace weir::whole::partition_test {
namespace {

/// A fat-tree of k = 4 with 16 hosts, which all send to other pods, six of them to one host.
Settings fat_tree() {
  const LinkSpec link{.rate = 25_Gbps, .delay = 1_us};
  BuiltTopology built =
      build_fat_tree({.k = 4, .hosts_per_edge = {}, .host_link = link, .edge_agg_link = link, .agg_core_link = link});
  Settings settings = lossless_network(std::move(built.topology), 250_us);
  settings.switches.buffer = 500_KB;
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 16; ++host) flows.push_back(flow(host, (host + 5) % 16, 300_KB));
  for (std::size_t host = 4; host < 16; host += 2) flows.push_back(flow(host, 0, 200_KB));
  offer(settings, std::move(flows));
  return settings;
}

/// Pods with their hosts, and core switches in turn.
std::vector<std::uint32_t> by_pod(const Topology& topology, std::uint32_t partitions) {
  std::vector<std::uint32_t> out;
  std::uint32_t cores = 0;
  for (const Node& node : topology.nodes()) {
    const bool core = node.pod == Node::kNowhere;
    out.push_back((core ? cores++ : static_cast<std::uint32_t>(node.pod)) % partitions);
  }
  return out;
}

/// Neighbours mostly in different partitions.
std::vector<std::uint32_t> by_number(const Topology& topology, std::uint32_t partitions) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t node = 0; node < topology.nodes().size(); ++node) out.push_back(node % partitions);
  return out;
}

struct Case {
  const char* name;
  void (*change)(Settings&);
};

std::string name_of_case(const testing::TestParamInfo<Case>& tested) {
  return tested.param.name;
}

class Partitions : public testing::TestWithParam<Case> {
 protected:
  static Settings settings() {
    Settings out = fat_tree();
    GetParam().change(out);
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Schemes, Partitions,
    testing::Values(Case{"pfc", [](Settings&) {}},
                    Case{"dcqcn",
                         [](Settings& s) {
                           s.hosts.congestion_control = choose("dcqcn");
                           s.switches.congestion_point = {choose("red")};
                         }},
                    // INT in extensions.
                    Case{"hpcc",
                         [](Settings& s) {
                           s.hosts.congestion_control = choose("hpcc");
                           s.switches.congestion_point = {choose("hpcc")};
                         }},
                    // A time stamp in extensions, and random numbers of switches.
                    Case{"timely",
                         [](Settings& s) {
                           s.hosts.congestion_control = choose("timely");
                           s.switches.forwarding = choose("spray");
                         }},
                    Case{"bfc",
                         [](Settings& s) {
                           s.switches.flow_control = {choose("bfc"), choose("pfc")};
                         }},
                    Case{"rocc",
                         [](Settings& s) {
                           s.hosts.congestion_control = choose("rocc");
                           s.switches.congestion_point = {choose("rocc")};
                         }},
                    // A lossy network: losses are retransmitted.
                    Case{"irn",
                         [](Settings& s) {
                           s.switches.lossless.fill(false);
                           s.switches.flow_control.clear();
                           s.hosts.loss_recovery = choose("irn");
                           s.switches.buffer = 100_KB;
                         }},
                    // Transports: control frames of hosts, header fields, random numbers of NICs.
                    Case{"grants", [](Settings& s) { shape::use_transport(s, shape::grants_shape::grants); }},
                    // Trimmed frames, including those returned to their senders.
                    Case{"pulls",
                         [](Settings& s) {
                           shape::use_transport(s, shape::pulls_shape::pulls);
                           s.switches.flow_control.front().parameters.set("headers", std::int64_t{10});
                         }},
                    // Shaped queues.
                    Case{"credits", [](Settings& s) { shape::use_transport(s, shape::credits_shape::credits); }}),
    name_of_case);

TEST_P(Partitions, GiveTheDigestOfTheWhole) {
  const Settings network = settings();
  const Topology& topology = network.network.topology;
  const std::string whole = Simulation(network).run().digest;
  const auto expect_the_same = [&](const std::vector<std::uint32_t>& divided, bool on_threads) {
    PartitionedNetwork parts(network, divided);
    parts.run(on_threads);
    EXPECT_EQ(parts.digest(), whole);
    EXPECT_EQ(parts.lost_frames(), "");
    EXPECT_EQ(parts.crossed() > 1'000, parts.fabric().partitions() > 1);
  };
  expect_the_same({}, false);
  for (const std::uint32_t partitions : {2U, 4U}) {
    SCOPED_TRACE(partitions);
    expect_the_same(by_pod(topology, partitions), false);
    expect_the_same(by_number(topology, partitions), false);
    expect_the_same(by_pod(topology, partitions), true);
  }
}

TEST(Fabric, HasFramesOfItsOwnInEachPartition) {
  const Settings settings = fat_tree();
  Fabric whole(settings);
  EXPECT_EQ(whole.partitions(), 1U);
  EXPECT_EQ(whole.partition_of(NodeId(7)), 0U);
  Fabric parts(settings, by_number(settings.network.topology, 3));
  ASSERT_EQ(parts.partitions(), 3U);
  EXPECT_EQ(parts.partition_of(NodeId(7)), 1U);
  for (std::size_t node = 0; node < parts.nodes(); ++node) {
    const Switch* at = parts.switch_at(NodeId(node));
    const FramePool& pool = at != nullptr ? at->frames() : parts.nic_at(NodeId(node))->frames();
    EXPECT_EQ(&pool, &parts.frames_of_partition(node % 3));
  }
}

}  // namespace
}  // namespace weir::whole::partition_test
