// SPDX-License-Identifier: Apache-2.0
#include "ports/packet_nic.h"

#include <numeric>

#include "wire/emit.h"
#include "wire/sequence.h"

namespace weir {
namespace {

/// The opener's identifier of datagram queue pairs, which complete nothing.
constexpr std::uint32_t kNoConnection = ~std::uint32_t{0};

}  // namespace

std::uint64_t HostCounters::refused_frames() const {
  return std::accumulate(refused.begin(), refused.end(), refused_modelled);
}

PacketNic::PacketNic(Nic& nic, FramePool& frames, PacketPool& packets, const Neighbours& neighbours,
                     const MacAddress& own, const ForeignTraffic& foreign)
    : nic_(nic),
      frames_(frames),
      packets_(packets),
      neighbours_(neighbours),
      own_(own),
      host_(nic.host()),
      foreign_(foreign),
      sending_(foreign.flows),
      receiving_(foreign.flows),
      table_(frames, packets) {
  constexpr int kReserved = 2;
  const HostId another((host_.index() + 1) % nic_.hosts());
  for (int i = 0; i < kReserved; ++i) {
    OpenSender sender;
    sender.connection = kNoConnection;
    sender.remote = another;
    nic_.open_sender(Time(), sender);
    OpenReceiver receiver;
    receiver.connection = kNoConnection;
    receiver.remote = another;
    nic_.open_receiver(Time(), receiver);
  }
}

void PacketNic::refuse(PortCounters& counters, const Packet& packet, WireError why) {
  ++counters.refused[static_cast<std::size_t>(why)];
  packets_.release(packet);
}

// ---- from the fabric ----

void PacketNic::receive_from_fabric(Time now, std::span<const Packet> packets) {
  for (const Packet& packet : packets) {
    ++fabric_.received_frames;
    fabric_.received_bytes += packet.length;
    const WireResult<DecodedFrame> decoded = decode(frames_, packet.span(), neighbours_, DecodeAt::host);
    if (!decoded) {
      refuse(fabric_, packet, decoded.error());
      continue;
    }
    Frame& frame = frames_[decoded->id];
    if (frame.kind == FrameKind::pfc) ++fabric_.received_pauses;
    if (const std::optional<WireError> why = complete(now, frame)) {
      frames_.release(decoded->id);
      refuse(fabric_, packet, *why);
      continue;
    }
    if (decoded->opaque) {
      ++fabric_.received_opaque;
      table_.attach(decoded->id, {.packet = packet, .received = FrameHeader(frame), .form = PacketForm::opaque});
    } else {
      packets_.release(packet);  // nothing of it is delivered: the NIC reads no payload
    }
    nic_.receive(now, decoded->id);
    table_.give_back_released();
  }
}

std::optional<WireError> PacketNic::complete(Time now, Frame& frame) {
  if (frame.is_hop_control()) return std::nullopt;
  if (frame.destination != host_) return WireError::foreign_host;
  switch (frame.kind) {
    case FrameKind::data: {
      if (frame.returned()) {
        const SendState* sender = nic_.peek_sender_to(frame.source, frame.queue_pair);
        if (sender != nullptr) frame.sequence = extend_sequence(frame.sequence, sender->unacknowledged);
        break;
      }
      const ReceiveState* receiver = nic_.peek_receiver(frame.queue_pair);
      if (receiver == nullptr) break;  // the NIC counts it
      if (Nic::carries_datagrams(*receiver) || !receiver->remote_number.exists()) return WireError::unknown_opcode;
      frame.sequence = extend_sequence(frame.sequence, receiver->expected);
      break;
    }
    case FrameKind::ack:
    case FrameKind::nack: {
      const SendState* sender = nic_.peek_sender(frame.queue_pair);
      if (sender == nullptr) break;
      if (Nic::carries_datagrams(*sender) || sender->remote != frame.source) return WireError::unknown_opcode;
      frame.sequence = extend_sequence(frame.sequence, sender->unacknowledged);
      break;
    }
    case FrameKind::cnp: {
      // A notification of a flow names its number.
      const QueuePairId of_flow = sending_.peek({frame.source, frame.queue_pair});
      if (of_flow.exists()) frame.queue_pair = of_flow;
      break;
    }
    case FrameKind::datagram:
      return complete_datagram(now, frame);
    default:
      break;
  }
  return std::nullopt;
}

std::optional<WireError> PacketNic::complete_datagram(Time now, Frame& frame) {
  if (!foreign_.has_host) return WireError::unknown_protocol;
  if (!frame.source.exists() || frame.source == host_) return WireError::foreign_host;
  frame.queue_pair = receiver_of(now, frame);
  return std::nullopt;
}

QueuePairId PacketNic::receiver_of(Time now, const Frame& frame) {
  const FlowSlots::Flow flow = {frame.source, frame.queue_pair};
  if (const QueuePairId known = receiving_.use(flow); known.exists()) return known;
  if (const auto oldest = receiving_.make_room()) {
    nic_.close_receiver(now, *oldest);
    ++of_host_.flows_closed;
  }
  OpenReceiver half;
  half.connection = kNoConnection;
  half.remote = frame.source;
  half.entropy = frame.entropy;
  half.priority = frame.priority;
  half.datagrams = true;
  const QueuePairId number = nic_.open_receiver(now, half);
  if (!number.exists()) return number;  // the NIC counts the frame as a stray
  nic_.connect_receiver(number, frame.queue_pair);
  receiving_.add(flow, number);
  return number;
}

// ---- from the host ----

void PacketNic::receive_from_host(Time now, std::span<const Packet> packets) {
  for (const Packet& packet : packets) {
    ++of_host_.received_frames;
    of_host_.received_bytes += packet.length;
    const WireResult<DecodedFrame> decoded = decode(frames_, packet.span(), neighbours_, DecodeAt::host);
    if (!decoded) {
      ++of_host_.refused[static_cast<std::size_t>(decoded.error())];
      packets_.release(packet);
      continue;
    }
    const Frame& frame = frames_[decoded->id];
    if (!decoded->opaque || frame.source != host_ || frame.destination == host_) {
      if (decoded->opaque) {
        ++of_host_.refused[static_cast<std::size_t>(WireError::foreign_host)];
      } else {
        ++of_host_.refused_modelled;
      }
      frames_.release(decoded->id);
      packets_.release(packet);
      continue;
    }
    table_.attach(decoded->id, {.packet = packet, .received = FrameHeader(frame), .form = PacketForm::opaque});
    if (!nic_.send_datagram(now, sender_of(now, frame), decoded->id)) ++of_host_.queue_full;
    table_.give_back_released();
  }
}

QueuePairId PacketNic::sender_of(Time now, const Frame& frame) {
  const FlowSlots::Flow flow = {frame.destination, frame.queue_pair};
  if (const QueuePairId known = sending_.use(flow); known.exists()) return known;
  if (const auto oldest = sending_.make_room()) {
    nic_.close_sender(now, *oldest);
    ++of_host_.flows_closed;
  }
  OpenSender half;
  half.connection = kNoConnection;
  half.remote = frame.destination;
  half.entropy = frame.entropy;
  half.priority = frame.priority;
  half.datagram_queue = foreign_.queue_bytes;
  const QueuePairId number = nic_.open_sender(now, half);
  if (!number.exists()) return number;  // the NIC drops and counts the frame
  nic_.connect_sender(number, frame.queue_pair);
  sending_.add(flow, number);
  return number;
}

// ---- to the fabric ----

std::optional<ModelledWire::Sent> PacketNic::transmit(Time now) {
  while (true) {
    const FrameId id = nic_.transmit(now);
    if (!id.exists()) {
      table_.give_back_released();
      return std::nullopt;
    }
    const FrameKind kind = frames_[id].kind;
    const std::uint16_t frame_bytes = frames_[id].frame_bytes;
    const WireResult<Packet> packet = encode(id);
    frames_.release(id);
    table_.give_back_released();
    if (!packet) {
      ++fabric_.not_sent[static_cast<std::size_t>(packet.error())];
      continue;
    }
    ++fabric_.sent_frames;
    fabric_.sent_bytes += packet->length;
    if (kind == FrameKind::pfc) ++fabric_.sent_pauses;
    return ModelledWire::Sent{*packet, frame_bytes};
  }
}

WireResult<Packet> PacketNic::encode(FrameId id) {
  const Frame& frame = frames_[id];
  if (const Packet packet = table_.take(id); packet.exists()) return packet;
  Envelope envelope = default_envelope(frame);
  envelope.source_mac = own_;
  if (!frame.is_hop_control()) {
    if (const std::optional<MacAddress> mac = neighbours_.mac(frame.destination)) envelope.destination_mac = *mac;
  }
  if (frame.kind == FrameKind::data) {
    const SendState* sender = nic_.peek_sender_to(frame.destination, frame.queue_pair);
    envelope.starts_message = sender != nullptr && nic_.message_of(*sender, frame.sequence).first == frame.sequence;
  }
  Packet packet = packets_.allocate();
  if (!packet.exists()) return WireError::pool_empty;
  const WireResult<std::size_t> length =
      emit(frames_, frame, envelope, {}, Fcs::absent, std::span(packet.bytes, packet.capacity));
  if (!length) {
    packets_.release(packet);
    return length.error();
  }
  packet.length = static_cast<std::uint32_t>(*length);
  return packet;
}

// ---- to the host ----

std::optional<Packet> PacketNic::take_for_host() {
  const FrameId id = nic_.take_datagram();
  if (!id.exists()) return std::nullopt;
  const Packet packet = table_.take(id);
  frames_.release(id);
  ++of_host_.delivered_frames;
  of_host_.delivered_bytes += packet.length;
  return packet;
}

void PacketNic::drop_for_host(const Packet& packet) {
  --of_host_.delivered_frames;
  of_host_.delivered_bytes -= packet.length;
  ++of_host_.not_delivered;
  packets_.release(packet);
}

}  // namespace weir
