// SPDX-License-Identifier: Apache-2.0
// Flows that have been drawn but have not started.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "traffic/flow.h"

namespace weir {

/// Flows by start; simultaneous flows in the order in which they were pushed.
class PendingFlows {
 public:
  void push(const FlowSpec& flow) {
    heap_.push_back({flow, pushed_++});
    std::push_heap(heap_.begin(), heap_.end());
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  /// Time::never() if there is none.
  [[nodiscard]] Time next_start() const { return heap_.empty() ? Time::never() : heap_.front().flow.start; }
  /// Requires a flow.
  FlowSpec pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const FlowSpec flow = heap_.back().flow;
    heap_.pop_back();
    return flow;
  }
  void clear() { heap_.clear(); }

 private:
  struct Entry {
    FlowSpec flow;
    std::uint64_t order;
    bool operator<(const Entry& other) const {  // the heap's front is the last in this order
      return flow.start != other.flow.start ? flow.start > other.flow.start : order > other.order;
    }
  };
  std::vector<Entry> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace weir
