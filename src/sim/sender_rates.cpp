// SPDX-License-Identifier: Apache-2.0
#include "sim/sender_rates.h"

#include <string>

namespace weir {

SenderRates::SenderRates(Duration interval)
    : numbers_(SeriesRecorder::Joint::mean, interval),
      sums_(SeriesRecorder::Joint::mean, interval),
      square_sums_(SeriesRecorder::Joint::mean, interval) {}

void SenderRates::end_sample() {
  numbers_.add(number_);
  sums_.add(sum_);
  square_sums_.add(squares_);
  number_ = sum_ = squares_ = 0;
}

std::vector<Series> SenderRates::series() const {
  return {numbers_.series(std::string(kSendersSeries) + " queue_pairs"),
          sums_.series(std::string(kSenderRateSeries) + " bit/s"),
          square_sums_.series(std::string(kSenderRateSquareSeries) + " bit2/s2")};
}

}  // namespace weir
