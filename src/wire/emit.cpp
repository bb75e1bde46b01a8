// SPDX-License-Identifier: Apache-2.0
#include "wire/emit.h"

#include <algorithm>
#include <limits>

#include "wire/control_header.h"
#include "wire/crc32.h"
#include "wire/extension_field.h"
#include "wire/icmp.h"
#include "wire/ipv4_udp.h"
#include "wire/pfc_frame.h"
#include "wire/rocev2.h"
#include "wire/scheme_shim.h"
#include "wire/sequence.h"

namespace weir {
namespace {

constexpr std::uint32_t kLimit24 = std::uint32_t{1} << 24;

constexpr std::size_t pad_bytes(std::size_t payload_bytes) {
  return (4 - payload_bytes % 4) % 4;
}

class Emitter {
 public:
  Emitter(const FramePool& pool, const Frame& frame, const Envelope& envelope, std::span<const std::byte> payload,
          Fcs fcs, std::span<std::byte> out)
      : pool_(pool), frame_(frame), envelope_(envelope), payload_(payload), fcs_(fcs), out_(out) {}

  WireResult<std::size_t> emit_frame();

 private:
  WireResult<std::size_t> emit_pfc_frame();
  WireResult<std::size_t> emit_hop_control();
  WireResult<std::size_t> emit_host_control();
  WireResult<std::size_t> emit_rocev2();

  [[nodiscard]] bool is_acknowledgement() const {
    return frame_.kind == FrameKind::ack || frame_.kind == FrameKind::nack;
  }
  [[nodiscard]] bool fits_ethernet() const;
  [[nodiscard]] bool fits_ipv4() const;
  [[nodiscard]] bool fits_rocev2() const;

  [[nodiscard]] EthernetHeader ethernet_header(std::uint16_t ether_type) const;
  [[nodiscard]] Ipv4Header ipv4_header(std::uint8_t protocol, std::size_t payload_bytes) const;
  [[nodiscard]] ControlHeader control_header(const ExtensionField& extension) const;
  [[nodiscard]] Bth base_transport_header(bool has_shim) const;
  [[nodiscard]] Aeth acknowledge_header() const;
  [[nodiscard]] bool says_something_for_the_shim() const;
  // Without the shim and the ICRC.
  [[nodiscard]] std::size_t bytes_behind_bth() const;

  // Writes the Ethernet header and returns the zeroed space for the `body_bytes` that follow it; close() completes the
  // frame.
  WireResult<std::span<std::byte>> open(const EthernetHeader& header, std::size_t body_bytes);
  std::size_t close();

  const FramePool& pool_;
  const Frame& frame_;
  const Envelope& envelope_;
  std::span<const std::byte> payload_;
  Fcs fcs_;
  std::span<std::byte> out_;
  std::size_t bytes_without_fcs_ = 0;
};

WireResult<std::size_t> Emitter::emit_frame() {
  if (frame_.corrupt() && fcs_ == Fcs::absent) return WireError::not_representable;
  if ((frame_.kind != FrameKind::data || frame_.trimmed()) && frame_.payload_bytes != 0) {
    return WireError::not_representable;
  }
  if (frame_.kind != FrameKind::data && frame_.trimmed()) return WireError::not_representable;
  if (!payload_.empty() && payload_.size() != frame_.payload_bytes) return WireError::bad_length;
  if (frame_.kind != FrameKind::pfc && !fits_ethernet()) return WireError::not_representable;
  switch (frame_.kind) {
    case FrameKind::data:
    case FrameKind::ack:
    case FrameKind::nack:
    case FrameKind::cnp:
      return emit_rocev2();
    case FrameKind::pfc:
      return emit_pfc_frame();
    case FrameKind::hop_control:
      return emit_hop_control();
    case FrameKind::host_control:
      return emit_host_control();
    case FrameKind::marker:
    case FrameKind::datagram:  // its bytes are those handed in
      break;
  }
  return WireError::not_representable;
}

bool Emitter::fits_ethernet() const {
  constexpr std::uint16_t kReservedVlan = 0xfff;
  return frame_.priority < kPriorities && (!envelope_.tagged || envelope_.vlan < kReservedVlan);
}

bool Emitter::fits_ipv4() const {
  return frame_.destination.value < kAddressableHosts &&
         (!frame_.source.exists() || frame_.source.value < kAddressableHosts) && envelope_.dscp < 64 &&
         envelope_.time_to_live > 0 && well_formed(envelope_.options);
}

bool Emitter::fits_rocev2() const {
  const bool is_data = frame_.kind == FrameKind::data;
  return frame_.queue_pair.value < kLimit24 && envelope_.message_sequence_number < kLimit24 &&
         envelope_.credit_count <= Aeth::kNoCredits && (is_data || !frame_.ends_message()) &&
         (frame_.kind != FrameKind::cnp || !frame_.echoes_congestion());
}

EthernetHeader Emitter::ethernet_header(std::uint16_t ether_type) const {
  EthernetHeader header{envelope_.destination_mac, envelope_.source_mac, std::nullopt, ether_type};
  if (envelope_.tagged) header.tag = VlanTag{frame_.priority, envelope_.drop_eligible, envelope_.vlan};
  return header;
}

Ipv4Header Emitter::ipv4_header(std::uint8_t protocol, std::size_t payload_bytes) const {
  Ipv4Header header;
  header.dscp = envelope_.dscp;
  if (!envelope_.tagged) header.dscp = static_cast<std::uint8_t>(frame_.priority << 3 | (envelope_.dscp & 0x07u));
  constexpr std::uint8_t kEct1 = 1;
  const bool is_ect1 = frame_.ecn() == Ecn::capable && envelope_.ect1;
  header.ecn = is_ect1 ? kEct1 : static_cast<std::uint8_t>(frame_.ecn());
  header.identification = envelope_.identification;
  header.dont_fragment = envelope_.dont_fragment;
  header.time_to_live = envelope_.time_to_live;
  header.protocol = protocol;
  header.source = frame_.source.exists() ? ipv4_address_of(frame_.source) : kUnnamedIpv4Address;
  header.destination = ipv4_address_of(frame_.destination);
  header.options = envelope_.options;
  header.total_length = static_cast<std::uint16_t>(header_bytes(header) + payload_bytes);
  return header;
}

WireResult<std::span<std::byte>> Emitter::open(const EthernetHeader& header, std::size_t body_bytes) {
  const std::size_t header_length = header_bytes(header);
  bytes_without_fcs_ = std::max(header_length + body_bytes, kMinimumEthernetBytes);
  if (bytes_without_fcs_ + kFcsBytes > std::numeric_limits<std::uint16_t>::max()) return WireError::too_long;
  if (out_.size() < bytes_without_fcs_ + (fcs_ == Fcs::present ? kFcsBytes : 0)) return WireError::buffer_too_small;
  emit_ethernet(header, out_);
  const std::span<std::byte> rest = out_.subspan(header_length, bytes_without_fcs_ - header_length);
  std::fill(rest.begin(), rest.end(), std::byte{0});
  return rest.first(body_bytes);
}

std::size_t Emitter::close() {
  if (fcs_ == Fcs::absent) return bytes_without_fcs_;
  const std::uint32_t fcs = frame_check_sequence(out_.first(bytes_without_fcs_));
  store_crc(out_.subspan(bytes_without_fcs_).first<kFcsBytes>(), frame_.corrupt() ? ~fcs : fcs);
  return bytes_without_fcs_ + kFcsBytes;
}

WireResult<std::size_t> Emitter::emit_pfc_frame() {
  const EthernetHeader header{kMacControlAddress, envelope_.source_mac, std::nullopt, ether_type::kMacControl};
  const WireResult<std::span<std::byte>> body = open(header, kPfcPayloadBytes);
  if (!body) return body.error();
  emit_pfc(read_pfc(pool_, frame_), body->first<kPfcPayloadBytes>());
  return close();
}

ControlHeader Emitter::control_header(const ExtensionField& extension) const {
  return {frame_.protocol,
          frame_.echoes_congestion(),
          frame_.ends_message(),
          frame_.wants_ack(),
          extension,
          frame_.tag,
          frame_.entropy,
          frame_.tag_value,
          frame_.sequence,
          frame_.queue_pair,
          frame_.source,
          frame_.destination};
}

WireResult<std::size_t> Emitter::emit_hop_control() {
  if (frame_.ecn() != Ecn::not_capable) return WireError::not_representable;
  if (!envelope_.tagged && frame_.priority != 0) return WireError::not_representable;
  const std::span<const std::byte> block = pool_.extension(frame_);
  const ExtensionField extension = describe_extension(block, envelope_.extension_bytes);
  const WireResult<std::span<std::byte>> body =
      open(ethernet_header(ether_type::kExperimental), control_header_bytes(ControlReach::neighbour) + extension.bytes);
  if (!body) return body.error();
  emit_control(control_header(extension), ControlReach::neighbour, block, *body);
  return close();
}

WireResult<std::size_t> Emitter::emit_host_control() {
  if (!fits_ipv4()) return WireError::not_representable;
  const std::span<const std::byte> block = pool_.extension(frame_);
  const ExtensionField extension = describe_extension(block, envelope_.extension_bytes);
  const bool by_icmp = carried_by_icmp(frame_.protocol);
  const std::size_t message_bytes = control_header_bytes(ControlReach::host) + extension.bytes;
  const std::size_t content_bytes = message_bytes + (by_icmp ? kIcmpHeaderBytes : 0);
  const Ipv4Header ipv4 = ipv4_header(by_icmp ? ip_protocol::kIcmp : ip_protocol::kExperimental, content_bytes);
  const WireResult<std::span<std::byte>> body = open(ethernet_header(ether_type::kIpv4), ipv4.total_length);
  if (!body) return body.error();
  emit_ipv4(ipv4, *body);
  const std::span<std::byte> content = body->last(content_bytes);
  emit_control(control_header(extension), ControlReach::host, block, content.last(message_bytes));
  if (by_icmp) emit_icmp(content);
  return close();
}

Bth Emitter::base_transport_header(bool has_shim) const {
  Bth bth;
  bth.has_shim = has_shim;
  bth.solicited_event = envelope_.solicited_event;
  bth.migration_request = envelope_.migration_request;
  bth.partition_key = envelope_.partition_key;
  bth.fecn = envelope_.fecn;
  bth.becn = frame_.echoes_congestion() || frame_.kind == FrameKind::cnp;
  bth.destination_queue_pair = frame_.queue_pair.value;
  bth.acknowledge_request = frame_.wants_ack();
  bth.sequence = frame_.sequence;
  switch (frame_.kind) {
    case FrameKind::ack:
      bth.opcode = BthOpcode::acknowledge;
      bth.sequence = frame_.sequence -
                     1;  // a Frame has the number of the packet expected, the wire that of the packet acknowledged
      break;
    case FrameKind::nack:
      bth.opcode = BthOpcode::acknowledge;
      break;
    case FrameKind::cnp:
      bth.opcode = BthOpcode::cnp;
      break;
    default:
      bth.pad_count = static_cast<std::uint8_t>(pad_bytes(frame_.payload_bytes));
      bth.opcode = envelope_.starts_message ? (frame_.ends_message() ? BthOpcode::send_only : BthOpcode::send_first)
                                            : (frame_.ends_message() ? BthOpcode::send_last : BthOpcode::send_middle);
      break;
  }
  return bth;
}

Aeth Emitter::acknowledge_header() const {
  Aeth aeth;
  aeth.negative = frame_.kind == FrameKind::nack;
  aeth.credit_count = aeth.negative ? std::uint8_t{0} : envelope_.credit_count;
  aeth.message_sequence_number = envelope_.message_sequence_number;
  return aeth;
}

bool Emitter::says_something_for_the_shim() const {
  return frame_.protocol != 0 || frame_.tag != 0 || frame_.tag_value != 0 || frame_.extension.exists() ||
         frame_.trimmed();
}

std::size_t Emitter::bytes_behind_bth() const {
  if (is_acknowledgement()) return kAethBytes;
  if (frame_.kind == FrameKind::cnp) return kCnpReservedBytes;
  return frame_.payload_bytes + pad_bytes(frame_.payload_bytes);
}

WireResult<std::size_t> Emitter::emit_rocev2() {
  if (!fits_ipv4() || !fits_rocev2()) return WireError::not_representable;
  const std::span<const std::byte> block = pool_.extension(frame_);
  const SchemeShim shim{frame_.protocol, frame_.tag, frame_.tag_value,
                        describe_extension(block, envelope_.extension_bytes), frame_.trimmed()};
  const bool has_shim = envelope_.has_shim || says_something_for_the_shim();
  const std::size_t shim_bytes = has_shim ? kShimBytes + shim.extension.bytes : 0;
  const std::size_t content_bytes = bytes_behind_bth();
  const std::size_t datagram_bytes = kUdpHeaderBytes + kBthBytes + shim_bytes + content_bytes + kIcrcBytes;
  if (header_bytes(ipv4_header(ip_protocol::kUdp, 0)) + datagram_bytes > std::numeric_limits<std::uint16_t>::max()) {
    return WireError::too_long;
  }
  const Ipv4Header ipv4 = ipv4_header(ip_protocol::kUdp, datagram_bytes);
  const WireResult<std::span<std::byte>> body = open(ethernet_header(ether_type::kIpv4), ipv4.total_length);
  if (!body) return body.error();

  emit_ipv4(ipv4, *body);
  const std::span<std::byte> datagram = body->last(datagram_bytes);
  const std::span<std::byte> transport = datagram.subspan(kUdpHeaderBytes);
  emit_bth(base_transport_header(has_shim), transport.first<kBthBytes>());
  if (has_shim) emit_shim(shim, block, transport.subspan(kBthBytes));
  const std::span<std::byte> content = transport.subspan(kBthBytes + shim_bytes, content_bytes);
  if (is_acknowledgement()) emit_aeth(acknowledge_header(), content.first<kAethBytes>());
  std::copy(payload_.begin(), payload_.end(), content.begin());
  // The ICRC covers the UDP header except its checksum, which in turn covers the ICRC.
  UdpHeader udp{frame_.entropy, kRoceUdpPort, false};
  emit_udp(udp, ipv4, datagram);
  store_crc(body->last<kIcrcBytes>(), invariant_crc(body->first(body->size() - kIcrcBytes), shim_bytes));
  if (envelope_.udp_checksum) {
    udp.has_checksum = true;
    emit_udp(udp, ipv4, datagram);
  }
  return close();
}

}  // namespace

WireResult<std::size_t> emit(const FramePool& pool, const Frame& frame, const Envelope& envelope,
                             std::span<const std::byte> payload, Fcs fcs, std::span<std::byte> out) {
  return Emitter(pool, frame, envelope, payload, fcs, out).emit_frame();
}

}  // namespace weir
