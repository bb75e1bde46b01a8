// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pfc_nic.h"

#include <algorithm>

namespace weir::pfc {

void PfcNic::attach(NicContext& context) {
  owner_ = context.new_gate_owner();
  const ReceiveBufferState& buffer = context.receive_buffer();
  buffer_ = &buffer;
  const bool any_lossless = std::find(buffer.lossless.begin(), buffer.lossless.end(), true) != buffer.lossless.end();
  if (buffer.size > 0 && any_lossless) refresh_ = context.new_timer(*this);
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

void PfcNic::on_timer(NicContext& context, TimerId timer) {
  if (timer == refresh_) return refresh(context);
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

bool PfcNic::tell(NicContext& context, std::uint16_t quanta) {
  PfcQuanta message;
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (context.receive_buffer().lossless[priority]) message.set(priority, quanta);
  }
  const FrameId frame = make_pfc(context.frames(), message, context.framing());
  if (!frame.exists()) return false;
  context.send(frame);
  return true;
}

void PfcNic::hold(NicContext& context, bool paused) {
  holds_ = paused;
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (context.receive_buffer().lossless[priority]) context.note_pause(priority, paused);
  }
}

void PfcNic::on_receive_buffer(NicContext& context, Priority) {
  if (!refresh_.exists()) return;
  const std::int64_t used = context.receive_buffer().used;
  if (!holds_ && used >= limits(context).pause) {  // [PFC-H-1]
    if (!tell(context, settings_.quanta)) return;  // the next frame retries
    hold(context, true);
    ++paused_;
    if (!settings_.binary) context.arm(refresh_, context.now() + pause_of(settings_.quanta, context.rate()) / 2);
  } else if (holds_ && used <= std::max<std::int64_t>(0, limits(context).resume)) {  // [PFC-H-2]
    if (!tell(context, 0)) {
      // This may have been the last frame in the buffer.
      const std::int64_t bytes = context.framing().pfc + context.maximum_frame();
      context.arm(refresh_, context.now() + time_to_send(Bytes(bytes), context.rate()));
      return;
    }
    hold(context, false);
    ++resumed_;
    context.cancel(refresh_);
  }
}

// [PFC-H-3]
void PfcNic::refresh(NicContext& context) {
  on_receive_buffer(context, 0);
  if (!holds_ || settings_.binary || context.receive_buffer().used <= std::max<std::int64_t>(0, limits(context).resume))
    return;
  repeated_ += tell(context, settings_.quanta) ? 1 : 0;
  context.arm(refresh_, context.now() + pause_of(settings_.quanta, context.rate()) / 2);
}

void PfcNic::on_link(NicContext& context, bool) {
  // [PFC-L-1] The switch has forgotten the pause; if it is still needed, the next frame repeats it.
  if (refresh_.exists()) context.cancel(refresh_);
  if (holds_) hold(context, false);
  if (!respond_.exists()) return;
  context.cancel(respond_);  // [PFC-L-1]
  pending_.clear();
}

}  // namespace weir::pfc
