// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/flow_nic.h"

#include "schemes/bfc/message.h"

namespace weir::bfc {

void FlowNic::attach(NicContext& context) {
  owner_ = context.new_gate_owner();
  fields_ = FrameFields::of(context.headers());
}

void FlowNic::on_sent(NicContext&, SendState& sender, GateId, Frame& frame) {
  if (settings_.manages(sender.priority)) fields_.remaining.write(frame, remaining_of(sender));
}

bool FlowNic::on_control(NicContext& context, const Frame& frame) {
  const auto said = read_message(context.frames(), frame, 0);
  if (!said) return frame.kind == FrameKind::hop_control && frame.protocol == kProtocol;
  if (said->say != Say::pause_flow && said->say != Say::resume_flow) return true;
  SendState* sender = context.sender_to(said->flow.destination, said->queue_pair);
  if (!settings_.nic_backpressure || sender == nullptr || sender->entropy != said->flow.entropy) return true;
  context.set_gate(*sender, owner_, said->say == Say::resume_flow);  // [BFC-V-8]
  return true;
}

void FlowNic::held_by(const NicContext& context, const SendState& sender, std::vector<HeldBy>& out) const {
  out.push_back({PortId(0), name_of({context.host(), sender.remote, sender.entropy}), QueueId::none()});
}

}  // namespace weir::bfc
