// SPDX-License-Identifier: Apache-2.0
// A transport whose receivers grant, in whole networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shape_grants.h"

namespace weir::shape::shape_grants_test {
namespace {

using namespace literals;
using testing::IsEmpty;

using namespace grants_shape;

constexpr Duration kBaseTime = 5_us;  // above the round trip of an empty network

/// A switch with `hosts` hosts of 100 Gbit/s. All priorities are lossy; `egress_limit` bytes each.
Settings star(std::size_t hosts, Bytes egress_limit = 10_MB) {
  Settings settings = bare(built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}})));
  settings.switches.lossless = {};
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.buffer_policy.parameters.set("egress_limit", egress_limit);
  settings.hosts.transport = choose(grants);
  return settings;
}

/// Time on the wire of packets with this many bytes at 100 Gbit/s, with 86 bytes besides each 1,000.
Duration wire_time(std::int64_t bytes) {
  return time_to_send(Bytes(bytes / 1'000 * 1'086), BitRate(100'000'000'000));
}

/// As expect_clean(), except for the order: packets of one message have several priorities.
void expect_whole(const Outcome& outcome, std::size_t flows) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows);
  EXPECT_EQ(outcome.drops, 0u);
  EXPECT_EQ(outcome.retransmitted, 0u);
}

class GrantShape : public BothDrivers {};

TEST_P(GrantShape, FinishesEqualMessagesOneByOne) {
  constexpr std::size_t kSenders = 8;
  constexpr std::int64_t kSize = 1'000'000;
  Settings settings = star(kSenders + 1);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, Bytes(kSize)));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  expect_whole(outcome, kSenders);
  std::vector<Duration> times;
  for (const FlowRecord& record : outcome.flows) times.push_back(record.sender_completion);
  std::sort(times.begin(), times.end());
  // The blind packets of all senders arrive first. From then on the shortest message uses the link: the first is
  // complete when these and its rest have arrived, the last when everything has.
  const Duration rest = wire_time(kSize) - wire_time(kBlind * 1'000);
  for (std::size_t i = 0; i < kSenders; ++i) {
    const Duration expected = kSenders * wire_time(kBlind * 1'000) + (i + 1) * rest;
    EXPECT_GT(times[i], expected - 40_us) << "message " << i;
    EXPECT_LT(times[i], expected + 40_us) << "message " << i;
  }
  EXPECT_LT(times.back(), kSenders * wire_time(kSize) + kBaseTime + 5_us) << "the link is never idle";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(GrantShape, BoundsTheQueueByWhatIsGranted) {
  constexpr std::size_t kSenders = 8;
  Settings settings = star(kSenders + 1);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, 1_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  expect_whole(lab.run(), kSenders);
  const std::int64_t most = lab.fabric().switch_by(SwitchId(0)).buffer().maximum;
  EXPECT_LE(most, static_cast<std::int64_t>(kSenders) * (kBlind + 1) * 1'066);
  EXPECT_GT(most, static_cast<std::int64_t>(kSenders - 1) * (kBlind - 10) * 1'066) << "the first round trip of each";
}

TEST_P(GrantShape, LetsShortMessagesPass) {
  Settings settings = star(5);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 3; ++host) flows.push_back(flow(host, 4, 2_MB));
  flows.push_back(flow(3, 4, 5_KB, at(100_us)));  // while there is a queue
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, flows.size());
  EXPECT_LT(outcome.completion(3), kBaseTime) << "the highest priority of data";
}

TEST_P(GrantShape, SendsTheShortestMessageOfAHostFirst) {
  Settings settings = star(4);
  offer(settings, {flow(0, 1, 45_KB), flow(0, 2, 30_KB), flow(0, 3, 12_KB)});
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 3);
  EXPECT_LT(outcome.completion(2), wire_time(13'000) + kBaseTime);
  EXPECT_LT(outcome.completion(1), wire_time(43'000) + kBaseTime);
  EXPECT_GT(outcome.completion(0), wire_time(87'000));
}

TEST_P(GrantShape, AsksAgainForWhatIsLost) {
  constexpr std::size_t kSenders = 12;
  Settings settings = star(kSenders + 1, 100_KB);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, 200_KB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_GT(outcome.drops, 100u) << "or nothing was lost";
  EXPECT_EQ(outcome.flows.size(), kSenders);
  EXPECT_GT(Made<GrantTransport>::at(kSenders).resends, 0u);
  EXPECT_GE(outcome.retransmitted, outcome.drops);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(GrantShape, RunsOverPriorityFlowControl) {
  Settings settings = star(9);
  settings.switches.lossless.fill(true);
  settings.switches.lossless[7] = false;
  settings.switches.buffer = Bytes(2'000'000);
  settings.switches.buffer_policy = choose("dynamic_threshold");
  settings.switches.buffer_policy.parameters.set("alpha", 1.0 / 16);
  settings.switches.flow_control = {choose("pfc")};
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 8; ++host) flows.push_back(flow(host, 8, 300_KB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= 8; ++host) lab.record(HostId(host));
  expect_whole(lab.run(), flows.size());
  EXPECT_GT(lab.fabric().switch_by(SwitchId(0)).pauses_sent(), 0u) << "or it was never paused";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

WEIR_BOTH_DRIVERS(GrantShape);

}  // namespace
}  // namespace weir::shape::shape_grants_test
