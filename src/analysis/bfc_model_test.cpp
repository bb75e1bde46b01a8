// SPDX-License-Identifier: Apache-2.0
#include "analysis/bfc_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::analysis::bfc_model_test {
namespace {

TEST(BfcModel, LeavesAFlowWithoutPacketsAsThePaperSays) {
  EXPECT_NEAR(bfc_idle_share(2, 1), 0.2, 1e-12);
  EXPECT_NEAR(bfc_idle_share(1.1, 1), 0.076, 0.0005);
  EXPECT_NEAR(bfc_worst_idle_share(1), 0.2, 1e-12);
  EXPECT_NEAR(bfc_worst_enqueue_ratio(1), 2, 1e-12);
  EXPECT_NEAR(bfc_worst_idle_share(0), 0.5, 1e-12);
}

TEST(BfcModel, IsWorstWhereItSays) {
  for (const double threshold : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 9.0}) {
    const double worst = bfc_worst_enqueue_ratio(threshold);
    EXPECT_NEAR(bfc_worst_idle_share(threshold), threshold == 0 ? 0.5 : bfc_idle_share(worst, threshold), 1e-12);
    for (double x = 1.01; x < 20; x += 0.01) {
      EXPECT_LE(bfc_idle_share(x, threshold), bfc_worst_idle_share(threshold) + 1e-12) << x << " at " << threshold;
    }
  }
}

/// The three phases of appendix C in steps: growth to the threshold and for another round trip, draining, waiting.
TEST(BfcModel, IsWhatTheThreePhasesTake) {
  for (const double x : {1.1, 2.0, 5.0}) {
    for (const double threshold : {0.5, 1.0, 3.0}) {
      const double grows = threshold / (x - 1) + 1;
      const double drains = bfc_longest_queue(x, threshold);
      EXPECT_NEAR(bfc_idle_share(x, threshold), 1 / (grows + drains + 1), 1e-12);
    }
  }
}

TEST(BfcModel, CountsTheTables) {
  EXPECT_EQ(bfc_flow_table_entries(4'096), 409'600);
  EXPECT_EQ(bfc_flow_table_entries(24 * 32), 76'800);
  EXPECT_EQ(bfc_flow_table_bytes(24 * 32).count(), 384'000);
  EXPECT_EQ(bfc_pause_counter_entries(32, 128), 4'096);
}

TEST(BfcModel, KeepsCollisionsBelowAPercentForFewerFlowsThanQueues) {
  EXPECT_LT(bfc_index_collision(31, 32 * 100), 0.01);
  EXPECT_GT(bfc_index_collision(320, 32 * 10), 0.6);
  EXPECT_EQ(bfc_index_collision(0, 100), 0);
}

// "Most workloads have an average packet size greater than 500 bytes, and Tofino2 is designed with enough spare
// capacity in bandwidth and pps to handle header recirculation for every packet for those workloads (with room to
// spare)." (4)
TEST(BfcModel, RecirculatesEveryHeaderOfFramesAbove500Bytes) {
  const BfcSwitchLimits tofino2;
  const std::vector<FrameShare> large = {{501, 1}};
  const BfcRecirculation all = bfc_recirculation(large, tofino2);
  EXPECT_NEAR(all.frames_per_second, 12.8e12 / 8 / 521, 1);
  EXPECT_NEAR(all.recirculated_per_second, all.frames_per_second, 1e-3);
  EXPECT_NEAR(all.bandwidth_share, 48.0 / 521, 1e-12);
  EXPECT_LT(all.bandwidth_share, tofino2.recirculation_share);
  EXPECT_EQ(all.sampling_within_bandwidth, 1);
  EXPECT_NEAR(all.header_within_bandwidth, 0.12 * 521, 1e-9) << "whatever a header is, up to this";
  EXPECT_GT(all.header_within_bandwidth, static_cast<double>(tofino2.header_bytes)) << "with room to spare";
}

// "If the average packet size is much smaller, we can reduce recirculations by sampling packets." (4)
TEST(BfcModel, RecirculatesASampleOfSmallFrames) {
  const BfcSwitchLimits tofino2;
  const std::vector<FrameShare> small = {{64, 1}};
  const BfcRecirculation all = bfc_recirculation(small, tofino2);
  EXPECT_NEAR(all.sampling_within_bandwidth, 0.12 * 84 / 48, 1e-12);
  EXPECT_GT(all.bandwidth_share, tofino2.recirculation_share);
  const BfcRecirculation half = bfc_recirculation(small, tofino2, 0.5);
  EXPECT_NEAR(half.bandwidth_share, 0.5 * 48 / 84, 1e-12);
  EXPECT_NEAR(half.header_within_bandwidth, 2 * all.header_within_bandwidth, 1e-9);
  EXPECT_NEAR(half.recirculated_per_second, half.frames_per_second / 2, 1e-3);
}

TEST(BfcModel, MixesFramesByNumber) {
  const std::vector<FrameShare> mix = {{64, 1}, {1'066, 3}};
  EXPECT_NEAR(bfc_recirculation(mix, {}).frames_per_second, 12.8e12 / 8 / ((84 + 3 * 1'086) / 4.0), 1);
}

TEST(BfcModel, LeavesWhatPacketsASecondAllow) {
  const std::vector<FrameShare> mix = {{780, 1}};
  BfcSwitchLimits limits;
  EXPECT_FALSE(bfc_recirculation(mix, limits).sampling_within_packets.has_value()) << "not limited is not 100 %";
  const double frames = bfc_recirculation(mix, limits).frames_per_second;
  limits.packets_per_second = frames * 1.25;
  EXPECT_NEAR(bfc_recirculation(mix, limits).sampling_within_packets.value(), 0.25, 1e-12);
  limits.packets_per_second = frames / 2;
  EXPECT_EQ(bfc_recirculation(mix, limits).sampling_within_packets, 0);
}

}  // namespace
}  // namespace weir::analysis::bfc_model_test
