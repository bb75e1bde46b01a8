// SPDX-License-Identifier: Apache-2.0
#include "policy/pi_loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "units/bit_rate.h"

namespace weir::pi_loop_test {
namespace {

using namespace literals;

/// RoCC's resolutions: 10 Mbit/s per step of the rate, 600 bytes per step of the queue, every 40 us.
PiLoop loop(double alpha, double beta, double flows) {
  return {.alpha = alpha, .beta = beta, .flows = flows, .step_ratio = 1.25e6 / 600, .interval = 40_us};
}

/// Equation 6, computed directly.
std::complex<double> transfer(const PiLoop& loop, double frequency) {
  const std::complex<double> s(0, frequency);
  return loop.gain() * (1.0 + s / loop.zero()) / (s * s) * std::exp(-s * loop.interval.seconds());
}

TEST(PiLoop, KnowsTheArcTangent) {
  for (const double slope : {0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, 5.6, 40.0, 1e6}) {
    EXPECT_NEAR(arc_tangent(slope), std::atan(slope), 1e-15) << slope;
  }
}

TEST(PiLoop, IsTheOpenLoopOfEquation6) {
  const PiLoop open = loop(0.3, 3, 2);
  EXPECT_NEAR(open.gain(), 3.125e7, 1);     // kappa N alpha / T
  EXPECT_NEAR(open.zero(), 2380.95, 0.01);  // alpha / ((beta + alpha / 2) T)
  for (const double frequency : {10.0, 2000.0, 20'000.0, 70'000.0}) {
    const std::complex<double> expected = transfer(open, frequency);
    EXPECT_NEAR(open.magnitude(frequency), std::abs(expected), 1e-9 * std::abs(expected));
    EXPECT_NEAR(std::remainder(open.phase(frequency) - std::arg(expected) * 180 / M_PI, 360), 0, 1e-9);
  }
}

TEST(PiLoop, CrossesOverWhereTheGainIsOne) {
  for (const double flows : {1.0, 2.0, 10.0, 128.0, 1000.0}) {
    const PiLoop open = loop(0.3, 1.5, flows);
    EXPECT_NEAR(open.magnitude(open.crossover()), 1, 1e-12);
  }
  EXPECT_NEAR(loop(0.3, 0, 1).magnitude(loop(0.3, 0, 1).crossover()), 1, 1e-12);
}

// The figures that the paper states and plots (rocc 5.2, figures 5 to 7).
TEST(PiLoop, AgreesWithThePaper) {
  EXPECT_NEAR(loop(0.3, 3, 2).phase_margin(), 49.3, 0.1);    // about 50
  EXPECT_NEAR(loop(0.3, 3, 10).phase_margin(), -62.6, 2.4);  // about -50: "completely unstable"
  for (int flows = 2; flows <= 128; ++flows) EXPECT_GT(loop(0.0093, 0.0937, flows).phase_margin(), 20) << flows;
}

}  // namespace
}  // namespace weir::pi_loop_test
