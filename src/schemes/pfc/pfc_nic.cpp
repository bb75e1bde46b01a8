// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pfc_nic.h"

namespace weir::pfc {

void PfcNic::attach(NicContext& context) {
  owner_ = context.new_gate_owner();
  if (settings_.response == Duration()) return;
  respond_ = context.new_timer(*this);
  pending_ = PendingPauses(settings_.response, context.rate(), context.framing());
}

bool PfcNic::on_control(NicContext& context, const Frame& frame) {
  if (frame.kind != FrameKind::pfc) return false;
  const PfcQuanta said = read_pfc(context.frames(), frame);
  if (settings_.response == Duration()) {
    obey(context, said);
    return true;
  }
  if (pending_.full()) obey(context, pending_.pop());
  pending_.push(context.now() + settings_.response, said);  // [PFC-R-4]
  context.arm(respond_, pending_.due());
  return true;
}

void PfcNic::on_timer(NicContext& context, TimerId) {
  while (!pending_.empty() && pending_.due() <= context.now()) obey(context, pending_.pop());
  if (!pending_.empty()) context.arm(respond_, pending_.due());
}

void PfcNic::obey(NicContext& context, const PfcQuanta& said) {
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (!said.names(priority)) continue;
    const std::uint16_t quanta = said.quanta[priority];
    obeyed_ += quanta == 0 ? 0 : 1;
    if (quanta == 0 || settings_.binary) {
      context.set_priority_gate(priority, owner_, quanta == 0);  // [PFC-R-2] [PFC-B-1]
    } else {
      const Time until = context.now() + pause_of(quanta, context.rate());
      context.close_priority_gate_until(priority, owner_, until);  // [PFC-R-1]
    }
  }
}

void PfcNic::on_link(NicContext& context, bool) {
  if (!respond_.exists()) return;
  context.cancel(respond_);  // [PFC-L-1]
  pending_.clear();
}

}  // namespace weir::pfc
