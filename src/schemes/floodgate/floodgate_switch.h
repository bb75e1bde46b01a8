// SPDX-License-Identifier: Apache-2.0
// Floodgate in a switch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/floodgate/accounts.h"
#include "schemes/floodgate/settings.h"
#include "schemes/floodgate/windows.h"

namespace weir::floodgate {

/// Windows towards the switches downstream, credits to those upstream. It touches data of its priority only, and PFC
/// may be below it: what a window lets through joins a queue that PFC may hold. [FLOODGATE-P-1]
class FloodgateSwitch : public Classifier {
 public:
  explicit FloodgateSwitch(const Settings& settings) : settings_(settings), windows_(settings_), accounts_(settings_) {}
  FloodgateSwitch(const FloodgateSwitch&) = delete;
  FloodgateSwitch& operator=(const FloodgateSwitch&) = delete;

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override;
  QueueId classify(QueueContext& context, Frame& frame) override;
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override;
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override;
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_timer(SwitchContext& context, TimerId timer) override;
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override;
  [[nodiscard]] std::optional<ControlVerdict> judge(const SwitchContext& context, PortId port,
                                                    const Frame& frame) const override;
  void on_link(SwitchContext& context, PortId port, bool up) override;
  void on_more(SwitchContext& context) override { windows_.serve_all(queue_context(context)); }
  [[nodiscard]] std::int64_t signalled_length(const SwitchContext& context, QueueId queue,
                                              const Frame& frame) const override {
    return windows_.signalled(context, queue, frame, settings_.signal == Signal::split);
  }
  [[nodiscard]] std::int64_t carried_length(const SwitchContext& context, QueueId queue,
                                            const Frame& frame) const override {
    return windows_.signalled(context, queue, frame, settings_.signal != Signal::egress);
  }

  void keeps(const SwitchContext& context, QueueId queue, const Frame& frame,
             std::vector<HopPause>& out) const override;
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override;
  [[nodiscard]] Duration longest_release() const override {
    return settings_.per_packet ? Duration() : settings_.credit_timer;
  }
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override {
    return (settings_.hashed > 0 ? "credit of entry " : "credit for host ") + std::to_string(name);
  }
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

  // ---- for tests ----
  [[nodiscard]] const Windows& windows() const { return windows_; }
  [[nodiscard]] const Accounts& accounts() const { return accounts_; }
  /// What is wrong; empty: nothing.
  [[nodiscard]] std::string audit() const;

 private:
  void forget(SwitchContext& context, Frame& frame);

  Settings settings_;
  Windows windows_;
  Accounts accounts_;
  InlineField<std::uint32_t> sequence_;
};

}  // namespace weir::floodgate
