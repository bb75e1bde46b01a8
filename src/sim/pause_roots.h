// Innocent pause: how long packets are held for a congestion root that is not on their path.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "results/run_record.h"

namespace weir {

/// Follows pauses of priorities to their roots. The roots of a pause by switch S of the neighbour at ingress i are the
/// egress ports of S that hold frames which came in by i; an egress that is itself paused is followed on to the switch
/// that pauses it. A packet is held while it stands in a queue whose priority is paused, and held innocently while none
/// of the roots of that pause is on its onward path. Roots are looked up when a pause begins and again at each sample
/// (congestion trees grow), and hold until then; when nothing that caused the pause is left, because its RESUME is on
/// the way, the last ones hold. A pause without any root is nobody's innocent pause.
///
/// Time held at a NIC counts for one packet per queue pair, the one that would be next, from when its window and its
/// rate let it go.
class PauseRoots {
 public:
  using ClassOf = std::function<FlowClass(HostId source, HostId destination, QueuePairId receiver)>;
  PauseRoots(Fabric& fabric, ClassOf class_of);

  // What lies where: frames of one ingress at one egress of a switch.
  void on_admit(SwitchId node, const Frame& frame) { ++held_[cell(node, frame)]; }
  void on_leave(SwitchId node, const Frame& frame) { --held_[cell(node, frame)]; }

  /// The gate of a priority at a node's egress port closed or opened.
  void on_gate(NodeId node, PortId port, Priority priority, bool open, Time now);
  /// Looks the roots of all pauses in force up again.
  void sample(Time now);
  /// The end of the run: counts what is held until now.
  void end(Time now);

  [[nodiscard]] const std::array<PauseHold, kFlowClasses>& hold() const { return hold_; }

 private:
  struct Pause {
    bool in_force = false;
    bool fresh = false;      // its first segment: every packet in the queue is newly held
    Time since;              // of the segment with these roots
    std::vector<Hop> roots;  // sorted
  };
  /// What was found for the frames of one queue pair in the present segment: a queue holds many of each.
  struct Verdict {
    std::uint64_t key = 0;
    std::uint64_t segment = 0;
    FlowClass flow_class = FlowClass::background;
    bool innocent = false;
  };
  template <class Judge>
  Verdict verdict_on(const Frame& frame, Judge judge);
  [[nodiscard]] std::size_t cell(SwitchId node, const Frame& frame) const {
    const std::size_t ports = ports_[node.index()];
    return cell(node, frame.ingress.index() * ports + frame.egress.index(), frame.ingress_priority);
  }
  [[nodiscard]] std::size_t cell(SwitchId node, std::size_t pair, Priority priority) const {
    return (first_cell_[node.index()] + pair) * kPriorities + priority;
  }
  void find_roots(NodeId node, PortId port, Priority priority, std::vector<Hop>& roots);
  void follow(NodeId node, PortId ingress, Priority priority, std::vector<Hop>& roots, int depth);
  void close_segment(std::uint32_t channel, Priority priority, Pause& pause, Time now);
  void account(FlowClass flow_class, Duration held, bool innocent, bool first);

  Fabric& fabric_;
  ClassOf class_of_;
  std::vector<std::uint32_t> held_;      // by switch, ingress, egress, ingress priority: frames
  std::vector<std::size_t> first_cell_;  // by switch
  std::vector<std::size_t> ports_;       // by switch
  std::vector<Pause> pauses_;            // by channel * kPriorities + priority
  std::array<Verdict, 1024> verdicts_{};
  std::uint64_t segment_ = 0;
  std::vector<Hop> found_;  // scratch
  std::array<PauseHold, kFlowClasses> hold_{};
};

}  // namespace weir
