// SPDX-License-Identifier: Apache-2.0
// PFC in a NIC: obeys the pauses of its switch. It sends none, because a NIC receives at line rate.
#pragma once

#include "policy/nic_policy.h"
#include "schemes/pfc/pending_pauses.h"
#include "schemes/pfc/settings.h"

namespace weir::pfc {

class PfcNic final : public NicFlowControl {
 public:
  explicit PfcNic(const Settings& settings) : settings_(settings) {}

  void attach(NicContext& context) override;
  bool on_control(NicContext& context, const Frame& frame) override;
  void on_timer(NicContext& context, TimerId timer) override;
  void on_link(NicContext& context, bool up) override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t, std::size_t) const override { return Statistic::of_counter(obeyed_); }

 private:
  static constexpr StatisticSpec kStatistics[] = {{.name = "pfc.pauses_obeyed", .unit = ""}};

  void obey(NicContext& context, const PfcQuanta& said);

  Settings settings_;
  GateOwner owner_ = 0;
  TimerId respond_;
  PendingPauses pending_;
  std::uint64_t obeyed_ = 0;  // of priorities
};

}  // namespace weir::pfc
