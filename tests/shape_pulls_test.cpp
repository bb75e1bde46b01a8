// SPDX-License-Identifier: Apache-2.0
// A transport whose receivers pull, in whole networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shape_pulls.h"

namespace weir::shape::shape_pulls_test {
namespace {

using namespace literals;
using testing::IsEmpty;

using namespace pulls_shape;

Settings with_pulls(Topology topology, std::int64_t headers = 1'000) {
  Settings settings = bare(std::move(topology));
  settings.switches.lossless = {};
  settings.switches.flow_control = {choose(pulls)};
  settings.switches.flow_control.front().parameters.set("headers", headers);
  settings.hosts.transport = choose(pulls);
  return settings;
}

std::vector<FlowSpec> incast(std::size_t senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) {
    flows.push_back(flow(host, senders, size));
    flows.back().priority = kData;
  }
  return flows;
}

Topology star(std::size_t hosts) {
  return built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}}));
}

void expect_whole(const Outcome& outcome, std::size_t flows) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows);
}

class PullShape : public BothDrivers {};

TEST_P(PullShape, LosesNothingInAnIncast) {
  constexpr std::size_t kSenders = 32;
  constexpr std::int64_t kPackets = 100;
  Settings settings = with_pulls(star(kSenders + 1));
  offer(settings, incast(kSenders, Bytes(kPackets * 1'000)));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  expect_whole(outcome, kSenders);
  EXPECT_EQ(outcome.drops, 0u);
  const TrimmingSwitch& node = Made<TrimmingSwitch>::at(0);
  EXPECT_GE(node.trims, (kSenders - 1) * kInitialWindow - 50) << "the first windows of all but one";
  EXPECT_LE(node.trims, 2 * (kSenders - 1) * kInitialWindow);
  std::uint64_t heard = 0;
  Duration last;
  for (std::size_t host = 0; host < kSenders; ++host) heard += Made<PullTransport>::at(host).trims_heard;
  for (const FlowRecord& record : outcome.flows) last = std::max(last, record.sender_completion);
  EXPECT_EQ(heard, node.trims) << "each is told of";
  EXPECT_EQ(outcome.retransmitted, node.trims);
  const Duration bound = time_to_send(Bytes(kSenders * kPackets * kPacketWire), kRate);
  EXPECT_GT(last, bound);
  EXPECT_LT(last, bound + bound / 10) << "the link is never idle";
  EXPECT_LT(lab.fabric().switch_by(SwitchId(0)).buffer().maximum, 100'000) << "8 packets and headers";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(PullShape, SendsHeadersBackThatFindNoRoom) {
  constexpr std::size_t kSenders = 32;
  Settings settings = with_pulls(star(kSenders + 1), 30);
  offer(settings, incast(kSenders, 60_KB));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  expect_whole(outcome, kSenders);
  EXPECT_EQ(outcome.drops, 0u);
  std::uint64_t returned = 0;
  std::uint64_t timeouts = 0;
  for (std::size_t host = 0; host < kSenders; ++host) {
    returned += Made<PullTransport>::at(host).returned;
    timeouts += Made<PullTransport>::at(host).timeouts;
  }
  EXPECT_GT(returned, 20u);
  EXPECT_EQ(timeouts, 0u) << "they are heard of at once";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(PullShape, AFlowAloneHasTheWholeLink) {
  Settings settings = with_pulls(star(2));
  offer(settings, incast(1, 1_MB));
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 1);
  EXPECT_EQ(Made<TrimmingSwitch>::at(0).trims, 0u);
  EXPECT_LT(outcome.completion(0), time_to_send(Bytes(1'000 * kPacketWire), kRate) + 8_us);
}

TEST_P(PullShape, PacketsTakeAllPaths) {
  // Two leaves with two hosts each and two spines: with one path per flow, two flows would share one link in half of
  // all runs; with one path per packet they never do for long.
  Settings settings = with_pulls(built(build_leaf_spine({.tors = 2,
                                                         .hosts_per_tor = 2,
                                                         .spines = 2,
                                                         .host_link = {100_Gbps, 500_ns},
                                                         .fabric_link = {100_Gbps, 500_ns},
                                                         .tor_oversubscription = {}})));
  std::vector<FlowSpec> flows = {flow(0, 2, 1_MB), flow(1, 3, 1_MB)};
  for (FlowSpec& spec : flows) spec.priority = kData;
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 2);
  EXPECT_EQ(outcome.drops, 0u);
  const Duration alone = time_to_send(Bytes(1'000 * kPacketWire), kRate);
  EXPECT_LT(outcome.completion(0), alone + alone / 4);
  EXPECT_LT(outcome.completion(1), alone + alone / 4);
  const Switch& leaf = lab.fabric().switch_by(SwitchId(0));
  for (std::size_t port = 0; port < leaf.ports(); ++port) {
    if (leaf.port(PortId(port)).peer.is_host()) continue;
    EXPECT_GT(leaf.port(PortId(port)).frames_sent, 600u);
  }
}

TEST_P(PullShape, LossesOnLinksAreHealedByTheLastResort) {
  Topology topology = star(5);
  Settings settings = with_pulls(std::move(topology));
  offer(settings, incast(4, 300_KB));
  const Topology& built_topology = settings.network.topology;
  const LinkId link =
      built_topology.links_between(built_topology.node_of(HostId(1)), built_topology.node_of(SwitchId(0))).front();
  settings.network.failures = {{link, at(20_us), at(60_us)}};
  settings.network.failure_detection = 10_us;
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 4);
  EXPECT_GT(Made<PullTransport>::at(1).timeouts, 0u);
}

WEIR_BOTH_DRIVERS(PullShape);

}  // namespace
}  // namespace weir::shape::shape_pulls_test
