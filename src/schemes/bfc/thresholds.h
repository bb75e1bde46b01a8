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
  Thresholds(const SwitchContext& context, const Settings& settings) : queues_(settings.queues_of_port()) {
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
    // [BFC-B-1] The frame counts, and so does its queue among the active ones if it is not paused. A queue's rate is
    // its share of what its level gets; the level's own frames that are not BFC's (acknowledgements) hardly use any.
    const QueueState& others = context.queue(context.default_queue(frame.egress, frame.priority));
    std::size_t active = context.port(frame.egress).levels[queue.level].active;
    if (others.active) --active;
    if (!queue.active && !queue.barred) ++active;
    return is_over(frame, queue, active);
  }
  /// The same where `active` queues are: the frame's own among them, if it is not paused.
  [[nodiscard]] bool is_over(const Frame& frame, const QueueState& queue, std::size_t active) const {
    return queue.bytes + frame.charged_bytes > at(frame.egress, std::max<std::size_t>(1, active));
  }

 private:
  std::size_t queues_ = 0;
  std::vector<std::int64_t> bytes_;
};

}  // namespace weir::bfc
