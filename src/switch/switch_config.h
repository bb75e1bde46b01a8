// SPDX-License-Identifier: Apache-2.0
// The configuration of a switch.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policy/switch_policy.h"
#include "switch/pause_watchdog.h"

namespace weir {

struct PortConfig {
  BitRate rate;
  Duration delay;
  Peer peer;
  std::array<std::int64_t, kPriorities> reserve{};   ///< bytes for this ingress and priority
  std::array<std::int64_t, kPriorities> headroom{};  ///< bytes for this ingress and priority
};

/// A buffer policy for some priorities only: those with which frames arrive.
struct PriorityBuffer {
  std::bitset<kPriorities> priorities;
  std::unique_ptr<BufferPolicy> policy;
};

/// The policies of one switch. The switch owns them and calls them in this order.
struct SwitchPolicies {
  std::unique_ptr<Forwarding> forwarding;  ///< optional if no destination has two next hops
  std::unique_ptr<BufferPolicy> buffer;    ///< of all priorities that are not in `priority_buffer`
  /// Each is called for its priorities only, and for their frames and pauses. No priority is in two of them.
  std::vector<PriorityBuffer> priority_buffer{};
  std::vector<std::unique_ptr<FlowControl>> flow_control;
  std::vector<std::unique_ptr<CongestionPoint>> congestion_point;
};

struct SwitchConfig {
  SwitchId id;
  int tier = 0;           ///< SwitchContext::tier
  std::size_t hosts = 0;  ///< of the network
  std::vector<PortConfig> ports;
  Framing framing = Framing::rocev2();
  std::int64_t maximum_frame = 0;  ///< maximum frame size in bytes
  std::uint64_t seed = 1;
  const PathView* paths = nullptr;
  const HeaderLayout* headers = &kNoHeaders;  ///< outlives the switch
  bool keeps_statistics = false;              ///< SwitchContext::keeps_statistics
  std::vector<bool> breaks_cycle{};           ///< SwitchContext::breaks_cycle, by ingress * ports + egress; empty: none

  std::int64_t buffer = 0;                        ///< bytes
  std::int64_t control_reserve = 0;               ///< bytes per egress port, in addition to the buffer
  std::array<std::int64_t, kPriorities> pools{};  ///< bytes of each service pool
  std::array<std::uint8_t, kPriorities> pool_of_priority{};
  std::array<bool, kPriorities> lossless{};
  std::array<std::uint8_t, kPriorities> level_of_priority{7, 6, 5, 4, 3, 2, 1, 0};  ///< level 0 is served first
  std::array<Discipline, kPriorities> discipline_of_priority{};
  std::optional<PauseWatchdogConfig> watchdog{};  ///< nothing: pauses last as long as they last
};

}  // namespace weir
