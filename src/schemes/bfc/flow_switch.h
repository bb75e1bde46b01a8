// SPDX-License-Identifier: Apache-2.0
// The ideal with which BFC is compared (3.3.2): a switch that identifies every flow by its identifier, and pauses flows
// instead of queues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/bfc/egress_queues.h"
#include "schemes/bfc/flow_register.h"
#include "schemes/bfc/frame_notes.h"
#include "schemes/bfc/message.h"
#include "schemes/bfc/settings.h"
#include "schemes/bfc/thresholds.h"

namespace weir::bfc {

class FlowSwitch final : public Classifier {
 public:
  explicit FlowSwitch(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    hooks.drop = true;
    hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override;
  QueueId classify(QueueContext& context, Frame& frame) override;
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override;
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override;
  [[nodiscard]] std::uint64_t rank(const SwitchContext& context, const Frame& frame) const override;
  [[nodiscard]] std::optional<HopPause> keeps_paused(const Frame& frame) const override;
  void pauses_of(const SwitchContext& context, QueueId queue, std::vector<std::uint64_t>& names) const override;
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override;
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override;
  [[nodiscard]] std::optional<ControlVerdict> judge(const SwitchContext& context, PortId port,
                                                    const Frame& frame) const override;
  void on_link(SwitchContext& context, PortId port, bool up) override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

  [[nodiscard]] const EgressQueues& queues() const { return queues_; }
  /// Flows that it must store.
  [[nodiscard]] std::size_t flows() const { return flows_.size(); }

 private:
  void note_left(SwitchContext& context, QueueId queue, const Frame& frame);
  void leave(SwitchContext& context, const Frame& frame);
  void tell(SwitchContext& context, const RegisteredFlow& flow, bool pause);
  void hold(SwitchContext& context, const RegisteredFlow& flow);
  void let_go(SwitchContext& context, const RegisteredFlow& flow);
  void forget_if_idle(std::uint32_t place);

  Settings settings_;
  GateOwner owner_ = 0;
  FrameFields fields_;
  EgressQueues queues_;
  Thresholds thresholds_;
  FlowRegister flows_;
  std::vector<std::uint32_t> held_in_;  // by queue of the switch: paused flows that have frames in it
  std::vector<std::uint64_t> pauses_;   // by port: decisions to pause a flow of the neighbour
  std::vector<std::uint64_t> obeyed_;   // by port: pauses of the neighbour
};

}  // namespace weir::bfc
