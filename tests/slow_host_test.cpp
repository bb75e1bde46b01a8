// SPDX-License-Identifier: Apache-2.0
// Hosts that drain slowly, in networks: flow controls that act on receive buffers lose nothing, others say what they
// lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "whole_network.h"

namespace weir::whole::slow_host_test {
namespace {

using testing::HasSubstr;

/// Three hosts of a star send 1 MB each to a fourth, which drains at 40 of 100 Gbit/s. h0 also sends to h4.
Settings slow(bool pfc) {
  Settings settings = lossless_network(star(5, {BitRate(100'000'000'000), Duration(1_us)}), 200_us);
  if (!pfc) settings.switches.flow_control.clear();
  HostSettingsGroup group;
  group.name = "slow";
  group.hosts = {HostId(3)};
  group.receive_buffer = 100_KB;
  group.drain_rate = BitRate(40'000'000'000);
  settings.host_groups = {group};
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 1_MB), flow(2, 3, 1_MB), flow(0, 4, 1_MB)});
  return settings;
}

TEST(SlowHost, LosesNothingUnderPfc) {
  const RunRecord record = Simulation(slow(true)).run();
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(record.receive_overflows, 0u);
  EXPECT_EQ(record.retransmitted_frames, 0u);
  EXPECT_TRUE(std::none_of(record.findings.begin(), record.findings.end(),
                           [](const RunFinding& finding) { return finding.kind == FindingKind::lossless_drops; }));
  ASSERT_EQ(record.flows.size(), 4u);
  // 3 MB of payload at 40 Gbit/s take at least 600 us.
  Duration longest;
  for (const FlowRecord& flow : record.flows) longest = std::max(longest, flow.receiver_completion);
  EXPECT_GT(longest, 600_us);
  EXPECT_LT(longest, 800_us);
}

TEST(SlowHost, ReportsWhatItDroppedWithoutFlowControl) {
  const RunRecord record = Simulation(slow(false)).run();
  EXPECT_GT(record.receive_overflows, 0u);
  const auto found = std::find_if(record.findings.begin(), record.findings.end(),
                                  [](const RunFinding& finding) { return finding.text.starts_with("hosts dropped "); });
  ASSERT_NE(found, record.findings.end());
  EXPECT_EQ(found->kind, FindingKind::lossless_drops);
  EXPECT_THAT(found->text, HasSubstr(std::to_string(record.receive_overflows) + " at h3"));
}

}  // namespace
}  // namespace weir::whole::slow_host_test
