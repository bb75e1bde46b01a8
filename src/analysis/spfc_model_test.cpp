// SPDX-License-Identifier: Apache-2.0
#include "analysis/spfc_model.h"

#include <gtest/gtest.h>

#include <array>

namespace weir::spfc_model::spfc_model_test {
namespace {

TEST(SpfcModel, HasTheRatesOfTheAppendix) {
  EXPECT_DOUBLE_EQ(departure_rate(100, 60), 40);
  EXPECT_DOUBLE_EQ(departure_rate(0, -25), 25);
  EXPECT_DOUBLE_EQ(burst_departure_rate(24), 0.04);  // 4 Gbit/s of 100, as III.B says
  EXPECT_DOUBLE_EQ(victim_departure_rate(24, 0.5), 0.5 + 0.04);
  EXPECT_DOUBLE_EQ(victim_departure_rate(4, 1), burst_departure_rate(4));  // it has no other traffic
}

TEST(SpfcModel, LowersNormalPortsByWhatVictimsHold) {
  EXPECT_DOUBLE_EQ(normal_threshold(2, 16e6, 4e6, 6e6), 12e6);
  EXPECT_DOUBLE_EQ(normal_threshold(2, 16e6, 10e6, 6e6), 0);
}

/// Equation 8 is equation 7 solved for K.
TEST(SpfcModel, BoundsKByTheRates) {
  for (const double n : {1.0, 4.0, 10.0, 29.0}) {
    EXPECT_DOUBLE_EQ(largest_k(n), 1 / burst_departure_rate(n));
    for (const double epsilon : {0.0, 0.25, 0.5, 0.75, 0.875, 1.0}) {
      EXPECT_DOUBLE_EQ(smallest_k(n, epsilon), 1 / victim_departure_rate(n, epsilon));
      for (const double k : {1.5, 3.0, 5.0, 7.0, 9.0}) {
        EXPECT_EQ(separates(k, n, epsilon),
                  victim_departure_rate(n, epsilon) > 1 / k && 1 / k >= burst_departure_rate(n))
            << n << ' ' << epsilon << ' ' << k;
      }
    }
  }
}

TEST(SpfcModel, HasTheTwoCasesThatFiveDoesNotCover) {
  EXPECT_FALSE(separates(5, 3, 0.5));  // n < 4: burst ports are classified as victims
  EXPECT_TRUE(separates(5, 4, 0.5));   // C/5, which is not above C/K
  EXPECT_TRUE(separates(5, 5, 0.5));
  for (const double n : {5.0, 10.0, 29.0}) {
    EXPECT_DOUBLE_EQ(largest_epsilon(5, n), 0.8 + 1 / (n + 1));
    EXPECT_TRUE(separates(5, n, largest_epsilon(5, n) - 1e-9));
    EXPECT_FALSE(separates(5, n, largest_epsilon(5, n) + 1e-9));
  }
  EXPECT_DOUBLE_EQ(largest_epsilon(5, 1), 1);
}

// "Let alpha = 2 ... Q_k(t) will increase until Q_k(t) = T(t) = 2/3 B" (II.D)
TEST(SpfcModel, SettlesNormalPortsAtTheirThreshold) {
  EXPECT_DOUBLE_EQ(normal_queue(2, 1, 0, 1), 2.0 / 3);
  for (const double victims : {0.0, 4e6, 12e6}) {
    const double each = normal_queue(2, 16e6, victims, 3);
    EXPECT_NEAR(normal_threshold(2, 16e6, victims, held(std::array{each, each, each})), each, 1e-6);
  }
}

/// Equation 2 with the growth of queues gives the departure rates of equations 5 and 6.
TEST(SpfcModel, HasOneRateByTheQueueAndByTheShares) {
  for (const double n : {1.0, 4.0, 29.0}) {
    EXPECT_NEAR(departure_rate(1, burst_growth(n)), burst_departure_rate(n), 1e-12);
    for (const double epsilon : {0.5, 0.75, 1.0}) {
      EXPECT_NEAR(departure_rate(1, victim_growth(n, epsilon)), victim_departure_rate(n, epsilon), 1e-12);
    }
  }
}

/// By hand for 8 ports: n = 1 to 5; K = 5 separates at n = 4 below epsilon = 1 and at n = 5 below 0.8 + 1/6.
TEST(SpfcModel, CoversAPartOfThePlane) {
  EXPECT_NEAR(covered(5, 8), (1 + 0.8 + 1.0 / 6) / 5, 0.001);
  EXPECT_NEAR(covered(5, 7), 1.0 / 4, 0.001);
  EXPECT_EQ(covered(5, 6), 0);
  EXPECT_GT(covered(5, 32), 0.5);
}

}  // namespace
}  // namespace weir::spfc_model::spfc_model_test
