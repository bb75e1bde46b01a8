// SPDX-License-Identifier: Apache-2.0
#include "schemes/dctcp/congestion_window.h"

#include <gtest/gtest.h>

namespace weir::dctcp::congestion_window_test {
namespace {

constexpr double kG = 1.0 / 16;
constexpr std::int64_t kPacket = 1'000;

class CongestionWindowTest : public testing::Test {
 protected:
  CongestionWindowTest() { window.open(50'000, kPacket, false); }

  /// One packet is acknowledged while the window is full.
  void ack(bool marked = false) {
    acknowledged += kPacket;
    next = std::max(next, acknowledged - kPacket + window.bytes());
    window.on_ack(kG, kPacket, marked, acknowledged, next);
  }
  /// Everything in flight at the start is acknowledged, the first `marked` packets with a mark.
  void round(int marked) {
    const std::int64_t end = next;
    for (int i = 0; acknowledged < end; ++i) ack(i < marked);
  }

  CongestionWindow window;
  std::int64_t acknowledged = 0;
  std::int64_t next = 50'000;
};

TEST_F(CongestionWindowTest, StartsWithTheWholeProductAndGrowsByAPacketARound) {  // [DCTCP-START-1] [DCTCP-GROW-2]
  EXPECT_EQ(window.bytes(), 50'000);
  EXPECT_FALSE(window.in_slow_start());
  round(0);
  EXPECT_NEAR(static_cast<double>(window.bytes()), 51'000, 20);
}

TEST_F(CongestionWindowTest, MayStartSlowlyAndDouble) {  // [DCTCP-START-2] [DCTCP-GROW-1]
  window.open(10'000, kPacket, true);
  next = 10'000;
  EXPECT_TRUE(window.in_slow_start());
  round(0);
  EXPECT_EQ(window.bytes(), 20'000);
  round(0);
  EXPECT_EQ(window.bytes(), 38'000);  // the round ends with the packets in flight when it began, two fewer
  ack(true);
  EXPECT_FALSE(window.in_slow_start());
}

TEST_F(CongestionWindowTest, AWindowThatHoldsNobodyBackDoesNotGrow) {  // [DCTCP-GROW-3]
  window.on_ack(kG, kPacket, false, 10'000, 40'000);
  EXPECT_EQ(window.bytes(), 50'000);
}

TEST_F(CongestionWindowTest, AnEchoDoesNotGrow) {  // [DCTCP-GROW-2]
  ack(true);
  const std::int64_t cut = window.bytes();
  ack(true);
  EXPECT_EQ(window.bytes(), cut);
}

TEST_F(CongestionWindowTest, AlphaIsWhatWasMarkedOfEachRound) {  // [DCTCP-ALPHA-1] [DCTCP-ALPHA-2]
  EXPECT_DOUBLE_EQ(window.alpha(), 1);
  // Without the helper: the first round begins with the first acknowledgement.
  window.on_ack(kG, 1'000, false, 1'000, 11'000);
  for (int i = 0; i < 9; ++i) window.on_ack(kG, 1'000, i < 3, 2'000 + 1'000 * i, 11'000);
  window.on_ack(kG, 1'000, false, 11'000, 12'000);
  EXPECT_DOUBLE_EQ(window.alpha(), 1);
  window.on_ack(kG, 1'000, true, 12'000, 22'000);  // after the round: 4 of 12 packets were marked
  EXPECT_DOUBLE_EQ(window.alpha(), 15.0 / 16 + 4.0 / 12 / 16);
}

TEST_F(CongestionWindowTest, AlphaForgetsAtG) {  // [DCTCP-ALPHA-2]
  for (int i = 0; i < 40; ++i) round(0);
  EXPECT_LT(window.alpha(), 0.1);
  EXPECT_GT(window.alpha(), 0.05);
}

TEST_F(CongestionWindowTest, CutsByHalfOfAlphaOnceARound) {  // [DCTCP-CUT-1] [DCTCP-CUT-2]
  ack(true);
  EXPECT_EQ(window.bytes(), 25'000);
  const std::int64_t end = next;
  while (acknowledged < end) ack(true);
  EXPECT_EQ(window.bytes(), 25'000);
  ack(true);
  EXPECT_NEAR(static_cast<double>(window.bytes()), 12'500, 10);
}

TEST_F(CongestionWindowTest, ASmallAlphaCutsLittle) {  // [DCTCP-CUT-1]
  for (int i = 0; i < 60; ++i) round(0);
  const double before = static_cast<double>(window.bytes());
  const double alpha = window.alpha();
  ack(true);
  EXPECT_NEAR(static_cast<double>(window.bytes()), before * (1 - alpha / 2), before * 0.003);
}

TEST_F(CongestionWindowTest, KeepsTwoPackets) {  // [DCTCP-CUT-3]
  for (int i = 0; i < 12; ++i) round(1'000);
  EXPECT_EQ(window.bytes(), 2 * kPacket);
  window.open(500, kPacket, false);  // a cut never raises a window
  EXPECT_EQ(window.bytes(), kPacket);
  window.on_ack(kG, kPacket, true, 1'000, 2'000);
  EXPECT_EQ(window.bytes(), kPacket);
}

TEST_F(CongestionWindowTest, ALossHalvesOnceARound) {  // [DCTCP-LOSS-1]
  for (int i = 0; i < 60; ++i) round(0);
  const std::int64_t before = window.bytes();
  window.on_loss(acknowledged, next);
  EXPECT_NEAR(static_cast<double>(window.bytes()), static_cast<double>(before) / 2, 1);
  window.on_loss(acknowledged, next);
  EXPECT_NEAR(static_cast<double>(window.bytes()), static_cast<double>(before) / 2, 1);
}

}  // namespace
}  // namespace weir::dctcp::congestion_window_test
