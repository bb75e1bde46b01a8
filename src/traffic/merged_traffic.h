// SPDX-License-Identifier: Apache-2.0
// All traffic of a run as one sequence of flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "traffic/source.h"
#include "units/deadline_heap.h"

namespace weir {

/// Merges sources by (start, source index), numbers the flows from 0 in that order and makes the connection numbers of
/// different sources distinct. A run may have at most 2^32 - 1 flows.
class MergedTraffic {
 public:
  MergedTraffic() = default;
  explicit MergedTraffic(std::vector<std::unique_ptr<TrafficSource>> sources);

  /// Time::never() if no flow is due, permanently or until a completion.
  [[nodiscard]] Time next_start() const { return heap_.earliest(); }
  /// The next flow; next_start() must not be never.
  FlowSpec take();
  /// Whether completions make flows due: then each must be reported at its instant.
  [[nodiscard]] bool follows_completions() const { return follows_completions_; }
  /// `flow` is as returned by take(). Completions must be reported in order of time.
  void on_completed(const FlowSpec& flow, Time now);

  [[nodiscard]] std::size_t sources() const { return sources_.size(); }
  [[nodiscard]] std::uint64_t flows_taken() const { return flows_taken_; }
  /// Upper bound of the connection numbers, which must fit in 32 bits in a run: see TrafficSource::connections().
  [[nodiscard]] std::uint64_t connections() const { return connections_; }
  void offered(const OfferedRate& visit) const;

 private:
  void schedule(std::uint32_t source);

  struct Entry {
    std::unique_ptr<TrafficSource> source;
    std::uint64_t first_connection = 0;
  };
  std::vector<Entry> sources_;
  DeadlineHeap heap_;
  std::uint64_t flows_taken_ = 0;
  std::uint64_t connections_ = 0;
  bool follows_completions_ = false;
};

}  // namespace weir
