// SPDX-License-Identifier: Apache-2.0
// Losses of lossless priorities for lack of buffer are reported, with place and cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "whole_network.h"

namespace weir::whole::lossless_drops_test {
namespace {

using testing::HasSubstr;

/// Three hosts send to a fourth, for longer than the shared buffer lasts.
Settings crowd(const HeadroomRule& headroom) {
  Settings settings = lossless_network(star(4, {BitRate(100'000'000'000), Duration(1_us)}), 200_us);
  settings.switches.buffer = 400_KB;
  settings.switches.headroom = headroom;
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 1_MB), flow(2, 3, 1_MB)});
  return settings;
}

HeadroomRule of_bytes(Bytes bytes) {
  HeadroomRule rule;
  rule.kind = HeadroomRule::Kind::bytes;
  rule.bytes = bytes;
  return rule;
}

std::optional<RunFinding> drops_in(const RunRecord& record) {
  const auto found = std::find_if(record.findings.begin(), record.findings.end(), [](const RunFinding& finding) {
    return finding.kind == FindingKind::lossless_drops;
  });
  return found == record.findings.end() ? std::nullopt : std::optional(*found);
}

std::uint64_t dropped(const RunRecord& record) {
  const auto& drops = record.switches.at(0).drops;
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

TEST(LosslessDrops, AreNoneWhereHeadroomIsWhatLinksNeed) {
  const RunRecord record = Simulation(crowd({})).run();
  EXPECT_GT(record.switches.at(0).pauses_sent, 0u);
  EXPECT_FALSE(drops_in(record));
}

TEST(LosslessDrops, AreFoundWithTheirLinksAndTheHeadroomThatIsMissing) {
  const RunRecord record = Simulation(crowd(of_bytes(2_KB))).run();
  EXPECT_EQ(record.failure, "");
  const std::optional<RunFinding> found = drops_in(record);
  ASSERT_TRUE(found);
  const std::uint64_t all = dropped(record);
  EXPECT_THAT(found->text, HasSubstr("switches dropped " + std::to_string(all) +
                                     " frames of lossless priorities for lack of buffer: "));
  EXPECT_THAT(found->text, HasSubstr(" of priority 3 at s0 from h0 (headroom is 2000 B, the link needs 28302 B)"));
  ASSERT_EQ(found->ports.size(), 3u);
  std::uint64_t told = 0;
  std::uint64_t before = all;
  for (const FoundPort& port : found->ports) {
    EXPECT_EQ(record.links.at(port.link).to, "s0");
    EXPECT_TRUE(port.what.starts_with("priority 3: "));
    const std::uint64_t here = std::stoull(port.what.substr(12));
    EXPECT_LE(here, before) << "the most come first";
    before = here;
    told += here;
  }
  EXPECT_EQ(told, all);
}

TEST(LosslessDrops, AreFoundWherePrioritiesAreLosslessByNameOnly) {
  Settings settings = crowd({});
  settings.switches.flow_control = {};
  const std::optional<RunFinding> found = drops_in(Simulation(settings).run());
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("(the switches have no flow control that pauses)"));
}

TEST(LosslessDrops, OfDamagedFramesAndFailedLinksAreFoundByReason) {
  Settings settings = crowd({});
  settings.network.topology = star(4, {BitRate(100'000'000'000), Duration(1_us), 1e-2});
  settings.network.failures = {{LinkId(3), at(60_us), Time::never()}};
  const RunRecord record = Simulation(settings).run();
  const auto& drops = record.switches.at(0).drops;
  const std::uint64_t damaged = drops[static_cast<std::size_t>(DropReason::corrupt)];
  const std::uint64_t queued = drops[static_cast<std::size_t>(DropReason::link_down)];
  EXPECT_GT(damaged, 0u);
  EXPECT_GT(queued, 0u);
  const std::optional<RunFinding> found = drops_in(record);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text,
              HasSubstr("switches dropped " + std::to_string(dropped(record)) + " frames of lossless priorities: "));
  EXPECT_THAT(found->text, HasSubstr(std::to_string(damaged) + " corrupted on links"));
  EXPECT_THAT(found->text, HasSubstr(std::to_string(queued) + " queued for links that failed"));
}

TEST(LosslessDrops, AreNotThoseOfLossyPriorities) {
  Settings settings = crowd({});
  settings.switches.lossless = {};
  settings.switches.buffer_policy = choose("static_threshold", {{"egress_limit", 50_KB}});
  const RunRecord record = Simulation(settings).run();
  EXPECT_GT(dropped(record), 0u);
  EXPECT_FALSE(drops_in(record));
}

}  // namespace
}  // namespace weir::whole::lossless_drops_test
