// SPDX-License-Identifier: Apache-2.0
// Pyrrha's parameters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/parameters.h"
#include "policy/switch_state.h"
#include "units/bit_rate.h"
#include "wire/frame.h"

namespace weir::pyrrha {

/// The most levels of isolation queues of a port.
inline constexpr std::size_t kMostLevels = 8;

struct Settings {
  explicit Settings(const Parameters& parameters);

  Priority priority;     ///< its data is managed by Pyrrha
  double pause_factor;   ///< K_pause, in one-hop BDPs
  double resume_factor;  ///< K_resume
  std::size_t queues;    ///< isolation queues of a port
  std::size_t roots;     ///< downstream roots that a switch can know, over all ports
  std::size_t flows;     ///< flows with isolated packets that a switch follows
  bool merges;           ///< whether roots merge
  bool single_tier;      ///< one tier of isolation queues, one per set of roots
  bool last_hop_only;    ///< only ports to hosts are roots
  bool pauses_hosts;     ///< whether NICs are paused
  bool signals_output;   ///< congestion points use the length of the output queue for all packets

  /// Whether Pyrrha isolates this frame.
  [[nodiscard]] bool manages(const Frame& frame) const {
    return frame.kind == FrameKind::data && frame.priority == priority;
  }
};

/// [PYRRHA-TH-1] One-hop BDP in bytes: egress rate x 2 x propagation delay of the ingress link.
[[nodiscard]] std::int64_t hop_product(BitRate egress, Duration ingress_delay);

}  // namespace weir::pyrrha
