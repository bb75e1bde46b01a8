// SPDX-License-Identifier: Apache-2.0
// How a round trip changes a rate: algorithm 1 of TIMELY, and its patched form.
#pragma once

#include <cstdint>

#include "units/bit_rate.h"
#include "units/time.h"

namespace weir::timely {

enum class Variant : std::uint8_t { paper, patched, hpcc_simulator };

/// The parameters of a sender; timely.md gives the sources of the defaults.
struct Settings {
  Variant variant = Variant::paper;
  double alpha = 0;         ///< weight of the newest difference
  double beta = 0;          ///< how strongly a gradient cuts
  double patched_beta = 0;  ///< how strongly the patched form cuts
  BitRate additive_increase;
  std::uint32_t hyper_increase = 1;        ///< N: this many additive increases at once ...
  std::uint32_t hyper_increase_after = 0;  ///< ... from this many consecutive round-trip times on that do not rise
  Duration low_threshold;
  Duration high_threshold;
  Duration minimum_round_trip;
  Duration reference_round_trip;
  BitRate minimum_rate;
};

/// The rate of one queue pair.
class RateComputation {
 public:
  void open(BitRate line_rate);
  /// A round trip was measured; it is above zero.
  void on_round_trip(const Settings& settings, Duration round_trip);

  /// In whole bit/s, between the minimum and the line rate.
  [[nodiscard]] BitRate rate() const { return BitRate(static_cast<std::int64_t>(rate_)); }
  /// The smoothed difference divided by the minimum round trip.
  [[nodiscard]] double gradient() const { return gradient_; }

 private:
  void by_gradient(const Settings& settings);
  void by_gradient_and_length(const Settings& settings, double round_trip);
  void increase(const Settings& settings, std::uint32_t steps);
  void multiply(double factor);
  void count_increases(const Settings& settings);

  double rate_ = 0;  // bit/s
  double line_rate_ = 0;
  double previous_ = 0;    // round trip in ps; zero: none yet
  double difference_ = 0;  // smoothed, ps
  double gradient_ = 0;
  std::uint32_t increases_ = 0;  // consecutive
};

}  // namespace weir::timely
