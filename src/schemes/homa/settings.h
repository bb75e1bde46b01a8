// SPDX-License-Identifier: Apache-2.0
// The parameters of Homa, and the priorities that follow from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/parameters.h"
#include "units/bytes.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir::homa {

struct Settings {
  explicit Settings(const Parameters& parameters)
      : round_trip_bytes(parameters.get<Bytes>("round_trip_bytes")),
        cutoffs(parameters.get<std::vector<Bytes>>("cutoffs")),
        scheduled(static_cast<std::size_t>(parameters.get<std::int64_t>("scheduled_priorities"))),
        overcommitment(static_cast<std::size_t>(parameters.get<std::int64_t>("overcommitment"))),
        resend_after(parameters.get<Duration>("resend_after")) {}

  Bytes round_trip_bytes;      ///< sent without grants, and the most bytes of a message that are granted ahead
  std::vector<Bytes> cutoffs;  ///< the largest message of each unscheduled level except the last; ascending
  std::size_t scheduled;       ///< levels of granted packets, above zero
  std::size_t overcommitment;  ///< messages to which a receiver grants at the same time
  Duration resend_after;       ///< silence after which missing packets are requested

  /// The priority of control frames and of the first unscheduled level.
  static constexpr Priority kHighest = kPriorities - 1;

  [[nodiscard]] std::size_t unscheduled() const { return cutoffs.size() + 1; }
  [[nodiscard]] std::size_t levels() const { return unscheduled() + scheduled; }
  /// The lowest priority in use; levels() is at most kPriorities.
  [[nodiscard]] Priority lowest() const { return static_cast<Priority>(kPriorities - levels()); }
  /// [HOMA-PRIO-1] Of the unscheduled packets of a message of this size.
  [[nodiscard]] Priority unscheduled_priority(Bytes size) const {
    const auto level = std::lower_bound(cutoffs.begin(), cutoffs.end(), size) - cutoffs.begin();
    return static_cast<Priority>(kHighest - level);
  }
  /// [HOMA-PRIO-2] Of the granted packets of the message that is number `rank` (0: the shortest) of `active` ones. The
  /// lowest levels are used first, so that a shorter message finds a free one above.
  [[nodiscard]] Priority scheduled_priority(std::size_t rank, std::size_t active) const {
    const std::size_t used = std::min(active, scheduled);
    return static_cast<Priority>(lowest() + (rank < used ? used - 1 - rank : 0));
  }
};

}  // namespace weir::homa
