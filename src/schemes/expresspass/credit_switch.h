// SPDX-License-Identifier: Apache-2.0
// The switch of ExpressPass: a rate-limited queue of credits at every port.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/expresspass/settings.h"

namespace weir::expresspass {

class CreditSwitch final : public Classifier {
 public:
  explicit CreditSwitch(const Parameters& parameters) : settings_(parameters) {}

  [[nodiscard]] Hooks hooks() const override { return {.drop = true}; }
  void attach(SwitchContext& context) override;
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override;
  QueueId classify(QueueContext& context, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId queue, const Frame& frame, DropReason reason) override;

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

 private:
  Settings settings_;
  std::vector<QueueId> credits_;        // by port
  std::vector<std::uint64_t> dropped_;  // credits, by port
};

}  // namespace weir::expresspass
