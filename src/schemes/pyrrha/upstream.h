// SPDX-License-Identifier: Apache-2.0
// What a switch has told the neighbours upstream of its queues.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/switch_context.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/port_sets.h"

namespace weir::pyrrha {

/// Each root that a queue of this switch stands for has an *anchor*: the output queue of a port for its own root, and
/// for a downstream root its record. An anchor remembers the neighbours that it holds paused, and its children: those
/// that it has paused and that have not deallocated since.
class Upstream {
 public:
  void attach(std::size_t ports, std::size_t anchors) {
    paused_ = PortSets(anchors, ports);
    children_ = PortSets(anchors, ports);
  }

  [[nodiscard]] bool has_paused(std::size_t anchor, PortId port) const { return paused_.has(anchor, port); }
  [[nodiscard]] bool has_paused_any(std::size_t anchor) const { return !paused_.empty(anchor); }
  [[nodiscard]] bool has_children(std::size_t anchor) const { return !children_.empty(anchor); }
  template <class Visit>
  void for_each_paused(std::size_t anchor, Visit visit) const {
    paused_.for_each(anchor, visit);
  }
  template <class Visit>
  void for_each_child(std::size_t anchor, Visit visit) const {
    children_.for_each(anchor, visit);
  }

  /// The anchor holds this neighbour paused from now on. `also`: another anchor of the root does so already, so it has
  /// been told.
  void pause(SwitchContext& context, std::size_t anchor, Root root, PortId port, bool also) {
    paused_.add(anchor, port);
    children_.add(anchor, port);
    if (also) return;
    context.note_hop_pause(port, root, true);
    say(context, port, {Kind::pause, root, 0}, pauses_);
  }
  /// It does so no more. `also`: another anchor of the root still does.
  void resume(SwitchContext& context, std::size_t anchor, Root root, PortId port, bool also) {
    paused_.remove(anchor, port);
    if (also) return;
    context.note_hop_pause(port, root, false);
    say(context, port, {Kind::resume, root, 0}, resumes_);
  }
  /// The same because its root is given up for another.
  void merge(SwitchContext& context, std::size_t anchor, Root root, Root successor, PortId port, bool also) {
    const bool was_paused = paused_.has(anchor, port);
    paused_.remove(anchor, port);
    if (also) return;
    if (was_paused) context.note_hop_pause(port, root, false);
    say(context, port, {Kind::merge, root, successor}, merges_);
  }
  /// The neighbour has deallocated. A PAUSE that it has not received when it did so makes it a child again, so it is
  /// one as long as it is paused.
  void deallocate(std::size_t anchor, PortId port) {
    if (!paused_.has(anchor, port)) children_.remove(anchor, port);
  }
  /// The link of a neighbour has failed or recovered. Returns whether the neighbour was paused.
  bool forget(std::size_t anchor, PortId port) {
    const bool was_paused = paused_.has(anchor, port);
    paused_.remove(anchor, port);
    children_.remove(anchor, port);
    return was_paused;
  }
  void clear_children(std::size_t anchor) { children_.clear(anchor); }

  /// Tells the neighbour of a port that no queue for the root is left here.
  void say_deallocated(SwitchContext& context, PortId port, Root root) {
    say(context, port, {Kind::deallocate, root, 0}, deallocations_);
  }

  // Control frames sent.
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }
  [[nodiscard]] std::uint64_t resumes() const { return resumes_; }
  [[nodiscard]] std::uint64_t merges() const { return merges_; }
  [[nodiscard]] std::uint64_t deallocations() const { return deallocations_; }

 private:
  static void say(SwitchContext& context, PortId port, const Message& message, std::uint64_t& count) {
    if (!context.port(port).up) return;
    const FrameId id = make_message(context.frames(), context.framing(), message);
    if (!id.exists()) return;
    ++count;
    context.send(port, id);
  }

  PortSets paused_;
  PortSets children_;
  std::uint64_t pauses_ = 0;
  std::uint64_t resumes_ = 0;
  std::uint64_t merges_ = 0;
  std::uint64_t deallocations_ = 0;
};

}  // namespace weir::pyrrha
