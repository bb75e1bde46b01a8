// SPDX-License-Identifier: Apache-2.0
// Homa in whole networks: the closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schemes/homa/homa.h"
#include "shape_lab.h"

namespace weir::shape {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::int64_t kRoundTrip = 50'000;

Settings star(std::size_t hosts, std::int64_t overcommitment, Bytes egress_limit = 10_MB) {
  Settings settings = bare(built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}})));
  use_transport(settings, homa::scheme);
  settings.switches.buffer_policy.parameters.set("egress_limit", egress_limit);
  settings.hosts.transport.parameters.set("round_trip_bytes", Bytes(kRoundTrip));
  settings.hosts.transport.parameters.set("overcommitment", overcommitment);
  return settings;
}

Duration wire_time(std::int64_t bytes) {
  return time_to_send(Bytes(bytes / 1'000 * 1'086), BitRate(100'000'000'000));
}

class HomaNetwork : public BothDrivers {};

TEST_P(HomaNetwork, FillsTheLinkAndFinishesEqualMessagesOneByOne) {
  constexpr std::size_t kSenders = 8;
  Settings settings = star(kSenders + 1, 2);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, 1_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.drops, 0u);
  EXPECT_EQ(outcome.retransmitted, 0u);
  ASSERT_EQ(outcome.flows.size(), kSenders);
  std::vector<Duration> times;
  for (const FlowRecord& record : outcome.flows) times.push_back(record.sender_completion);
  std::sort(times.begin(), times.end());
  for (std::size_t i = 0; i < kSenders; ++i) {
    const Duration expected = kSenders * wire_time(kRoundTrip) + (i + 1) * wire_time(1'000'000 - kRoundTrip);
    EXPECT_GT(times[i], expected - 40_us) << "[HOMA-R-1] message " << i;
    EXPECT_LT(times[i], expected + 40_us) << "[HOMA-R-1] message " << i;
  }
  EXPECT_LT(times.back(), kSenders * wire_time(1'000'000) + 10_us) << "the link is never idle";
  EXPECT_LE(lab.fabric().switch_by(SwitchId(0)).buffer().maximum,
            static_cast<std::int64_t>(kSenders) * (kRoundTrip / 1'000 + 1) * 1'066);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(HomaNetwork, AsksAgainForWhatIsLost) {
  constexpr std::size_t kSenders = 12;
  Settings settings = star(kSenders + 1, 2, 100_KB);
  settings.hosts.transport.parameters.set("resend_after", 200_us);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, 200_KB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_GT(outcome.drops, 100u) << "or nothing was lost";
  EXPECT_EQ(outcome.flows.size(), kSenders) << "[HOMA-L-1]";
}

TEST_P(HomaNetwork, SendsTheShortestMessageOfAHostFirst) {
  Settings settings = star(4, 2);
  offer(settings, {flow(0, 1, 45_KB), flow(0, 2, 30_KB), flow(0, 3, 12_KB)});
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  ASSERT_EQ(outcome.flows.size(), 3u);
  EXPECT_LT(outcome.completion(2), wire_time(13'000) + 5_us) << "[HOMA-S-3]";
  EXPECT_LT(outcome.completion(1), wire_time(43'000) + 5_us) << "[HOMA-S-3]";
}

WEIR_BOTH_DRIVERS(HomaNetwork);

}  // namespace
}  // namespace weir::shape
