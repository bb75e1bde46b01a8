// Schemes that give flows queues: how flows share a port.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole {
namespace {

constexpr LinkSpec k100G{BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};
constexpr std::int64_t kFrame = 1'066;

/// `hosts` hosts on a lossy switch with a buffer without end; each flow has at most a bandwidth-delay product in
/// flight.
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

/// However many there are, and whichever hosts they come from, no flow is more than two frames ahead of another.
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

/// Flows in queues of their own share max-min: who wants less than a share has what it wants, the others the rest.
TEST(FairQueueing, QueuesShareMaxMin) {
  for (const char* name : {"sfq", "dqa", "ideal_fq"}) {
    Settings settings = network(4, choose(name));
    std::vector<FlowSpec> flows;
    for (std::size_t host = 0; host < 3; ++host) flows.push_back(flow(host, 3, kLongRunning));
    flows[0].rate_limit = 20_Gbps;
    offer(settings, flows);
    const std::vector<std::int64_t> bytes = shares(settings);
    ASSERT_EQ(bytes.size(), 3u);
    const double modest = 20e9 / 8 * 2e-3 * 1'000 / (kFrame + 20);
    EXPECT_NEAR(static_cast<double>(bytes[0]), modest, 2e-3 * modest) << name;
    EXPECT_NEAR(static_cast<double>(bytes[1]), 2 * modest, 4e-3 * modest) << name;
    EXPECT_NEAR(static_cast<double>(bytes[2]), 2 * modest, 4e-3 * modest) << name;
  }
}

/// With one queue, by contrast, each has of the port what it brings.
TEST(FairQueueing, FlowsOfOneQueueDoNot) {
  Settings settings = network(4, choose("sfq", {{"queues", std::int64_t{1}}}));
  std::vector<FlowSpec> flows{flow(0, 3, kLongRunning)};
  for (int i = 0; i < 3; ++i) flows.push_back(flow(1, 3, kLongRunning));
  offer(settings, flows);
  const std::vector<std::int64_t> one = shares(settings);
  settings.switches.flow_control = {choose("dqa")};
  const std::vector<std::int64_t> apart = shares(settings);
  ASSERT_EQ(one.size(), 4u);
  ASSERT_EQ(apart.size(), 4u);
  EXPECT_LE(std::abs(apart[0] - apart[1]), 2 * 1'000);
  EXPECT_GT(std::abs(one[0] - one[1]), 20'000);
}

}  // namespace
}  // namespace weir::whole
