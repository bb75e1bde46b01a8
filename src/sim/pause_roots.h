// SPDX-License-Identifier: Apache-2.0
// Innocent pause: the time for which packets are blocked because of a congestion root that is not on their path.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "results/run_record.h"
#include "sim/flow_controls.h"
#include "sim/kept_rows.h"
#include "units/hot_path.h"

namespace weir {

/// Follows pauses of priorities to their roots. If switch S pauses the neighbour at ingress i, the roots of this pause
/// are the egress ports of S with frames that arrived by i; an egress that is itself paused is followed to the switch
/// that pauses it. A packet is blocked while it is in a queue whose priority is paused, and blocked innocently while
/// none of the roots of that pause is on its remaining path. Roots are determined when a pause begins and again at each
/// sample (congestion trees grow), and apply until then. If no cause of the pause remains, because its RESUME is in
/// flight, the last roots apply. A pause without any root is not counted as innocent. The path of a packet ends where a
/// switch sprays, apart from its last hop, which follows from the destination: roots between count as off the path.
///
/// Queues that are blocked by their own gates, or by what their head frame needs from others, are followed in the same
/// way (FlowControl::held_by). The roots of such a hold are the egress ports, of the switch that must act, whose frames
/// keep it in force (FlowControl::keeps); if these are in a queue that is itself blocked, that queue is followed. The
/// same holds for gates of a NIC, and for queue pairs that a NIC blocks. Frames that are also behind the closed gate of
/// a priority count as blocked by that gate only.
///
/// At a NIC, time counts for one packet per queue pair, the next one to be sent, from the time at which its window and
/// its rate permit it.
///
/// Within a window the calls for one node follow those for another, each node in time order. Events are therefore
/// recorded, and at the end of the window the gates that changed are evaluated in time order: each sees the other
/// switches as they were at its instant. Events at one instant are ordered by the numbers of switches, then hosts. The
/// class of a flow is that at the end of the window.
class PauseRoots {
 public:
  using ClassOf = std::function<FlowClass(HostId source, HostId destination, QueuePairId receiver)>;
  PauseRoots(Fabric& fabric, ClassOf class_of);

  PauseRoots(const PauseRoots&) = delete;
  PauseRoots& operator=(const PauseRoots&) = delete;

  /// A frame arrived or left, in this window.
  struct Change {
    Time at;
    std::uint32_t row = 0;  // ingress and its priority
    std::uint16_t egress = 0;
    std::int16_t by = 0;
  };
  /// The frames of each ingress and egress of a switch.
  struct Switched {
    std::size_t ports = 0;
    std::vector<std::uint32_t> held;  // by ingress, its priority, egress: frames
    std::vector<Change> changes;      // the first `count` are of this window
    std::size_t count = 0;
    std::size_t room = 0;  // for changes; zero until the first change in this window

    [[nodiscard]] bool is_full() const { return count == room; }
    /// Not while it is full.
    WEIR_HOT_INLINE void change(const Frame& frame, Time now, int by) {
      const std::uint32_t row = row_of(frame.ingress, frame.ingress_priority);
      held[row * ports + frame.egress.index()] += static_cast<std::uint32_t>(by);
      changes[count++] = {now, row, frame.egress.value, static_cast<std::int16_t>(by)};
    }
  };
  [[nodiscard]] Switched& frames_of(SwitchId node) { return switched_[node.index()]; }

  // The same with room for the change. Called for each switch in time order.
  void on_admit(SwitchId node, const Frame& frame, Time now) { change(node, frame, now, 1); }
  void on_leave(SwitchId node, const Frame& frame, Time now) { change(node, frame, now, -1); }

  /// Whether on_enter() has something to do at this switch.
  [[nodiscard]] bool follows_queues(SwitchId node) const { return rows_.watches(node); }

  // The same by queue, for holds of queues. on_gone(): the frame leaves the switch.
  void on_enter(const SwitchContext& at, QueueId queue, const Frame& frame) {
    if (rows_.watches(at.id())) enter(at, queue, frame);
  }
  void on_queue_left(const SwitchContext& at, QueueId queue, const Frame& frame);
  void on_gone(const SwitchContext& at, const Frame& frame) {
    if (rows_.watches(at.id())) rows_.on_leave(at, frame);
  }
  /// The gates of a queue closed or opened.
  void on_queue_gate(const SwitchContext& at, QueueId queue);
  /// A gate of a NIC, or of one of its queue pairs, closed or is about to open.
  void on_nic_gate(Nic& nic, GateId gate, bool open);
  void on_sender_gate(Nic& nic, const SendState& sender, bool open);

  /// The gate of a priority at a node's egress port closed or opened.
  void on_gate(NodeId node, PortId port, Priority priority, bool open, Time now);
  /// All nodes have reached the same instant. Routes are as they were in the window.
  void end_window();
  /// Ends the window, and determines the roots of all pauses in force again.
  void sample(Time now);
  /// The end of the run: counts blocked time until now.
  void end(Time now);

  /// For the windows that have ended.
  [[nodiscard]] const std::array<PauseHold, kFlowClasses>& hold() const { return hold_; }

 private:
  struct Pause {
    bool in_force = false;
    bool fresh = false;      // its first segment: every packet in the queue is newly blocked
    Time since;              // of the segment with these roots
    std::vector<Hop> roots;  // sorted
  };
  using Moment = RoundMoment;
  /// A packet that a pause blocks, from `since` at the earliest.
  struct Held {
    FlowKey key;
    QueuePairId receiver;
    Time since;
    PortId egress;  // of the switch where it is
  };
  /// A cause other than the gate of a priority: a queue of a switch, a gate of a NIC, or a queue pair there.
  struct Place {
    enum class Kind : std::uint8_t { queue, gate, sender };
    NodeId node;
    Kind kind = Kind::queue;
    std::uint32_t number = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct GateChange {
    enum class Kind : std::uint8_t {
      gate,   // of a priority
      begin,  // of a hold of `place`
      pass,   // some of its frames are no longer blocked by it
      end,
    };
    Moment moment;
    NodeId node;
    PortId port;
    Priority priority = 0;
    bool open = false;
    std::uint32_t first_held = 0;  // the packets that were blocked when it opened
    std::uint32_t last_held = 0;
    Kind kind = Kind::gate;
    Place place{};
    std::uint32_t first_by = 0;  // in said_: the causes
    std::uint32_t last_by = 0;
  };
  /// A hold of a place at the instant of the window that is being evaluated.
  struct PlaceHold {
    bool fresh = true;  // its first segment
    Time since;         // of the segment with these roots
    std::vector<HeldBy> by;
    std::vector<Hop> roots;
  };
  /// The same as reported by nodes.
  struct ToldHold {
    std::vector<HeldBy> by;
    std::array<Time, kPriorities> resumed{};  // until then, blocked by the gate of the priority
  };
  /// The result for the frames of one queue pair in the present segment: a queue holds many frames of each.
  struct Verdict {
    std::uint64_t key = 0;
    std::uint64_t segment = 0;
    FlowClass flow_class = FlowClass::background;
    bool innocent = false;
  };
  template <class Evaluate>
  Verdict verdict_on(const Held& held, Evaluate evaluate);
  void change(SwitchId node, const Frame& frame, Time now, int by) {
    if (switched_[node.index()].is_full()) make_room(node);
    switched_[node.index()].change(frame, now, by);
  }
  void make_room(SwitchId node);
  void enter(const SwitchContext& at, QueueId queue, const Frame& frame);
  void take_in(const GateChange& gate);
  void take_in_gate(const GateChange& gate);
  [[nodiscard]] std::uint32_t order_of(NodeId node) const;
  [[nodiscard]] Moment moment_at(NodeId node, Time now) const;
  static std::uint32_t row_of(PortId ingress, Priority priority) {
    return static_cast<std::uint32_t>(ingress.index() * kPriorities + priority);
  }
  /// The number of frames of a row per egress.
  void look_at_row(SwitchId node, std::uint32_t row, const Moment& moment, std::vector<std::uint32_t>& counts) const;
  void find_roots(NodeId node, PortId port, Priority priority, const Moment& moment, std::vector<Hop>& roots);
  void find_roots(NodeId node, const std::vector<HeldBy>& by, const Moment& moment, std::vector<Hop>& roots);
  void follow_by(NodeId node, const HeldBy& by, const Moment& moment, std::vector<Hop>& roots, std::size_t depth);
  void follow_kept(NodeId node, const KeptRows::Key& key, const Moment& moment, std::vector<Hop>& roots,
                   std::size_t depth);
  /// Starts from the frames in a queue for an egress.
  void follow_cell(const Switch& at, NodeId node, const KeptRows::Cell& cell, const Moment& moment,
                   std::vector<Hop>& roots, std::size_t depth);
  /// From the channel that is paused.
  void follow_pause(const ChannelSpec& paused, Priority priority, const Moment& moment, std::vector<Hop>& roots,
                    std::size_t depth);
  void follow(NodeId node, PortId ingress, Priority priority, const Moment& moment, std::vector<Hop>& roots,
              std::size_t depth);
  /// Adds the packets that a gate blocks now.
  void collect(NodeId node, PortId port, Priority priority, Time now, std::vector<Held>& held) const;
  void collect(Nic& nic, const SendState& sender, Time since, Time now, std::vector<Held>& held) const;
  /// Adds the packets that a place blocks now and the gate of its priority does not; with `of`, those of this priority,
  /// whatever the gate.
  void collect(const Place& place, Time now, std::optional<Priority> of, std::vector<Held>& held) const;
  void close_segment(NodeId node, PortId port, Pause& pause, std::span<const Held> held, Time now);
  void account_all(NodeId node, PortId port, const std::vector<Hop>& roots, Time since, bool fresh,
                   std::span<const Held> held, Time now);
  /// The present causes for which a place is blocked: none, if it is not.
  [[nodiscard]] bool ask(const Place& place, std::vector<HeldBy>& by) const;
  void settle(const Place& place, Time now);
  GateChange& note(const Place& place, GateChange::Kind kind, Time now);
  void note_held(const Place& place, GateChange::Kind kind, std::optional<Priority> of, Time now);
  void suspend(NodeId node, PortId port, Priority priority, bool open, Time now);
  void take_in_place(const GateChange& change);
  void sample_places(Time now);
  void account(FlowClass flow_class, Duration held, bool innocent, bool first);

  Fabric& fabric_;
  ClassOf class_of_;
  std::vector<Switched> switched_;  // by switch
  std::vector<Pause> pauses_;       // by channel * kPriorities + priority
  std::vector<SwitchId> changed_;   // switches with changes
  std::vector<GateChange> gates_;   // of this window
  std::vector<Held> waited_;        // packets of the gates that opened
  std::array<Verdict, 1024> verdicts_{};
  std::uint64_t segment_ = 0;
  std::vector<Hop> found_;                                             // scratch
  std::vector<Held> holding_;                                          // scratch
  std::array<std::vector<std::uint32_t>, kMaximumHops + 2> counts_{};  // scratch, by depth
  std::array<PauseHold, kFlowClasses> hold_{};

  FlowControls controls_;
  KeptRows rows_;
  std::map<Place, PlaceHold> places_;  // blocked ones
  std::map<Place, ToldHold> told_;
  std::vector<HeldBy> said_;                                           // of this window
  std::vector<HeldBy> asked_;                                          // scratch
  std::vector<std::tuple<NodeId, KeptRows::Key>> followed_;            // scratch
  std::array<std::vector<KeptRows::Cell>, kMaximumHops + 2> cells_{};  // scratch, by depth
};

}  // namespace weir
