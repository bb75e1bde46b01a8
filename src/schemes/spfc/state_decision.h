// SPDX-License-Identifier: Apache-2.0
// The state decision of one ingress port: the circuit of figure 10, without its clock.
#pragma once

#include <cstdint>

#include "units/ids.h"

namespace weir::spfc {

/// Ingress rate counter (IRC), state holder and reset.
class StateDecision {
 public:
  /// `counting_number`: the count of departures per interval for the victim state, above zero.
  explicit StateDecision(std::int64_t counting_number) : counting_number_(counting_number), missing_(counting_number) {}

  /// Counts a departure of `amount`, at least 1. Returns whether the counter has now reached its counting number.
  bool count(std::int64_t amount) {
    const bool was_missing = missing_ > 0;
    missing_ -= amount;  // [SPFC-IRC-1]
    return was_missing && missing_ <= 0;
  }
  /// The timeout clock is at zero: the holder takes over the counter's output, and the counter restarts.
  void end_interval() {
    held_ = counter_output() && !reset();  // [SPFC-SH-1]
    missing_ = counting_number_;           // [SPFC-TC-2]
  }
  /// A logic input queue of the port has paused or resumed its neighbour.
  void pause(Priority priority, bool paused) {
    const auto bit = static_cast<std::uint8_t>(1u << priority);
    paused_ = static_cast<std::uint8_t>(paused ? paused_ | bit : paused_ & ~bit);
    if (paused) held_ = false;  // [SPFC-SH-2]
  }
  /// The link has changed: back to the initial state.
  void forget() { *this = StateDecision(counting_number_); }

  /// The output of the circuit.
  [[nodiscard]] bool victim() const { return !reset() && (held_ || counter_output()); }  // [SPFC-SH-2] [SPFC-SH-3]
  /// The output of the ingress rate counter alone.
  [[nodiscard]] bool counter_output() const { return missing_ <= 0; }
  /// The state holder's value of the last interval; never true during reset.
  [[nodiscard]] bool held() const { return held_; }
  [[nodiscard]] bool reset() const { return paused_ != 0; }

 private:
  std::int64_t counting_number_;
  std::int64_t missing_;  // until the counting number is reached, in this interval
  bool held_ = false;
  std::uint8_t paused_ = 0;  // one bit per priority
};

}  // namespace weir::spfc
