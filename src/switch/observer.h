// SPDX-License-Identifier: Apache-2.0
// What a driver may watch of a switch: for measurement, never for decisions.
#pragma once

#include "policy/switch_policy.h"

namespace weir {

/// Called synchronously; must not call the switch. A switch without an observer pays nothing.
class SwitchObserver {
 public:
  virtual ~SwitchObserver() = default;
  /// Whether on_admit, on_enter, on_leave, on_depart and on_pass are wanted: asked once, when the observer is set.
  [[nodiscard]] virtual bool watches_frames() const { return false; }
  /// The switch told the neighbour of `ingress` to pause or resume a priority (refreshes are not told).
  virtual void on_pause(const SwitchContext&, PortId /*ingress*/, Priority, bool /*paused*/) {}
  /// The same for pauses by a scheme's own names.
  virtual void on_hop_pause(const SwitchContext&, PortId /*ingress*/, std::uint64_t /*name*/, bool /*paused*/) {}
  /// A priority of an egress port was closed or opened by the pauses of its neighbour.
  virtual void on_priority_gate(const SwitchContext&, PortId, Priority, bool /*open*/) {}
  /// The gates of a queue, over all owners together, have closed or opened.
  virtual void on_queue_gate(const SwitchContext&, QueueId, bool /*open*/) {}
  /// The pause watchdog found that a gate has been closed for too long, or that its storm is over. `queue` is none()
  /// for the gate of a priority. Told before what the watchdog does.
  virtual void on_storm(const SwitchContext&, PortId, Priority, QueueId /*queue*/, bool /*begins*/) {}
  virtual void on_drop(const SwitchContext&, const Frame&, DropReason) {}
  /// A data frame lost its payload: one that came in (`queue` is none()), or the last of `queue`, which the buffer had
  /// counted with `was_charged` bytes and from now on counts with Frame::charged_bytes.
  virtual void on_trim(const SwitchContext&, QueueId /*queue*/, const Frame&, std::int64_t /*was_charged*/) {}
  virtual void on_admit(const SwitchContext&, const Frame&) {}
  /// A frame was put at the tail of a queue, before policies are told (its length counts it). One that leaves as it
  /// comes in enters none. Told with on_admit; frames of the switch's own have no on_admit before it.
  virtual void on_enter(const SwitchContext&, QueueId, const Frame&) {}
  /// A frame left a queue that is not on the wire's side for the next one: released, or served at rate. Its length
  /// counts it no longer; the next one does not count it yet.
  virtual void on_leave(const SwitchContext&, QueueId, const Frame&) {}
  virtual void on_depart(const SwitchContext&, QueueId, const Frame&) {}
  /// The frame came to an idle port and left at once: neither its queue nor the buffer has held it.
  virtual void on_pass(const SwitchContext& context, QueueId queue, const Frame& frame) {
    on_admit(context, frame);
    on_depart(context, queue, frame);
  }
};

}  // namespace weir
