// SPDX-License-Identifier: Apache-2.0
#include "ports/packet_switch.h"

#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "ports/patch.h"
#include "wire/emit.h"
#include "wire/extension_field.h"
#include "wire/scheme_shim.h"

namespace weir {
namespace {

bool is_rocev2(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::data:
    case FrameKind::ack:
    case FrameKind::nack:
    case FrameKind::cnp:
      return true;
    default:
      return false;
  }
}

/// Whether a frame needs no other bytes than it came with, apart from those that patch() changes and a scheme's header.
bool is_as_received(const Frame& frame, const Frame& received) {
  const auto key = [](const Frame& of) {
    Frame without_ecn = of;
    without_ecn.set_ecn(Ecn::not_capable);
    return std::tuple(of.kind, of.payload_bytes, of.source, of.destination, of.queue_pair, of.sequence, of.entropy,
                      without_ecn.flags);
  };
  return key(frame) == key(received);
}

/// Whether it also has the same bytes of schemes. Extensions are not compared.
bool has_same_scheme_bytes(const Frame& frame, const Frame& received) {
  const auto key = [](const Frame& of) { return std::tuple(of.protocol, of.tag, of.tag_value); };
  return !frame.extension.exists() && !received.extension.exists() && key(frame) == key(received);
}

/// Whether only a node that knows schemes can make something of a frame, even without a scheme's header.
bool is_of_schemes(const Frame& frame) {
  return frame.kind == FrameKind::hop_control || frame.kind == FrameKind::host_control || frame.trimmed();
}

void remove_scheme_bytes(Frame& frame) {
  frame.protocol = 0;
  frame.tag = 0;
  frame.tag_value = 0;
  frame.extension = ExtensionId::none();
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
    if (decoded->envelope.has_shim && !rules_[port.index()].speaks_schemes) {
      frames_.release(decoded->id);
      refuse(counters, packet, WireError::unknown_opcode);
      continue;
    }
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
  if (!rules.speaks_schemes && is_of_schemes(frame)) return ControlVerdict::not_spoken;
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
    if (!rules_[port.index()].speaks_schemes && is_of_schemes(frames_[id])) {
      frames_.release(id);
      table_.give_back_released();
      ++counters.withheld;
      continue;
    }
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
  Frame frame = frames_[id];  // its extension stays that of the frame in the pool
  const bool speaks = rules_[port.index()].speaks_schemes;
  if (is_rocev2(frame) && !speaks) remove_scheme_bytes(frame);
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
  const bool same = body.opaque || (has_same_scheme_bytes(frame, body.received) && (speaks || !body.envelope.has_shim));
  if (body.opaque || (is_as_received(frame, body.received) && (same || is_rocev2(frame)))) {
    patch(port, frame, body);
    if (same) return body.packet;
    ++counters_[port.index()].sent_rebuilt;
    return reshim(frame, body);
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

WireResult<Packet> PacketSwitch::reshim(const Frame& frame, const PacketBody& body) {
  const std::span<const std::byte> block = frames_.extension(frame);
  const SchemeShim shim{frame.protocol, frame.tag, frame.tag_value,
                        describe_extension(block, body.envelope.extension_bytes), frame.trimmed()};
  std::array<std::byte, kShimBytes + FramePool::kLongExtension> header;
  const std::size_t length = shim == SchemeShim() ? 0 : kShimBytes + shim.extension.bytes;
  if (length > 0) emit_shim(shim, block, header);
  Packet packet = body.packet;
  if (replace_shim(packet, std::span(header).first(length))) return packet;
  packets_.release(packet);
  return WireError::buffer_too_small;
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
  // One that trims a frame writes a new ICRC.
  if (written && is_rocev2(frame) && !frame.trimmed()) copy_icrc(body.packet.span(), written->span());
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
