// SPDX-License-Identifier: Apache-2.0
#include "ports/packet_switch.h"

#include <numeric>
#include <utility>

#include "ports/patch.h"
#include "wire/emit.h"

namespace weir {
namespace {

/// Whether a frame needs no other bytes than it came with, apart from those that patch() changes.
bool is_as_received(const Frame& frame, const Frame& received) {
  const auto key = [](const Frame& of) {
    Frame without_ecn = of;
    without_ecn.set_ecn(Ecn::not_capable);
    return std::tuple(of.kind, of.protocol, of.payload_bytes, of.source, of.destination, of.queue_pair, of.sequence,
                      of.entropy, of.tag, of.tag_value, without_ecn.flags);
  };
  const bool plain = !frame.extension.exists() && !received.extension.exists();
  return plain && key(frame) == key(received);
}

bool has_icrc(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::data:
    case FrameKind::ack:
    case FrameKind::nack:
    case FrameKind::cnp:
      return !frame.trimmed();  // one that trims a frame writes a new ICRC
    default:
      return false;
  }
}

}  // namespace

std::uint64_t PortCounters::refused_frames() const {
  const std::uint64_t bad = std::accumulate(refused.begin(), refused.end(), std::uint64_t{0});
  return std::accumulate(disobeyed.begin(), disobeyed.end(), bad);
}

std::uint64_t PortCounters::frames_not_sent() const {
  return std::accumulate(not_sent.begin(), not_sent.end(), std::uint64_t{0});
}

PacketSwitch::PacketSwitch(Switch& node, FramePool& frames, PacketPool& packets, const Neighbours& neighbours,
                           std::vector<PortAddresses> ports)
    : node_(node),
      frames_(frames),
      packets_(packets),
      neighbours_(neighbours),
      ports_(std::move(ports)),
      rules_(ports_.size()),
      counters_(ports_.size()),
      table_(frames, packets) {}

void PacketSwitch::receive(Time now, PortId port, std::span<const Packet> packets) {
  PortCounters& counters = counters_[port.index()];
  for (const Packet& packet : packets) {
    ++counters.received_frames;
    counters.received_bytes += packet.length;
    const WireResult<DecodedFrame> decoded = decode(frames_, packet.span(), neighbours_);
    if (!decoded) {
      refuse(counters, packet, decoded.error());
      continue;
    }
    Frame& frame = frames_[decoded->id];
    if (const ControlVerdict verdict = judge(port, frame); verdict != ControlVerdict::accepted) {
      ++counters.disobeyed[static_cast<std::size_t>(verdict)];
      frames_.release(decoded->id);
      packets_.release(packet);
      continue;
    }
    if (decoded->opaque) ++counters.received_opaque;
    if (frame.kind == FrameKind::pfc) ++counters.received_pauses;
    table_.attach(decoded->id, {packet, frame, decoded->envelope, decoded->payload_offset, decoded->opaque});
    node_.receive(now, port, decoded->id);
    table_.give_back_released();
  }
}

ControlVerdict PacketSwitch::judge(PortId port, Frame& frame) {
  const PortRules& rules = rules_[port.index()];
  if (frame.kind == FrameKind::host_control) {
    return rules.to_hosts[frame.protocol] ? ControlVerdict::accepted : ControlVerdict::wrong_neighbour;
  }
  if (!frame.is_hop_control()) return ControlVerdict::accepted;
  if (frame.kind == FrameKind::pfc) {
    const std::uint16_t allowed = static_cast<std::uint16_t>(frame.tag & rules.pausable.to_ulong());
    if (allowed != frame.tag) ++counters_[port.index()].narrowed_pauses;
    frame.tag = allowed;
  }
  return node_.judge(port, frame);
}

void PacketSwitch::refuse(PortCounters& counters, const Packet& packet, WireError why) {
  ++counters.refused[static_cast<std::size_t>(why)];
  packets_.release(packet);
}

std::optional<ModelledWire::Sent> PacketSwitch::transmit(Time now, PortId port) {
  PortCounters& counters = counters_[port.index()];
  while (true) {
    const FrameId id = node_.transmit(now, port);
    if (!id.exists()) {
      table_.give_back_released();
      return std::nullopt;
    }
    const FrameKind kind = frames_[id].kind;
    const std::uint16_t frame_bytes = frames_[id].frame_bytes;
    const WireResult<Packet> packet = encode(port, id);
    frames_.release(id);
    table_.give_back_released();
    if (!packet) {
      ++counters.not_sent[static_cast<std::size_t>(packet.error())];
      continue;
    }
    ++counters.sent_frames;
    counters.sent_bytes += packet->length;
    if (kind == FrameKind::pfc) ++counters.sent_pauses;
    return ModelledWire::Sent{*packet, frame_bytes};
  }
}

WireResult<Packet> PacketSwitch::encode(PortId port, FrameId id) {
  const Frame& frame = frames_[id];
  const PacketBody body = table_.take(id);
  if (!body.packet.exists()) {
    Envelope envelope = default_envelope(frame);
    envelope.source_mac = ports_[port.index()].own;
    if (!frame.is_hop_control()) {
      const PortAddresses& addresses = ports_[port.index()];
      const std::optional<MacAddress> of_host = neighbours_.mac(frame.destination);
      if (of_host) envelope.destination_mac = *of_host;
      if (addresses.next_hop) envelope.destination_mac = *addresses.next_hop;
    }
    return write(frame, envelope, {});
  }
  if (body.opaque || is_as_received(frame, body.received)) {
    patch(port, frame, body);
    return body.packet;
  }
  ++counters_[port.index()].sent_rebuilt;
  WireResult<Packet> rebuilt = rebuild(port, frame, body);
  packets_.release(body.packet);
  return rebuilt;
}

void PacketSwitch::patch(PortId port, const Frame& frame, const PacketBody& body) {
  const std::span<std::byte> bytes = body.packet.span();
  lower_time_to_live(bytes);
  if (frame.ecn() != body.received.ecn() && frame.ecn() == Ecn::congestion_experienced) mark_congestion(bytes);
  if (frame.priority != body.received.priority) set_priority(bytes, frame.priority);
  const PortAddresses& addresses = ports_[port.index()];
  if (addresses.next_hop && is_ipv4(bytes)) {
    set_destination(bytes, *addresses.next_hop);
    set_source(bytes, addresses.own);
  }
}

WireResult<Packet> PacketSwitch::rebuild(PortId port, const Frame& frame, const PacketBody& body) {
  Envelope envelope = body.envelope;
  --envelope.time_to_live;    // decode() refuses those that would be zero
  envelope.has_shim = false;  // one that no longer has a field is left out
  const PortAddresses& addresses = ports_[port.index()];
  if (addresses.next_hop) {
    envelope.destination_mac = *addresses.next_hop;
    envelope.source_mac = addresses.own;
  }
  const std::span<const std::byte> payload =
      std::span<const std::byte>(body.packet.span()).subspan(body.payload_offset, frame.payload_bytes);
  WireResult<Packet> written = write(frame, envelope, payload);
  if (written && has_icrc(frame)) copy_icrc(body.packet.span(), written->span());
  return written;
}

WireResult<Packet> PacketSwitch::write(const Frame& frame, const Envelope& envelope,
                                       std::span<const std::byte> payload) {
  Packet packet = packets_.allocate();
  if (!packet.exists()) return WireError::pool_empty;
  const WireResult<std::size_t> length =
      emit(frames_, frame, envelope, payload, Fcs::absent, std::span(packet.bytes, packet.capacity));
  if (!length) {
    packets_.release(packet);
    return length.error();
  }
  packet.length = static_cast<std::uint32_t>(*length);
  return packet;
}

}  // namespace weir
