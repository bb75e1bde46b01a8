// SPDX-License-Identifier: Apache-2.0
// What switches dropped of lossless priorities: for want of buffer by where, and otherwise by why.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "results/finding.h"

namespace weir {

/// Counts drops of lossless priorities by the link that the frames came over, and tells of them in the end.
class LosslessTally {
 public:
  LosslessTally(const Fabric& fabric, const Settings& settings) : fabric_(fabric), settings_(settings) {}

  void on_drop(const SwitchContext& context, const Frame& frame, DropReason reason);
  /// At most one finding of drops for want of buffer, and one of drops for other reasons.
  [[nodiscard]] std::vector<RunFinding> findings() const;

 private:
  /// How many frames found no buffer, where the most of them, and why as far as configuration says; nothing: none did.
  [[nodiscard]] std::optional<RunFinding> for_want_of_buffer() const;
  /// How many frames damage, failed links and missing routes cost; nothing: none.
  [[nodiscard]] std::optional<RunFinding> for_other_reasons() const;
  /// Why lossless frames that come over this link can be lost; empty: no reason in the configuration.
  [[nodiscard]] std::string cause(std::uint32_t channel) const;

  const Fabric& fabric_;
  const Settings& settings_;
  std::map<std::pair<std::uint32_t, Priority>, std::uint64_t> frames_;  // for want of buffer, by channel and priority
  std::array<std::uint64_t, kDropReasons> others_{};                    // by reason
};

}  // namespace weir
