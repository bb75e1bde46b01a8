// SPDX-License-Identifier: Apache-2.0
// Schemes that assign queues to flows: how flows share a port.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole::fair_queueing_test {
namespace {

constexpr LinkSpec k100G{BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};
constexpr std::int64_t kFrame = 1'066;

/// `hosts` hosts on a lossy switch with an unlimited buffer; each flow has at most a bandwidth-delay product in flight.
Settings network(std::size_t hosts, const PolicyChoice& queueing) {
  Settings settings = lossless_network(star(hosts, k100G), 4_ms);
  settings.switches.lossless = {};
  settings.switches.flow_control = {queueing};
  settings.switches.buffer = 1'000_MB;
  settings.switches.buffer_policy = choose("static_threshold");
  settings.hosts.window.kind = WindowSettings::Kind::fixed;
  return settings;
}

/// Data bytes acknowledged for each flow in the second half of a run, in the order of the flows.
std::vector<std::int64_t> shares(Settings settings) {
  const auto acknowledged = [&] {
    Simulation simulation(settings);
    EXPECT_EQ(simulation.run().failure, "");
    std::vector<std::int64_t> bytes;
    for (std::size_t host = 0; host < simulation.fabric().hosts(); ++host) {
      simulation.fabric().nic(HostId(host)).watch_senders([&](const SendState& sender) {
        bytes.push_back(sender.acknowledged_bytes);
      });
    }
    return bytes;
  };
  std::vector<std::int64_t> whole = acknowledged();
  settings.run.stop = Time::picoseconds(settings.run.stop.picoseconds() / 2);
  const std::vector<std::int64_t> half = acknowledged();
  EXPECT_EQ(whole.size(), half.size());
  for (std::size_t i = 0; i < half.size(); ++i) whole[i] -= half[i];
  return whole;
}

/// Whatever their number and hosts, no flow is more than two frames ahead of another.
TEST(FairQueueing, IdealSharesExactlyAmongFlows) {
  for (const std::size_t flows : {2u, 5u, 64u}) {
    Settings settings = network(4, choose("ideal_fq"));
    std::vector<FlowSpec> all;
    for (std::size_t i = 0; i < flows; ++i) all.push_back(flow(i == 0 ? 0 : 1 + i % 2, 3, kLongRunning));
    offer(settings, all);
    const std::vector<std::int64_t> bytes = shares(settings);
    ASSERT_EQ(bytes.size(), flows);
    for (const std::int64_t share : bytes) EXPECT_LE(std::abs(share - bytes.front()), 2 * 1'000) << flows;
    const double payload_of_the_link = 12.5e9 * 2e-3 * 1'000 / (kFrame + 20);
    EXPECT_NEAR(static_cast<double>(bytes.front() * static_cast<std::int64_t>(flows)), payload_of_the_link,
                2e-3 * payload_of_the_link);
  }
}

/// Three unrestricted flows, one of which offers 20 Gbit/s and the others line rate; returns the throughput of each.
std::vector<std::int64_t> of_three(const PolicyChoice& queueing) {
  Settings settings = network(4, queueing);
  settings.hosts.window.kind = WindowSettings::Kind::none;
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 3; ++host) flows.push_back(flow(host, 3, kLongRunning));
  flows[0].rate_limit = 20_Gbps;
  offer(settings, flows);
  return shares(settings);
}
constexpr double kTwentyGigabits = 20e9 / 8 * 2e-3 * 1'000 / (kFrame + 20);

/// Flows in queues of their own share max-min: a flow that needs less than a share gets what it needs, the others share
/// the rest.
TEST(FairQueueing, QueuesShareMaxMin) {
  for (const char* name : {"sfq", "dqa", "ideal_fq"}) {
    const std::vector<std::int64_t> bytes = of_three(choose(name));
    ASSERT_EQ(bytes.size(), 3u);
    EXPECT_NEAR(static_cast<double>(bytes[0]), kTwentyGigabits, 2e-3 * kTwentyGigabits) << name;
    EXPECT_NEAR(static_cast<double>(bytes[1]), 2 * kTwentyGigabits, 4e-3 * kTwentyGigabits) << name;
    EXPECT_NEAR(static_cast<double>(bytes[2]), 2 * kTwentyGigabits, 4e-3 * kTwentyGigabits) << name;
  }
}

/// In one queue each flow is served in proportion to its arrival rate: 20 of 220 Gbit/s.
TEST(FairQueueing, OneQueueGivesInProportion) {
  const std::vector<std::int64_t> bytes = of_three(choose("sfq", {{"queues", std::int64_t{1}}}));
  ASSERT_EQ(bytes.size(), 3u);
  EXPECT_NEAR(static_cast<double>(bytes[0]), kTwentyGigabits * 100 / 220, 0.02 * kTwentyGigabits);
}

}  // namespace
}  // namespace weir::whole::fair_queueing_test
