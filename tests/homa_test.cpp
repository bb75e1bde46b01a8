// SPDX-License-Identifier: Apache-2.0
// Homa in whole networks, against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "shape_lab.h"
#include "sim/policy_statistics.h"

namespace weir::shape::homa_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr BitRate kRate(100'000'000'000);
/// On the wire: a packet of 1,000 bytes with 66 bytes of headers, 4 of the scheme, 20 of preamble and gap.
constexpr std::int64_t kPacketWire = 1'090;
constexpr std::int64_t kPacketFrame = 1'070;
constexpr std::int64_t kWindow = 50;  // packets without grants

Settings with_homa(Topology topology, const std::vector<std::pair<std::string_view, ParameterValue>>& values = {}) {
  Settings settings = bare(std::move(topology));
  use_transport(settings, *find_scheme("homa"));
  settings.hosts.transport.parameters.set("round_trip_bytes", Bytes(kWindow * 1'000));
  settings.hosts.transport.parameters.set("overcommitment", std::int64_t{2});
  for (const auto& [name, value] : values) EXPECT_TRUE(settings.hosts.transport.parameters.set(name, value)) << name;
  settings.measurement.policies = true;
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

/// The same with sizes that are further apart than what is sent without grants, so that their order does not change.
std::vector<FlowSpec> staggered_incast(std::size_t senders) {
  std::vector<FlowSpec> flows = incast(senders, 1_MB);
  for (std::size_t host = 0; host < senders; ++host) flows[host].size += host * 60_KB;
  return flows;
}

/// All complete, and nothing is lost or sent twice. Packets whose priorities differ may overtake each other.
void expect_lossless(const Outcome& outcome, std::size_t flows) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows);
  EXPECT_EQ(outcome.drops, 0u);
  EXPECT_EQ(outcome.retransmitted, 0u);
}

std::uint64_t total(Fabric& fabric, std::string_view name) {
  double sum = 0;
  for (const PolicyRecord& row : policy_statistics(fabric)) {
    if (row.name == name) sum += row.value;
  }
  return static_cast<std::uint64_t>(sum);
}

Duration time_of(std::int64_t packets) {
  return time_to_send(Bytes(packets * kPacketWire), kRate);
}

class Homa : public BothDrivers {
 protected:
  /// The most by which the poll loop delays a frame at a node.
  [[nodiscard]] static Duration late() { return GetParam() == Driver::event_loop ? Duration() : PollOptions().period; }
};

TEST_P(Homa, AMessageAloneHasTheFullLink) {
  Settings settings = with_homa(star(2));
  offer(settings, incast(1, 1_MB));
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_clean(outcome, 1);
  // Two hops there and back of 500 ns, a packet more at the switch, and the frame that says that all has arrived.
  EXPECT_LT(outcome.completion(0), time_of(1'001) + 2_us + 20_ns + 4 * late());
  EXPECT_EQ(total(lab.fabric(), "homa.grants"), 1'000u - kWindow) << "a grant per packet beyond the first ones";
}

TEST_P(Homa, AShortMessageNeedsNoGrant) {
  Settings settings = with_homa(star(2));
  offer(settings, incast(1, Bytes(kWindow * 1'000)));
  Lab lab(settings, GetParam());
  expect_clean(lab.run(), 1);
  EXPECT_EQ(total(lab.fabric(), "homa.grants"), 0u);
}

/// With N messages to one host, the first packets of all arrive first. Then the messages finish one by one, the
/// shortest first, and the link is never idle.
TEST_P(Homa, AnIncastFillsTheLinkAndFinishesOneMessageAfterTheOther) {
  constexpr std::int64_t kSenders = 8;
  Settings settings = with_homa(star(kSenders + 1));
  offer(settings, staggered_incast(kSenders));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  expect_lossless(outcome, kSenders);
  const Duration margin = time_of(2 * kWindow) + 2_us;  // two messages are active
  std::int64_t packets = kSenders * kWindow;
  for (std::int64_t i = 0; i < kSenders; ++i) {
    packets += 1'000 + 60 * i - kWindow;
    const Duration time = outcome.completion(static_cast<std::size_t>(i));
    EXPECT_GT(time, time_of(packets) - margin) << i;
    EXPECT_LT(time, time_of(packets) + margin) << i;
  }
  EXPECT_LT(outcome.completion(kSenders - 1), time_of(packets) + 5_us + 4 * late());
  // At the start, a round trip of each; later, of each active message and the one before it.
  EXPECT_LE(lab.fabric().switch_by(SwitchId(0)).buffer().maximum, kSenders * kWindow * kPacketFrame);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

class HomaOvercommitment : public testing::TestWithParam<std::int64_t> {};

/// After the first packets, the queue holds at most a round trip of each active message, and of one more whose last
/// grant has just made another active.
TEST_P(HomaOvercommitment, BoundsTheQueue) {
  constexpr std::int64_t kSenders = 16;
  const std::int64_t active = GetParam();
  Settings settings = with_homa(star(kSenders + 1), {{"overcommitment", active}});
  offer(settings, staggered_incast(kSenders));
  settings.measurement.watched_port = {SwitchId(0), PortId(kSenders)};
  settings.measurement.sample_interval = 1_us;
  settings.run.stop = at(1'000_us);
  settings.run.drain = false;
  const RunRecord record = Simulation(settings).run();
  const auto queue = std::find_if(record.series.begin(), record.series.end(),
                                  [](const Series& series) { return series.name.find("queue") != std::string::npos; });
  ASSERT_NE(queue, record.series.end());
  ASSERT_GT(queue->values.size(), 900u);
  const std::int64_t first = kSenders * kWindow * 1'090 * 8 / 100'000;  // us until the first packets have left
  double most = 0;
  for (auto i = static_cast<std::size_t>(first + 10); i < 900; ++i) most = std::max(most, queue->values[i]);
  EXPECT_LE(most, static_cast<double>((active + 1) * kWindow * kPacketFrame));
  if (active > 1) {
    EXPECT_GT(most, static_cast<double>((active - 1) * kWindow * kPacketFrame / 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Active, HomaOvercommitment, testing::Values(1, 2, 4));

/// A receiver grants to the shortest message, whose sender serves another host first. If only one message could have
/// grants, the receiver's link would be idle.
TEST_P(Homa, OvercommitmentKeepsTheLinkBusyWhileASenderServesAnother) {
  const auto completion = [&](std::int64_t overcommitment) {
    Settings settings = with_homa(star(4), {{"overcommitment", overcommitment}});
    // Host 0 prefers the shorter message to host 3, once it has begun the one to host 2.
    offer(settings, {flow(0, 2, 2_MB), flow(0, 3, 1_MB, at(10_us)), flow(1, 2, 3_MB)});
    Lab lab(settings, GetParam());
    const Outcome outcome = lab.run();
    EXPECT_EQ(outcome.flows.size(), 3u);
    return outcome.completion(1);  // flows are numbered by their start
  };
  // While host 0 serves host 3, 1 MB of the message of host 1 could pass.
  EXPECT_GT(completion(1), completion(2) + time_of(500));
  EXPECT_LT(completion(2), time_of(5'000) + 20_us + 4 * late());
}

TEST_P(Homa, SendsTheShortestMessageOfAHostFirst) {
  Settings settings = with_homa(star(4));
  offer(settings, {flow(0, 1, 45_KB), flow(0, 2, 30_KB), flow(0, 3, 12_KB)});
  const Outcome outcome = Lab(settings, GetParam()).run();
  expect_clean(outcome, 3);
  // A packet of each may be on the wire before the shorter message is posted.
  const Duration trip = 2_us + 2 * time_of(1) + 100_ns + 4 * late();
  EXPECT_LT(outcome.completion(2), time_of(12 + 2) + trip);
  EXPECT_LT(outcome.completion(1), time_of(42 + 1) + trip);
  EXPECT_LT(outcome.completion(0), time_of(87) + trip);
}

/// A short message overtakes the queue that long ones have at the receiver's port.
TEST_P(Homa, AShortMessagePassesTheQueue) {
  Settings settings =
      with_homa(star(10), {{"cutoffs", std::vector<Bytes>{Bytes(10'000)}}, {"scheduled_priorities", std::int64_t{6}}});
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 8; ++host) flows.push_back(flow(host, 9, 200_KB));
  flows.push_back(flow(8, 9, 1_KB, at(20_us)));
  offer(settings, flows);
  const Outcome outcome = Lab(settings, GetParam()).run();
  expect_lossless(outcome, 9);
  EXPECT_LT(outcome.completion(8), time_of(4) + 2_us + 100_ns + 4 * late());
}

TEST_P(Homa, AsksAgainForWhatIsLost) {
  constexpr std::size_t kSenders = 12;
  Settings settings = with_homa(star(kSenders + 1), {{"resend_after", Duration(200_us)}});
  settings.switches.buffer_policy.parameters.set("egress_limit", Bytes(100'000));
  offer(settings, incast(kSenders, 200_KB));
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_GT(outcome.drops, 100u);
  EXPECT_EQ(outcome.flows.size(), kSenders);
  EXPECT_GE(outcome.retransmitted, outcome.drops);
}

TEST_P(Homa, CompletesThoughFramesAreLost) {
  // Of data, grants, requests and answers, a frame of 1,000 bytes in 100 is damaged.
  Settings settings = with_homa(star(5, 1e-2), {{"resend_after", Duration(100_us)}});
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
  EXPECT_GT(total(lab.fabric(), "homa.resends"), 0u);
  EXPECT_GT(total(lab.fabric(), "homa.probes"), 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

/// Packets that are sprayed arrive out of order, which costs nothing.
TEST_P(Homa, SprayingUsesAllPaths) {
  constexpr std::size_t kHosts = 16;
  Settings settings = with_homa(built(build_leaf_spine({.tors = 4,
                                                        .hosts_per_tor = 4,
                                                        .spines = 4,
                                                        .host_link = {kRate, 500_ns},
                                                        .fabric_link = {kRate, 500_ns},
                                                        .tor_oversubscription = {}})));
  settings.switches.forwarding = choose("spray");
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kHosts; ++host) flows.push_back(flow(host, (host + 4) % kHosts, 1_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_lossless(outcome, kHosts);
  EXPECT_GT(outcome.out_of_order, 0u);
  const Duration bound = time_of(GetParam() == Driver::event_loop ? 1'250 : 1'500);
  for (const FlowRecord& record : outcome.flows) EXPECT_LT(record.sender_completion, bound);
}

TEST_P(Homa, MessagesOfOneQueuePairFollowEachOther) {
  Settings settings = with_homa(star(5));
  std::vector<FlowSpec> flows;
  for (const Duration start : {Duration(), Duration(1_us), Duration(5_us), Duration(200_us)}) {
    for (std::size_t host = 0; host < 4; ++host) {
      flows.push_back(flow(host, 4, host == 0 ? 90_KB : 3_KB, at(start)));
      flows.back().connection = ConnectionId(host);
    }
  }
  offer(settings, flows);
  const Outcome outcome = Lab(settings, GetParam()).run();
  expect_clean(outcome, 16);
  for (const FlowRecord& record : outcome.flows) EXPECT_LT(record.sender_completion, 100_us);
}

WEIR_BOTH_DRIVERS(Homa);

}  // namespace
}  // namespace weir::shape::homa_test
