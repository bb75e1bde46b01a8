// SPDX-License-Identifier: Apache-2.0
// What a driver may observe of a switch: for measurement, never for decisions.
#pragma once

#include "policy/switch_policy.h"

namespace weir {

/// Called synchronously; must not call the switch. A switch without an observer pays nothing.
class SwitchObserver {
 public:
  virtual ~SwitchObserver() = default;
  /// Whether on_admit, on_enter, on_leave, on_depart and on_pass are called: read once, when the observer is set.
  [[nodiscard]] virtual bool watches_frames() const { return false; }
  /// Whether on_enter is called for every frame of this switch. If not, it is called only for frames that the switch
  /// made itself, and for queued frames that were trimmed. Read when the observer is set, and again by
  /// Switch::watch_entries().
  [[nodiscard]] virtual bool watches_entries(const SwitchContext&) const { return true; }
  /// The switch paused or resumed a priority of the neighbour of `ingress` (not called for refreshes).
  virtual void on_pause(const SwitchContext&, PortId /*ingress*/, Priority, bool /*paused*/) {}
  /// The same for pauses with a scheme's own IDs.
  virtual void on_hop_pause(const SwitchContext&, PortId /*ingress*/, std::uint64_t /*name*/, bool /*paused*/) {}
  /// A congestion root of this switch was given up for another (SwitchContext::note_merge).
  virtual void on_merge(const SwitchContext&, std::uint64_t /*name*/, std::uint64_t /*successor*/) {}
  /// A priority of an egress port was closed or opened by pauses of its neighbour.
  virtual void on_priority_gate(const SwitchContext&, PortId, Priority, bool /*open*/) {}
  /// The gates of a queue, over all owners together, have closed or opened.
  virtual void on_queue_gate(const SwitchContext&, QueueId, bool /*open*/) {}
  /// The pause watchdog found that a gate has been closed for too long, or that its storm is over. `queue` is none()
  /// for the gate of a priority. Told before what the watchdog does.
  virtual void on_storm(const SwitchContext&, PortId, Priority, QueueId /*queue*/, bool /*begins*/) {}
  virtual void on_drop(const SwitchContext&, const Frame&, DropReason) {}
  /// A data frame was trimmed: an arriving one (`queue` is none()), or the last of `queue`, which the buffer had
  /// charged `was_charged` bytes and now charges Frame::charged_bytes.
  virtual void on_trim(const SwitchContext&, QueueId /*queue*/, const Frame&, std::int64_t /*was_charged*/) {}
  virtual void on_admit(const SwitchContext&, const Frame&) {}
  /// A frame was appended to a queue (its length includes it). Called before policies are notified, and after on_admit,
  /// which is not called for frames that the switch made itself. A frame that leaves as it arrives enters no queue.
  virtual void on_enter(const SwitchContext&, QueueId, const Frame&) {}
  /// A frame left a queue of a stage, or a queue with Service::released, for the next queue. Neither of the two lengths
  /// includes it.
  virtual void on_leave(const SwitchContext&, QueueId, const Frame&) {}
  virtual void on_depart(const SwitchContext&, QueueId, const Frame&) {}
  /// The frame arrived for an idle port and left immediately: neither a queue nor the buffer has counted it.
  virtual void on_pass(const SwitchContext& context, QueueId queue, const Frame& frame) {
    on_admit(context, frame);
    on_depart(context, queue, frame);
  }
};

}  // namespace weir
