// The pause threshold, as a table by egress port and number of active queues.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "policy/switch_context.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

/// The one-hop round trip that counts at a switch: the longest, as any of its ingresses may feed a queue.
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
  /// Whether a frame that comes to `queue` now is over the threshold.
  [[nodiscard]] bool is_over(const SwitchContext& context, const Frame& frame, const QueueState& queue) const {
    // [BFC-B-1] The frame counts, and so does its queue among the active ones if it is not paused.
    const std::size_t active = active_at(context, frame.egress) + (!queue.active && !queue.barred ? 1 : 0);
    return is_over(frame, queue, active);
  }
  /// How many queues of a port, of all classes, have data and are not paused. Frames that are not BFC's
  /// (acknowledgements) hardly use any of the rate: their queues do not count, of whatever priority they are.
  [[nodiscard]] std::size_t active_at(const SwitchContext& context, PortId egress) const {
    const PortState& port = context.port(egress);
    std::size_t active = 0;
    for (unsigned i = 0; i < levels_; ++i) active += port.levels[level_[i]].active;
    for (unsigned i = 0; i < others_; ++i) {
      if (context.queue(context.default_queue(egress, other_[i])).active) --active;
    }
    return active;
  }
  /// The same where `active` queues are: the frame's own among them, if it is not paused.
  [[nodiscard]] bool is_over(const Frame& frame, const QueueState& queue, std::size_t active) const {
    return queue.bytes + frame.charged_bytes > at(frame.egress, std::max<std::size_t>(1, active));
  }

 private:
  /// Finds the levels of BFC's queues, and whose default queues share them. They are those of all ports.
  void note_levels(const SwitchContext& context, const Settings& settings) {
    if (context.ports() == 0) return;
    const auto level_of = [&context](unsigned priority) {
      return context.queue(context.default_queue(PortId(0), static_cast<Priority>(priority))).level;
    };
    unsigned seen = 0;
    for (std::size_t of_class = 0; of_class < settings.classes; ++of_class) {
      const std::uint8_t level = level_of(static_cast<unsigned>(settings.highest - of_class));
      if ((seen >> level & 1u) == 0) level_[levels_++] = level;
      seen |= 1u << level;
    }
    for (unsigned priority = 0; priority < kPriorities; ++priority) {
      if ((seen >> level_of(priority) & 1u) != 0) other_[others_++] = static_cast<Priority>(priority);
    }
  }

  std::size_t queues_ = 0;
  std::uint8_t levels_ = 0;  // of level_
  std::uint8_t others_ = 0;  // of other_
  std::array<std::uint8_t, kPriorities> level_{};
  std::array<Priority, kPriorities> other_{};
  std::vector<std::int64_t> bytes_;
};

}  // namespace weir::bfc
