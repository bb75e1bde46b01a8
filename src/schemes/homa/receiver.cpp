// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/receiver.h"

#include <algorithm>
#include <utility>

#include "schemes/homa/message.h"

namespace weir::homa {
namespace {

/// A sender that leaves so many requests in a row unanswered is taken for dead.
constexpr std::uint8_t kPatience = 5;

}  // namespace

void Receiver::attach(const TransportContext& context, std::uint32_t round_trip) {
  message_end_ = context.headers().place<std::uint32_t>(kMessageEnd);
  round_trip_ = round_trip;
}

void Receiver::open(ReceiveState& receiver) {
  receiver.congestion.emplace<Receiving>();
  incoming_.reserve(++receivers_);
}

void Receiver::on_close(TransportContext& context, ReceiveState& receiver) {
  --receivers_;
  if (!state_of(receiver).listed) return;
  incoming_.erase(receiver);
  grant_all(context);
}

// [HOMA-SND-1] Its first packets need no grants.
void Receiver::begin(ReceiveState& receiver, std::uint32_t end) {
  Receiving& state = state_of(receiver);
  state.first = receiver.expected;
  state.end = end;
  state.came = 0;
  state.has_end = false;
  state.unanswered = 0;
  state.granted = state.first + std::min(end - state.first, round_trip_);
  if (state.granted != end) incoming_.insert(receiver);
}

// [HOMA-END-1] The sender's application has stopped.
void Receiver::truncate(TransportContext& context, ReceiveState& receiver, std::uint32_t end) {
  Receiving& state = state_of(receiver);
  if (sequence_before(end, state.first + state.came)) return;  // not of this message
  state.end = end;
  if (sequence_before(end, state.granted)) state.granted = end;
  if (!state.listed) return;
  if (state.granted == end) {
    incoming_.erase(receiver);
  } else {
    incoming_.shortened(receiver);
  }
  grant_all(context);
}

/// [HOMA-LOSS-5] What was given up may become active again.
void Receiver::hear(TransportContext& context, ReceiveState& receiver) {
  Receiving& state = state_of(receiver);
  state.heard = context.now();
  if (std::exchange(state.unanswered, std::uint8_t{0}) < kPatience || !state.is_open()) return;
  if (state.granted != state.end) incoming_.insert(receiver);
}

void Receiver::on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) {
  if (data.trimmed()) return;
  Receiving& state = state_of(receiver);
  const std::uint32_t sequence = data.sequence;
  const std::uint32_t end = message_end_.read(data);
  const bool old = sequence_before(sequence, receiver.expected);
  const bool was_open = state.is_open();
  if (!was_open) {
    if (old) {  // [HOMA-LOSS-4]
      ++receiver.duplicates;
      return say(context, receiver, Kind::done, Settings::kHighest, 0, receiver.expected);
    }
    if (!sequence_before(receiver.expected, end)) return;  // damaged
    begin(receiver, end);
  } else if (sequence_before(end, state.end)) {
    truncate(context, receiver, end);
  }
  hear(context, receiver);
  if (!old && sequence - receiver.expected >= PacketBitmap::kSpan) return;  // damaged
  if (old || !sequence_before(sequence, state.end) || state.early.contains(sequence)) {
    ++receiver.duplicates;
    if (state.lacking() > 0) {  // [HOMA-LOSS-3]
      return say(context, receiver, Kind::grant, settings_.scheduled_priority(0, 1), 0, state.granted);
    }
  } else {
    state.early.insert(sequence);
    for (; state.early.contains(receiver.expected); ++receiver.expected) state.early.erase(receiver.expected);
    ++state.came;
    state.has_end |= data.ends_message();
    context.keep(receiver, data.payload_bytes);
  }
  if (state.lacking() == 0) return complete(context, receiver);
  keep_time(context, receiver);
  if (!state.listed) return;
  if (was_open) incoming_.shortened(receiver);
  const auto rank = incoming_.rank_of(receiver);
  if (rank && grant(context, receiver, *rank)) grant_all(context);
}

void Receiver::complete(TransportContext& context, ReceiveState& receiver) {
  Receiving& state = state_of(receiver);
  if (state.timing) context.cancel(receiver);
  state.timing = false;
  state.first = state.granted = state.end;
  if (state.has_end) context.complete_message(receiver);
  say(context, receiver, Kind::done, Settings::kHighest, 0, state.end);  // [HOMA-END-2]
  // It was not active: it would have been granted whole. So no other one takes its place.
  if (state.listed) incoming_.erase(receiver);
}

// [HOMA-RCV-3] Returns whether the message needs no more grants; it then is not in the list.
bool Receiver::grant(TransportContext& context, ReceiveState& receiver, std::size_t rank) {
  Receiving& state = state_of(receiver);
  std::uint32_t to = state.first + state.came + round_trip_;
  // Packets that arrive early must fit into the bitmap.
  const std::uint32_t most = receiver.expected + PacketBitmap::kSpan;
  if (sequence_before(most, to)) to = most;
  if (sequence_before(state.end, to)) to = state.end;
  if (!sequence_before(state.granted, to)) return false;
  state.granted = to;
  ++grants_;
  say(context, receiver, Kind::grant, settings_.scheduled_priority(rank, incoming_.active()), 0, to);
  if (to != state.end) return false;
  incoming_.erase(receiver);
  return true;
}

// To all active messages.
void Receiver::grant_all(TransportContext& context) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < incoming_.list().size() && rank < incoming_.active();) {
    if (!incoming_.is_first_of_sender(i)) {
      ++i;
    } else if (!grant(context, *incoming_.list()[i], rank)) {
      ++i;
      ++rank;
    }
  }
}

void Receiver::keep_time(TransportContext& context, ReceiveState& receiver) const {
  Receiving& state = state_of(receiver);
  if (state.timing) return;
  state.timing = true;
  context.arm(receiver, context.now() + settings_.resend_after);
}

void Receiver::on_busy(TransportContext& context, ReceiveState& receiver) {
  hear(context, receiver);  // [HOMA-LOSS-2]
}

// [HOMA-LOSS-1]
void Receiver::on_timer(TransportContext& context, ReceiveState& receiver) {
  Receiving& state = state_of(receiver);
  state.timing = false;
  if (!state.is_open()) return;
  state.timing = true;
  if (const Time due = state.heard + settings_.resend_after; context.now() < due) return context.arm(receiver, due);
  context.arm(receiver, context.now() + settings_.resend_after);
  if (!sequence_before(receiver.expected, state.granted)) return;  // all that may have been sent has arrived
  // [HOMA-LOSS-5] Others get its place. It is asked all the same.
  if (state.unanswered < kPatience && ++state.unanswered == kPatience && state.listed) {
    incoming_.erase(receiver);
    grant_all(context);
  }
  std::uint32_t end = receiver.expected + 1;
  while (sequence_before(end, state.granted) && !state.early.contains(end)) ++end;
  const auto rank = state.listed ? incoming_.rank_of(receiver) : std::nullopt;
  const Priority priority =
      rank ? settings_.scheduled_priority(*rank, incoming_.active()) : settings_.scheduled_priority(0, 1);
  ++resends_;
  say(context, receiver, Kind::resend, priority, receiver.expected, end);
}

}  // namespace weir::homa
