// SPDX-License-Identifier: Apache-2.0
// The rates that the rate limiters of all senders permit, over time.
#pragma once

#include <vector>

#include "policy/queue_pair.h"
#include "results/run_record.h"
#include "sim/series_recorder.h"

namespace weir {

/// Samples the rates of the queue pairs that have something to send or unacknowledged, and keeps their number, the sum
/// and the sum of squares. From these the mean and the standard deviation over time and queue pairs follow for any part
/// of the run, however many samples have been combined. The rate of a queue pair is the one its congestion control set
/// last: increases by a timer become visible with its next packet.
class SenderRates {
 public:
  explicit SenderRates(Duration interval);

  /// Adds an open queue pair to the present sample.
  void add(const SendState& sender) {
    if (sender.finished()) return;
    const auto rate = static_cast<double>(sender.rate.bits_per_second());
    ++number_;
    sum_ += rate;
    squares_ += rate * rate;
  }
  void end_sample();
  /// Names as in results/run_record.h.
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
