// SPDX-License-Identifier: Apache-2.0
// NDP in whole networks, against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "shape_lab.h"
#include "sim/policy_statistics.h"

namespace weir::shape::ndp_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr BitRate kRate(100'000'000'000);
constexpr std::int64_t kPacketWire = 1'086;  // bytes on the wire with 1,000 of payload
constexpr std::int64_t kHeaderFrame = 66;

/// The scheme in all its roles, with parameters for the switches and for the hosts.
Settings with_ndp(Topology topology, const std::vector<std::pair<std::string_view, ParameterValue>>& at_switch = {},
                  const std::vector<std::pair<std::string_view, ParameterValue>>& at_host = {}) {
  Settings settings = bare(std::move(topology));
  const Scheme& scheme = *find_scheme("ndp");
  use_transport(settings, scheme);
  settings.switches.forwarding = choose(scheme);
  for (const auto& [name, value] : at_switch) {
    EXPECT_TRUE(settings.switches.flow_control.front().parameters.set(name, value)) << name;
  }
  settings.hosts.transport.parameters.set("initial_window", Bytes(40'000));
  for (const auto& [name, value] : at_host) EXPECT_TRUE(settings.hosts.transport.parameters.set(name, value)) << name;
  settings.measurement.policies = true;
  return settings;
}

Topology star(std::size_t hosts) {
  return built(build_single_switch({{{static_cast<int>(hosts), {kRate, 500_ns}}}}));
}

std::vector<FlowSpec> incast(std::size_t senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, size));
  return flows;
}

/// The sum over all nodes of a counter of the scheme.
std::uint64_t total(Fabric& fabric, std::string_view name) {
  double sum = 0;
  for (const PolicyRecord& row : policy_statistics(fabric)) {
    if (row.name == name) sum += row.value;
  }
  return static_cast<std::uint64_t>(sum);
}

Duration last_completion(const Outcome& outcome) {
  Duration last;
  for (const FlowRecord& record : outcome.flows) last = std::max(last, record.sender_completion);
  return last;
}

Duration time_of(std::int64_t packets) {
  return time_to_send(Bytes(packets * kPacketWire), kRate);
}

class Ndp : public BothDrivers {
 protected:
  /// How late a node of the poll loop acts at most.
  [[nodiscard]] static Duration late() { return GetParam() == Driver::event_loop ? Duration() : PollOptions().period; }
  /// Runs it, and expects that all flows complete without any drop, and that each trimmed packet was heard of, and sent
  /// again, once.
  Outcome run_without_loss(Lab& lab, std::size_t flows) {
    const Outcome outcome = lab.run();
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.flows.size(), flows);
    EXPECT_EQ(outcome.drops, 0u);
    const std::uint64_t trimmed = total(lab.fabric(), "ndp.trimmed");
    EXPECT_EQ(total(lab.fabric(), "ndp.nacks") + total(lab.fabric(), "ndp.bounces"), trimmed);
    EXPECT_EQ(total(lab.fabric(), "ndp.returned"), total(lab.fabric(), "ndp.bounces"));
    EXPECT_EQ(total(lab.fabric(), "ndp.timeouts"), 0u);
    EXPECT_EQ(outcome.retransmitted, trimmed);
    return outcome;
  }
};
WEIR_BOTH_DRIVERS(Ndp);

/// The link of the receiver is never idle from the first packet to the last, and its queues are bounded by 8 packets
/// and as many bytes of headers, however many senders there are.
TEST_P(Ndp, ManyToOneHasTheFullLinkAndBoundedQueues) {
  constexpr std::int64_t kPackets = 100;
  for (const std::size_t senders : {8u, 32u, 100u}) {
    SCOPED_TRACE(senders);
    Settings settings = with_ndp(star(senders + 1));
    offer(settings, incast(senders, Bytes(kPackets * 1'000)));
    Lab lab(settings, GetParam());
    if (senders == 32) {
      for (std::size_t host = 0; host <= senders; ++host) lab.record(HostId(host));
      lab.record(SwitchId(0));
    }
    const Outcome outcome = run_without_loss(lab, senders);
    const Duration bound = time_of(static_cast<std::int64_t>(senders) * kPackets);
    // The headers of what was trimmed cross the link too, and a round trip (3 us) passes before the first packet
    // arrives and after the last one was pulled.
    const std::uint64_t trimmed = total(lab.fabric(), "ndp.trimmed");
    const Duration headers = time_to_send(Bytes(static_cast<std::int64_t>(trimmed) * (kHeaderFrame + 20)), kRate);
    EXPECT_GT(last_completion(outcome), bound);
    EXPECT_LT(last_completion(outcome), bound + headers + 10_us);
    EXPECT_GE(trimmed, (senders - 1) * 40 - 50) << "the initial windows of all but one, less what the queue holds";
    // One frame more of each kind at the instant at which the next one arrives, and acknowledgements of all senders.
    const std::int64_t queues = 8 * 1'066 + 8 * 1'066;
    EXPECT_LE(lab.fabric().switch_by(SwitchId(0)).buffer().maximum,
              queues + static_cast<std::int64_t>(senders) * 2 * 1'066);
    if (senders == 32) {
      EXPECT_THAT(lab.replay_differences(), IsEmpty());
    }
  }
}

/// Pulls go round robin, so that equal flows complete together, except that more packets of some flows' initial windows
/// found room. These packets differ by at most a window, and each of them is a round of pulls.
TEST_P(Ndp, PullsAreSharedEqually) {
  constexpr std::size_t kSenders = 16;
  constexpr std::size_t kWindow = 8;
  Settings settings = with_ndp(star(kSenders + 1), {}, {{"initial_window", Bytes(kWindow * 1'000)}});
  offer(settings, incast(kSenders, 300_KB));
  Lab lab(settings, GetParam());
  const Outcome outcome = run_without_loss(lab, kSenders);
  Duration first = Duration::max();
  for (const FlowRecord& record : outcome.flows) first = std::min(first, record.sender_completion);
  EXPECT_LT(last_completion(outcome) - first, time_of((kWindow + 1) * kSenders)) << "3 % of the time";
}

TEST_P(Ndp, AFlowAloneHasTheFullLinkAndNothingIsTrimmed) {
  Settings settings = with_ndp(star(2));
  offer(settings, incast(1, 1_MB));
  Lab lab(settings, GetParam());
  const Outcome outcome = run_without_loss(lab, 1);
  EXPECT_EQ(total(lab.fabric(), "ndp.trimmed"), 0u);
  // Two hops there and back of 500 ns, one packet more at the switch, and an acknowledgement.
  EXPECT_LT(outcome.completion(0), time_of(1'001) + 2_us + 20_ns + 4 * late());
}

/// Packets after the initial window wait for pulls: a window below the bandwidth-delay product circulates once in each
/// round trip.
TEST_P(Ndp, ASmallWindowCirculates) {
  Settings settings = with_ndp(star(2), {}, {{"initial_window", Bytes(5'000)}});
  offer(settings, incast(1, 1_MB));
  Lab lab(settings, GetParam());
  const Outcome outcome = run_without_loss(lab, 1);
  // Two serialisations of a packet and of a pull, and 2 us of links, for 5 packets.
  const Duration round_trip = 2 * time_of(1) + 2 * time_to_send(Bytes(84), kRate) + 2_us;
  EXPECT_GT(outcome.completion(0), 1'000 / 5 * round_trip - 1_us);
  EXPECT_LT(outcome.completion(0), 1'000 / 5 * (round_trip + 20_ns + 4 * late()));
}

TEST_P(Ndp, HeadersWithoutRoomComeBack) {
  constexpr std::size_t kSenders = 32;
  Settings settings = with_ndp(star(kSenders + 1), {{"header_queue", std::int64_t{20}}});
  offer(settings, incast(kSenders, 60_KB));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = run_without_loss(lab, kSenders);
  EXPECT_GT(total(lab.fabric(), "ndp.bounces"), 20u);
  EXPECT_LT(last_completion(outcome), time_of(kSenders * 60) + 40_us);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(Ndp, WithoutReturnToSenderTheTimerHeals) {
  constexpr std::size_t kSenders = 32;
  Settings settings = with_ndp(star(kSenders + 1), {{"header_queue", std::int64_t{20}}, {"return_to_sender", false}});
  offer(settings, incast(kSenders, 60_KB));
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.flows.size(), kSenders);
  EXPECT_GT(outcome.drops, 20u);
  EXPECT_EQ(total(lab.fabric(), "ndp.bounces"), 0u);
  EXPECT_GT(total(lab.fabric(), "ndp.timeouts"), 20u);
}

TEST_P(Ndp, LossesOnLinksAreHealedByTheTimer) {
  Settings settings = with_ndp(star(5));
  offer(settings, incast(4, 300_KB));
  const Topology& topology = settings.network.topology;
  const LinkId link = topology.links_between(topology.node_of(HostId(1)), topology.node_of(SwitchId(0))).front();
  settings.network.failures = {{link, at(20_us), at(60_us)}};
  settings.network.failure_detection = 10_us;
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.flows.size(), 4u);
  EXPECT_GT(total(lab.fabric(), "ndp.timeouts"), 0u);
}

/// While both queues of a port wait, ten headers are sent for each data packet: 10 x 86 bytes of the wire in 10 x 86 +
/// 1,086. The queue of headers is long here, so that this lasts.
TEST(NdpHeaders, TakeTheirShareWhileBothQueuesWait) {
  constexpr std::size_t kSenders = 100;
  Settings settings = with_ndp(star(kSenders + 1), {{"header_queue", std::int64_t{100'000}}});
  offer(settings, incast(kSenders, 1_MB));
  settings.measurement.watched_port = {SwitchId(0), PortId(kSenders)};
  settings.measurement.sample_interval = 10_us;
  settings.run.stop = at(60_us);
  settings.run.drain = false;
  const RunRecord record = Simulation(settings).run();
  const auto share = std::find_if(record.series.begin(), record.series.end(),
                                  [](const Series& series) { return series.name == "ndp.trimmed_share"; });
  ASSERT_NE(share, record.series.end());
  ASSERT_GE(share->values.size(), 5u);
  const double headers = 10 * (kHeaderFrame + 20);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NEAR(share->values[i], headers / (headers + kPacketWire), 0.02) << i;
}

/// Each packet of a flow takes the next of the paths in random order: every path of a fat-tree carries as many.
TEST_P(Ndp, PacketsTakeAllPathsEqually) {
  FatTreeSettings tree;
  tree.k = 4;
  tree.host_link = tree.edge_agg_link = tree.agg_core_link = {kRate, 500_ns};
  Settings settings =
      with_ndp(built(build_fat_tree(tree)), {}, {{"paths", std::int64_t{4}}, {"initial_window", Bytes(100'000)}});
  constexpr std::int64_t kPackets = 400;
  offer(settings, {flow(0, 15, Bytes(kPackets * 1'000))});
  Lab lab(settings, GetParam());
  const Outcome outcome = run_without_loss(lab, 1);
  EXPECT_LT(outcome.completion(0), time_of(kPackets) + 12_us);
  const Topology& topology = lab.fabric().topology();
  std::size_t used = 0;
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    const Switch& node = lab.fabric().switch_by(SwitchId(i));
    const Node& at = topology.node(topology.node_of(SwitchId(i)));
    if (at.tier == 3 || at.pod != 0) continue;
    for (std::size_t port = 0; port < node.ports(); ++port) {
      const PortState& state = node.port(PortId(port));
      if (!state.peer.above || state.frames_sent == 0) continue;
      EXPECT_EQ(state.frames_sent, static_cast<std::uint64_t>(at.tier == 1 ? kPackets / 2 : kPackets / 4)) << at.name;
      ++used;
    }
  }
  EXPECT_EQ(used, 2u + 4u);
}

/// A second message of a queue pair, posted while the first is in transfer or later, does not wait for the timer.
TEST_P(Ndp, MessagesOfOneQueuePairFollowEachOther) {
  Settings settings = with_ndp(star(5), {}, {{"timeout", Duration(10_ms)}});
  std::vector<FlowSpec> flows;
  for (const Duration start : {Duration(), Duration(1_us), Duration(5_us), Duration(200_us)}) {
    for (std::size_t host = 0; host < 4; ++host) {
      flows.push_back(flow(host, 4, host == 0 ? 40_KB : 3_KB, at(start)));
      flows.back().connection = ConnectionId(host);
    }
  }
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.flows.size(), 16u);
  EXPECT_EQ(total(lab.fabric(), "ndp.timeouts"), 0u);
  for (const FlowRecord& record : outcome.flows) EXPECT_LT(record.sender_completion, 100_us);
}

}  // namespace
}  // namespace weir::shape::ndp_test
