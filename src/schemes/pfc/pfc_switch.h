// SPDX-License-Identifier: Apache-2.0
// PFC in a switch: pauses its neighbours according to the counts of its ingresses, and obeys their pauses at its
// egresses.
#pragma once

#include <optional>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/pfc/pending_pauses.h"
#include "schemes/pfc/settings.h"

namespace weir::pfc {

/// One per switch. It is the only flow control that calls note_pause, and uses IngressState::paused as its state.
class PfcSwitch final : public FlowControl {
 public:
  explicit PfcSwitch(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter_if_crowded = true;
    hooks.depart_if_paused = true;
    hooks.drop = true;
    return hooks;
  }
  void attach(SwitchContext& context) override;
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override;
  void on_timer(SwitchContext& context, TimerId timer) override;
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override;
  [[nodiscard]] std::optional<ControlVerdict> judge(const SwitchContext& context, PortId port,
                                                    const Frame& frame) const override;
  void on_link(SwitchContext& context, PortId port, bool up) override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

 private:
  struct Port {
    TimerId refresh;
    TimerId respond;
    Duration refresh_interval;
    Duration retry_interval;
    PendingPauses pending;
    // Number of priorities paused since the start.
    std::uint64_t paused = 0;
    std::uint64_t resumed = 0;
    std::uint64_t repeated = 0;
    std::uint64_t obeyed = 0;
  };

  void pause(SwitchContext& context, PortId port, Priority priority);
  void resume(SwitchContext& context, PortId port, Priority priority);
  void resume_if_due(SwitchContext& context, PortId port, Priority priority);
  void refresh(SwitchContext& context, PortId port);
  void respond(SwitchContext& context, PortId port);
  void obey(SwitchContext& context, PortId port, const PfcQuanta& said);

  Settings settings_;
  GateOwner owner_ = 0;
  std::vector<Port> ports_;
};

}  // namespace weir::pfc
