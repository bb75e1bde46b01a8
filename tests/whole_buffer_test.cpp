// Ports that may use the whole buffer pause when it is full, in time for their headroom.
#include <gtest/gtest.h>

#include "whole_network.h"

namespace weir::whole {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(2'000'000)};

/// `senders` hosts send at line rate to one. With K as large as can be, any departure makes an ingress a victim port.
Settings line_rate_incast(std::size_t senders, std::int64_t k) {
  Settings settings = lossless_network(star(senders + 1, kLink), 1_ms);
  settings.switches.buffer = 3_MB;
  settings.switches.buffer_policy = choose("spfc", {{"k", k}, {"interval", Duration(10_us)}});
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, 10_MB));
  offer(settings, flows);
  return settings;
}

class WholeBuffer : public testing::TestWithParam<std::int64_t> {};

TEST_P(WholeBuffer, IsFilledAndNeverOverrun) {
  constexpr std::size_t kSenders = 16;
  const Settings settings = line_rate_incast(kSenders, GetParam());
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  ASSERT_EQ(record.switches.size(), 1u);
  for (const std::uint64_t drops : record.switches[0].drops) EXPECT_EQ(drops, 0u);
  EXPECT_GE(record.switches[0].pauses_sent, kSenders);
  EXPECT_GT(record.switches[0].buffer_maximum, plan_buffer(settings, SwitchId(0)).shared * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(K, WholeBuffer, testing::Values(5, 1'000'000));

}  // namespace
}  // namespace weir::whole
