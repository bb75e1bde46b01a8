// SPDX-License-Identifier: Apache-2.0
// Schemes that serve the flow with the least remaining bytes first: the closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::shortest_remaining_test {
namespace {

using namespace literals;
using testing::IsEmpty;

class ShortestRemaining : public BothDrivers {};

/// Flows of 100, 200 ... KB that start together at one destination complete one by one: the i-th when all bytes of the
/// first i have crossed the last link.
TEST_P(ShortestRemaining, FinishesFlowsInTheOrderOfTheirSize) {
  constexpr std::size_t kFlows = 6;
  Settings settings = bare(built(build_single_switch({{{static_cast<int>(kFlows) + 1, {100_Gbps, 500_ns}}}})));
  settings.switches.lossless = {};
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.flow_control = {choose("ideal_srf")};
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < kFlows; ++i) {
    flows.push_back(flow(i, kFlows, Bytes(static_cast<std::int64_t>(kFlows - i) * 100'000)));
  }
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kFlows; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.drops, 0u);
  ASSERT_EQ(outcome.flows.size(), kFlows);
  std::int64_t bytes = 0;
  for (std::size_t i = kFlows; i-- > 0;) {
    bytes += static_cast<std::int64_t>(kFlows - i) * 100'000;
    const Duration expected = time_to_send(Bytes(bytes / 1'000 * 1'086), BitRate(100'000'000'000));
    EXPECT_GE(outcome.completion(i), expected) << "[ISRF-1] flow " << i;
    EXPECT_LT(outcome.completion(i), expected + 4_us) << "[ISRF-1] flow " << i;
  }
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

WEIR_BOTH_DRIVERS(ShortestRemaining);

}  // namespace
}  // namespace weir::shape::shortest_remaining_test
