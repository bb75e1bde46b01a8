// The pause threshold, as a table by egress port and number of active queues.
#pragma once

#include <algorithm>
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
  Thresholds(const SwitchContext& context, const Settings& settings)
      : queues_(settings.queues_of_port()), classes_(settings.classes), highest_(settings.highest) {
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
  /// How many queues of a port, of all classes, have data and are not paused. Frames of a class that are not BFC's
  /// (acknowledgements) hardly use any of the rate: their queue does not count.
  [[nodiscard]] std::size_t active_at(const SwitchContext& context, PortId egress) const {
    std::size_t active = 0;
    unsigned levels_seen = 0;
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) {
      const QueueState& others =
          context.queue(context.default_queue(egress, static_cast<Priority>(highest_ - of_class)));
      const unsigned level = 1u << others.level;
      if ((levels_seen & level) == 0) active += context.port(egress).levels[others.level].active;
      levels_seen |= level;
      if (others.active) --active;
    }
    return active;
  }
  /// The same where `active` queues are: the frame's own among them, if it is not paused.
  [[nodiscard]] bool is_over(const Frame& frame, const QueueState& queue, std::size_t active) const {
    return queue.bytes + frame.charged_bytes > at(frame.egress, std::max<std::size_t>(1, active));
  }

 private:
  std::size_t queues_ = 0;
  std::size_t classes_ = 1;
  Priority highest_ = 0;
  std::vector<std::int64_t> bytes_;
};

}  // namespace weir::bfc
