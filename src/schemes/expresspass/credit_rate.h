// SPDX-License-Identifier: Apache-2.0
// The feedback control of a receiver: the rate of its credits, from the loss of credits.
#pragma once

#include <cstdint>

#include "schemes/expresspass/settings.h"
#include "units/time.h"

namespace weir::expresspass {

/// The rate is a fraction of the maximum, the share of credits of the receiver's own link.
class CreditRate {
 public:
  /// Starts anew: for a sender with `backlog` packets.
  void start(const Settings& settings, std::uint32_t backlog, Time now);
  /// A packet has returned a credit, and `missing` credits before it did not return.
  void count(std::uint32_t missing) {
    ++returned_;
    missing_ += missing;
  }
  /// A credit is about to be sent. `round_trip`: as measured; zero: not yet. `gap`: time between credits at the maximum
  /// rate. `silent_since`: when data arrived last, or the start.
  void update(const Settings& settings, Time now, Duration round_trip, Duration gap, Time silent_since);

  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] double weight() const { return weight_; }

 private:
  void decrease(const Settings& settings, double loss, double returned);
  void increase(const Settings& settings);

  double rate_ = 0;
  double weight_ = 0;
  Time updated_;
  std::uint32_t returned_ = 0;  // since the last update
  std::uint32_t missing_ = 0;   // since the last update
  bool calm_ = false;           // the last update did not decrease the rate
};

}  // namespace weir::expresspass
