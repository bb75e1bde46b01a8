// SPDX-License-Identifier: Apache-2.0
// The memory of a network before its first frame, as docs/speed.md states it.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>
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

/// The peak resident memory of a run, in megabytes. It has a process of its own, because a peak never falls.
double peak_of(const Settings& settings) {
  const pid_t child = fork();
  if (child == 0) _exit(Simulation(settings).run().failure.empty() ? 0 : 1);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  EXPECT_EQ(status, 0);
  return static_cast<double>(usage.ru_maxrss) / 1'000;
}

/// Every host of a fat-tree of k = 16 sends to another for long enough that receivers decide.
Settings permutation_under(const char* transport) {
  Settings settings = lossless_network(fat_tree_of(16), 20_us);
  settings.switches.lossless = {};
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.flow_control.clear();
  settings.hosts.transport = choose(transport);
  settings.hosts.congestion_control = {};
  settings.hosts.loss_recovery = {};
  settings.run.frame_capacity = std::size_t{1} << 24;
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 1'024; ++i) flows.push_back(flow(i, (i + 512) % 1'024, 10_MB));
  offer(settings, std::move(flows));
  return settings;
}

TEST(Memory, OfAPermutationUnderTransportsIsWhatTheGuideStates) {
  if (held_bytes() == 0) GTEST_SKIP() << "the allocator does not tell what it holds";
  Settings expresspass = permutation_under("expresspass");
  expresspass.switches.flow_control = {choose("expresspass")};
  expresspass.switches.forwarding.parameters.set("hash", std::string("symmetric"));
  expresspass.switches.forwarding.parameters.set("seed_per_switch", false);
  EXPECT_LT(peak_of(expresspass), 60);
  Settings ndp = permutation_under("ndp");
  ndp.switches.flow_control = {choose("ndp")};
  ndp.switches.forwarding = choose("ndp");
  EXPECT_LT(peak_of(ndp), 80);
  Settings homa = permutation_under("homa");
  homa.switches.forwarding = choose("spray");
  EXPECT_LT(peak_of(homa), 65);
}

}  // namespace
}  // namespace weir::whole::memory_test
