// SPDX-License-Identifier: Apache-2.0
// The pause threshold as a table by egress port and number of active queues.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "policy/switch_context.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

/// The one-hop round trip that a switch uses: the longest, because any ingress may feed a queue.
inline Duration round_trip_of(const SwitchContext& context, const Settings& settings) {
  if (settings.hop_round_trip > Duration()) return settings.hop_round_trip;
  Duration longest;
  for (std::size_t port = 0; port < context.ports(); ++port) {
    longest = std::max(longest, context.hop_round_trip(PortId(port)));
  }
  return longest;
}

class Thresholds {
 public:
  Thresholds() = default;
  Thresholds(const SwitchContext& context, const Settings& settings) : queues_(settings.queues_of_port()) {
    note_levels(context, settings);
    const Duration time = settings.threshold > Duration() ? settings.threshold : round_trip_of(context, settings);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      const std::int64_t product = bytes_in(time, context.port(PortId(port)).rate).count();
      for (std::size_t active = 1; active <= queues_; ++active) {
        bytes_.push_back(product / static_cast<std::int64_t>(active));  // [BFC-B-2]
      }
    }
  }
  /// Bytes; `active` is at least one.
  [[nodiscard]] std::int64_t at(PortId egress, std::size_t active) const {
    return bytes_[egress.index() * queues_ + std::min(active, queues_) - 1];
  }
  /// Whether a frame that arrives at `queue` now is over the threshold.
  [[nodiscard]] bool is_over(const SwitchContext& context, const Frame& frame, const QueueState& queue) const {
    // Below the lowest threshold, the number of active queues does not matter.
    if (!is_over(frame, queue, queues_)) return false;
    // [BFC-B-1] The frame counts; so does its queue, as an active one, if it is not paused.
    const std::size_t active = active_at(context, frame.egress) + (!queue.active && !queue.blocked ? 1 : 0);
    return is_over(frame, queue, active);
  }
  /// The number of queues of a port, of all classes, that have data and are not paused. Frames that BFC does not manage
  /// (acknowledgements) use hardly any of the rate: their queues do not count, whatever their priority.
  [[nodiscard]] std::size_t active_at(const SwitchContext& context, PortId egress) const {
    const PortState& port = context.port(egress);
    std::size_t active = port.active_queues;
    for (unsigned i = 0; i < sharing_; ++i) active -= is_active(context, egress, sharer_[i]);
    // A level without BFC's queues has only default queues, usually one.
    unsigned apart = port.ready_levels & ~levels_;
    if (apart != 0 && crowded_apart_) {
      for (unsigned i = 0; i < apart_; ++i) active -= is_active(context, egress, stranger_[i]);
      return active;
    }
    for (; apart != 0; apart &= apart - 1) --active;
    return active;
  }
  /// The same with `active` queues, including the frame's own if it is not paused.
  [[nodiscard]] bool is_over(const Frame& frame, const QueueState& queue, std::size_t active) const {
    return queue.bytes + frame.charged_bytes > at(frame.egress, std::max<std::size_t>(1, active));
  }

 private:
  static std::size_t is_active(const SwitchContext& context, PortId egress, Priority priority) {
    return context.queue(context.default_queue(egress, priority)).active ? 1 : 0;
  }
  /// Finds the levels of BFC's queues, the default queues that share these levels, and the default queues at other
  /// levels. All ports have the same ones.
  void note_levels(const SwitchContext& context, const Settings& settings) {
    if (context.ports() == 0) return;
    const auto level_of = [&context](unsigned priority) {
      return context.queue(context.default_queue(PortId(0), static_cast<Priority>(priority))).level;
    };
    for (std::size_t of_class = 0; of_class < settings.classes; ++of_class) {
      levels_ |= 1u << level_of(static_cast<unsigned>(settings.highest - of_class));
    }
    unsigned seen = 0;
    for (unsigned priority = 0; priority < kPriorities; ++priority) {
      const unsigned level = 1u << level_of(priority);
      if ((levels_ & level) != 0) {
        sharer_[sharing_++] = static_cast<Priority>(priority);
      } else {
        stranger_[apart_++] = static_cast<Priority>(priority);
        crowded_apart_ |= (seen & level) != 0;
        seen |= level;
      }
    }
  }

  std::size_t queues_ = 0;
  unsigned levels_ = 0;         // one bit per level
  std::uint8_t sharing_ = 0;    // of sharer_
  std::uint8_t apart_ = 0;      // of stranger_
  bool crowded_apart_ = false;  // some level without BFC's queues has several priorities
  std::array<Priority, kPriorities> sharer_{};
  std::array<Priority, kPriorities> stranger_{};
  std::vector<std::int64_t> bytes_;
};

}  // namespace weir::bfc
