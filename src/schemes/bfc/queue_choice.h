// SPDX-License-Identifier: Apache-2.0
// The choice among the empty queues, which the paper leaves open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schemes/bfc/free_queues.h"
#include "schemes/bfc/settings.h"
#include "units/hot_path.h"
#include "units/random.h"

namespace weir::bfc {

class QueueChoice {
 public:
  QueueChoice() = default;
  /// Chooses among `queues` of each of `groups`, separately for each of `pipelines`.
  QueueChoice(const Settings& settings, std::size_t queues, std::size_t groups, std::size_t pipelines);

  /// A free queue of the group, or FreeQueues::kNone. `searcher` is pipeline * groups + group.
  WEIR_HOT_INLINE std::size_t next(const FreeQueues& free, std::size_t group, std::size_t searcher,
                                   RandomStream& random) {
    switch (choice_) {  // [BFC-Q-8]
      case EmptyQueue::scan: {
        const auto start = static_cast<std::size_t>(random.below(queues_ + beside_));
        return free.next(group, start < queues_ ? start : 0);
      }
      case EmptyQueue::random: {
        const std::size_t count = free.count(group);
        if (count == 0) return FreeQueues::kNone;
        return free.nth(group, static_cast<std::size_t>(random.below(count)));
      }
      case EmptyQueue::lowest:
        return free.next(group, 0);
      case EmptyQueue::rotating:
        break;
    }
    std::uint16_t& start = start_[searcher];
    const std::size_t found = free.next(group, start);
    if (found != FreeQueues::kNone) start = static_cast<std::uint16_t>(found + 1 == queues_ ? 0 : found + 1);
    return found;
  }

 private:
  EmptyQueue choice_ = EmptyQueue::scan;
  std::size_t queues_ = 1;
  std::size_t beside_ = 0;            // start values of a scan that are no queues
  std::vector<std::uint16_t> start_;  // by searcher, if rotating: where the next search starts
};

}  // namespace weir::bfc
