// What lossless priorities lost for want of buffer, by where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "fabric/fabric.h"
#include "results/finding.h"

namespace weir {

/// Counts drops of lossless priorities by the link that the frames came over, and tells of them in the end.
class LosslessTally {
 public:
  LosslessTally(const Fabric& fabric, const Settings& settings) : fabric_(fabric), settings_(settings) {}

  void on_drop(const SwitchContext& context, const Frame& frame, DropReason reason);
  /// How many frames were lost, where the most of them, and why as far as configuration says; nothing: none was.
  [[nodiscard]] std::optional<RunFinding> finding() const;

 private:
  /// Why lossless frames that come over this link can be lost; empty: no reason in the configuration.
  [[nodiscard]] std::string cause(std::uint32_t channel) const;

  const Fabric& fabric_;
  const Settings& settings_;
  std::map<std::pair<std::uint32_t, Priority>, std::uint64_t> frames_;  // by channel and priority
};

}  // namespace weir
