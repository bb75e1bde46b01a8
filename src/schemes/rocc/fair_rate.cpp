// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/fair_rate.h"

#include <algorithm>

namespace weir::rocc {
namespace {

constexpr int kLastRegion = 5;
constexpr int kCutFraction = 8;  // multiplicative decrease only above F_max / 8

bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
  return least <= value && value <= most;
}

}  // namespace

bool LoopSettings::valid() const {
  return within(q_reference, 0, kMostLength) && within(q_middle, 0, kMostLength) && within(q_maximum, 0, kMostLength) &&
         within(alpha, 0, kMostGain) && within(beta, 0, kMostGain) && within(f_minimum, 1, f_maximum) &&
         f_maximum <= kMostRate;
}

LoopState initial_state(const LoopSettings& settings) {
  return {settings.f_maximum << kRateBits, 0};
}

// [ROCC-CP-6]
int region_of(const LoopSettings& settings, std::int64_t rate) {
  int region = 0;
  while (region < kLastRegion && rate << (region + 1) < settings.f_maximum << kRateBits) ++region;
  return region;
}

LoopState updated(const LoopSettings& settings, const LoopState& state, std::int64_t length) {
  const std::int64_t least = settings.f_minimum << kRateBits;
  const std::int64_t most = settings.f_maximum << kRateBits;
  const bool high = state.rate * kCutFraction > most;
  const std::int64_t growth = length - state.length;
  std::int64_t rate = state.rate;
  if (length >= settings.q_maximum && high) {
    rate = least;  // [ROCC-CP-2]
  } else if (growth >= settings.q_middle && high) {
    rate /= 2;  // [ROCC-CP-3]
  } else {
    // [ROCC-CP-4] The gains are divided after the multiplication, so that no bit is lost.
    const std::int64_t change = settings.alpha * (length - settings.q_reference) + settings.beta * growth;
    rate -= change >> (kGainBits - kRateBits + region_of(settings, state.rate));
  }
  return {std::clamp(rate, least, most), length};  // [ROCC-CP-5]
}

}  // namespace weir::rocc
