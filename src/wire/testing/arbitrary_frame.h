// SPDX-License-Identifier: Apache-2.0
// Arbitrary frames that can cross a link, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "wire/envelope.h"
#include "wire/frame_pool.h"
#include "wire/pfc.h"
#include "wire/sequence.h"
#include "wire/testing/byte_source.h"

namespace weir::testing {

/// A frame with the other arguments of emit().
struct FrameToSend {
  FrameId id;
  Envelope envelope;
  std::vector<std::byte> payload;
};

/// Makes frames of every kind except marker, each field that crosses a link drawn from a ByteSource, all others zero.
/// Envelope fields of headers that a frame does not have keep their defaults, so that a parse returns them.
class ArbitraryFrames {
 public:
  ArbitraryFrames(FramePool& pool, ByteSource& source) : pool_(pool), source_(source) {}

  /// The pool must not be empty.
  FrameToSend make() {
    FrameToSend made;
    made.id = pool_.allocate();
    Frame& frame = pool_[made.id];
    frame.kind = static_cast<FrameKind>(source_.below(static_cast<std::uint64_t>(FrameKind::marker)));
    draw_ethernet(frame, made.envelope);
    switch (frame.kind) {
      case FrameKind::pfc:
        draw_pfc(frame);
        break;
      case FrameKind::hop_control:
        draw_hop_control(frame);
        break;
      case FrameKind::host_control:
        draw_ipv4(frame, made.envelope);
        draw_control(frame);
        break;
      default:
        draw_ipv4(frame, made.envelope);
        draw_rocev2(frame, made);
        break;
    }
    return made;
  }

 private:
  void draw_ethernet(Frame& frame, Envelope& envelope) {
    for (std::uint8_t& octet : envelope.source_mac.octets) octet = source_.octet();
    if (frame.kind == FrameKind::pfc) {
      envelope.destination_mac = kMacControlAddress;
      envelope.tagged = false;
      return;
    }
    for (std::uint8_t& octet : envelope.destination_mac.octets) octet = source_.octet();
    envelope.tagged = source_.octet() % 4 != 0;
    if (envelope.tagged || frame.kind != FrameKind::hop_control) {
      frame.priority = static_cast<Priority>(source_.below(kPriorities));
    }
    if (envelope.tagged) {
      envelope.drop_eligible = source_.flip();
      envelope.vlan = static_cast<std::uint16_t>(source_.below(0xfff));
    }
  }

  void draw_pfc(Frame& frame) {
    PfcQuanta pfc;
    pfc.enabled = source_.octet();
    for (std::uint16_t& quanta : pfc.quanta) quanta = source_.number<std::uint16_t>();
    static_cast<void>(write_pfc(pool_, frame, pfc));
  }

  void draw_scheme_bytes(Frame& frame) {
    frame.protocol = source_.octet();
    frame.tag = source_.number<std::uint16_t>();
    frame.tag_value = source_.number<std::uint32_t>();
    if (source_.flip()) return;
    const std::span<std::byte> block =
        pool_.extend(frame, source_.flip() ? FramePool::kLongExtension : FramePool::kShortExtension);
    const std::size_t written = source_.below(block.size() + 1);
    for (std::byte& byte : block.first(written)) byte = std::byte{source_.octet()};
  }

  void draw_control(Frame& frame) {
    draw_scheme_bytes(frame);
    frame.set_echoes_congestion(source_.flip());
    frame.set_ends_message(source_.flip());
    frame.set_wants_ack(source_.flip());
    frame.entropy = source_.number<std::uint16_t>();
    frame.queue_pair = QueuePairId(source_.number<std::uint32_t>());
    frame.sequence = source_.number<std::uint32_t>();
  }

  void draw_hop_control(Frame& frame) {
    draw_control(frame);
    frame.source = HostId(source_.number<std::uint32_t>());
    frame.destination = HostId(source_.number<std::uint32_t>());
  }

  void draw_ipv4(Frame& frame, Envelope& envelope) {
    if (source_.octet() % 4 != 0) frame.source = HostId(source_.below(kAddressableHosts));
    frame.destination = HostId(source_.below(kAddressableHosts));
    constexpr Ecn kCodePoints[] = {Ecn::not_capable, Ecn::capable, Ecn::congestion_experienced};
    frame.set_ecn(kCodePoints[source_.below(3)]);
    envelope.ect1 = frame.ecn() == Ecn::capable && source_.flip();
    envelope.dscp = static_cast<std::uint8_t>(source_.below(64));
    if (!envelope.tagged) envelope.dscp = static_cast<std::uint8_t>(frame.priority << 3 | (envelope.dscp & 0x07u));
    envelope.identification = source_.number<std::uint16_t>();
    envelope.dont_fragment = source_.flip();
    envelope.time_to_live = static_cast<std::uint8_t>(1 + source_.below(255));
    if (source_.octet() % 4 == 0) draw_options(envelope.options);
  }

  // No-operations after one option of seven bytes.
  void draw_options(Ipv4Options& options) {
    constexpr auto kNoOperation = std::byte{1};
    constexpr auto kRecordRoute = std::byte{7};
    constexpr std::uint8_t kRecordBytes = 7;
    options.bytes = static_cast<std::uint8_t>(4 * source_.below(11));
    std::fill_n(options.content.begin(), options.bytes, kNoOperation);
    if (options.bytes < kRecordBytes) return;
    options.content[0] = kRecordRoute;
    options.content[1] = std::byte{kRecordBytes};
    for (std::size_t i = 2; i < kRecordBytes; ++i) options.content[i] = std::byte{source_.octet()};
  }

  void draw_rocev2(Frame& frame, FrameToSend& made) {
    Envelope& envelope = made.envelope;
    envelope.has_shim = source_.flip();
    if (envelope.has_shim) draw_scheme_bytes(frame);
    frame.entropy = source_.number<std::uint16_t>();
    frame.queue_pair = QueuePairId(source_.below(k24Bits));
    frame.sequence = source_.below(k24Bits);
    frame.set_wants_ack(source_.flip());
    envelope.udp_checksum = source_.flip();
    envelope.solicited_event = source_.flip();
    envelope.migration_request = source_.flip();
    envelope.fecn = source_.flip();
    envelope.partition_key = source_.number<std::uint16_t>();
    if (frame.kind == FrameKind::cnp) return;
    frame.set_echoes_congestion(source_.flip());
    if (frame.kind == FrameKind::data) {
      frame.set_ends_message(source_.flip());
      envelope.starts_message = source_.flip();
      frame.set_trimmed(envelope.has_shim && source_.octet() % 4 == 0);
      if (frame.trimmed()) return;
      constexpr std::uint32_t kJumboPayload = 9'000;
      frame.payload_bytes = static_cast<std::uint16_t>(source_.below(source_.octet() % 16 == 0 ? kJumboPayload : 64));
      made.payload.resize(frame.payload_bytes);
      for (std::byte& byte : made.payload) byte = std::byte{source_.octet()};
      return;
    }
    if (frame.kind == FrameKind::ack) envelope.credit_count = static_cast<std::uint8_t>(source_.below(32));
    envelope.message_sequence_number = source_.below(k24Bits);
  }

  static constexpr std::uint64_t k24Bits = std::uint64_t{1} << 24;
  FramePool& pool_;
  ByteSource& source_;
};

/// Whether two frames are equal to a receiver: every header byte that crosses a link, including the extension. Lengths
/// are not compared, because a frame that was made need not have its final length.
inline bool same_headers(const FramePool& pool, const Frame& a, const Frame& b) {
  const std::span<const std::byte> a_block = pool.extension(a);
  const std::span<const std::byte> b_block = pool.extension(b);
  return a.payload_bytes == b.payload_bytes && a.kind == b.kind && a.priority == b.priority && a.flags == b.flags &&
         a.protocol == b.protocol && a.source == b.source && a.destination == b.destination &&
         a.queue_pair == b.queue_pair && a.sequence == b.sequence && a.entropy == b.entropy && a.tag == b.tag &&
         a.tag_value == b.tag_value && std::equal(a_block.begin(), a_block.end(), b_block.begin(), b_block.end());
}

}  // namespace weir::testing
