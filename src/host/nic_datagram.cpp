// SPDX-License-Identifier: Apache-2.0
// Datagram queue pairs: they send the frames handed to them, subject to the same gates and pacing as others, without
// sequence numbers. Their SendState counts frames as packets that are acknowledged once they are sent.
#include "host/nic.h"

namespace weir {

bool Nic::send_datagram(Time now, QueuePairId number, FrameId id) {
  Frame& frame = frame_at_[id];
  if (trace_ != nullptr) {
    trace_->other(now, [now, number, copy = frame](Nic& nic) {
      const FrameId again = nic.frames_.allocate();
      if (!again.exists()) return;
      nic.frames_[again] = copy;
      nic.frames_[again].extension = ExtensionId::none();
      nic.send_datagram(now, number, again);
    });
  }
  now_ = now;
  Sender* sender = senders_.find(number);
  DatagramQueue* queue =
      sender == nullptr || sender->datagrams == kNone ? nullptr : &rare_->datagram_queues[sender->datagrams];
  if (queue == nullptr || sender->stopped || queue->bytes + frame.frame_bytes > queue->limit) {
    ++rare().datagrams_dropped;
    frames_.release(id);
    return false;
  }
  frame.kind = FrameKind::datagram;
  frame.priority = sender->priority;
  frame.source = host_;
  frame.destination = sender->remote;
  frame.queue_pair = sender->remote_number;
  frame.sequence = 0;
  frame.set_wants_ack(false);
  push(queue->frames, id);
  queue->bytes += frame.frame_bytes;
  ++sender->end;
  sender->posted_bytes += frame.payload_bytes;
  reconsider(*sender);
  return true;
}

FrameId Nic::build_datagram(Sender& sender) {
  DatagramQueue& queue = rare_->datagram_queues[sender.datagrams];
  const FrameId id = pop(queue.frames);
  Frame& frame = frame_at_[id];
  queue.bytes -= frame.frame_bytes;
  frame.frame_bytes = static_cast<std::uint16_t>(frame.frame_bytes + config_.added.data);
  ++sender.next;
  sender.unacknowledged = sender.highest_sent = sender.next;
  sender.next_bytes += frame.payload_bytes;
  sender.acknowledged_bytes = sender.next_bytes;
  ++sender.packets_sent;
  ++data_sent_;
  if (hooks_.sent) policies_.congestion_control->on_sent(*this, sender, frame);
  if (marks_sent_) mark_sent(sender, frame);
  begin(sender, frame);
  follow_rate(sender);
  pace(sender);
  reconsider(sender);
  return id;
}

void Nic::open_datagram_queue(Sender& sender, std::int64_t limit) {
  if (rare().free_datagram_queues.empty()) {
    rare().free_datagram_queues.push_back(static_cast<std::uint32_t>(rare().datagram_queues.size()));
    rare().datagram_queues.emplace_back();
  }
  sender.datagrams = rare().free_datagram_queues.back();
  rare().free_datagram_queues.pop_back();
  rare_->datagram_queues[sender.datagrams].limit = limit;
}

void Nic::drop_datagrams(Sender& sender) {
  DatagramQueue& queue = rare_->datagram_queues[sender.datagrams];
  while (queue.frames.head.exists()) {
    ++rare().datagrams_dropped;
    frames_.release(pop(queue.frames));
  }
  queue.bytes = 0;
  sender.end = sender.next;
  sender.posted_bytes = sender.next_bytes;
  reconsider(sender);
}

void Nic::close_datagram_queue(Sender& sender) {
  drop_datagrams(sender);
  rare().free_datagram_queues.push_back(sender.datagrams);
}

FrameId Nic::take_datagram() {
  if (!rare_ || !rare_->datagrams_in.head.exists()) return FrameId::none();
  if (trace_ != nullptr) {
    trace_->other(now_, [](Nic& nic) { nic.frames_.release(nic.take_datagram()); });
  }
  return pop(rare_->datagrams_in);
}

// The notification point receives the frame like data; only the notification point itself may answer it.
bool Nic::receive_datagram(FrameId id, Frame& frame) {
  Receiver* receiver = receivers_.find(frame.queue_pair);
  if (receiver == nullptr || receiver->remote != frame.source || !receiver->datagrams) return false;
  ++data_received_;
  payload_kept_ += frame.payload_bytes;
  if (hooks_.data) policies_.congestion_control->on_data(*this, *receiver, frame, nullptr);
  push(rare().datagrams_in, id);
  return true;
}

}  // namespace weir
