// SPDX-License-Identifier: Apache-2.0
// The sender half: messages, packets, acknowledgements, losses.
#include <algorithm>
#include <cassert>
#include <utility>

#include "host/nic.h"
#include "units/packet_limit.h"

namespace weir {

// ---- connections ----

QueuePairId Nic::open_sender(Time now, const OpenSender& spec) {
  if (trace_ != nullptr) trace_->other(now, [=](Nic& nic) { nic.open_sender(now, spec); });
  now_ = now;
  if (spec.datagram_queue > 0 && transport_ != nullptr) return QueuePairId::none();
  Sender* sender = senders_.open();
  if (sender == nullptr) return QueuePairId::none();
  pacing_.resize(senders_.size());
  timers_.resize(first_sender_timer_ + 2 * std::max(senders_.size(), receivers_.size()));
  touched_.reserve(senders_.size());  // hooks do not allocate
  if (waits_ != nullptr) {
    waits_->clocks.resize(senders_.size());
    waits_->clocks[index(*sender)] = {{}, now, {}};
  }
  sender->connection = spec.connection;
  sender->remote = spec.remote;
  sender->entropy = spec.entropy;
  sender->priority = spec.priority;
  sender->incast = spec.incast;
  const bool limited = spec.rate_limit > BitRate() && spec.rate_limit < rate_;
  sender->line_rate = limited ? spec.rate_limit : rate_;
  sender->rate = sender->seen_rate = sender->line_rate;
  sender->base_round_trip = spec.base_round_trip;
  sender->own_window = sender->window_limit = spec.window;
  sender->next_send = now;
  sender->congestion = PolicyState(senders_.first_state(*sender));
  sender->recovery = PolicyState(senders_.second_state(*sender));
  if (spec.datagram_queue > 0) open_datagram_queue(*sender, spec.datagram_queue);
  if (follows_peers()) {
    const auto [newest, first] = rare().newest_to.try_emplace(spec.remote.value, index(*sender));
    sender->next_to_remote = first ? kNone : std::exchange(newest->second, index(*sender));
  }
  if (transport_ != nullptr) {
    transport_->open(*this, *sender);
  } else {
    policies_.congestion_control->open(*this, *sender);
    policies_.loss_recovery->open(*this, *sender);
  }
  for (std::size_t i = 0; i < policies_.flow_control.size(); ++i) {
    sender->gates[i] = policies_.flow_control[i]->gate_of(*this, *sender);
    if (sender->gates[i].exists()) ++gates_[sender->gates[i].index()].members;
  }
  if (rare_ && rare_->first_round_trip) rare_->first_round_trip->open(*sender);
  if (transport_ == nullptr) after_hook(*sender);
  return sender->number;
}

QueuePairId Nic::open_receiver(Time now, const OpenReceiver& spec) {
  if (trace_ != nullptr) trace_->other(now, [=](Nic& nic) { nic.open_receiver(now, spec); });
  now_ = now;
  Receiver* receiver = receivers_.open();
  if (receiver == nullptr) return QueuePairId::none();
  receiver->connection = spec.connection;
  receiver->remote = spec.remote;
  receiver->entropy = spec.entropy;
  receiver->priority = spec.priority;
  receiver->congestion = PolicyState(receivers_.first_state(*receiver));
  receiver->recovery = PolicyState(receivers_.second_state(*receiver));
  receiver->datagrams = spec.datagrams;
  if (spec.datagrams) extras_ |= kDatagrams;
  if (transport_ != nullptr) {
    timers_.resize(first_sender_timer_ + 2 * std::max(senders_.size(), receivers_.size()));
    transport_->open(*this, *receiver);
  } else {
    policies_.congestion_control->open(*this, *receiver);
    policies_.loss_recovery->open(*this, *receiver);
  }
  return receiver->number;
}

void Nic::connect_sender(QueuePairId number, QueuePairId remote_number) {
  if (trace_ != nullptr) trace_->other(now_, [=](Nic& nic) { nic.connect_sender(number, remote_number); });
  Sender* sender = senders_.find(number);
  sender->remote_number = remote_number;
  sender_by_peer_[peer_key(sender->remote, remote_number)] = index(*sender);
}

void Nic::connect_receiver(QueuePairId number, QueuePairId remote_number) {
  if (trace_ != nullptr) trace_->other(now_, [=](Nic& nic) { nic.connect_receiver(number, remote_number); });
  Receiver* receiver = receivers_.find(number);
  receiver->remote_number = remote_number;
  if (transport_ != nullptr) {
    rare().receiver_by_peer[peer_key(receiver->remote, remote_number)] = QueuePairTable<Receiver>::index_of(*receiver);
  }
}

void Nic::close_sender(Time now, QueuePairId number) {
  if (trace_ != nullptr) trace_->other(now, [=](Nic& nic) { nic.close_sender(now, number); });
  now_ = now;
  Sender* sender = senders_.find(number);
  if (sender == nullptr) return;
  for (std::size_t i = 0; i < policies_.flow_control.size(); ++i) {
    policies_.flow_control[i]->on_close(*this, *sender, sender->gates[i]);
    if (sender->gates[i].exists()) --gates_[sender->gates[i].index()].members;
  }
  if (transport_ != nullptr) transport_->on_close(*this, *sender);
  if (follows_peers()) forget_peer(*sender);
  if (sender->datagrams != kNone) close_datagram_queue(*sender);
  if (sender->closed_by != 0) --closed_;
  stand(*sender, Standing::idle);
  timers_.cancel(congestion_timer(index(*sender)));
  if (transport_ == nullptr) timers_.cancel(loss_timer(index(*sender)));
  sender_by_peer_.erase(peer_key(sender->remote, sender->remote_number));
  while (sender->oldest != kNone) {
    const std::uint32_t message = sender->oldest;
    sender->oldest = messages_[message].next;
    messages_[message].next = free_message_;
    free_message_ = message;
  }
  senders_.close(*sender);
}

void Nic::close_receiver(Time now, QueuePairId number) {
  if (trace_ != nullptr) trace_->other(now, [=](Nic& nic) { nic.close_receiver(now, number); });
  now_ = now;
  Receiver* receiver = receivers_.find(number);
  if (receiver == nullptr) return;
  if (transport_ != nullptr) {
    transport_->on_close(*this, *receiver);
    cancel(*receiver);
    rare().receiver_by_peer.erase(peer_key(receiver->remote, receiver->remote_number));
  }
  receivers_.close(*receiver);
}

void Nic::forget_peer(Sender& sender) {
  std::uint32_t* link = &rare().newest_to.find(sender.remote.value)->second;
  while (*link != index(sender)) link = &senders_.at(*link).next_to_remote;
  *link = sender.next_to_remote;
  if (rare().newest_to.find(sender.remote.value)->second == kNone) rare().newest_to.erase(sender.remote.value);
}

void Nic::post(Time now, QueuePairId number, FlowId flow, Bytes size) {
  if (trace_ != nullptr) trace_->other(now, [=](Nic& nic) { nic.post(now, number, flow, size); });
  now_ = now;
  Sender& sender = *senders_.find(number);
  std::uint32_t slot = free_message_;
  if (slot != kNone) {
    free_message_ = messages_[slot].next;
  } else {
    slot = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  }
  const std::int64_t packets = (size.count() + maximum_payload_ - 1) / maximum_payload_;
  assert(packets > 0 && std::int64_t{sender.end - sender.unacknowledged} + packets <= kMostPackets);
  Message& message = messages_[slot];
  message = {.flow = flow,
             .first = sender.end,
             .end = sender.end + static_cast<std::uint32_t>(packets),
             .offset = sender.posted_bytes,
             .size = size.count(),
             .next = kNone};
  if (sender.newest != kNone && sender.oldest != kNone) {
    messages_[sender.newest].next = slot;
  } else {
    sender.oldest = slot;
  }
  sender.newest = slot;
  if (sender.sending == kNone) sender.sending = slot;
  const bool rested = sender.standing == Standing::idle && sender.next == sender.end;
  sender.end = message.end;
  if (waits_ != nullptr && rested) restart_wait(sender);
  sender.posted_bytes += size.count();
  if (transport_ != nullptr) return transport_->on_post(*this, sender, view_of(message));
  reconsider(sender);
}

void Nic::stop(Time now, QueuePairId number) {
  if (trace_ != nullptr) trace_->other(now, [=](Nic& nic) { nic.stop(now, number); });
  now_ = now;
  Sender* sender = senders_.find(number);
  if (sender == nullptr || sender->stopped) return;
  sender->stopped = true;
  if (sender->datagrams != kNone) return drop_datagrams(*sender);
  // Packets that were never sent are discarded; messages that extend beyond end with what was sent. If no packet has
  // requested an acknowledgement of all of it, one more is sent that does.
  const bool one_more = transport_ == nullptr && must_ask(*sender) && sender->next == sender->highest_sent;
  sender->end = sender->highest_sent + (one_more ? 1 : 0);
  const std::int64_t sent = offset_of(*sender, sender->end);
  sender->posted_bytes = sent;
  if (!sequence_before(sender->next, sender->end)) {
    sender->next = sender->end;
    sender->next_bytes = sent;
  }
  acknowledge(*sender);
  if (transport_ != nullptr) return transport_->on_stop(*this, *sender);
  reconsider(*sender);
}

// ---- packets ----

std::uint32_t Nic::slot_of(const Sender& sender, std::uint32_t sequence) const {
  std::uint32_t at = sender.sending;
  if (at == kNone || sequence_before(sequence, messages_[at].first)) at = sender.oldest;
  while (at != kNone && !sequence_before(sequence, messages_[at].end)) at = messages_[at].next;
  return at;
}

std::int64_t Nic::offset_of(const Sender& sender, std::uint32_t sequence) const {
  const std::uint32_t at = slot_of(sender, sequence);
  if (at == kNone) return sender.posted_bytes;
  const Message& message = messages_[at];
  return message.offset + std::int64_t{sequence - message.first} * maximum_payload_;
}

FrameId Nic::build(Sender& sender) {
  if (sender.datagrams != kNone) [[unlikely]]
    return build_datagram(sender);
  const FrameId id = frames_.allocate();
  if (!id.exists()) return id;
  LossRecovery::Pick picked{sender.next, true};
  if (sender.resend) picked = policies_.loss_recovery->pick(*this, sender);
  const std::uint32_t sequence = picked.sequence;
  const std::uint32_t slot = slot_of(sender, sequence);
  const Message& message = messages_[slot];
  Frame& frame = frame_at_[id];
  const std::uint16_t payload = fill(frame, sender, message, sequence);

  if (picked.is_next) {
    ++sender.next;
    sender.next_bytes += payload;
    sender.sending = sender.next == message.end ? message.next : slot;
  }
  if (sequence_before(sequence, sender.highest_sent)) {
    frame.set_retransmitted(true);
    ++sender.packets_retransmitted;
    ++retransmitted_;
  } else {
    sender.highest_sent = sequence + 1;
  }
  ++sender.packets_sent;
  ++data_sent_;
  if (hooks_.sent) policies_.congestion_control->on_sent(*this, sender, frame);
  if (marks_sent_) mark_sent(sender, frame);
  begin(sender, frame);
  if (sender.loss_deadline == Time::never()) expect_progress(sender);
  follow_rate(sender);
  pace(sender);
  if (config_.acknowledge_every > 1) ask(sender, frame, picked.is_next);
  reconsider(sender);
  return id;
}

// InfiniBand 9.7.5.1.2: the requester requests acknowledgements, the responder answers. It requests one with each
// packet after which it may have to wait; must_ask() handles the cases that could not be known, when windows shrink or
// senders are stopped later.
void Nic::ask(Sender& sender, Frame& frame, bool in_turn) {
  ++sender.unasked;
  const bool asks =
      sender.unasked >= config_.acknowledge_every || frame.ends_message() || !in_turn || !may_send(sender);
  frame.set_wants_ack(asks);
  if (asks) sender.unasked = 0;
}

// Separate from build(), which then needs fewer registers. Usually there is one hook, which is called by a jump.
[[gnu::noinline]] void Nic::mark_sent(Sender& sender, Frame& frame) {
  if (on_sent_.size() > 1) [[unlikely]] {
    const auto call_others = [this](Sender & of, Frame & sent) __attribute__((noinline)) {
      for (std::size_t i = 1; i < on_sent_.size(); ++i) {
        on_sent_[i].policy->on_sent(*this, of, of.gates[on_sent_[i].gate], sent);
      }
    };
    call_others(sender, frame);
  }
  const SentHook& hook = on_sent_.front();
  hook.policy->on_sent(*this, sender, sender.gates[hook.gate], frame);
}

// ---- acknowledgements ----

void Nic::acknowledge(Sender& sender) {
  while (sender.oldest != kNone) {
    const std::uint32_t slot = sender.oldest;
    Message& message = messages_[slot];
    const bool whole = !sequence_before(sender.unacknowledged, message.end);
    const bool cut = sender.stopped && !sequence_before(sender.unacknowledged, sender.end) &&
                     !sequence_before(message.end, sender.end);
    if (!whole && !cut) {
      sender.acknowledged_bytes =
          message.offset + std::int64_t{sender.unacknowledged - message.first} * maximum_payload_;
      return;
    }
    sender.acknowledged_bytes = whole ? message.offset + message.size : sender.posted_bytes;
    completions_.push_back(
        {whole ? Completion::Kind::acknowledged : Completion::Kind::stopped, sender.connection, message.flow, now_});
    sender.oldest = message.next;
    if (sender.sending == slot) sender.sending = message.next;
    message.next = free_message_;
    free_message_ = slot;
  }
}

void Nic::follow_next(Sender& sender) {
  if (sender.datagrams != kNone) return;
  sender.sending = slot_of(sender, sender.next);
  sender.next_bytes = offset_of(sender, sender.next);
}

void Nic::receive_acknowledgement(const Frame& frame) {
  Sender* found = senders_.find(frame.queue_pair);
  if (found == nullptr) {
    ++strays_;
    return;
  }
  Sender& sender = *found;
  const std::uint32_t before = sender.unacknowledged;
  const std::uint32_t next = sender.next;
  const std::int64_t bytes = sender.acknowledged_bytes;
  const bool nack = frame.kind == FrameKind::nack;
  if (nack) {
    policies_.loss_recovery->on_nack(*this, sender, frame);
  } else {
    policies_.loss_recovery->on_ack(*this, sender, frame);
  }
  if (sender.unacknowledged != before) {
    acknowledge(sender);
    expect_progress(sender);
  } else if (nack && policies_.loss_recovery->nack_is_progress()) {
    expect_progress(sender);
  }
  if (sender.next != next) follow_next(sender);
  if (hooks_.ack) {
    policies_.congestion_control->on_ack(*this, sender, {frame, sender.acknowledged_bytes - bytes});
  }
  if (nack) policies_.congestion_control->on_loss(*this, sender);
  if (hooks_.ack || nack || sender.rate != sender.seen_rate) {
    after_hook(sender);
  } else {
    reconsider(sender);
  }
}

bool Nic::follow_rate(Sender& sender) {
  if (sender.rate == sender.seen_rate) return false;
  sender.seen_rate = sender.rate;
  if (config_.window_follows_rate && sender.own_window != kUnlimited) {
    const double share =
        static_cast<double>(sender.rate.bits_per_second()) / static_cast<double>(sender.line_rate.bits_per_second());
    sender.window_limit =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(sender.own_window) * share));
  }
  return true;
}

void Nic::pace(Sender& sender) {
  if (sender.last_wire_bytes == 0) return;  // the first packet may be sent immediately
  if (hooks_.next_send) {
    sender.next_send = policies_.congestion_control->next_send(*this, sender, sender.last_sent, sender.last_wire_bytes);
  } else if (sender.rate == rate_) {
    sender.next_send = sender.last_sent + serialisation_(sender.last_wire_bytes);
  } else {
    sender.next_send = sender.last_sent + time_to_send(Bytes(sender.last_wire_bytes), sender.rate);
  }
}

void Nic::after_hook(Sender& sender) {
  // A future increase that is certain is part of next_send, so any hook may have changed that, whatever the rate is
  // now.
  if (follow_rate(sender) || hooks_.next_send) pace(sender);
  reconsider(sender);
}

void Nic::refresh_touched() {
  for (const QueuePairId number : touched_) {
    Sender* sender = senders_.find(number);
    if (sender == nullptr) continue;
    sender->touched = false;
    // Feedback may report arrivals or losses, as acknowledgements do.
    acknowledge(*sender);
    follow_next(*sender);
    after_hook(*sender);
  }
  touched_.clear();
}

// ---- losses ----

Time Nic::loss_deadline(const Sender& sender) const {
  const Duration timeout = policies_.loss_recovery->timeout(*this, sender);
  return timeout == Duration::max() ? Time::never() : sender.progress_at + timeout;
}

void Nic::expect_progress(Sender& sender) {
  sender.progress_at = now_;
  sender.loss_deadline = sender.unacknowledged == sender.next ? Time::never() : loss_deadline(sender);
  if (sender.loss_deadline == Time::never()) return;
  // An earlier armed deadline is kept: when it expires, the new deadline is checked.
  const std::uint32_t timer = loss_timer(index(sender));
  if (timers_.deadline(timer) > sender.loss_deadline) timers_.arm(timer, sender.loss_deadline);
}

void Nic::check_loss(Sender& sender) {
  if (sender.loss_deadline == Time::never()) return;
  if (sender.loss_deadline <= now_) sender.loss_deadline = loss_deadline(sender);
  if (sender.loss_deadline == Time::never()) return;
  if (sender.loss_deadline > now_) return timers_.arm(loss_timer(index(sender)), sender.loss_deadline);
  if (waits_ != nullptr) note_timeout(sender);
  const std::uint32_t next = sender.next;
  policies_.loss_recovery->on_timeout(*this, sender);
  if (sender.next != next) follow_next(sender);
  policies_.congestion_control->on_loss(*this, sender);
  sender.progress_at = now_;
  sender.loss_deadline = loss_deadline(sender);
  if (sender.loss_deadline != Time::never()) timers_.arm(loss_timer(index(sender)), sender.loss_deadline);
  after_hook(sender);
}

}  // namespace weir
