// SPDX-License-Identifier: Apache-2.0
// ExpressPass in whole networks: the share of a link that credits leave, incasts without queues, losses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "results/summary.h"
#include "shape_lab.h"
#include "sim/simulation.h"

namespace weir::shape::expresspass_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr BitRate kRate(100'000'000'000);
/// On the wire: a packet of 1,000 bytes with 66 bytes of headers, 6 of the scheme, 20 of preamble and gap; a credit.
constexpr std::int64_t kPacketWire = 1'092;
constexpr std::int64_t kCreditWire = 84;

Settings with_expresspass(Topology topology, std::vector<std::pair<std::string_view, ParameterValue>> values = {}) {
  Settings settings = bare(std::move(topology));
  PolicyChoice choice = choose("expresspass");
  for (const auto& [name, value] : values) EXPECT_TRUE(choice.parameters.set(name, value)) << name;
  use_transport(settings, *choice.scheme);
  settings.switches.flow_control = {choice};
  settings.hosts.transport = choice;
  settings.switches.forwarding.parameters.set("hash", std::string("symmetric"));
  settings.switches.forwarding.parameters.set("seed_per_switch", false);
  return settings;
}

Topology star(std::size_t hosts, double error_rate = 0) {
  return built(build_single_switch({{{static_cast<int>(hosts), {kRate, 500_ns, error_rate}}}}));
}

std::vector<FlowSpec> incast(std::size_t senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, size));
  return flows;
}

/// The time of a link for this payload, with a credit per packet: 85.03 % of it is payload.
Duration time_at_full_rate(std::int64_t payload) {
  return time_to_send(Bytes(payload / 1'000 * (kPacketWire + kCreditWire)), kRate);
}

std::uint64_t drops_but_credits(const Switch& node) {
  std::uint64_t drops = 0;
  for (int reason = 0; reason < kDropReasons; ++reason) {
    if (static_cast<DropReason>(reason) != DropReason::policy) drops += node.drops(static_cast<DropReason>(reason));
  }
  return drops;
}

class ExpressPass : public BothDrivers {};

TEST_P(ExpressPass, APacketAloneTakesThreeOneWayTrips) {
  Settings settings = with_expresspass(star(2));
  offer(settings, incast(1, 1_KB));
  const Outcome outcome = Lab(settings, GetParam()).run();
  expect_clean(outcome, 1);
  const Duration received = outcome.flows.front().receiver_completion;
  // A request of 84 bytes, a credit of 84 and a packet cross two links each; the credit may wait for a token twice.
  const Duration least = 3 * 1_us + time_to_send(Bytes(4 * kCreditWire + 2 * kPacketWire), kRate);
  EXPECT_GE(received, least);
  EXPECT_LT(received, least + 500_ns);
}

TEST_P(ExpressPass, AFlowAloneHasAllThatCreditsLeave) {
  constexpr std::int64_t kSize = 10'000'000;
  Settings settings = with_expresspass(star(2), {{"alpha", 1.0}});
  offer(settings, incast(1, Bytes(kSize)));
  const Outcome outcome = Lab(settings, GetParam()).run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.retransmitted, 0u);
  const Duration bound = time_at_full_rate(kSize);
  EXPECT_GT(outcome.completion(0), bound * 99 / 100);
  EXPECT_LT(outcome.completion(0), bound * (GetParam() == Driver::event_loop ? 102 : 125) / 100);
}

TEST_P(ExpressPass, CreditsTakeTheirShareOfALinkAndNoMore) {
  // Eight receivers of one sender: their credits meet at the switch's port to it.
  constexpr std::size_t kReceivers = 8;
  Settings settings = with_expresspass(star(kReceivers + 1), {{"alpha", 1.0}});
  std::vector<FlowSpec> flows;
  for (std::size_t host = 1; host <= kReceivers; ++host) flows.push_back(flow(0, host, 1_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  ASSERT_EQ(outcome.flows.size(), kReceivers);
  EXPECT_EQ(outcome.retransmitted, 0u);
  Duration last;
  for (const FlowRecord& record : outcome.flows) last = std::max(last, record.receiver_completion);
  const Switch& node = lab.fabric().switch_by(SwitchId(0));
  const double gaps = static_cast<double>(last.picoseconds()) /
                      static_cast<double>(time_to_send(Bytes(kCreditWire + kPacketWire), kRate).picoseconds());
  // Besides credits, the port carries an acknowledgement per message (two, if a stop comes before its end).
  const auto sent = static_cast<double>(node.port(PortId(0)).frames_sent);
  EXPECT_LT(sent, gaps + 100);
  EXPECT_GT(sent, gaps * 9 / 10);
  EXPECT_GT(node.drops(DropReason::policy), 500u) << "receivers cannot know of each other";
  EXPECT_EQ(drops_but_credits(node), 0u);
}

class ExpressPassIncast : public testing::TestWithParam<std::tuple<std::size_t, Driver>> {};

TEST_P(ExpressPassIncast, FillsTheLinkAndQueuesNoData) {
  const auto [senders, driver] = GetParam();
  const auto count = static_cast<std::int64_t>(senders);
  const std::int64_t size = 64'000'000 / count / 1'000 * 1'000;
  Settings settings = with_expresspass(star(senders + 1));
  offer(settings, incast(senders, Bytes(size)));
  Lab lab(settings, driver);
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  ASSERT_EQ(outcome.flows.size(), senders);
  EXPECT_EQ(outcome.retransmitted, 0u);
  Duration last;
  Duration first = Duration::max();
  for (const FlowRecord& record : outcome.flows) {
    last = std::max(last, record.receiver_completion);
    first = std::min(first, record.receiver_completion);
  }
  const Duration bound = time_at_full_rate(count * size);
  EXPECT_GT(last, bound * 99 / 100);
  EXPECT_LT(last, bound * (driver == Driver::event_loop ? 115 : 140) / 100);
  EXPECT_GT(first, last / 2) << "none starves the others";
  const Switch& node = lab.fabric().switch_by(SwitchId(0));
  EXPECT_EQ(drops_but_credits(node), 0u);
  // Every sender's request, and a few packets.
  EXPECT_LT(node.buffer().maximum, 84 * count + 12'000);
}

INSTANTIATE_TEST_SUITE_P(Senders, ExpressPassIncast,
                         testing::Combine(testing::Values(2, 16, 64),
                                          testing::Values(Driver::event_loop, Driver::poll_loop)));

TEST_P(ExpressPass, CompletesThoughFramesAreLost) {
  // Of requests, credits, stops, data and acknowledgements, a frame of 1,000 bytes in 100 is damaged.
  Settings settings = with_expresspass(star(5, 1e-2));
  std::vector<FlowSpec> flows = incast(4, 300_KB);
  for (std::size_t host = 0; host < 4; ++host) flows.push_back(flow(4, host, 50_KB, at(10_us)));
  for (std::size_t i = 0; i < 40; ++i) flows.push_back(flow(i % 4, 4, 1_KB, at(5_us * i)));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host < 5; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows.size());
  EXPECT_GT(outcome.retransmitted, 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(ExpressPass, CrossesAFabricWithoutQueues) {
  // Every host of a leaf-spine sends to the host four further, in the next rack; the fabric has twice their rate.
  constexpr std::size_t kHosts = 16;
  Settings settings = with_expresspass(built(build_leaf_spine({.tors = 4,
                                                               .hosts_per_tor = 4,
                                                               .spines = 8,
                                                               .host_link = {kRate, 500_ns},
                                                               .fabric_link = {kRate, 500_ns},
                                                               .tor_oversubscription = {}})));
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kHosts; ++host) flows.push_back(flow(host, (host + 4) % kHosts, 1_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), kHosts);
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_EQ(outcome.out_of_order, 0u);
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    const Switch& node = lab.fabric().switch_by(SwitchId(i));
    EXPECT_EQ(drops_but_credits(node), 0u);
    EXPECT_LT(node.buffer().maximum, 40'000) << "of all ports together";
  }
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST(ExpressPassCredits, AreNoLossesWhenSwitchesDropThem) {
  Settings settings = with_expresspass(star(9), {{"alpha", 1.0}});
  std::vector<FlowSpec> flows;
  for (std::size_t host = 1; host <= 8; ++host) flows.push_back(flow(0, host, 1_MB));
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_GT(record.switches.front().drops[kDroppedOnPurpose], 500u);
  EXPECT_EQ(summarise(record).dropped, 0u);
}

WEIR_BOTH_DRIVERS(ExpressPass);

}  // namespace
}  // namespace weir::shape::expresspass_test
