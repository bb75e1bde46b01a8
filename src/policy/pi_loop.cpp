// SPDX-License-Identifier: Apache-2.0
#include "policy/pi_loop.h"

#include <cmath>

namespace weir {
namespace {

constexpr double kDegrees = 57.295779513082320877;  // degrees per radian

}  // namespace

double arc_tangent(double slope) {
  // Halving the angle a few times makes it small, so that a few terms of the series suffice.
  constexpr int kHalvings = 4;
  constexpr int kTerms = 10;
  for (int i = 0; i < kHalvings; ++i) slope /= 1 + std::sqrt(1 + slope * slope);
  double sum = 0;
  for (int i = kTerms; i-- > 0;) sum = 1.0 / (2 * i + 1) - slope * slope * sum;
  return slope * sum * (1 << kHalvings);
}

double PiLoop::gain() const {
  return step_ratio * flows * alpha / interval.seconds();
}

double PiLoop::zero() const {
  return alpha / ((beta + alpha / 2) * interval.seconds());
}

// |G| = 1 is w^4 - (K / z)^2 w^2 - K^2 = 0.
double PiLoop::crossover() const {
  const double k = gain();
  const double half = (k / zero()) * (k / zero()) / 2;
  return std::sqrt(half + std::sqrt(half * half + k * k));
}

double PiLoop::magnitude(double frequency) const {
  const double slope = frequency / zero();
  return gain() * std::sqrt(1 + slope * slope) / (frequency * frequency);
}

double PiLoop::phase(double frequency) const {
  return -180 + (arc_tangent(frequency / zero()) - frequency * interval.seconds()) * kDegrees;
}

}  // namespace weir
