// SPDX-License-Identifier: Apache-2.0
// Drops of lossless priorities: for lack of buffer by place, otherwise by reason.
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

/// Counts drops of lossless priorities by the link over which the frames arrived, and reports them at the end.
class LosslessTally {
 public:
  LosslessTally(const Fabric& fabric, const Settings& settings) : fabric_(fabric), settings_(settings) {}

  void on_drop(const SwitchContext& context, const Frame& frame, DropReason reason);
  /// At most one finding each about drops by switches for lack of buffer and for other reasons, and about drops by
  /// hosts.
  [[nodiscard]] std::vector<RunFinding> findings() const;

 private:
  /// The number of frames dropped for lack of buffer, where most of them were dropped, and the reason as far as
  /// configuration shows it; nothing: no such drops.
  [[nodiscard]] std::optional<RunFinding> for_want_of_buffer() const;
  /// The number of frames lost by damage, failed links and missing routes; nothing: none.
  [[nodiscard]] std::optional<RunFinding> for_other_reasons() const;
  /// The number of frames that did not fit into receive buffers of hosts, and where; nothing: none.
  [[nodiscard]] std::optional<RunFinding> at_hosts() const;
  /// Why lossless frames that arrive over this link can be lost; empty: no reason in the configuration.
  [[nodiscard]] std::string cause(std::uint32_t channel) const;

  const Fabric& fabric_;
  const Settings& settings_;
  std::map<std::pair<std::uint32_t, Priority>, std::uint64_t> frames_;  // for lack of buffer, by channel and priority
  std::array<std::uint64_t, kDropReasons> others_{};                    // by reason
};

}  // namespace weir
