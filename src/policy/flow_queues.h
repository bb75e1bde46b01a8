// SPDX-License-Identifier: Apache-2.0
// One queue per flow at each port and priority, without a limit: for classifiers that no real switch could run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "policy/switch_policy.h"
#include "units/random.h"

namespace weir {

/// The queues of a switch's flows. A flow has a queue while it has frames there. A queue without a flow is reused; one
/// is created if there is none. Creates queues while the switch runs, so its scheme has SchemeTraits::ideal.
class FlowQueues {
 public:
  /// Before any other call.
  void attach(const SwitchContext& context) { free_.resize(context.ports() * kPriorities); }

  /// The queue of the flow of an admitted frame; frame.egress is its port.
  QueueId queue_of(QueueContext& context, const Frame& frame) {
    const auto [found, is_new] = queue_of_.try_emplace(Flow::of(frame));
    if (is_new) found->second = take_queue(context, frame);
    return found->second;
  }
  /// A frame has left the switch after queue_of(): its queue is free if it was the last.
  void leave(const SwitchContext& context, const Frame& frame) {
    const auto found = queue_of_.find(Flow::of(frame));
    if (context.queue(found->second).frames != 0) return;
    free_queues(frame).push_back(found->second);
    queue_of_.erase(found);
  }

 private:
  /// A flow at one switch, distinguished from all others.
  struct Flow {
    HostId source;
    HostId destination;
    QueuePairId queue_pair;
    PortId egress;
    Priority priority = 0;
    bool is_data = false;  // numbers of sending and receiving halves overlap

    static Flow of(const Frame& frame) {
      return {frame.source, frame.destination, frame.queue_pair, frame.egress, frame.priority, !frame.is_control()};
    }
    bool operator==(const Flow&) const = default;
  };
  struct FlowHash {
    std::size_t operator()(const Flow& flow) const {
      const std::uint64_t hosts = std::uint64_t{flow.source.value} << 32 | flow.destination.value;
      const std::uint64_t rest = std::uint64_t{flow.queue_pair.value} << 32 | std::uint64_t{flow.egress.value} << 16 |
                                 std::uint64_t{flow.priority} << 1 | (flow.is_data ? 1 : 0);
      return mix(hosts, rest);
    }
  };

  std::vector<QueueId>& free_queues(const Frame& frame) {
    return free_[frame.egress.index() * kPriorities + frame.priority];
  }
  QueueId take_queue(QueueContext& context, const Frame& frame) {
    std::vector<QueueId>& free = free_queues(frame);
    if (free.empty()) {
      QueueSpec spec;
      spec.port = frame.egress;
      spec.priority = frame.priority;
      spec.ideal = true;
      return context.new_queue(spec);
    }
    const QueueId queue = free.back();
    free.pop_back();
    return queue;
  }

  std::unordered_map<Flow, QueueId, FlowHash> queue_of_;  // with frames here; only looked up, never iterated
  std::vector<std::vector<QueueId>> free_;                // by port and priority
};

}  // namespace weir
