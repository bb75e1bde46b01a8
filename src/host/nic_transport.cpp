// SPDX-License-Identifier: Apache-2.0
// The NIC with a transport, which chooses packets and receives all frames for queue pairs.
#include <algorithm>
#include <cassert>

#include "host/nic.h"

namespace weir {

void Nic::take_by_transport(Frame& frame) {
  switch (frame.kind) {
    case FrameKind::data: {
      if (frame.returned()) {
        const auto found = sender_by_peer_.find(peer_key(frame.source, frame.queue_pair));
        if (found == sender_by_peer_.end()) {
          ++strays_;
        } else {
          transport_->on_returned(*this, senders_.at(found->second), frame);
        }
        break;
      }
      Receiver* receiver = receivers_.find(frame.queue_pair);
      if (receiver == nullptr || receiver->remote != frame.source) {
        ++strays_;
        break;
      }
      ++data_received_;
      if (!sequence_before(frame.sequence, receiver->highest)) {
        receiver->highest = frame.sequence + 1;
      } else if (!frame.retransmitted()) {
        ++receiver->out_of_order;
        ++out_of_order_;
      }
      transport_->on_data(*this, *receiver, frame);
      break;
    }
    case FrameKind::ack:
    case FrameKind::nack:
      if (Sender* sender = senders_.find(frame.queue_pair); sender != nullptr) {
        transport_->on_acknowledgement(*this, *sender, frame);
      } else {
        ++strays_;
      }
      break;
    case FrameKind::cnp:
    case FrameKind::host_control:
      if (!transport_->on_feedback(*this, frame)) ++strays_;
      break;
    case FrameKind::pfc:
    case FrameKind::hop_control:
      for (const auto& policy : policies_.flow_control) {
        if (policy->on_control(*this, frame)) break;
      }
      break;
    case FrameKind::datagram:
      ++strays_;
      break;
    case FrameKind::marker:
      break;
  }
}

// The frame is allocated first, because a packet that was chosen must be sent.
FrameId Nic::build_chosen(Priority priority, bool& exhausted) {
  const FrameId id = frames_.allocate();
  exhausted = !id.exists();
  if (exhausted) {
    try_again_later();
    return id;
  }
  const ChosenPacket chosen = transport_->choose(*this, priority);
  // A packet that a transport must not choose is not sent: one without a queue pair, beyond the next, or blocked.
  const bool valid = chosen.sender != nullptr && !sequence_before(chosen.sequence, chosen.sender->unacknowledged) &&
                     sequence_before(chosen.sequence, chosen.sender->end) &&
                     !sequence_before(chosen.sender->highest_sent, chosen.sequence) && !is_held(*chosen.sender);
  assert(valid || chosen.sender == nullptr);
  if (!valid) {
    frames_.release(id);
    offer(priority, false);
    return FrameId::none();
  }
  auto& sender = static_cast<Sender&>(*chosen.sender);
  const std::uint32_t sequence = chosen.sequence;
  const Message& message = messages_[slot_of(sender, sequence)];
  Frame& frame = frame_at_[id];
  fill(frame, sender, message, sequence);
  frame.priority = priority;
  if (sequence_before(sequence, sender.highest_sent)) {
    frame.set_retransmitted(true);
    ++sender.packets_retransmitted;
    ++retransmitted_;
  } else {
    sender.next = sender.highest_sent = sequence + 1;
    sender.next_bytes = offset_of(sender, sender.next);
  }
  ++sender.packets_sent;
  ++data_sent_;
  transport_->on_sent(*this, sender, frame);
  if (marks_sent_) mark_sent(sender, frame);
  sender.last_sent = std::max(now_, wire_free_);
  sender.last_wire_bytes = frame.frame_bytes + framing_.wire_overhead;
  take_wire(frame, sender.last_sent);
  return id;
}

void Nic::follow_gates() {
  if (transport_ != nullptr) transport_->on_gates(*this);
}

// A transport need not offer what it may not send.
bool Nic::holds_back_from_transport() const {
  bool holds = false;
  senders_.for_each([&](const Sender& sender) {
    const bool held = is_held(sender) || !is_open(sender.priority);
    holds = holds || (held && sender.next != sender.end);
  });
  return holds;
}

// ---- requests and actions of a transport ----

ReceiveState* Nic::receiver_from(HostId remote, QueuePairId remote_number) {
  const auto found = rare().receiver_by_peer.find(peer_key(remote, remote_number));
  return found == rare().receiver_by_peer.end() ? nullptr : &receivers_.at(found->second);
}

void Nic::for_each_receiver(void (*visit)(void* context, ReceiveState& receiver), void* context) {
  receivers_.for_each([&](Receiver& receiver) { visit(context, receiver); });
}

MessageView Nic::message_of(const SendState& sender, std::uint32_t sequence) const {
  const std::uint32_t slot = slot_of(static_cast<const Sender&>(sender), sequence);
  return slot == kNone ? MessageView() : view_of(messages_[slot]);
}

bool Nic::is_held(const SendState& state) const {
  const auto& sender = static_cast<const Sender&>(state);
  return sender.closed_by != 0 || blocking_gate(sender) != kNone;
}

// The ring of a priority, which contains senders if there is no transport, represents the transport's offer here.
void Nic::offer(Priority priority, bool has_packet) {
  ring_[priority] = has_packet ? 0 : kNone;
  update_level(priority);
}

void Nic::acknowledge(SendState& state, std::uint32_t sequence) {
  auto& sender = static_cast<Sender&>(state);
  // Nobody has what was never sent: such an acknowledgement is of an earlier queue pair of this number, or forged.
  if (!sequence_before(sender.unacknowledged, sequence) || sequence_before(sender.highest_sent, sequence)) return;
  sender.unacknowledged = sequence;
  acknowledge(sender);
}

void Nic::keep(ReceiveState&, std::int64_t payload) {
  payload_kept_ += payload;
}

void Nic::complete_message(ReceiveState& receiver) {
  completions_.push_back(
      {Completion::Kind::received, static_cast<Receiver&>(receiver).connection, FlowId::none(), now_});
}

FrameId Nic::new_control(HostId remote, QueuePairId number, std::uint16_t entropy, std::uint8_t protocol,
                         Priority priority) {
  const FrameId id = frames_.allocate();
  if (!id.exists()) return id;
  Frame& frame = frame_at_[id];
  frame.frame_bytes = std::max(framing_.ack, framing_.minimum_frame);
  frame.kind = FrameKind::host_control;
  frame.protocol = protocol;
  frame.priority = priority;
  frame.source = host_;
  frame.destination = remote;
  frame.queue_pair = number;
  frame.entropy = entropy;
  return id;
}

FrameId Nic::new_control(const SendState& sender, std::uint8_t protocol, Priority priority) {
  return new_control(sender.remote, sender.remote_number, sender.entropy, protocol, priority);
}

FrameId Nic::new_control(const ReceiveState& receiver, std::uint8_t protocol, Priority priority) {
  return new_control(receiver.remote, receiver.remote_number, receiver.entropy, protocol, priority);
}

void Nic::arm(ReceiveState& receiver, Time deadline) {
  timers_.arm(receiver_timer(QueuePairTable<Receiver>::index_of(static_cast<Receiver&>(receiver))), deadline);
}

void Nic::cancel(ReceiveState& receiver) {
  timers_.cancel(receiver_timer(QueuePairTable<Receiver>::index_of(static_cast<Receiver&>(receiver))));
}

}  // namespace weir
