// SPDX-License-Identifier: Apache-2.0
// SPFC in a whole network: the port of a victim is not paused where a dynamic threshold pauses it (spfc III, IV.E).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole::victim_port_test {
namespace {

constexpr std::size_t kSenders = 30;  // H0 to H29
constexpr HostId kR1(30);
constexpr HostId kR2(31);

/// Section III: 30 senders and two receivers at a switch of 100 Gbit/s and 16 MB besides headroom, 9 us and 1 us away.
/// H0 has two long flows under DCQCN, F1 to R1 and F2 to R2. After 1 ms `bursts` others send 64 KB to R2, repeatedly
/// for 1 ms, each time on a new queue pair at line rate, too short for congestion control.
Settings section_three(const PolicyChoice& buffer_policy, std::size_t bursts) {
  Topology topology;
  const NodeId middle = topology.add_switch("s0", 1, 0, 0);
  for (std::size_t i = 0; i < kSenders + 2; ++i) {
    const Duration delay = i < kSenders ? Duration(9_us) : Duration(1_us);
    topology.connect(topology.add_host("h" + std::to_string(i), 0, 0), middle, {BitRate(100'000'000'000), delay});
  }
  Settings settings = lossless_network(std::move(topology), 2500_us);
  settings.switches.buffer = 23_MB;
  settings.switches.buffer_policy = buffer_policy;
  settings.switches.congestion_point = {choose("red")};
  settings.hosts.congestion_control = choose("dcqcn");
  std::vector<FlowSpec> flows = {flow(0, kR1.value, 100_MB), flow(0, kR2.value, 100_MB)};
  constexpr Duration kTurn = Duration::picoseconds(5'500'000);  // 64 KB at line rate
  for (Duration start = 1_ms; start < 2_ms; start += kTurn) {
    for (std::size_t host = 1; host <= bursts; ++host) flows.push_back(flow(host, kR2.value, 64_KB, at(start)));
  }
  offer(settings, flows);
  return settings;
}

struct Pauses {
  std::uint64_t of_victim = 0;  ///< that P0 sent to H0
  std::uint64_t of_bursts = 0;
};

Pauses pauses_with(const PolicyChoice& buffer_policy, std::size_t bursts) {
  const RunRecord record = Simulation(section_three(buffer_policy, bursts)).run();
  EXPECT_EQ(record.failure, "");
  for (const std::uint64_t drops : record.switches.at(0).drops) EXPECT_EQ(drops, 0u);
  Pauses found;
  for (const LinkRecord& link : record.links) {
    (link.from == "h0" ? found.of_victim : found.of_bursts) += link.pauses;
  }
  return found;
}

// "PAUSEs in P0 are completely avoided" (IV.E), where "port P0 will send PFC PAUSE to H0" under DT (III.B).
TEST(VictimPort, IsSparedWhereADynamicThresholdPausesIt) {
  for (const std::size_t bursts : {std::size_t{20}, std::size_t{24}}) {
    SCOPED_TRACE(bursts);
    const Pauses plain = pauses_with(choose("dynamic_threshold", {{"alpha", 2.0}}), bursts);
    const Pauses selective = pauses_with(choose("spfc"), bursts);
    EXPECT_GT(plain.of_victim, 0u);
    EXPECT_EQ(selective.of_victim, 0u);
    EXPECT_GT(selective.of_bursts, 0u) << "ports that carry nothing but the burst are paused still";
  }
}

}  // namespace
}  // namespace weir::whole::victim_port_test
