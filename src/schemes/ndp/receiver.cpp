// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/receiver.h"

#include <algorithm>

#include "schemes/ndp/ndp.h"

namespace weir::ndp {

// [NDP-RCV-3] The time of a full packet on the wire, relative to the rate of the link.
void Receiver::attach(const TransportContext& context, TimerId timer) {
  timer_ = timer;
  const std::int64_t packet =
      context.framing().data(static_cast<std::uint32_t>(context.maximum_payload())) + context.framing().wire_overhead;
  const Duration at_link_rate = time_to_send(Bytes(packet), context.rate());
  interval_ = Duration::picoseconds(
      static_cast<std::int64_t>(static_cast<double>(at_link_rate.picoseconds()) / settings_.pull_share));
}

// [NDP-END-1]
void Receiver::note_last(Receiving& state, const Frame& data) {
  if (data.wants_ack()) {
    if (!state.has_last || sequence_before(state.last, data.sequence)) state.last = data.sequence;
    state.has_last = true;
  } else if (state.has_last && sequence_before(state.last, data.sequence)) {
    state.has_last = false;
  }
}

bool Receiver::is_complete(const ReceiveState& receiver) {
  const auto& state = receiver.congestion.as<Receiving>();
  return state.has_last && sequence_before(state.last, receiver.expected);
}

void Receiver::answer(TransportContext& context, const ReceiveState& receiver, Message message,
                      std::uint32_t number) const {
  const FrameId id = context.new_control(receiver, kProtocol, receiver.priority);
  if (!id.exists()) return;
  Frame& frame = context.frames()[id];
  write(frame, message, number);
  frame.entropy = static_cast<std::uint16_t>(context.random().below(settings_.paths));  // [NDP-PATH-3]
  context.send_to_host(id);
}

// [NDP-RCV-1] [NDP-RCV-2] [NDP-RCV-4]
void Receiver::on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) {
  auto& state = receiver.congestion.as<Receiving>();
  note_last(state, data);
  if (data.trimmed()) {
    const bool here = sequence_before(data.sequence, receiver.expected);
    answer(context, receiver, here ? Message::ack : Message::nack, data.sequence);
  } else {
    const auto [arrival, completed] = state.window.arrive(receiver, data);
    if (arrival == ReorderWindow::Arrival::beyond) return;
    if (arrival != ReorderWindow::Arrival::duplicate) context.keep(receiver, data.payload_bytes);
    for (std::uint32_t i = 0; i < completed; ++i) context.complete_message(receiver);
    answer(context, receiver, Message::ack, data.sequence);
  }
  if (is_complete(receiver)) {
    state.owed = 0;
    waiting_.remove(receiver);
    return;
  }
  ++state.owed;
  waiting_.add(receiver);
  if (!pacing_) {
    next_pull_ = std::max(next_pull_, context.now());
    send_pulls(context);
  }
}

// [NDP-RCV-3] One for the flow whose turn it is, and one more for each interval that has passed since one was due.
void Receiver::send_pulls(TransportContext& context) {
  while (next_pull_ <= context.now() && !waiting_.empty()) {
    ReceiveState& receiver = *waiting_.first();
    auto& state = receiver.congestion.as<Receiving>();
    waiting_.remove(receiver);
    --state.owed;
    answer(context, receiver, Message::pull, ++state.pulls);
    if (state.owed > 0) waiting_.add(receiver);
    next_pull_ += interval_;
  }
  pacing_ = next_pull_ > context.now();
  if (pacing_) context.arm(timer_, next_pull_);
}

}  // namespace weir::ndp
