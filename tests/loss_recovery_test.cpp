// SPDX-License-Identifier: Apache-2.0
// Loss recoveries in a whole network: how often lost packets are retransmitted, and that nothing is delivered twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "whole_network.h"

namespace weir::whole::loss_recovery_test {
namespace {

constexpr LinkSpec k100G{BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};

struct Counts {
  std::uint64_t lost = 0;     ///< data frames, damaged or dropped
  std::uint64_t resent = 0;   ///< data frames
  std::uint64_t unheard = 0;  ///< answers to data frames, one each, that were lost
  std::uint64_t arrived = 0;  ///< data frames, at their destination
  std::size_t completed = 0;  ///< flows
  Duration last;              ///< completion of the flow that took longest
};

Counts count(const Settings& settings) {
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  EXPECT_EQ(record.failure, "");
  Counts counts;
  for (const FlowRecord& flow : record.flows) {
    if (!flow.completed()) continue;
    ++counts.completed;
    counts.last = std::max(counts.last, flow.sender_completion);
  }
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (std::size_t host = 0; host < simulation.fabric().hosts(); ++host) {
    const Nic& nic = simulation.fabric().nic(HostId(host));
    sent += nic.data_sent();
    counts.arrived += nic.data_received();
    counts.resent += nic.retransmitted();
    received += nic.frames_received() - nic.corrupt();
  }
  counts.lost = sent - counts.arrived;
  counts.unheard = counts.arrived - (received - counts.arrived);
  return counts;
}

/// A lossy network of two hosts whose links damage one of a hundred data frames.
Settings damaged(std::string_view recovery, double rate) {
  LinkSpec link = k100G;
  link.error_rate = rate;
  Settings settings = lossless_network(star(2, link), 200_ms);
  settings.switches.lossless = {};
  settings.switches.flow_control = {};
  settings.hosts.loss_recovery = choose(recovery);
  settings.run.drain = true;
  return settings;
}

constexpr std::int64_t kPackets = 20'000;

/// Go-back-N that repeats its NACKs often enough to need no timeout.
PolicyChoice quick_go_back_n() {
  return choose("go_back_n", {{"nack_interval", 10_us}, {"timeout", 320_us}});
}

/// Links damage packets, acknowledgements and NACKs alike. Each retransmission has a cause: the packet was lost, or the
/// NACK that reported its arrival was, so that it seems lost. Go-back-N retransmits whole windows: the loss of a packet
/// is detected a round trip later, 4 us with 48 packets.
TEST(LossRecovery, IrnGetsThroughDamageOnBothWays) {
  Settings settings = damaged("irn", 0.01);
  offer(settings, {flow(0, 1, 1'000_B * kPackets)});
  const Counts counts = count(settings);
  EXPECT_EQ(counts.completed, 1u);
  // Two links of 1 %: 2 % of what is sent is lost, within four standard deviations.
  EXPECT_NEAR(static_cast<double>(counts.lost), 0.0199 * static_cast<double>(kPackets + counts.resent), 4 * 20);
  EXPECT_NEAR(static_cast<double>(counts.unheard), 0.0199 * static_cast<double>(counts.arrived), 4 * 20);
  EXPECT_GE(counts.resent, counts.lost);
  EXPECT_LE(counts.resent, counts.lost + counts.unheard);
  settings.hosts.loss_recovery = quick_go_back_n();
  const Counts go_back_n = count(settings);
  EXPECT_EQ(go_back_n.completed, 1u);
  EXPECT_GT(go_back_n.resent, 10 * counts.resent);
}

/// At a tenth of that damage almost no retransmission is lost, and IRN is faster than go-back-N. With more damage it is
/// not: a packet whose retransmission is lost too waits for a timeout of 320 us [IRN-S-3], and go-back-N for its next
/// NACK.
TEST(LossRecovery, IrnIsDoneBeforeGoBackNWhereRepeatsArrive) {
  Settings settings = damaged("irn", 0.001);
  offer(settings, {flow(0, 1, 1'000_B * kPackets)});
  const Counts counts = count(settings);
  EXPECT_GT(counts.lost, 10u);
  settings.hosts.loss_recovery = quick_go_back_n();
  EXPECT_LT(counts.last, count(settings).last);
}

/// `senders` hosts send 400 packets each to one more, whose queue is limited to 100 KB of a lossy priority.
Settings overrun(std::size_t senders, const PolicyChoice& recovery) {
  Settings settings = lossless_network(star(senders + 1, k100G), 100_ms);
  settings.switches.lossless = {};
  settings.switches.flow_control = {};
  settings.switches.buffer_policy = choose("static_threshold", {{"egress_limit", 100'000_B}});
  settings.hosts.loss_recovery = recovery;
  settings.run.drain = true;
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, 400_KB));
  offer(settings, flows);
  return settings;
}

/// If no acknowledgement is lost, each lost packet is retransmitted once, and once more for each lost retransmission;
/// so each is delivered once.
TEST(LossRecovery, IrnSendsEachDroppedPacketAgainOnce) {
  const Counts counts = count(overrun(8, choose("irn")));
  EXPECT_EQ(counts.completed, 8u);
  EXPECT_GT(counts.lost, 100u);
  EXPECT_EQ(counts.resent, counts.lost);
  EXPECT_EQ(counts.arrived, 8u * 400);
}

/// Without losses IRN's limit of a bandwidth-delay product suffices to fill the path, and nothing is sent twice.
TEST(LossRecovery, IrnFillsAPathWithoutLosses) {
  Settings settings = damaged("irn", 0);
  offer(settings, {flow(0, 1, 1'000_B * kPackets)});
  const Counts capped = count(settings);
  EXPECT_EQ(capped.resent, 0u);
  settings.hosts.loss_recovery = choose("go_back_n");
  EXPECT_EQ(capped.last, count(settings).last);
}

/// The same with drop notices of the switch.
TEST(LossRecovery, PerfectRetransmissionSendsEachDroppedFrameAgainOnce) {
  Settings settings = overrun(8, choose("perfect_retransmission", {{"timeout", Duration()}}));
  settings.switches.congestion_point = {choose("perfect_retransmission")};
  settings.hosts.window.kind = WindowSettings::Kind::fixed;
  settings.hosts.window.bytes = 50_KB;
  const Counts counts = count(settings);
  EXPECT_EQ(counts.completed, 8u);
  EXPECT_GT(counts.lost, 100u);
  EXPECT_EQ(counts.resent, counts.lost);
  EXPECT_EQ(counts.arrived, 8u * 400);
}

}  // namespace
}  // namespace weir::whole::loss_recovery_test
