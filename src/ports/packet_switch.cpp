// SPDX-License-Identifier: Apache-2.0
#include "ports/packet_switch.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "ports/patch.h"
#include "ports/plain_rocev2.h"
#include "wire/emit.h"
#include "wire/extension_field.h"
#include "wire/parse.h"
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
    : node_(node), frames_(frames), packets_(packets), neighbours_(neighbours), table_(frames, packets) {
  for (PortAddresses& addresses : ports) ports_.push_back({.addresses = std::move(addresses)});
}

// Plain packets say nothing to the switch itself, so that as many as there are in a row become frames before the switch
// takes them together.
void PacketSwitch::receive(Time now, PortId port, std::span<const Packet> packets) {
  std::uint64_t bytes = 0;
  table_.give_back_released();
  for (std::size_t i = 0; i < packets.size(); i += kBurst) {
    bytes += receive_burst(now, port, packets.subspan(i, std::min(kBurst, packets.size() - i)));
  }
  PortCounters& counters = ports_[port.index()].counters;
  counters.received_frames += packets.size();
  counters.received_bytes += bytes;
}

std::uint64_t PacketSwitch::receive_burst(Time now, PortId port, std::span<const Packet> packets) {
  constexpr std::size_t kAhead = 2;  // a device has written the packets, so they may not be in the cache
  std::array<FrameId, kBurst> frames;
  std::size_t count = 0;
  const auto hand_over = [&] {
    if (count > 0) node_.receive(now, port, std::span<const FrameId>(frames).first(count));
    count = 0;
    table_.give_back_released();
  };
  Port& on = ports_[port.index()];
  const std::size_t hosts = neighbours_.hosts();
  std::uint64_t bytes = 0;
  for (const Packet& packet : packets) {
    if (static_cast<std::size_t>(&packets.back() - &packet) >= kAhead) prefetch((&packet)[kAhead].bytes);
    bytes += packet.length;
    const auto accept = [&](FrameId id, const FrameHeader& header, bool has_shim, std::size_t ip_at)
        __attribute__((always_inline)) {
      if (has_shim && !on.rules.speaks_schemes) [[unlikely]] {
        frames_.release_unlisted(id);
        refuse(on.counters, packet, WireError::unknown_opcode);
        return;
      }
      table_.attach_first(id, packet, header, has_shim);
      lower_time_to_live_of(packet.span().subspan(ip_at).first<kIpv4HeaderBytes>());
      frames[count++] = id;
    };
    if (!read_plain_rocev2(frames_, packet.span(), hosts, accept)) [[unlikely]] {
      hand_over();
      if (const FrameId id = admit_other(port, packet); id.exists()) node_.receive(now, port, id);
      table_.give_back_released();
    }
  }
  hand_over();
  return bytes;
}

// The frame of a packet, which the table now owns; none: the packet was refused and given back.
[[gnu::noinline]] FrameId PacketSwitch::admit_other(PortId port, const Packet& packet) {
  PortCounters& counters = ports_[port.index()].counters;
  const WireResult<DecodedFrame> decoded = decode(frames_, packet.span(), neighbours_);
  if (!decoded) {
    refuse(counters, packet, decoded.error());
    return FrameId::none();
  }
  Frame& frame = frames_[decoded->id];
  if (decoded->has_shim && !ports_[port.index()].rules.speaks_schemes) {
    frames_.release(decoded->id);
    refuse(counters, packet, WireError::unknown_opcode);
    return FrameId::none();
  }
  if (const ControlVerdict verdict = judge(port, frame); verdict != ControlVerdict::accepted) {
    ++counters.disobeyed[static_cast<std::size_t>(verdict)];
    frames_.release(decoded->id);
    packets_.release(packet);
    return FrameId::none();
  }
  if (decoded->opaque) ++counters.received_opaque;
  if (frame.kind == FrameKind::pfc) ++counters.received_pauses;
  lower_time_to_live(packet.span());
  table_.attach(decoded->id, {.packet = packet,
                              .received = FrameHeader(frame),
                              .extension_bytes = decoded->extension_bytes,
                              .has_shim = decoded->has_shim,
                              .form = decoded->opaque ? PacketForm::opaque : PacketForm::parsed});
  return decoded->id;
}

ControlVerdict PacketSwitch::judge(PortId port, Frame& frame) {
  const PortRules& rules = ports_[port.index()].rules;
  if (!rules.speaks_schemes && is_of_schemes(frame)) return ControlVerdict::not_spoken;
  if (frame.kind == FrameKind::host_control) {
    return rules.to_hosts[frame.protocol] ? ControlVerdict::accepted : ControlVerdict::wrong_neighbour;
  }
  if (!frame.is_hop_control()) return ControlVerdict::accepted;
  if (frame.kind == FrameKind::pfc) {
    const std::uint16_t allowed = static_cast<std::uint16_t>(frame.tag & rules.pausable.to_ulong());
    if (allowed != frame.tag) ++ports_[port.index()].counters.narrowed_pauses;
    frame.tag = allowed;
  }
  return node_.judge(port, frame);
}

void PacketSwitch::refuse(PortCounters& counters, const Packet& packet, WireError why) {
  ++counters.refused[static_cast<std::size_t>(why)];
  packets_.release(packet);
}

// transmit() for a plain packet, of whose frame nothing has changed apart from the scheme's header, which is not empty.
std::uint16_t PacketSwitch::transmit_with_shim(PortId port, FrameId id, Packet& out) {
  Port& on = ports_[port.index()];
  const Frame& frame = frames_[id];
  const std::uint16_t frame_bytes = frame.frame_bytes;
  const bool has_shim = table_.body(id).has_shim;
  table_.take_first(id, out);
  if (!replace_plain_shim(out, has_shim, {frame.protocol, frame.tag, frame.tag_value})) [[unlikely]] {
    ++on.counters.not_sent[static_cast<std::size_t>(WireError::buffer_too_small)];
    packets_.release(out);
    frames_.release_unlisted(id);
    return 0;
  }
  ++on.counters.sent_rebuilt;
  if (on.addresses.next_hop) address(port, out.span());
  return frame_bytes;
}

// transmit() for any frame. If there is no packet to send for it, the frame is released, and zero returned.
[[gnu::noinline]] std::uint16_t PacketSwitch::transmit_other(PortId port, FrameId id, Packet& out) {
  PortCounters& counters = ports_[port.index()].counters;
  const Frame& frame = frames_[id];
  const std::uint16_t frame_bytes = frame.frame_bytes;
  if (!ports_[port.index()].rules.speaks_schemes && is_of_schemes(frame)) {
    ++counters.withheld;
    frames_.release(id);
    table_.give_back_released();
    return 0;
  }
  const FrameKind kind = frame.kind;
  const WireResult<Packet> packet =
      table_.body(id).packet.exists() ? encode_changed(port, id) : encode_made(port, frame);
  if (!packet) {
    ++counters.not_sent[static_cast<std::size_t>(packet.error())];
    frames_.release_unlisted(id);
    return 0;
  }
  out = *packet;
  if (kind == FrameKind::pfc) ++counters.sent_pauses;
  return frame_bytes;
}

[[gnu::noinline]] WireResult<Packet> PacketSwitch::encode_made(PortId port, const Frame& of_pool) {
  Frame frame = of_pool;  // its extension stays that of the frame in the pool
  const PortAddresses& addresses = ports_[port.index()].addresses;
  if (is_rocev2(frame) && !ports_[port.index()].rules.speaks_schemes) remove_scheme_bytes(frame);
  Envelope envelope = default_envelope(frame);
  envelope.source_mac = addresses.own;
  if (!frame.is_hop_control()) {
    const std::optional<MacAddress> of_host = neighbours_.mac(frame.destination);
    if (of_host) envelope.destination_mac = *of_host;
    if (addresses.next_hop) envelope.destination_mac = *addresses.next_hop;
  }
  return write(frame, envelope, {});
}

[[gnu::noinline]] WireResult<Packet> PacketSwitch::encode_changed(PortId port, FrameId id) {
  Frame frame = frames_[id];  // its extension stays that of the frame in the pool
  const bool speaks = ports_[port.index()].rules.speaks_schemes;
  if (is_rocev2(frame) && !speaks) remove_scheme_bytes(frame);
  const PacketBody& body = table_.body(id);
  const Packet packet = table_.take(id);  // nothing else of the body changes
  const Frame received = body.received.frame();
  const bool opaque = body.form == PacketForm::opaque;
  const bool same = opaque || (has_same_scheme_bytes(frame, received) && (speaks || !body.has_shim));
  if (opaque || (is_as_received(frame, received) && (same || is_rocev2(frame)))) {
    patch(port, frame, received, packet.span());
    if (same) return packet;
    ++ports_[port.index()].counters.sent_rebuilt;
    return reshim(frame, packet, body.extension_bytes);
  }
  ++ports_[port.index()].counters.sent_rebuilt;
  WireResult<Packet> rebuilt = rebuild(port, frame, packet);
  packets_.release(packet);
  return rebuilt;
}

void PacketSwitch::patch(PortId port, const Frame& frame, const Frame& received, std::span<std::byte> bytes) {
  if (frame.ecn() != received.ecn() && frame.ecn() == Ecn::congestion_experienced) mark_congestion(bytes);
  if (frame.priority != received.priority) set_priority(bytes, frame.priority);
  address(port, bytes);
}

void PacketSwitch::address(PortId port, std::span<std::byte> bytes) {
  const PortAddresses& addresses = ports_[port.index()].addresses;
  if (!addresses.next_hop || !is_ipv4(bytes)) return;
  set_destination(bytes, *addresses.next_hop);
  set_source(bytes, addresses.own);
}

WireResult<Packet> PacketSwitch::reshim(const Frame& frame, Packet packet, std::size_t extension_bytes) {
  const std::span<const std::byte> block = frames_.extension(frame);
  const SchemeShim shim{frame.protocol, frame.tag, frame.tag_value, describe_extension(block, extension_bytes),
                        frame.trimmed()};
  std::array<std::byte, kShimBytes + FramePool::kLongExtension> header;
  const std::size_t length = shim == SchemeShim() ? 0 : kShimBytes + shim.extension.bytes;
  if (length > 0) emit_shim(shim, block, header);
  if (replace_shim(packet, std::span(header).first(length))) return packet;
  packets_.release(packet);
  return WireError::buffer_too_small;
}

WireResult<Packet> PacketSwitch::rebuild(PortId port, const Frame& frame, const Packet& packet) {
  // Apart from its time to live the packet is still as received, so its headers say what the frame does not.
  const WireResult<ParsedFrame> parsed = parse(scratch_, packet.span(), Fcs::absent, IcrcCheck::skip);
  if (!parsed) return parsed.error();
  scratch_.release(parsed->id);
  Envelope envelope = parsed->envelope;
  envelope.has_shim = false;  // one that no longer has a field is left out
  const PortAddresses& addresses = ports_[port.index()].addresses;
  if (addresses.next_hop) {
    envelope.destination_mac = *addresses.next_hop;
    envelope.source_mac = addresses.own;
  }
  WireResult<Packet> written = write(frame, envelope, parsed->payload.first(frame.payload_bytes));
  // One that trims a frame writes a new ICRC.
  if (written && is_rocev2(frame) && !frame.trimmed()) copy_icrc(packet.span(), written->span());
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
