// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/sender.h"

#include <algorithm>
#include <bit>

namespace weir::ndp {
namespace {

/// [NDP-RTS-2] The number of answers by which a sender judges whether it has met a bad path.
constexpr unsigned kHistory = 12;

}  // namespace

// [NDP-SND-1]
void Sender::open(SendState& sender) const {
  auto& state = sender.congestion.emplace<Sending>();
  state.blind_end = sender.unacknowledged + window_;
  state.paths.start(settings_.paths);
}

// [NDP-SND-1] [NDP-SND-2]
bool Sender::may_send(const SendState& sender) {
  const Sending& state = state_of(sender);
  const bool permitted = state.permits > 0 || state.own > 0;
  if (state.lost_packets > 0 && permitted) return true;
  if (sender.next == sender.end || sender.packets_in_flight() >= PacketBitmap::kSpan) return false;
  return permitted || sequence_before(sender.next, state.blind_end);
}

// [NDP-SND-3] Retransmissions go first.
std::uint32_t Sender::choose(SendState& sender) {
  Sending& state = state_of(sender);
  const bool again = state.lost_packets > 0 && (state.permits > 0 || state.own > 0);
  if (again || !sequence_before(sender.next, state.blind_end)) --(state.own > 0 ? state.own : state.permits);
  return again ? state.lost.first(sender.unacknowledged, sender.next) : sender.next;
}

void Sender::on_sent(TransportContext& context, SendState& sender, Frame& frame) const {
  Sending& state = state_of(sender);
  const std::uint32_t sequence = frame.sequence;
  if (state.lost.contains(sequence)) {
    state.lost.erase(sequence);
    --state.lost_packets;
  }
  state.aged.erase(sequence);
  ++state.unanswered;
  state.active = true;
  frame.entropy = state.paths.next(context.random());  // [NDP-PATH-1]
  // [NDP-END-1]
  const bool last = sequence + 1 == sender.end;
  frame.set_wants_ack(last);
  if (last) {
    if (!state.has_last) state.first_last = sequence;
    state.latest_last = sequence;
    state.has_last = true;
  }
  keep_time(context, sender);
}

void Sender::keep_time(TransportContext& context, SendState& sender) const {
  Sending& state = state_of(sender);
  if (state.timing || sender.finished()) return;
  state.timing = true;
  context.arm(sender, context.now() + settings_.timeout);
}

bool Sender::is_unanswered(const SendState& sender, std::uint32_t sequence) {
  const Sending& state = state_of(sender);
  return !sequence_before(sequence, sender.unacknowledged) && sequence_before(sequence, sender.next) &&
         !state.arrived.contains(sequence) && !state.lost.contains(sequence);
}

void Sender::lose(SendState& sender, std::uint32_t sequence) {
  if (!is_unanswered(sender, sequence)) return;
  Sending& state = state_of(sender);
  state.lost.insert(sequence);
  ++state.lost_packets;
  --state.unanswered;
}

void Sender::note_answer(Sending& state, bool acknowledgement) {
  state.active = true;
  state.answers = static_cast<std::uint16_t>((state.answers << 1 | (acknowledgement ? 1 : 0)) & ((1u << kHistory) - 1));
  if (state.answered < kHistory) ++state.answered;
}

// [NDP-SND-5] Each answer has one pull, which may have arrived before it: they take different paths.
void Sender::note_due_pull(Sending& state) {
  if (state.early_pulls > 0) {
    --state.early_pulls;
  } else {
    ++state.due_pulls;
  }
}

// [NDP-SND-5] A pull is kept for a packet that can be sent now, or that its answer may show to be lost.
void Sender::limit_permits(SendState& sender) {
  Sending& state = state_of(sender);
  state.early_pulls = std::min(state.early_pulls, state.unanswered);
  state.permits = std::min(state.permits, state.lost_packets + (sender.end - sender.next) + state.early_pulls);
}

// [NDP-END-2]
void Sender::begin_transfer(SendState& sender) const {
  Sending& state = state_of(sender);
  if (!state.has_last || !sequence_before(state.first_last, sender.unacknowledged)) return;
  state.blind_end = state.first_last + 1 + window_;
  state.due_pulls = state.early_pulls = 0;
  state.has_last = !sequence_before(state.latest_last, sender.unacknowledged);
  state.first_last = state.latest_last;
}

// [NDP-SND-4]
void Sender::on_ack(TransportContext& context, SendState& sender, std::uint32_t sequence) const {
  Sending& state = state_of(sender);
  if (sequence_before(sequence, sender.unacknowledged) || !sequence_before(sequence, sender.next)) return;
  note_answer(state, true);
  note_due_pull(state);
  if (state.arrived.contains(sequence)) return;
  if (state.lost.contains(sequence)) {
    state.lost.erase(sequence);
    --state.lost_packets;
    state.own -= std::min(state.own, 1U);
  } else {
    --state.unanswered;
  }
  state.arrived.insert(sequence);
  limit_permits(sender);
  std::uint32_t first = sender.unacknowledged;
  for (; state.arrived.contains(first); ++first) {
    state.arrived.erase(first);
    state.aged.erase(first);
  }
  if (first == sender.unacknowledged) return;
  context.acknowledge(sender, first);
  if (sequence_before(state.blind_end, first)) state.blind_end = first;  // numbers wrap
  begin_transfer(sender);
  if (!sender.finished()) return;
  state.permits = state.own = 0;
  if (state.timing) context.cancel(sender);
  state.timing = false;
}

// [NDP-SND-3]
void Sender::on_nack(SendState& sender, std::uint32_t sequence) const {
  if (sequence_before(sequence, sender.unacknowledged) || !sequence_before(sequence, sender.next)) return;
  Sending& state = state_of(sender);
  note_answer(state, false);
  note_due_pull(state);
  lose(sender, sequence);
  limit_permits(sender);
}

// [NDP-SND-2]
void Sender::on_pull(SendState& sender, std::uint32_t number) {
  Sending& state = state_of(sender);
  const std::uint32_t more = number - state.pulled;
  if (more == 0 || more > PacketBitmap::kSpan) return;  // an earlier one, or damaged
  state.pulled = number;
  state.active = true;
  const std::uint32_t in_time = std::min(state.due_pulls, more);
  state.due_pulls -= in_time;
  state.early_pulls += more - in_time;
  state.permits += more;
  limit_permits(sender);
}

// [NDP-RTS-1] [NDP-RTS-2]
void Sender::on_returned(SendState& sender, std::uint32_t sequence) const {
  if (!is_unanswered(sender, sequence)) return;
  Sending& state = state_of(sender);
  note_answer(state, false);
  lose(sender, sequence);
  const bool no_pull_comes = state.due_pulls == 0 && state.unanswered == 0 && state.permits == 0;
  const int acknowledged = std::popcount(state.answers);
  const bool bad_path = acknowledged > 0 && state.answered / acknowledged <= 3;
  if (no_pull_comes || bad_path) ++state.own;
}

// [NDP-TMO-1] [NDP-TMO-2]
Sender::Silence Sender::on_timer(TransportContext& context, SendState& sender) const {
  Sending& state = state_of(sender);
  state.timing = false;
  if (sender.finished()) return {};
  Silence silence;
  for (std::uint32_t sequence = sender.unacknowledged; sequence != sender.next; ++sequence) {
    if (!is_unanswered(sender, sequence)) continue;
    if (!state.aged.contains(sequence)) {
      state.aged.insert(sequence);
      continue;
    }
    state.aged.erase(sequence);
    lose(sender, sequence);
    ++silence.packets;
  }
  state.own += silence.packets;
  silence.of_pulls = silence.packets == 0 && state.unanswered == 0 && !state.active && !may_send(sender);
  if (silence.of_pulls) {
    ++state.own;
    state.due_pulls = 0;
  }
  state.active = false;
  keep_time(context, sender);
  return silence;
}

}  // namespace weir::ndp
