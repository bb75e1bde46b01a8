// SPDX-License-Identifier: Apache-2.0
// A transport whose receivers send credits, in whole networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shape_credits.h"

namespace weir::shape::shape_credits_test {
namespace {

using namespace literals;
using testing::IsEmpty;

using namespace credits_shape;

Settings with_credits(Topology topology) {
  Settings settings = bare(std::move(topology));
  settings.switches.lossless = {};
  settings.switches.flow_control = {choose(credits)};
  settings.hosts.transport = choose(credits);
  return settings;
}

Topology star(std::size_t hosts) {
  return built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}}));
}

std::vector<FlowSpec> incast(std::size_t senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) {
    flows.push_back(flow(host, senders, size));
    flows.back().priority = kData;
  }
  return flows;
}

/// Data that a link carries besides its credits: 1,000 of 1,170 bytes.
Duration time_at_full_rate(std::int64_t payload) {
  return time_to_send(Bytes(payload / 1'000 * (kPacketWire + kCreditWire)), BitRate(100'000'000'000));
}

class CreditShape : public BothDrivers {};

TEST_P(CreditShape, APacketAloneTakesThreeOneWayTrips) {
  Settings settings = with_credits(star(2));
  offer(settings, incast(1, 1_KB));
  const Outcome outcome = Lab(settings, GetParam()).run();
  expect_clean(outcome, 1);
  const Duration received = outcome.flows.front().receiver_completion;
  EXPECT_GT(received, 3_us);
  EXPECT_LT(received, 3_us + 700_ns) << "and serialisation, and two credits' time until the bucket has one";
}

TEST_P(CreditShape, AFlowAloneHasAllThatCreditsLeave) {
  constexpr std::int64_t kSize = 4'000'000;
  Settings settings = with_credits(star(2));
  offer(settings, incast(1, Bytes(kSize)));
  const Outcome outcome = Lab(settings, GetParam()).run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_GT(outcome.completion(0), time_at_full_rate(kSize));
  // Under the poll loop credits leave in bunches, of which a switch drops some.
  const int part = GetParam() == Driver::event_loop ? 10 : 2;
  EXPECT_LT(outcome.completion(0), time_at_full_rate(kSize) + time_at_full_rate(kSize) / part);
}

TEST_P(CreditShape, DropsCreditsAndNeverData) {
  constexpr std::size_t kSenders = 16;
  constexpr std::int64_t kSize = 1'000'000;
  Settings settings = with_credits(star(kSenders + 1));
  offer(settings, incast(kSenders, Bytes(kSize)));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), kSenders);
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_EQ(Made<CreditSwitch>::at(0).data, 0u);
  EXPECT_GT(Made<CreditTransport>::at(kSenders).dropped_here, 100u) << "they all leave by one NIC";
  Duration last;
  for (const FlowRecord& record : outcome.flows) last = std::max(last, record.sender_completion);
  const Duration bound = time_at_full_rate(kSenders * kSize);
  EXPECT_GT(last, bound);
  EXPECT_LT(last, bound + bound / 4);
  EXPECT_LT(lab.fabric().switch_by(SwitchId(0)).buffer().maximum, 12'000) << "the data never wait for long";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(CreditShape, SwitchesDropWhatReceiversCannotKnow) {
  // Four receivers of one sender: all their credits meet at its switch's port.
  Settings settings = with_credits(star(5));
  std::vector<FlowSpec> flows;
  for (std::size_t host = 1; host < 5; ++host) {
    flows.push_back(flow(0, host, 1_MB));
    flows.back().priority = kData;
  }
  offer(settings, flows);
  Lab lab(settings, GetParam());
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), 4u);
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_GT(Made<CreditSwitch>::at(0).credits, 50u);
  EXPECT_EQ(Made<CreditSwitch>::at(0).data, 0u);
  const Duration bound = time_at_full_rate(4'000'000);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(outcome.completion(i), bound + bound / (GetParam() == Driver::event_loop ? 4 : 2));
    EXPECT_GT(outcome.completion(i), bound / 2) << "none has much more than its share";
  }
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

/// For a flow between leaves: the number of uplinks of the first leaf that carried more than a few frames in both
/// directions, and of those that carried them in one direction only.
std::pair<int, int> uplinks(std::size_t source, std::size_t destination, const std::string& hash, Driver driver) {
  Settings settings = with_credits(built(build_leaf_spine({.tors = 2,
                                                           .hosts_per_tor = 4,
                                                           .spines = 4,
                                                           .host_link = {100_Gbps, 500_ns},
                                                           .fabric_link = {100_Gbps, 500_ns},
                                                           .tor_oversubscription = {}})));
  settings.switches.forwarding.parameters.set("hash", hash);
  offer(settings, {flow(source, destination, 100_KB)});
  Lab lab(settings, driver);
  EXPECT_EQ(lab.run().flows.size(), 1u);
  const Switch& leaf = lab.fabric().switch_by(SwitchId(0));
  int both = 0;
  int one = 0;
  for (std::size_t port = 0; port < leaf.ports(); ++port) {
    if (leaf.port(PortId(port)).peer.is_host()) continue;
    const bool data = leaf.port(PortId(port)).frames_sent > 20;
    const bool credit = leaf.port(PortId(port)).frames_received > 20;
    both += data && credit ? 1 : 0;
    one += data != credit ? 1 : 0;
  }
  return {both, one};
}

TEST_P(CreditShape, DataTakeTheWayOfTheirCreditsBack) {
  int apart = 0;
  for (std::size_t source = 0; source < 4; ++source) {
    for (std::size_t destination = 4; destination < 8; ++destination) {
      EXPECT_EQ(uplinks(source, destination, "symmetric", GetParam()), std::pair(1, 0));
      apart += uplinks(source, destination, "mix", GetParam()).second > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(apart, 4) << "another hash takes the two ways apart";
}

WEIR_BOTH_DRIVERS(CreditShape);

}  // namespace
}  // namespace weir::shape::shape_credits_test
