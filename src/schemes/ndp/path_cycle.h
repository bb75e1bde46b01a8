// SPDX-License-Identifier: Apache-2.0
// The order in which a sender uses the paths to its receiver.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "units/random.h"

namespace weir::ndp {

inline constexpr std::uint32_t kMaximumPaths = 256;

/// [NDP-PATH-1] Gives the numbers of all paths in random order, then again in another one. The order is drawn as it is
/// used, one number per packet.
class PathCycle {
 public:
  /// `paths`: 1 to kMaximumPaths.
  void start(std::uint32_t paths) {
    paths_ = static_cast<std::uint16_t>(paths);
    used_ = 0;
    for (std::uint32_t i = 0; i < paths; ++i) order_[i] = static_cast<std::uint8_t>(i);
  }
  std::uint8_t next(RandomStream& random) {
    if (used_ == paths_) used_ = 0;
    std::swap(order_[used_], order_[used_ + random.below(static_cast<std::uint64_t>(paths_ - used_))]);
    return order_[used_++];
  }

 private:
  std::uint16_t paths_ = 1;
  std::uint16_t used_ = 0;  // of order_, in this round
  std::array<std::uint8_t, kMaximumPaths> order_{};
};

}  // namespace weir::ndp
