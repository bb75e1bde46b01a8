// SPDX-License-Identifier: Apache-2.0
#include "wire/parse.h"

#include <limits>
#include <optional>

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

// The part of a frame that has been parsed; it is moved to the pool when it is complete.
class Parser {
 public:
  Parser(Fcs fcs, IcrcCheck icrc) : fcs_(fcs), icrc_(icrc) {}

  // Each step returns the error that ends the parse, if any.
  using Outcome = std::optional<WireError>;
  Outcome parse_frame(std::span<const std::byte> bytes);

  WireResult<ParsedFrame> take_from(FramePool& pool) const;

 private:
  Outcome parse_mac_control_frame(const EthernetFrame& ethernet);
  Outcome parse_hop_control(const EthernetFrame& ethernet);
  Outcome parse_ipv4_packet(const EthernetFrame& ethernet);
  Outcome parse_host_control(std::span<const std::byte> bytes, bool by_icmp);
  Outcome parse_rocev2(const Ipv4Packet& packet);
  Outcome parse_behind_bth(const Bth& bth, std::span<const std::byte> rest);
  Outcome parse_acknowledgement(const Bth& bth, std::span<const std::byte> rest);
  Outcome parse_data(const Bth& bth, std::span<const std::byte> rest);
  void note_control(const ParsedControl& control);
  // Bytes after a packet that contains its own length can only be padding, to the minimum frame or, if a bridge added
  // the tag later, to four bytes more.
  Outcome check_padding(std::size_t trailing_bytes) const;

  Frame frame_{};
  Envelope envelope_;
  std::span<const std::byte> payload_;
  std::span<const std::byte> extension_content_;
  ExtensionField extension_;
  std::optional<PfcQuanta> pfc_;
  std::size_t bytes_without_fcs_ = 0;
  Fcs fcs_;
  IcrcCheck icrc_;
};

Parser::Outcome Parser::parse_frame(std::span<const std::byte> bytes) {
  const std::size_t frame_bytes = bytes.size() + (fcs_ == Fcs::absent ? kFcsBytes : 0);
  if (frame_bytes > std::numeric_limits<std::uint16_t>::max()) return WireError::too_long;
  const WireResult<EthernetFrame> ethernet = parse_ethernet(bytes, fcs_);
  if (!ethernet) return ethernet.error();
  frame_.frame_bytes = static_cast<std::uint16_t>(frame_bytes);
  bytes_without_fcs_ = frame_bytes - kFcsBytes;
  const EthernetHeader& header = ethernet->header;
  envelope_.destination_mac = header.destination;
  envelope_.source_mac = header.source;
  envelope_.tagged = header.tag.has_value();
  if (header.tag) {
    frame_.priority = header.tag->priority;
    envelope_.drop_eligible = header.tag->drop_eligible;
    envelope_.vlan = header.tag->vlan;
  }
  switch (header.ether_type) {
    case ether_type::kIpv4:
      return parse_ipv4_packet(*ethernet);
    case ether_type::kMacControl:
      return parse_mac_control_frame(*ethernet);
    case ether_type::kExperimental:
      return parse_hop_control(*ethernet);
    default:
      return WireError::unknown_ether_type;
  }
}

Parser::Outcome Parser::parse_mac_control_frame(const EthernetFrame& ethernet) {
  if (ethernet.header.tag) return WireError::bad_vlan_tag;
  if (ethernet.header.destination != kMacControlAddress) return WireError::bad_mac_control_address;
  const WireResult<PfcQuanta> pfc = parse_mac_control(ethernet.payload);
  if (!pfc) return pfc.error();
  frame_.kind = FrameKind::pfc;
  pfc_ = *pfc;
  return check_padding(ethernet.payload.size() - kPfcPayloadBytes);
}

Parser::Outcome Parser::parse_hop_control(const EthernetFrame& ethernet) {
  const WireResult<ParsedControl> control = parse_control(ethernet.payload, ControlReach::neighbour);
  if (!control) return control.error();
  frame_.kind = FrameKind::hop_control;
  frame_.source = control->header.source;
  frame_.destination = control->header.destination;
  note_control(*control);
  return check_padding(control->trailing_bytes);
}

Parser::Outcome Parser::parse_ipv4_packet(const EthernetFrame& ethernet) {
  const WireResult<Ipv4Packet> packet = parse_ipv4(ethernet.payload);
  if (!packet) return packet.error();
  if (const Outcome error = check_padding(packet->trailing_bytes)) return error;
  const Ipv4Header& header = packet->header;
  const std::optional<HostId> destination = host_of(header.destination);
  const std::optional<HostId> source =
      header.source == kUnnamedIpv4Address ? std::optional(HostId::none()) : host_of(header.source);
  if (!source || !destination) return WireError::foreign_host;
  frame_.source = *source;
  frame_.destination = *destination;
  constexpr std::uint8_t kEct1 = 1;
  envelope_.ect1 = header.ecn == kEct1;
  frame_.set_ecn(envelope_.ect1 ? Ecn::capable : static_cast<Ecn>(header.ecn));
  if (!ethernet.header.tag) frame_.priority = static_cast<Priority>(header.dscp >> 3);
  envelope_.dscp = header.dscp;
  envelope_.identification = header.identification;
  envelope_.dont_fragment = header.dont_fragment;
  envelope_.time_to_live = header.time_to_live;
  envelope_.options = header.options;
  switch (header.protocol) {
    case ip_protocol::kUdp:
      return parse_rocev2(*packet);
    case ip_protocol::kExperimental:
      return parse_host_control(packet->payload, false);
    case ip_protocol::kIcmp: {
      const WireResult<std::span<const std::byte>> message = parse_icmp(packet->payload);
      if (!message) return message.error();
      return parse_host_control(*message, true);
    }
    default:
      return WireError::unknown_protocol;
  }
}

Parser::Outcome Parser::parse_host_control(std::span<const std::byte> bytes, bool by_icmp) {
  const WireResult<ParsedControl> control = parse_control(bytes, ControlReach::host);
  if (!control) return control.error();
  if (control->trailing_bytes != 0) return WireError::bad_length;
  if (carried_by_icmp(control->header.protocol) != by_icmp) return WireError::bad_control_header;
  frame_.kind = FrameKind::host_control;
  note_control(*control);
  return std::nullopt;
}

void Parser::note_control(const ParsedControl& control) {
  const ControlHeader& header = control.header;
  frame_.protocol = header.protocol;
  frame_.set_echoes_congestion(header.echoes_congestion);
  frame_.set_ends_message(header.ends_message);
  frame_.set_wants_ack(header.wants_ack);
  frame_.tag = header.tag;
  frame_.tag_value = header.tag_value;
  frame_.entropy = header.entropy;
  frame_.sequence = header.sequence;
  frame_.queue_pair = header.queue_pair;
  extension_ = header.extension;
  extension_content_ = control.extension;
  envelope_.extension_bytes = header.extension.bytes;
}

Parser::Outcome Parser::parse_rocev2(const Ipv4Packet& packet) {
  const WireResult<UdpDatagram> datagram = parse_udp(packet);
  if (!datagram) return datagram.error();
  if (datagram->header.destination_port != kRoceUdpPort) return WireError::unknown_udp_port;
  frame_.entropy = datagram->header.source_port;
  envelope_.udp_checksum = datagram->header.has_checksum;

  std::span<const std::byte> rest = datagram->payload;
  if (rest.size() < kBthBytes + kIcrcBytes) return WireError::truncated;
  const auto sent_icrc = rest.last<kIcrcBytes>();
  const WireResult<Bth> bth = parse_bth(rest.first<kBthBytes>());
  if (!bth) return bth.error();
  rest = rest.subspan(kBthBytes, rest.size() - kBthBytes - kIcrcBytes);
  std::size_t shim_bytes = 0;
  envelope_.has_shim = bth->has_shim;
  if (bth->has_shim) {
    const WireResult<ParsedShim> shim = parse_shim(rest);
    if (!shim) return shim.error();
    shim_bytes = kShimBytes + shim->extension.size();
    rest = rest.subspan(shim_bytes);
    frame_.protocol = shim->shim.protocol;
    frame_.tag = shim->shim.tag;
    frame_.tag_value = shim->shim.tag_value;
    frame_.set_trimmed(shim->shim.trimmed);
    extension_ = shim->shim.extension;
    extension_content_ = shim->extension;
    envelope_.extension_bytes = extension_.bytes;
  }
  if (icrc_ == IcrcCheck::verify &&
      load_crc(sent_icrc) != invariant_crc(packet.packet.first(packet.packet.size() - kIcrcBytes), shim_bytes)) {
    return WireError::bad_icrc;
  }
  frame_.queue_pair = QueuePairId(bth->destination_queue_pair);
  frame_.sequence = bth->sequence;
  frame_.set_wants_ack(bth->acknowledge_request);
  envelope_.solicited_event = bth->solicited_event;
  envelope_.migration_request = bth->migration_request;
  envelope_.partition_key = bth->partition_key;
  envelope_.fecn = bth->fecn;
  return parse_behind_bth(*bth, rest);
}

Parser::Outcome Parser::parse_behind_bth(const Bth& bth, std::span<const std::byte> rest) {
  // Only data can be trimmed, and then has no payload at all.
  if (frame_.trimmed() && (bth.opcode == BthOpcode::acknowledge || bth.opcode == BthOpcode::cnp || !rest.empty())) {
    return WireError::bad_shim;
  }
  switch (bth.opcode) {
    case BthOpcode::acknowledge:
      return parse_acknowledgement(bth, rest);
    case BthOpcode::cnp:
      frame_.kind = FrameKind::cnp;
      if (bth.pad_count != 0) return WireError::bad_pad_count;
      if (rest.size() != kCnpReservedBytes) return WireError::bad_length;
      if (!bth.becn) return WireError::bad_congestion_notification;
      return std::nullopt;
    default:
      return parse_data(bth, rest);
  }
}

Parser::Outcome Parser::parse_acknowledgement(const Bth& bth, std::span<const std::byte> rest) {
  if (bth.pad_count != 0) return WireError::bad_pad_count;
  if (rest.size() != kAethBytes) return WireError::bad_length;
  const WireResult<Aeth> aeth = parse_aeth(rest.first<kAethBytes>());
  if (!aeth) return aeth.error();
  frame_.kind = aeth->negative ? FrameKind::nack : FrameKind::ack;
  if (!aeth->negative) {
    frame_.sequence = (bth.sequence + 1) & kSequenceMask;
    envelope_.credit_count = aeth->credit_count;
  }
  frame_.set_echoes_congestion(bth.becn);
  envelope_.message_sequence_number = aeth->message_sequence_number;
  return std::nullopt;
}

Parser::Outcome Parser::parse_data(const Bth& bth, std::span<const std::byte> rest) {
  if (rest.size() % 4 != 0) return WireError::bad_length;
  if (bth.pad_count > rest.size()) return WireError::bad_pad_count;
  frame_.kind = FrameKind::data;
  payload_ = rest.first(rest.size() - bth.pad_count);
  frame_.payload_bytes = static_cast<std::uint16_t>(payload_.size());
  frame_.set_ends_message(bth.opcode == BthOpcode::send_last || bth.opcode == BthOpcode::send_only);
  frame_.set_echoes_congestion(bth.becn);
  envelope_.starts_message = bth.opcode == BthOpcode::send_first || bth.opcode == BthOpcode::send_only;
  return std::nullopt;
}

Parser::Outcome Parser::check_padding(std::size_t trailing_bytes) const {
  const std::size_t padded = kMinimumEthernetBytes + (envelope_.tagged ? kVlanTagBytes : 0);
  if (trailing_bytes != 0 && bytes_without_fcs_ > padded) return WireError::bad_length;
  return std::nullopt;
}

WireResult<ParsedFrame> Parser::take_from(FramePool& pool) const {
  const FrameId id = pool.allocate();
  if (!id.exists()) return WireError::pool_empty;
  Frame& frame = pool[id];
  frame = frame_;
  const bool complete =
      pfc_ ? write_pfc(pool, frame, *pfc_) : restore_extension(pool, frame, extension_, extension_content_);
  if (!complete) {
    pool.release(id);
    return WireError::pool_empty;
  }
  return ParsedFrame{id, envelope_, payload_};
}

}  // namespace

WireResult<ParsedFrame> parse(FramePool& pool, std::span<const std::byte> bytes, Fcs fcs, IcrcCheck icrc) {
  Parser parser(fcs, icrc);
  if (const std::optional<WireError> error = parser.parse_frame(bytes)) return *error;
  return parser.take_from(pool);
}

}  // namespace weir
