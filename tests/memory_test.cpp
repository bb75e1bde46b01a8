// SPDX-License-Identifier: Apache-2.0
// The memory of a network before its first frame, as docs/speed.md states it.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "net/builders.h"
#include "whole_network.h"

namespace weir::whole::memory_test {
namespace {

// The sizes of the state per priority of a port are next to its definitions.
static_assert(sizeof(PortState) <= 256);
static_assert(sizeof(Nic) <= 1344);

/// Bytes allocated and not freed, including the allocator's overhead; zero if unknown.
double held_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

struct Held {
  double built = 0;  ///< bytes of a network after set-up
  double begun = 0;  ///< after every host has begun a flow to another
};

Held held_by(Topology topology) {
  const std::size_t hosts = topology.hosts();
  Settings settings = lossless_network(std::move(topology), Duration::picoseconds(1));
  settings.switches.buffer = 64_MB;  // for the headroom of 512 ports
  settings.hosts.congestion_control = choose("dcqcn");
  settings.switches.congestion_point = {choose("red")};
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < hosts; ++i) flows.push_back(flow(i, (i + hosts / 2) % hosts, 10_MB));
  offer(settings, std::move(flows));
  const double before = held_bytes();
  Simulation simulation(settings);
  const double built = held_bytes();
  const RunRecord record = simulation.run();
  return {built - before, held_bytes() - before};
}

Topology fat_tree_of(int k) {
  const LinkSpec link{.rate = 100_Gbps, .delay = 1_us};
  return build_fat_tree({.k = k, .hosts_per_edge = {}, .host_link = link, .edge_agg_link = link, .agg_core_link = link})
      .topology;
}

// A star has one switch port per host, a fat-tree five. The difference of two stars is therefore a host and a port, and
// the excess of a fat-tree is ports.
TEST(Memory, OfAHostAndOfAPortIsWhatTheGuideStates) {
  if (held_bytes() == 0) GTEST_SKIP() << "the allocator does not tell what it holds";
  const LinkSpec link{.rate = 100_Gbps, .delay = 1_us};
  const Held small = held_by(star(256, link));
  const Held large = held_by(star(512, link));
  const Held tree = held_by(fat_tree_of(16));
  const double hosts = 16 * 16 * 16 / 4;
  const double host_and_port = (large.built - small.built) / 256;
  const double port = (tree.built / hosts - host_and_port) / 4;
  const double host = host_and_port - port;
  const double flow = (large.begun - large.built - (small.begun - small.built)) / 256;
  RecordProperty("bytes_of_a_host", static_cast<int>(host));
  RecordProperty("bytes_of_a_port", static_cast<int>(port));
  RecordProperty("bytes_of_a_flow", static_cast<int>(flow));
  EXPECT_LT(host, 5'000);
  EXPECT_LT(port, 3'200);
  EXPECT_LT(flow, 3'400);
}

}  // namespace
}  // namespace weir::whole::memory_test
