// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of HPCC: a sender's window as a function of the load of its links.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schemes/hpcc/telemetry.h"
#include "units/bit_rate.h"
#include "units/time.h"

namespace weir::hpcc {

/// The parameters of a sender; hpcc.md gives the sources of the defaults.
struct Settings {
  double eta = 0;                      ///< the target utilisation
  std::uint32_t max_stage = 0;         ///< most consecutive additive increases
  BitRate additive_increase;           ///< W_AI / T
  std::uint32_t concurrent_flows = 0;  ///< N, which determines W_AI instead; zero: unused
  BitRate minimum_rate;
  Duration round_trip;  ///< T; zero: of the queue pair's path
  bool per_ack = true;  ///< react to each acknowledgement, or to one per round trip
};

/// The window of one queue pair, in bytes in flight. Offsets count payload bytes.
class SenderWindow {
 public:
  /// Starts with the bytes that `line_rate` carries in `round_trip`, which must be above zero.
  void open(const Settings& settings, BitRate line_rate, Duration round_trip);

  /// An acknowledgement with `telemetry` has arrived: all bytes before `acknowledged` were received, and the next
  /// packet begins at `next`. Returns whether the window was recomputed.
  bool on_ack(const Settings& settings, const Telemetry& telemetry, std::int64_t acknowledged, std::int64_t next);

  /// W, between the window of the minimum rate and the initial window.
  [[nodiscard]] double window() const { return window_; }
  /// W / T, in whole bit/s.
  [[nodiscard]] BitRate rate() const;
  [[nodiscard]] double reference() const { return reference_; }      ///< W^c
  [[nodiscard]] double utilisation() const { return utilisation_; }  ///< U
  [[nodiscard]] std::uint32_t stage() const { return stage_; }       ///< incStage

 private:
  /// The bytes in flight on the busiest link, divided by its bandwidth-delay product, in the last `interval`.
  struct Measured {
    double load;
    double interval;  // ps
  };
  [[nodiscard]] bool knows(const Telemetry& telemetry) const;
  [[nodiscard]] std::optional<Measured> measure(const Telemetry& telemetry) const;
  void remember(const Telemetry& telemetry);
  void compute(const Settings& settings, bool updates_reference);

  double window_ = 0;
  double reference_ = 0;
  double utilisation_ = 1;
  double round_trip_ = 0;  // T in ps
  double per_round_trip_ = 0;
  double start_ = 0;
  double minimum_ = 0;
  double increase_ = 0;  // W_AI
  std::int64_t update_behind_ = 0;
  std::uint32_t stage_ = 0;
  std::uint16_t path_ = 0;
  std::uint8_t links_ = 0;
  std::array<LinkRecord, Telemetry::kMostLinks> known_;
};

}  // namespace weir::hpcc
