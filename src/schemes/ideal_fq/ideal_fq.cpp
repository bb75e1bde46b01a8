// SPDX-License-Identifier: Apache-2.0
#include "schemes/ideal_fq/ideal_fq.h"

#include <memory>

#include "policy/flow_queues.h"

namespace weir::ideal_fq {
namespace {

class IdealFq final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override { queues_.attach(context); }

  // [IFQ-1]
  QueueId classify(QueueContext& context, Frame& frame) override { return queues_.queue_of(context, frame); }

  // [IFQ-2]
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override { queues_.leave(context, frame); }
  void on_withdraw(SwitchContext& context, QueueId, Frame& frame) override { queues_.leave(context, frame); }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) override {
    if (frame.charged_bytes != 0) queues_.leave(context, frame);  // it had been admitted, and therefore classified
  }

 private:
  FlowQueues queues_;
};

}  // namespace

const Scheme scheme = {
    .name = "ideal_fq",
    .summary = "ideal fair queueing: one queue per flow and port, served in deficit round robin",
    .traits = {.ideal = true},
    .parameters = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<IdealFq>(); },
};

}  // namespace weir::ideal_fq
