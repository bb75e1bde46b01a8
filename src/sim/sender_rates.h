// SPDX-License-Identifier: Apache-2.0
// What the rate limiters of all senders allow, over time.
#pragma once

#include <vector>

#include "policy/queue_pair.h"
#include "results/run_record.h"
#include "sim/series_recorder.h"

namespace weir {

/// Samples the rates of the queue pairs that have something to send or unacknowledged, and keeps their number, their
/// sum and the sum of their squares. So the mean and the standard deviation over time and queue pairs follow for any
/// part of the run, however many samples have become one value. The rate of a queue pair is what its congestion control
/// set last: its raises by a timer show from its next packet on.
class SenderRates {
 public:
  explicit SenderRates(Duration interval);

  /// Adds an open queue pair to the sample at hand.
  void add(const SendState& sender) {
    if (sender.finished()) return;
    const auto rate = static_cast<double>(sender.rate.bits_per_second());
    ++number_;
    sum_ += rate;
    squares_ += rate * rate;
  }
  void end_sample();
  /// Named as results/run_record.h says.
  [[nodiscard]] std::vector<Series> series() const;

 private:
  double number_ = 0;
  double sum_ = 0;      // bit/s
  double squares_ = 0;  // (bit/s)^2
  SeriesRecorder numbers_;
  SeriesRecorder sums_;
  SeriesRecorder square_sums_;
};

}  // namespace weir
