// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_sender.h"

#include <algorithm>

namespace weir::expresspass {
namespace {

/// Credits that may wait for the wire, per priority of data. They arrive no faster than their packets leave, so only a
/// pause lets them wait.
constexpr std::size_t kMostReady = 256;

}  // namespace

void CreditSender::attach(TransportContext& context) {
  number_ = context.headers().place<std::uint16_t>(kCreditNumber);
  time_ = context.headers().place<std::uint32_t>(kCreditTime);
}

void CreditSender::open(SendState& sender) {
  sender.congestion.emplace<State>();
  Fifo<Ready>& ready = ready_[sender.priority];
  if (!ready.is_allocated()) ready.allocate(kMostReady);
}

// [XPASS-S-1]
void CreditSender::on_post(TransportContext& context, SendState& sender) {
  const State::Phase phase = state_of(sender).phase;
  if (phase == State::Phase::idle || phase == State::Phase::stopped) ask(context, sender);
}

void CreditSender::on_stop(TransportContext& context, SendState& sender) {
  const State& state = state_of(sender);
  if (state.cursor != sender.end) return;
  if (state.phase == State::Phase::asking || state.phase == State::Phase::receiving) stop(context, sender);
}

// [XPASS-S-2] In the order in which credits arrived. Credits of sender halves that a flow control blocks go behind.
ChosenPacket CreditSender::choose(TransportContext& context, Priority priority) {
  Fifo<Ready>& ready = ready_[priority];
  for (std::size_t left = ready.size(); left > 0; --left) {
    used_ = ready.pop();
    SendState* sender = context.sender(used_.sender);
    if (sender == nullptr) {
      ++counts_.wasted;
      continue;
    }
    State& state = state_of(*sender);
    if (context.is_held(*sender)) {
      ready.push(used_);
      continue;
    }
    --state.pending;
    if (state.cursor != sender->end) return {sender, state.cursor};
    waste(context, *sender);  // acknowledged or stopped in the meantime
  }
  return {};
}

void CreditSender::on_sent(TransportContext& context, SendState& sender, Frame& frame) {
  State& state = state_of(sender);
  number_.write(frame, static_cast<std::uint16_t>(used_.number));  // [XPASS-M-2]
  time_.write(frame, used_.stamp);
  state.cursor = frame.sequence + 1;
  if (ready_[frame.priority].empty()) context.offer(frame.priority, false);
  if (state.cursor == sender.end && state.phase == State::Phase::receiving) stop(context, sender);  // [XPASS-S-4]
}

void CreditSender::on_acknowledgement(TransportContext& context, SendState& sender, std::uint32_t sequence) {
  context.acknowledge(sender, sequence);
  State& state = state_of(sender);
  if (sequence_before(state.cursor, sender.unacknowledged)) state.cursor = sender.unacknowledged;
  if (!sender.finished()) return;
  if (state.phase == State::Phase::stopped) {
    context.cancel(sender);
    state.phase = State::Phase::idle;
  } else if (state.phase != State::Phase::idle) {
    stop(context, sender);
  }
}

void CreditSender::on_credit(TransportContext& context, SendState* sender, const Frame& credit) {
  ++counts_.credits;
  if (sender == nullptr) {
    ++counts_.wasted;
    return;
  }
  State& state = state_of(*sender);
  ++state.of_round;
  state.heard = context.now();
  if (state.phase == State::Phase::asking) {
    state.phase = State::Phase::receiving;
    if (!state.repeated || state.round_trip == Duration()) state.round_trip = context.now() - state.requested;
    state.round_start = context.now();
    context.arm(*sender, context.now() + patience(state));
  }
  Fifo<Ready>& ready = ready_[sender->priority];
  if (sender->end - state.cursor > state.pending && !ready.full()) {
    ready.push({sender->number, credit.sequence, credit.tag_value});
    ++state.pending;
    context.offer(sender->priority, true);
  } else {
    waste(context, *sender);
  }
  if (state.phase == State::Phase::receiving) stop_if_credits_suffice(context, *sender);
}

// [XPASS-S-5] Credits in flight suffice if the last round trip brought as many as there are packets to send.
void CreditSender::stop_if_credits_suffice(TransportContext& context, SendState& sender) {
  State& state = state_of(sender);
  if (!settings_.early_stop || context.now() - state.round_start < state.round_trip) return;
  const std::uint32_t unsent = sender.end - state.cursor - state.pending;
  if (unsent > 0 && state.of_round >= unsent) stop(context, sender);
  state.of_round = 0;
  state.round_start = context.now();
}

// [XPASS-S-7] [XPASS-S-6] Credits that arrive two round trips after a stop show that it was lost.
void CreditSender::waste(TransportContext& context, SendState& sender) {
  ++counts_.wasted;
  const State& state = state_of(sender);
  const bool asks = state.phase == State::Phase::asking || state.phase == State::Phase::receiving;
  if (!asks && state.cursor == sender.end && context.now() - state.asked >= 2 * state.round_trip) {
    stop(context, sender);
  }
}

// [XPASS-R-2]
void CreditSender::on_nack(TransportContext& context, SendState& sender, std::uint32_t sequence) {
  if (sequence_before(sender.highest_sent, sequence) || sequence_before(sequence, sender.unacknowledged)) return;
  State& state = state_of(sender);
  state.cursor = sequence;
  on_acknowledgement(context, sender, sequence);
  if (state.cursor == sender.end) return;
  if (state.phase == State::Phase::idle || state.phase == State::Phase::stopped) ask(context, sender);
}

void CreditSender::on_timer(TransportContext& context, SendState& sender) {
  State& state = state_of(sender);
  switch (state.phase) {
    case State::Phase::asking:
      ask(context, sender);  // [XPASS-S-3]
      break;
    case State::Phase::stopped:
      if (state.cursor != sender.end) {
        ask(context, sender);  // [XPASS-S-5]
      } else if (sender.finished()) {
        state.phase = State::Phase::idle;
      } else if (const Time due = state.asked + std::max(settings_.timeout, 2 * state.round_trip);
                 context.now() < due) {
        context.arm(sender, due);
      } else {
        state.cursor = sender.unacknowledged;  // [XPASS-R-4]
        ask(context, sender);
      }
      break;
    case State::Phase::receiving:
      if (const Time due = state.heard + patience(state); context.now() < due) {
        context.arm(sender, due);
      } else if (state.pending > 0) {
        context.arm(sender, context.now() + patience(state));
      } else {
        ask(context, sender);  // [XPASS-R-5]
      }
      break;
    case State::Phase::idle:
      break;
  }
}

void CreditSender::on_gates(TransportContext& context) {
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (!ready_[priority].empty()) context.offer(priority, true);
  }
}

void CreditSender::ask(TransportContext& context, SendState& sender) {
  State& state = state_of(sender);
  state.repeated = state.phase == State::Phase::asking;
  if (!state.repeated) state.requested = context.now();
  state.phase = State::Phase::asking;
  state.asked = context.now();
  state.of_round = 0;
  ++counts_.requests;
  say(context, sender, Kind::request, state.cursor, sender.end - state.cursor);
  context.arm(sender, state.asked + settings_.timeout);
}

void CreditSender::stop(TransportContext& context, SendState& sender) {
  State& state = state_of(sender);
  state.phase = State::Phase::stopped;
  state.asked = context.now();
  ++counts_.stops;
  say(context, sender, Kind::stop, state.cursor, 0);
  context.arm(sender, state.asked + 2 * state.round_trip);
}

// [XPASS-M-3]
void CreditSender::say(TransportContext& context, const SendState& sender, Kind kind, std::uint32_t sequence,
                       std::uint32_t value) {
  const FrameId id = context.new_control(sender, kProtocol, sender.priority);
  if (!id.exists()) return;
  write_control(context.frames()[id], context.framing(), kind, sequence, value);
  context.send_to_host(id);
}

}  // namespace weir::expresspass
