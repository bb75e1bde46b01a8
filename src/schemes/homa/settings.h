// SPDX-License-Identifier: Apache-2.0
// Homa's parameters, and the priorities that follow from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/parameters.h"
#include "units/ids.h"

namespace weir::homa {

struct Settings {
  std::int64_t round_trip_bytes;       ///< sent without grants, and the most granted bytes in flight per message
  std::vector<Bytes> cutoffs;          ///< the largest message of each unscheduled level except the last; ascending
  std::size_t scheduled;               ///< levels of granted packets, above zero
  std::size_t overcommitment;          ///< messages with grants in flight at a receiver
  Duration resend_after;               ///< silence of a message after which missing packets are requested
  Priority highest = kPriorities - 1;  ///< of control frames and of the first unscheduled level

  explicit Settings(const Parameters& parameters)
      : round_trip_bytes(parameters.get<Bytes>("round_trip_bytes").count()),
        cutoffs(parameters.get<std::vector<Bytes>>("cutoffs")),
        scheduled(static_cast<std::size_t>(parameters.get<std::int64_t>("scheduled_priorities"))),
        overcommitment(static_cast<std::size_t>(parameters.get<std::int64_t>("overcommitment"))),
        resend_after(parameters.get<Duration>("resend_after")) {}

  [[nodiscard]] std::size_t levels() const { return cutoffs.size() + 1 + scheduled; }
  /// Of the unscheduled packets of a message of this size. [HOMA-P-1]
  [[nodiscard]] Priority unscheduled_priority(std::int64_t size) const {
    const auto level = std::lower_bound(cutoffs.begin(), cutoffs.end(), Bytes(size)) - cutoffs.begin();
    return static_cast<Priority>(highest - level);
  }
  /// Of the granted packets of the message with this rank (0: the shortest) of `active` ones. The lowest levels are
  /// used first, so that a shorter message finds a free one above. [HOMA-P-2]
  [[nodiscard]] Priority scheduled_priority(std::size_t rank, std::size_t active) const {
    const std::size_t used = std::min(active, scheduled);
    const std::size_t above_lowest = rank < used ? used - 1 - rank : 0;
    return static_cast<Priority>(highest - (levels() - 1) + above_lowest);
  }
};

}  // namespace weir::homa
