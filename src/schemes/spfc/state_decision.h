// SPDX-License-Identifier: Apache-2.0
// The state decision of one ingress port: the circuit of figure 10 without its clock.
#pragma once

#include <cstdint>

#include "units/ids.h"

namespace weir::spfc {

/// Ingress rate counter, state holder and reset.
class StateDecision {
 public:
  /// `counting_number` is what must leave in an interval for the victim state, above zero.
  explicit StateDecision(std::int64_t counting_number) : counting_number_(counting_number), missing_(counting_number) {}

  /// So much has left, at least 1. Whether the counter has come to its counting number by it.
  bool count(std::int64_t amount) {
    const bool was_missing = missing_ > 0;
    missing_ -= amount;  // [SPFC-IRC-1]
    return was_missing && missing_ <= 0;
  }
  /// The timeout clock is at zero: the holder takes over what the counter says, which begins again.
  void end_interval() {
    held_ = counter_output() && !reset();  // [SPFC-SH-1]
    missing_ = counting_number_;           // [SPFC-TC-2]
  }
  /// A logic input queue of the port has paused its neighbour, or let it resume.
  void pause(Priority priority, bool paused) {
    const auto bit = static_cast<std::uint8_t>(1u << priority);
    paused_ = static_cast<std::uint8_t>(paused ? paused_ | bit : paused_ & ~bit);
    if (paused) held_ = false;  // [SPFC-SH-2]
  }
  /// The link is another one: as at the beginning.
  void forget() { *this = StateDecision(counting_number_); }

  /// The output of the circuit.
  [[nodiscard]] bool victim() const { return !reset() && (held_ || counter_output()); }  // [SPFC-SH-2] [SPFC-SH-3]
  /// Of the ingress rate counter alone.
  [[nodiscard]] bool counter_output() const { return missing_ <= 0; }
  /// What the state holder has of the last interval; never while reset.
  [[nodiscard]] bool held() const { return held_; }
  [[nodiscard]] bool reset() const { return paused_ != 0; }

 private:
  std::int64_t counting_number_;
  std::int64_t missing_;  // to the counting number, in this interval
  bool held_ = false;
  std::uint8_t paused_ = 0;  // a bit a priority
};

}  // namespace weir::spfc
