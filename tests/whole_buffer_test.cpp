// SPDX-License-Identifier: Apache-2.0
// Ports that may use the whole buffer pause when it is full, early enough for their headroom.
#include <gtest/gtest.h>

#include "whole_network.h"

namespace weir::whole::whole_buffer_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(2'000'000)};

/// `senders` hosts send at line rate to one.
Settings line_rate_incast(std::size_t senders, const PolicyChoice& buffer_policy) {
  Settings settings = lossless_network(star(senders + 1, kLink), 1_ms);
  settings.switches.buffer = 3_MB;
  settings.switches.buffer_policy = buffer_policy;
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, 10_MB));
  offer(settings, flows);
  return settings;
}

/// So many senders that each departs faster than 1/K of its rate, and an alpha with which ports at the dynamic
/// threshold leave half of the pool, which exceeds what their headroom makes up for.
struct Victims {
  std::size_t senders;
  std::int64_t k;
  double alpha;
};

class WholeBuffer : public testing::TestWithParam<Victims> {};

TEST_P(WholeBuffer, IsFilledAndNeverOverrun) {
  const auto& [senders, k, alpha] = GetParam();
  const Settings settings =
      line_rate_incast(senders, choose("spfc", {{"k", k}, {"interval", Duration(10_us)}, {"alpha", alpha}}));
  const std::int64_t shared = plan_buffer(settings, SwitchId(0)).shared;
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  ASSERT_EQ(record.switches.size(), 1u);
  for (const std::uint64_t drops : record.switches[0].drops) EXPECT_EQ(drops, 0u);
  EXPECT_GE(record.switches[0].pauses_sent, senders);
  EXPECT_GE(record.switches[0].buffer_maximum, shared);  // [SPFC-V-1]
  const RunRecord normal = Simulation(line_rate_incast(senders, choose("dynamic_threshold", {{"alpha", alpha}}))).run();
  EXPECT_LT(normal.switches[0].buffer_maximum, shared);
}

INSTANTIATE_TEST_SUITE_P(K, WholeBuffer, testing::Values(Victims{3, 5, 0.25}, Victims{16, 1'000'000, 0.0625}));

}  // namespace
}  // namespace weir::whole::whole_buffer_test
