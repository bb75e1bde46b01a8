// SPDX-License-Identifier: Apache-2.0
// The pause watchdog of a switch: it ends pauses that last too long.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/switch_policy.h"
#include "units/time.h"

namespace weir {

/// What is done to the queues behind a gate that pauses have kept closed for too long.
enum class WatchdogAction : std::uint8_t {
  drop,     ///< their frames are dropped, and so are those that come
  forward,  ///< their frames are sent as if the gate were open
  alert,    ///< nothing; the storm is counted
};

/// As the PFC watchdog of SONiC (its wiki, "PFC Watchdog Design"), for the gates of all flow controls.
struct PauseWatchdogConfig {
  Duration detection;    ///< a gate closed for so long, with a frame behind it for so long, is a storm; above zero
  Duration restoration;  ///< a gate that pauses have left open for so long ends its storm; above zero
  WatchdogAction action = WatchdogAction::drop;
};

/// What the watchdog knows of each gate of a switch. The switch drives it (watchdog.cpp). It watches the gate of each
/// (port, priority) and of each queue of a port; the gates of a switch's own queues (VOQs) hold no port.
///
/// As a policy it is called only while frames are dropped: then it is told of each frame that enters a queue.
class PauseWatchdog final : public SwitchPolicy {
 public:
  explicit PauseWatchdog(const PauseWatchdogConfig& all) : config(all) {}

  struct Watch {
    Time since;                  ///< when flow controls closed the gate, or opened it last
    std::uint32_t timer = 0;     ///< of the switch
    std::uint8_t closed_by = 0;  ///< while the gate is forced open: the owners that have closed it
    bool closed = false;         ///< by flow controls, also while it is forced open
    bool storm = false;
    bool forced_open = false;
  };

  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override;
  /// Whether one of the gates before this queue has a storm for which frames are dropped.
  [[nodiscard]] bool drops_from(const SwitchContext& context, QueueId queue) const;

  // By gate: port x kPriorities + priority, and after those of all ports the number of the queue.
  [[nodiscard]] static std::uint32_t gate_of(PortId port, Priority priority) {
    return static_cast<std::uint32_t>(port.index() * kPriorities + priority);
  }
  [[nodiscard]] std::uint32_t gate_of(QueueId queue) const { return first_queue + queue.value; }
  [[nodiscard]] bool is_queue(std::uint32_t gate) const { return gate >= first_queue; }

  PauseWatchdogConfig config;
  std::uint32_t first_queue = 0;
  std::vector<Watch> watches;
  std::vector<std::uint32_t> dropping;  ///< the gates for which frames are dropped
  TimerId discard;                      ///< runs at once when a frame has entered a queue from which frames are dropped
};

}  // namespace weir
