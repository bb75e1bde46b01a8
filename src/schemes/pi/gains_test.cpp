// SPDX-License-Identifier: Apache-2.0
// The default gains in the loop for which they are meant: DCQCN's fluid model (Zhu et al. 2016), linearised about its
// fixed point, the queue, the controller, and the delay from a mark to its effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "policy/parameters.h"
#include "policy/scheme.h"
#include "schemes/pi/pi.h"

namespace weir::pi::gains_test {
namespace {

using Complex = std::complex<double>;

/// The default of a scheme's parameter as a plain number: bytes, seconds, bit/s.
template <typename T>
T default_of(const Scheme& of, const char* name) {
  return Parameters(of.parameters).get<T>(name);
}

const Scheme& dcqcn() {
  return *find_scheme("dcqcn");
}

/// DCQCN with its defaults and N flows on one link of 40 Gbit/s; rates in frames per second.
class FluidDcqcn {
 public:
  static constexpr double kFrame = 1'066;  // bytes in a queue; 20 more on the wire
  static constexpr double kLink = 40e9 / 8 / (kFrame + 20);

  explicit FluidDcqcn(double flows) : flows_(flows), rate_(kLink / flows) {
    double low = -30;
    double high = std::log(0.5);
    while (high - low > 1e-12) {
      const double middle = (low + high) / 2;
      probability_ = std::exp(middle);
      (excess() > 0 ? low : high) = middle;
    }
  }

  [[nodiscard]] double probability() const { return probability_; }

  /// The small-signal gain from the probability to a flow's rate at s = i omega; marks take effect after `delay`.
  [[nodiscard]] Complex gain(double omega, double delay) const {
    const Complex s(0, omega);
    const Complex late = std::exp(-s * delay);
    const State at = {alpha(), rate_ + target_above(), rate_, probability_, rate_};
    std::array<State, 5> slopes;  // by state: its effect on each derivative
    for (std::size_t by = 0; by < 5; ++by) {
      State up = at;
      State down = at;
      up[by] *= 1 + kStep;
      down[by] *= 1 - kStep;
      const std::array<double, 3> above = change(up);
      const std::array<double, 3> below = change(down);
      for (std::size_t of = 0; of < 3; ++of) slopes[by][of] = (above[of] - below[of]) / (2 * kStep * at[by]);
    }
    // (s - A - A_late e^(-s delay)) x = b e^(-s delay), by Cramer's rule for the rate.
    std::array<std::array<Complex, 3>, 3> matrix;
    for (std::size_t of = 0; of < 3; ++of) {
      for (std::size_t by = 0; by < 3; ++by) {
        matrix[of][by] = (of == by ? s : 0) - slopes[by][of] - (by == 2 ? slopes[4][of] * late : 0);
      }
    }
    const Complex whole = determinant(matrix);
    for (std::size_t of = 0; of < 3; ++of) matrix[of][2] = slopes[3][of] * late;
    return determinant(matrix) / whole;
  }

  /// For the loop with these gains, per byte and per byte and second: the least over all crossings, in degrees.
  [[nodiscard]] double phase_margin(double proportional, double integral, double delay) const {
    const auto loop = [&](double omega) {
      const Complex s(0, omega);
      return -(proportional + integral / s) * flows_ * kFrame / s * gain(omega, delay);
    };
    double least = 180;
    for (double omega = 1; omega < 3e5; omega *= kStride) {
      if (std::abs(loop(omega)) <= 1 || std::abs(loop(omega * kStride)) > 1) continue;
      least = std::min(least, std::remainder(180 + std::arg(loop(omega)) * 180 / std::numbers::pi, 360.0));
    }
    return least;
  }

 private:
  using State = std::array<double, 5>;  // alpha, target rate, rate, probability, rate when the mark was set
  static constexpr double kStep = 1e-5;
  static constexpr double kStride = 1.005;

  /// The probability that at least one of so many frames is marked.
  static double any(double probability, double frames) { return -std::expm1(frames * std::log1p(-probability)); }
  /// The frequency, per frame, of so many consecutive frames without a mark; and of `times` as many.
  static double unmarked(double probability, double frames, double times = 0) {
    return probability / std::expm1(-frames * std::log1p(-probability)) *
           std::exp(times * frames * std::log1p(-probability));
  }
  [[nodiscard]] double alpha() const { return any(probability_, alpha_timer_ * rate_); }
  [[nodiscard]] double raises(double times) const {
    return unmarked(probability_, bytes_, times) + unmarked(probability_, timer_ * rate_, times);
  }
  /// The difference between target and rate at the fixed point.
  [[nodiscard]] double target_above() const {
    return interval_ * increase_ * rate_ * raises(steps_) / any(probability_, interval_ * rate_);
  }
  /// The excess of raises over cuts.
  [[nodiscard]] double excess() const {
    return target_above() * raises(0) - alpha() * any(probability_, interval_ * rate_) / interval_;
  }
  /// Zhu's equations for alpha, the target and the rate.
  [[nodiscard]] std::array<double, 3> change(const State& x) const {
    const double cuts = any(x[3], interval_ * x[4]) / interval_;
    const double recoveries = x[4] * (unmarked(x[3], bytes_) + unmarked(x[3], timer_ * x[4]));
    const double increases = x[4] * (unmarked(x[3], bytes_, steps_) + unmarked(x[3], timer_ * x[4], steps_));
    return {g_ / alpha_timer_ * (any(x[3], alpha_timer_ * x[4]) - x[0]), -(x[1] - x[2]) * cuts + increase_ * increases,
            -x[2] * x[0] / 2 * cuts + (x[1] - x[2]) / 2 * recoveries};
  }
  static Complex determinant(const std::array<std::array<Complex, 3>, 3>& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }

  double flows_;
  double rate_;
  double probability_ = 0;
  double g_ = default_of<double>(dcqcn(), "g");
  double alpha_timer_ = default_of<Duration>(dcqcn(), "alpha_timer").seconds();
  double interval_ = default_of<Duration>(dcqcn(), "cnp_interval").seconds();
  double timer_ = default_of<Duration>(dcqcn(), "increase_timer").seconds();
  double bytes_ = static_cast<double>(default_of<Bytes>(dcqcn(), "byte_counter").count()) / kFrame;
  double steps_ = static_cast<double>(default_of<std::int64_t>(dcqcn(), "fast_recovery_steps"));
  double increase_ =
      static_cast<double>(default_of<BitRate>(dcqcn(), "additive_increase").bits_per_second()) / 8 / (kFrame + 20);
};

double proportional() {
  return default_of<double>(scheme, "proportional") / 1e3;
}
double integral() {
  return default_of<double>(scheme, "integral") / 1e3;
}

/// A round trip of 6 us without load, the reference queue, and half the update interval.
double delay() {
  const auto reference = static_cast<double>(default_of<Bytes>(scheme, "reference").count());
  return 6e-6 + reference * 8 / 40e9 + default_of<Duration>(scheme, "interval").seconds() / 2;
}

TEST(PiGains, FollowFromDcqcnsOwnParameters) {
  EXPECT_NEAR(proportional(), 0.01 / 195e3, 0.03 * proportional());  // the slope of RED: Pmax / (Kmax - Kmin)
  const double slowest = default_of<double>(dcqcn(), "g") / default_of<Duration>(dcqcn(), "alpha_timer").seconds();
  EXPECT_NEAR(integral() / proportional(), slowest, 0.01 * slowest);
}

// Hollot's rule: the controller's zero is at the slowest pole of the plant.
TEST(PiGains, NothingInDcqcnIsSlowerThanAlpha) {
  const double slowest = integral() / proportional();
  for (const double flows : {2.0, 10.0, 128.0}) {
    const FluidDcqcn fluid(flows);
    const double corner = std::abs(fluid.gain(slowest, 0)) / std::abs(fluid.gain(1e-3, 0));
    EXPECT_GT(corner, std::sqrt(0.5) - 0.01) << flows;
  }
}

TEST(PiGains, LeaveTheLoopStableForTwoToAHundredAndTwentyEightFlows) {
  for (const double flows : {2.0, 3.0, 5.0, 8.0, 10.0, 16.0, 32.0, 64.0, 128.0}) {
    const FluidDcqcn fluid(flows);
    EXPECT_GT(fluid.phase_margin(proportional(), integral(), delay()), 0) << flows;
  }
  EXPECT_LT(FluidDcqcn(10).phase_margin(4 * proportional(), 4 * integral(), delay()), 0);
  EXPECT_NEAR(FluidDcqcn(10).phase_margin(proportional(), integral(), delay()), 1.2, 0.5);
  EXPECT_NEAR(FluidDcqcn(128).phase_margin(proportional(), integral(), delay()), 37, 2);
}

// The marking probability at the fixed point of N flows, as listed in pi.md.
TEST(PiGains, TheFixedPointIsWhereTheModelHasIt) {
  EXPECT_NEAR(FluidDcqcn(2).probability(), 0.0008, 0.0001);
  EXPECT_NEAR(FluidDcqcn(10).probability(), 0.0065, 0.0005);
  EXPECT_NEAR(FluidDcqcn(128).probability(), 0.14, 0.01);
}

}  // namespace
}  // namespace weir::pi::gains_test
