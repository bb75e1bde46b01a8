// SPDX-License-Identifier: Apache-2.0
// CNPs that are being processed by the NIC.
#pragma once

#include <cstddef>
#include <vector>

#include "schemes/rocc/feedback.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir::rocc {

/// A CNP for the flow of this queue pair, which takes effect at its deadline.
struct DelayedFeedback {
  Time due;
  HostId remote;
  QueuePairId queue_pair;
  Feedback feedback;
};

/// A queue of these in the order of arrival, which is that of their deadlines, because all have the same delay. Of
/// fixed size: a CNP that finds it full is lost, as CNPs may be.
class FeedbackDelay {
 public:
  explicit FeedbackDelay(std::size_t capacity) : ring_(capacity) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const DelayedFeedback& front() const { return ring_[first_]; }
  /// False if full.
  bool push(const DelayedFeedback& feedback) {
    if (count_ == ring_.size()) return false;
    ring_[(first_ + count_++) % ring_.size()] = feedback;
    return true;
  }
  void pop() {
    first_ = (first_ + 1) % ring_.size();
    --count_;
  }
  void clear() { first_ = count_ = 0; }

 private:
  std::vector<DelayedFeedback> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weir::rocc
