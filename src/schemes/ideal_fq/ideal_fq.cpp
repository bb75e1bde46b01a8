// SPDX-License-Identifier: Apache-2.0
#include "schemes/ideal_fq/ideal_fq.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace weir::ideal_fq {
namespace {

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

class IdealFq final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override { free_.resize(context.ports() * kPriorities); }

  // [IFQ-1]
  QueueId classify(QueueContext& context, Frame& frame) override {
    const auto [found, is_new] = queue_of_.try_emplace(Flow::of(frame));
    if (is_new) found->second = take_queue(context, frame);
    return found->second;
  }

  void on_depart(SwitchContext& context, QueueId, Frame& frame) override { leave(context, frame); }
  void on_withdraw(SwitchContext& context, QueueId, Frame& frame) override { leave(context, frame); }
  void on_drop(SwitchContext& context, const Frame& frame, DropReason) override {
    if (frame.charged_bytes != 0) leave(context, frame);  // it had been admitted, and therefore classified
  }

 private:
  std::vector<QueueId>& free_queues(const Frame& frame) {
    return free_[frame.egress.index() * kPriorities + frame.priority];
  }
  // [IFQ-2]
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
  // [IFQ-2]
  void leave(SwitchContext& context, const Frame& frame) {
    const auto found = queue_of_.find(Flow::of(frame));
    if (context.queue(found->second).frames != 0) return;
    free_queues(frame).push_back(found->second);
    queue_of_.erase(found);
  }

  std::unordered_map<Flow, QueueId, FlowHash> queue_of_;  // with frames here; only looked up, never iterated
  std::vector<std::vector<QueueId>> free_;                // by port and priority
};

}  // namespace

const Scheme scheme = {
    .name = "ideal_fq",
    .summary = "ideal fair queueing: a queue for each flow at each port, served in deficit round robin",
    .traits = {.ideal = true},
    .parameters = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<IdealFq>(); },
};

}  // namespace weir::ideal_fq
