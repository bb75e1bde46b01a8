// SPDX-License-Identifier: Apache-2.0
// PFC in a NIC: heeds the pauses of its switch. It sends none: a NIC takes what comes in at line rate.
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

 private:
  void obey(NicContext& context, const PfcQuanta& said) const;

  Settings settings_;
  GateOwner owner_ = 0;
  TimerId respond_;
  PendingPauses pending_;
};

}  // namespace weir::pfc
