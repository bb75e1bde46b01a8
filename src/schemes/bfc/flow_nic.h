// SPDX-License-Identifier: Apache-2.0
// The NIC side of the ideal that pauses flows: each queue pair is paused individually.
#pragma once

#include "policy/nic_policy.h"
#include "schemes/bfc/message.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

class FlowNic final : public NicFlowControl {
 public:
  explicit FlowNic(const Settings& settings) : settings_(settings) {}

  void attach(NicContext& context) override;
  [[nodiscard]] bool marks_sent() const override { return settings_.shortest_remaining(); }
  void on_sent(NicContext& context, SendState& sender, GateId gate, Frame& frame) override;
  bool on_control(NicContext& context, const Frame& frame) override;
  void held_by(const NicContext& context, const SendState& sender, std::vector<HeldBy>& out) const override;
  using NicFlowControl::held_by;

 private:
  Settings settings_;
  GateOwner owner_ = 0;
  FrameFields fields_;
};

}  // namespace weir::bfc
