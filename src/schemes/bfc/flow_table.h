// SPDX-License-Identifier: Apache-2.0
// BFC's state per flow: an array by egress port, class and hash of the flow identifier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "policy/flow_hash.h"
#include "units/time.h"

namespace weir::bfc {

/// All flows with the same entry share one queue.
struct FlowEntry {
  Time touched = Time::picoseconds(std::numeric_limits<std::int64_t>::min() / 2);  ///< last arrival or departure
  std::uint32_t frames = 0;  ///< in the switch (with sampling: sampled ones)
  std::uint16_t queue = 0;   ///< of the egress port
};

/// The hash of a flow identifier; the same function at every switch.
inline std::uint32_t hash_of(const FlowKey& flow) {
  constexpr std::uint32_t kSeed = 0x6266'6300;  // differs from every ECMP seed
  return flow_hash(HashKind::mix, kSeed, flow);
}

/// Fixed memory. Each class of each egress port is a group with its own entries; with several pipelines, each has its
/// own part of every group's entries.
class FlowTable {
 public:
  FlowTable() = default;
  /// `rows`: entries per group and pipeline, at least one.
  FlowTable(std::size_t pipelines, std::size_t groups, std::size_t rows)
      : groups_(groups), rows_(rows), entries_(pipelines * groups * rows) {}

  /// The entry number of a flow with this hash and group that arrives by `pipeline`.
  [[nodiscard]] std::uint32_t find(std::size_t pipeline, std::size_t group, std::uint32_t hash) const {  // [BFC-Q-1]
    const std::uint64_t row = (std::uint64_t{hash} * rows_) >> 32;
    return static_cast<std::uint32_t>((pipeline * groups_ + group) * rows_ + row);
  }
  FlowEntry& operator[](std::uint32_t entry) { return entries_[entry]; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Entries that a flow has ever used.
  [[nodiscard]] std::size_t used() const {
    std::size_t used = 0;
    for (const FlowEntry& entry : entries_) used += entry.touched != FlowEntry().touched ? 1 : 0;
    return used;
  }
  /// Frames in the switch according to all entries.
  [[nodiscard]] std::uint64_t frames() const {
    std::uint64_t frames = 0;
    for (const FlowEntry& entry : entries_) frames += entry.frames;
    return frames;
  }

 private:
  std::size_t groups_ = 0;
  std::size_t rows_ = 1;
  std::vector<FlowEntry> entries_;
};

}  // namespace weir::bfc
