// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_receiver.h"

#include <algorithm>

namespace weir::expresspass {

// [XPASS-Q-4] The bucket starts empty, as those of switches do.
void CreditReceiver::attach(TransportContext& context, TimerId shaper) {
  number_ = context.headers().place<std::uint16_t>(kCreditNumber);
  time_ = context.headers().place<std::uint32_t>(kCreditTime);
  shaper_ = shaper;
  const std::int64_t data_wire = context.maximum_frame() + context.framing().wire_overhead;
  gap_ = time_to_send(Bytes(kControlWire), credit_rate(context.rate(), data_wire));
  earliest_ = context.now() + gap_;
  queue_.allocate(settings_.credit_buffer);
}

void CreditReceiver::on_request(TransportContext& context, ReceiveState& receiver, const Frame& request) {
  State& state = state_of(receiver);
  if (sequence_before(request.sequence, receiver.expected)) acknowledge(context, receiver);  // [XPASS-R-4]
  if (state.sending) return;
  // [XPASS-C-1]
  state.sending = true;
  state.rate.start(settings_, request.tag_value, context.now());
  state.awaited = state.made;
  state.next = state.heard = context.now();
  make_credits(context, receiver);
}

// [XPASS-C-5]
void CreditReceiver::on_stop(TransportContext& context, ReceiveState& receiver) {
  State& state = state_of(receiver);
  state.sending = false;
  context.cancel(receiver);
  if (state.acknowledged != receiver.expected) acknowledge(context, receiver);  // [XPASS-R-3]
}

void CreditReceiver::on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) {
  State& state = state_of(receiver);
  count_credit(context, state, data);
  if (sequence_before(data.sequence, receiver.expected)) {
    ++receiver.duplicates;
    if (data.ends_message()) acknowledge(context, receiver);
    return;
  }
  if (data.sequence != receiver.expected || data.trimmed()) {  // [XPASS-R-1]
    if (!state.lacks) complain(context, receiver);
    return;
  }
  state.lacks = false;
  ++receiver.expected;
  context.keep(receiver, data.payload_bytes);
  if (!data.ends_message()) return;
  context.complete_message(receiver);
  acknowledge(context, receiver);  // [XPASS-R-3]
}

// [XPASS-C-3], [XPASS-C-4]
void CreditReceiver::count_credit(const TransportContext& context, State& state, const Frame& data) const {
  state.heard = context.now();
  const Duration sample = since(time_.read(data), context.now());
  state.round_trip = state.round_trip > Duration() ? state.round_trip * 4 / 5 + sample / 5 : sample;
  const auto skipped = static_cast<std::uint16_t>(number_.read(data) - static_cast<std::uint16_t>(state.awaited));
  if (skipped >= state.made - state.awaited) return;  // a credit of an earlier request
  state.rate.count(skipped);
  state.awaited += std::uint32_t{skipped} + 1;
}

void CreditReceiver::on_timer(TransportContext& context, ReceiveState& receiver) {
  State& state = state_of(receiver);
  if (!state.sending) return;
  if (state.lacks && context.now() - state.complained >= std::max(settings_.timeout, 2 * state.round_trip)) {
    complain(context, receiver);  // [XPASS-R-1]
  }
  make_credits(context, receiver);
}

// [XPASS-C-2] Counted from the time at which each credit is due, so that a driver that calls late changes little.
void CreditReceiver::make_credits(TransportContext& context, ReceiveState& receiver) {
  State& state = state_of(receiver);
  const Time now = context.now();
  while (state.next <= now) {
    state.rate.update(settings_, now, state.round_trip, gap_, state.heard);
    if (queue_.full()) {
      ++counts_.dropped;  // [XPASS-Q-4]
    } else {
      queue_.push({receiver.number, state.made, stamp_of(now)});
    }
    ++state.made;
    const double jitter = 1 + settings_.jitter * (2 * context.random().uniform() - 1);
    state.next += Duration::picoseconds(
        static_cast<std::int64_t>(static_cast<double>(gap_.picoseconds()) * jitter / state.rate.rate()));
  }
  context.arm(receiver, state.next);
  shape(context);
}

// [XPASS-Q-4] As a token bucket of `credit_burst` credits.
void CreditReceiver::shape(TransportContext& context) {
  const Time now = context.now();
  earliest_ = std::max(earliest_, now - (settings_.credit_burst - 1) * gap_);
  while (!queue_.empty() && earliest_ <= now) {
    const Made credit = queue_.pop();
    const ReceiveState* receiver = context.receiver(credit.receiver);
    if (receiver == nullptr) continue;
    earliest_ += gap_;
    const FrameId id = context.new_control(*receiver, kProtocol, kCreditPriority);
    if (!id.exists()) continue;
    write_control(context.frames()[id], context.framing(), Kind::credit, credit.number, credit.stamp);
    context.frames()[id].set_expendable();
    context.send_to_host(id);
    ++counts_.credits;
  }
  if (!queue_.empty()) context.arm(shaper_, earliest_);
}

void CreditReceiver::acknowledge(TransportContext& context, const ReceiveState& receiver) {
  state_of(receiver).acknowledged = receiver.expected;
  const FrameId id = context.new_acknowledgement(receiver, receiver.expected);
  if (id.exists()) context.send_to_host(id);
}

void CreditReceiver::complain(TransportContext& context, const ReceiveState& receiver) {
  State& state = state_of(receiver);
  state.lacks = true;
  state.complained = context.now();
  ++counts_.nacks;
  const FrameId id = context.new_control(receiver, kProtocol, receiver.priority);
  if (!id.exists()) return;
  write_control(context.frames()[id], context.framing(), Kind::nack, receiver.expected, 0);
  context.send_to_host(id);
}

}  // namespace weir::expresspass
