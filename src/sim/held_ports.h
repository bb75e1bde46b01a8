// SPDX-License-Identifier: Apache-2.0
// Time for which links are idle because all frames that wait for them are blocked.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "sim/flow_controls.h"

namespace weir {

/// For each direction of a link, the time for which frames waited for it and all of them were blocked, for any reason:
/// by the gate of a priority, the gates of a queue of the port or of a stage before it, what the head of a queue of the
/// whole switch needs from others, or a gate of a NIC. A frame waits for its egress port, wherever in the switch it is.
/// Waiting for the scheduler or for a rate is not counted.
class HeldPorts {
 public:
  HeldPorts(const Fabric& fabric, const FlowControls& controls);

  /// A switch that has only default queues, blocked only by their gates: the state of a port then shows whether it is
  /// blocked, and no notes per frame are needed.
  [[nodiscard]] bool is_plain(const SwitchContext& at) const { return plain_[at.id().index()] != 0; }
  /// For a plain switch: a frame has entered or left a queue of this port.
  void look(const SwitchContext& at, PortId port) {
    const PortState& state = at.port(port);
    follow(ports_[first_channel_[at.id().index()] + port.value], state.queued_bytes > 0 && state.active_queues == 0,
           at.now());
  }

  // Called for one switch in time order, like its observer.
  void on_admit(const SwitchContext& at, const Frame& frame) {
    if (!is_plain(at)) admit(at, frame);
  }
  void on_enter(const SwitchContext& at, QueueId queue, const Frame& frame) {
    if (is_plain(at)) {
      look(at, frame.egress);
    } else {
      enter(at, queue, frame);
    }
  }
  /// A frame has left this queue for another one, whose on_enter() follows at the same instant.
  void on_queue_left(const SwitchContext& at, QueueId queue) { look(at, queue); }
  void on_gone(const SwitchContext& at, const Frame& frame) {
    if (is_plain(at)) {
      look(at, frame.egress);
    } else {
      leave(at, frame);
    }
  }
  /// A frame has been taken out of this queue: it is dropped, or will enter a queue of any port at this instant.
  void on_taken_out(const SwitchContext& at, QueueId queue, const Frame& frame) {
    if (!is_plain(at)) leave(at, frame);
    look(at, queue);
  }
  void on_queue_gate(const SwitchContext& at, QueueId queue) { look(at, queue); }
  void on_priority_gate(const SwitchContext& at, PortId port, Priority priority);
  /// A NIC has acted. While its wire is busy, its link may start to be blocked, but a block does not end: that is
  /// detected when a frame is sent, or when the gate of a priority opens.
  void look(const Nic& nic, Time now, bool wire_taken) {
    const bool holds = nic.holds_back();
    if (holds || (!wire_taken && hosts_standing_still_ != 0)) follow_host(nic.host(), holds, now);
  }

  /// Total time until `now`.
  [[nodiscard]] Duration total(std::uint32_t channel, Time now) const;

 private:
  struct Port {
    std::uint32_t waiting = 0;  // frames
    std::uint32_t held = 0;     // of these, blocked ones
    bool stands_still = false;
    Time since;
    Duration total;
  };
  struct Note {
    std::uint32_t channel = 0;
    bool waiting = false;
    bool held = false;
  };
  void admit(const SwitchContext& at, const Frame& frame);
  void enter(const SwitchContext& at, QueueId queue, const Frame& frame);
  void leave(const SwitchContext& at, const Frame& frame);
  Note& note_of(const SwitchContext& at, const Frame& frame);
  void look(const SwitchContext& at, QueueId queue);
  [[nodiscard]] bool holds(const SwitchContext& at, QueueId queue);
  void hold(Note& note, bool held, Time now);
  void follow_host(HostId host, bool stands_still, Time now);
  static void follow(Port& port, bool stands_still, Time now) {
    if (port.stands_still != stands_still) [[unlikely]]
      turn(port, now);
  }
  static void turn(Port& port, Time now);
  static void follow(Port& port, Time now) { follow(port, port.waiting > 0 && port.held == port.waiting, now); }

  const Fabric& fabric_;
  const FlowControls& controls_;
  std::vector<std::uint8_t> plain_;           // by switch
  std::vector<std::uint32_t> first_channel_;  // by switch
  std::vector<std::uint32_t> channel_of_host_;
  std::size_t hosts_standing_still_ = 0;
  std::vector<Port> ports_;              // by channel
  std::vector<Note> notes_;              // by frame
  std::vector<std::vector<bool>> held_;  // by switch and queue
  std::vector<HeldBy> asked_;            // scratch
};

}  // namespace weir
