// SPDX-License-Identifier: Apache-2.0
#include "ports/plain_rocev2.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/frame_header.h"
#include "wire/emit.h"
#include "wire/parse.h"
#include "wire/testing/arbitrary_frame.h"
#include "wire/testing/byte_source.h"
#include "wire/testing/checksum_repair.h"
#include "wire/testing/round_trip.h"

namespace weir::plain_rocev2_test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kHosts = 1'000;

bool is_host(HostId host) {
  return host.exists() && host.index() < kHosts;
}

struct Read {
  FrameId id;
  FrameHeader header;
  bool has_shim = false;
  std::size_t ip_at = 0;
};

Read read(FramePool& pool, const Bytes& bytes, std::size_t hosts = kHosts) {
  Read out;
  int calls = 0;
  const bool is_plain =
      read_plain_rocev2(pool, bytes, hosts, [&](FrameId id, const FrameHeader& header, bool has_shim, std::size_t at) {
        out.id = id;
        out.header = header;
        out.has_shim = has_shim;
        out.ip_at = at;
        ++calls;
      });
  EXPECT_EQ(calls, is_plain ? 1 : 0);
  return out;
}

/// Whether a packet that parse() accepts is one of those that read_plain_rocev2() reads.
bool is_plain(const FramePool& pool, const ParsedFrame& parsed) {
  const Frame& frame = pool[parsed.id];
  const Envelope& envelope = parsed.envelope;
  const bool kind = frame.kind == FrameKind::data || frame.kind == FrameKind::ack || frame.kind == FrameKind::nack;
  return kind && is_host(frame.source) && is_host(frame.destination) && !frame.trimmed() && !frame.extension.exists() &&
         envelope.options.bytes == 0 && !envelope.udp_checksum && envelope.time_to_live > 1;
}

/// What differs between the frame that read_plain_rocev2() makes of these bytes and that of parse(); empty: nothing.
std::string difference(const Bytes& bytes) {
  FramePool pool(2);
  const auto parsed = parse(pool, bytes, Fcs::absent, IcrcCheck::skip);
  const Read plain = read(pool, bytes);
  const bool expected = parsed && is_plain(pool, *parsed);
  if (plain.id.exists() != expected) return expected ? "not read" : "read what is not plain";
  if (pool.in_use() != (parsed.ok() ? 1u : 0u) + (expected ? 1u : 0u)) return "a frame is lost";
  if (!expected) return {};
  if (FrameHeader(pool[plain.id]) != FrameHeader(pool[parsed->id])) return "another frame";
  if (plain.header != FrameHeader(pool[plain.id])) return "another header than of the frame";
  if (plain.has_shim != parsed->envelope.has_shim) return "another opinion about the scheme's header";
  const std::size_t tag = parsed->envelope.tagged ? kVlanTagBytes : 0;
  if (plain.ip_at != kEthernetHeaderBytes + tag) return "another place of the IPv4 header";
  return {};
}

/// Packets as parse() returns them, most of them between hosts of the network, with a few bits changed.
RC_GTEST_PROP(PlainRocev2, IsReadAsByTheParserOfAllPackets, (const std::vector<std::uint8_t>& octets)) {
  FramePool pool(4);
  auto seed = octets;
  const auto more = *rc::gen::container<std::vector<std::uint8_t>>(150, rc::gen::arbitrary<std::uint8_t>());
  seed.insert(seed.end(), more.begin(), more.end());
  testing::ByteSource source(seed);
  testing::FrameToSend sent = testing::ArbitraryFrames(pool, source).make();
  Frame& frame = pool[sent.id];
  if (*rc::gen::inRange(0, 8) != 0 && !frame.is_hop_control()) {
    frame.source = HostId(*rc::gen::inRange<std::size_t>(0, kHosts + 1));
    frame.destination = HostId(*rc::gen::inRange<std::size_t>(0, kHosts + 1));
    if (*rc::gen::inRange(0, 4) != 0) sent.envelope.options = {};
    if (*rc::gen::inRange(0, 4) != 0) sent.envelope.udp_checksum = false;
    if (*rc::gen::inRange(0, 4) != 0) frame.extension = ExtensionId::none();
    if (*rc::gen::inRange(0, 8) == 0) sent.envelope.time_to_live = 1;
  }
  Bytes bytes(testing::kLargestFrame);
  const auto length = emit(pool, frame, sent.envelope, sent.payload, Fcs::absent, bytes);
  RC_ASSERT(length.ok());
  bytes.resize(*length);
  RC_ASSERT(difference(bytes) == "");
  const int changes = *rc::gen::inRange(0, 3);
  for (int i = 0; i < changes; ++i) {
    const std::size_t headers = std::min<std::size_t>(bytes.size(), 80);
    bytes[*rc::gen::inRange<std::size_t>(0, headers)] ^= std::byte{1} << *rc::gen::inRange(0, 8);
  }
  if (*rc::gen::inRange(0, 4) == 0) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 9));
  RC_ASSERT(difference(bytes) == "");
  testing::Repair(bytes, Fcs::absent, testing::Repair::Zero::nothing);
  RC_ASSERT(difference(bytes) == "");
}

/// A data packet of host 1 to host 2 with this many bytes of payload.
Bytes packet(bool tagged, bool with_shim, std::uint16_t payload, FrameKind kind = FrameKind::data) {
  FramePool pool(1);
  Frame& frame = pool[pool.allocate()];
  frame.kind = kind;
  frame.source = HostId(1);
  frame.destination = HostId(2);
  frame.priority = 3;
  frame.queue_pair = QueuePairId(0x123456);
  frame.sequence = 0xfffffe;
  frame.entropy = 0xc001;
  frame.payload_bytes = payload;
  if (with_shim) frame.tag = 7;
  Envelope envelope = default_envelope(frame);
  envelope.tagged = tagged;
  Bytes bytes(testing::kLargestFrame);
  bytes.resize(*emit(pool, frame, envelope, Bytes(payload), Fcs::absent, bytes));
  return bytes;
}

TEST(PlainRocev2, IsWhatAFabricCarries) {
  for (const bool tagged : {false, true}) {
    for (const bool with_shim : {false, true}) {
      for (const FrameKind kind : {FrameKind::data, FrameKind::ack, FrameKind::nack}) {
        const std::uint16_t payload = kind == FrameKind::data ? 101 : 0;
        FramePool pool(1);
        const Read plain = read(pool, packet(tagged, with_shim, payload, kind));
        ASSERT_TRUE(plain.id.exists());
        EXPECT_EQ(plain.has_shim, with_shim);
        EXPECT_EQ(pool[plain.id].kind, kind);
        EXPECT_EQ(pool[plain.id].payload_bytes, payload);
        EXPECT_EQ(pool[plain.id].tag, with_shim ? 7 : 0);
      }
    }
  }
}

// One bit after the other, so that no field is forgotten.
TEST(PlainRocev2, IsReadAsByTheParserWithEachBitChanged) {
  for (const bool tagged : {false, true}) {
    for (const bool with_shim : {false, true}) {
      for (const FrameKind kind : {FrameKind::data, FrameKind::ack}) {
        const Bytes good = packet(tagged, with_shim, kind == FrameKind::data ? 5 : 0, kind);
        EXPECT_EQ(difference(good), "");
        for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
          Bytes bytes = good;
          bytes[bit / 8] ^= std::byte{1} << (bit % 8);
          EXPECT_EQ(difference(bytes), "") << bit;
          testing::Repair(bytes, Fcs::absent, testing::Repair::Zero::nothing);
          EXPECT_EQ(difference(bytes), "") << bit;
        }
        for (std::size_t length = 0; length < good.size() + 10; ++length) {
          Bytes bytes = good;
          bytes.resize(length);
          EXPECT_EQ(difference(bytes), "") << length;
        }
      }
    }
  }
}

// Lengths that agree with each other, so that only what is behind the headers decides.
TEST(PlainRocev2, IsReadAsByTheParserOfEachLengthAndPad) {
  for (const bool tagged : {false, true}) {
    for (const bool with_shim : {false, true}) {
      for (const FrameKind kind : {FrameKind::data, FrameKind::ack}) {
        const Bytes good = packet(tagged, with_shim, kind == FrameKind::data ? 12 : 0, kind);
        const std::size_t ip = kEthernetHeaderBytes + (tagged ? kVlanTagBytes : 0);
        for (std::size_t total = 40; total <= 80; ++total) {
          for (unsigned pad = 0; pad < 4; ++pad) {
            for (const std::size_t size : {std::size_t{60}, std::size_t{64}, ip + total, ip + total + 4}) {
              Bytes bytes = good;
              bytes.resize(std::max<std::size_t>(size, kMinimumEthernetBytes));
              bytes[ip + 3] = static_cast<std::byte>(total);
              bytes[ip + kIpv4HeaderBytes + 5] = static_cast<std::byte>(total - kIpv4HeaderBytes);
              std::byte& flags = bytes[ip + kIpv4HeaderBytes + kUdpHeaderBytes + 1];
              flags = (flags & std::byte{0xcf}) | static_cast<std::byte>(pad << 4);
              testing::Repair(bytes, Fcs::absent, testing::Repair::Zero::nothing);
              EXPECT_EQ(difference(bytes), "") << total << " " << pad << " " << size;
            }
          }
        }
      }
    }
  }
}

TEST(PlainRocev2, HasHostsThatHaveAddresses) {
  Bytes bytes = packet(false, false, 0);
  constexpr std::size_t kSource = 26;
  bytes[kSource] = std::byte{0x0b};  // 11.0.0.1
  testing::Repair(bytes, Fcs::absent, testing::Repair::Zero::nothing);
  FramePool pool(1);
  EXPECT_FALSE(read(pool, bytes, std::size_t{1} << 30).id.exists());
}

TEST(PlainRocev2, HasNoReservedVlan) {
  Bytes bytes = packet(true, false, 12);
  bytes[kEthernetHeaderBytes + 1] = std::byte{0xfe};
  bytes[kEthernetHeaderBytes] |= std::byte{0x0f};
  EXPECT_EQ(difference(bytes), "");
  FramePool pool(1);
  EXPECT_TRUE(read(pool, bytes).id.exists());
  bytes[kEthernetHeaderBytes + 1] = std::byte{0xff};
  EXPECT_EQ(difference(bytes), "");
  FramePool empty(1);
  EXPECT_FALSE(read(empty, bytes).id.exists());
}

TEST(PlainRocev2, NeedsAFrame) {
  FramePool pool(1);
  pool.allocate();
  EXPECT_FALSE(read(pool, packet(false, false, 0)).id.exists());
}

TEST(FrameHeader, DiffersInEachFieldThatCrossesALink) {
  const Frame frame{};
  const FrameHeader header(frame);
  EXPECT_EQ(FrameHeader(header.frame()), header);
  for (std::size_t at = 0; at < sizeof(Frame); ++at) {
    Frame other = frame;
    reinterpret_cast<std::byte*>(&other)[at] ^= std::byte{1};
    const bool crosses = at >= offsetof(Frame, frame_bytes) && at < offsetof(Frame, arrival);
    EXPECT_EQ(FrameHeader(other) != header, crosses) << at;
    EXPECT_EQ(header.is_of(other), !crosses) << at;
    const auto is_in = [at](std::size_t first, std::size_t bytes) { return at >= first && at < first + bytes; };
    const bool of_scheme =
        is_in(offsetof(Frame, protocol), 1) || is_in(offsetof(Frame, tag), 2) || is_in(offsetof(Frame, tag_value), 4);
    EXPECT_EQ(header.is_of_but_for_scheme(other), !crosses || of_scheme) << at;
  }
}

TEST(FrameHeader, GivesANodeAFrameWhateverWasInIt) {
  Frame frame{};
  frame.destination = HostId(5);
  frame.tag = 7;
  const FrameHeader header(frame);
  Frame other{};
  std::fill_n(reinterpret_cast<std::byte*>(&other), sizeof other, std::byte{0x5a});
  header.write_received(other);
  other.clear_meta(Time::picoseconds(9), PortId(3));
  EXPECT_EQ(FrameHeader(other), header);
  EXPECT_EQ(other.next, FrameId::none());
  EXPECT_EQ(other.arrival, Time::picoseconds(9));
  EXPECT_EQ(other.ingress, PortId(3));
  EXPECT_EQ(other.egress, PortId::none());
  EXPECT_EQ(other.charged_bytes, 0);
  EXPECT_EQ(other.ingress_priority, 0);
  EXPECT_EQ(other.own, 0u);
}

}  // namespace
}  // namespace weir::plain_rocev2_test
