// SPDX-License-Identifier: Apache-2.0
// PFC with tags in a switch: pauses of destinations instead of windows (appendix B).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/floodgate/host_pauses.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"
#include "schemes/floodgate/voq_pool.h"

namespace weir::floodgate {

/// When the egress queue of a last-hop ToR is too long, the neighbours that fill it are told to pause its destination.
/// A switch that is told puts further packets of the destination for that port into a VOQ of the port, which is closed
/// until the resume; when that is too long, it tells those who fill it. [FLOODGATE-TAG-1] [FLOODGATE-TAG-2]
class TagSwitch final : public Classifier {
 public:
  explicit TagSwitch(const Settings& settings);
  TagSwitch(const TagSwitch&) = delete;
  TagSwitch& operator=(const TagSwitch&) = delete;

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override;
  QueueId classify(QueueContext& context, Frame& frame) override;
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override;
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_timer(SwitchContext& context, TimerId timer) override;
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override;
  [[nodiscard]] std::optional<ControlVerdict> judge(const SwitchContext& context, PortId port,
                                                    const Frame& frame) const override;
  void on_link(SwitchContext& context, PortId port, bool up) override;

  void keeps(const SwitchContext& context, QueueId queue, const Frame& frame,
             std::vector<HopPause>& out) const override;
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override;
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override {
    return (settings_.hashed > 0 ? "entry " : "host ") + std::to_string(name);
  }
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

  /// VOQs. For tests.
  [[nodiscard]] const VoqPool& voqs() const { return voqs_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// A destination by an egress that is paused, or was and has packets in a VOQ.
  struct Way {
    std::uint64_t key = 0;
    std::uint32_t waiting = 0;  // packets in the VOQ
    std::uint16_t voq = VoqPool::kNone;
    bool in_use = false;
    bool paused = false;
    Time until;  // it is paused
    [[nodiscard]] static bool idle() { return false; }
  };
  void hear_pause(SwitchContext& context, PortId port, std::uint32_t name);
  void resume(SwitchContext& context, std::uint32_t number);
  void leave(SwitchContext& context, const Frame& frame);
  void left(QueueContext& context, std::uint32_t number, std::int64_t bytes);
  void set_gate(SwitchContext& context, std::uint16_t voq);
  void close_if_over(std::uint32_t number);
  [[nodiscard]] std::size_t anchor_of(PortId port) const { return voqs_.size() + port.index(); }

  Settings settings_;
  std::vector<bool> neighbours_;  // by port: a switch that takes part
  std::vector<bool> last_hop_;    // by port: a host
  VoqPool voqs_;
  HostPauses pauses_;
  PauseLimits of_egress_;
  PauseLimits of_voq_;
  RecordTable<Way> ways_;
  GateOwner owner_ = 0;
  TimerId timer_;
  Gauge voq_bytes_;
  std::uint64_t obeyed_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t untracked_ = 0;
};

}  // namespace weir::floodgate
