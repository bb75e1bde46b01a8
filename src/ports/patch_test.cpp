// SPDX-License-Identifier: Apache-2.0
#include "ports/patch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "ports/plain_rocev2.h"
#include "ports/testing/packets.h"
#include "wire/emit.h"
#include "wire/parse.h"
#include "wire/scheme_shim.h"
#include "wire/testing/arbitrary_frame.h"
#include "wire/testing/byte_source.h"

namespace weir::patch_test {
namespace {

using testing::arp_request;
using testing::Bytes;
using testing::header_verifies;
using testing::ipv4_packet;
using testing::Ipv4Fields;
using testing::with_tag;

/// Number of bytes in which two frames of equal length differ.
std::size_t differences(const Bytes& one, const Bytes& other) {
  std::size_t out = one.size() == other.size() ? 0 : one.size() + other.size();
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) out += one[i] == other[i] ? 0 : 1;
  return out;
}

RC_GTEST_PROP(Patch, KeepsTheHeaderChecksumRight, ()) {
  Ipv4Fields fields{.ports = {1, 2}, .payload = 8};
  fields.type_of_service = *rc::gen::arbitrary<std::uint8_t>();
  fields.time_to_live = static_cast<std::uint8_t>(*rc::gen::inRange(2, 256));
  fields.source = *rc::gen::arbitrary<std::uint32_t>();
  fields.destination = *rc::gen::arbitrary<std::uint32_t>();
  const bool tagged = *rc::gen::arbitrary<bool>();
  const auto priority = static_cast<Priority>(*rc::gen::inRange(0, kPriorities));
  const Bytes before = tagged ? with_tag(ipv4_packet(fields), 1) : ipv4_packet(fields);
  const std::size_t ip = tagged ? 18 : 14;
  RC_ASSERT(header_verifies(before));

  Bytes frame = before;
  lower_time_to_live(frame);
  RC_ASSERT(header_verifies(frame));
  RC_ASSERT(std::to_integer<int>(frame[ip + 8]) == fields.time_to_live - 1);
  mark_congestion(frame);
  RC_ASSERT(header_verifies(frame));
  RC_ASSERT((frame[ip + 1] & std::byte{3}) == std::byte{3});
  set_priority(frame, priority);
  RC_ASSERT(header_verifies(frame));
  const std::byte field = tagged ? frame[14] : frame[ip + 1];
  RC_ASSERT((field >> 5) == static_cast<std::byte>(priority));
  RC_ASSERT(differences(before, frame) <= 5u);  // type of service, time to live, checksum, tag
}

// RFC 1624, equation 3: HC' = ~(~HC + ~m + m').
TEST(Patch, LowersTheTimeToLiveUnderEveryChecksum) {
  constexpr std::uint32_t kBefore = 0x4011;  // time to live and protocol
  constexpr std::uint32_t kAfter = 0x3f11;
  for (std::uint32_t checksum = 0; checksum <= 0xffff; ++checksum) {
    std::uint32_t sum = (~checksum & 0xffff) + (~kBefore & 0xffff) + kAfter;
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    std::array<std::byte, kIpv4HeaderBytes> header{};
    store_be16<8>(std::span(header), kBefore);
    store_be16<10>(std::span(header), checksum);
    lower_time_to_live_of(header);
    const std::span<const std::byte, kIpv4HeaderBytes> after = header;
    ASSERT_EQ(load_be16<8>(after), kAfter);
    ASSERT_EQ(load_be16<10>(after), ~sum & 0xffff) << checksum;
  }
}

TEST(Patch, LeavesOtherProtocolsAlone) {
  const Bytes before = arp_request(HostId(1), HostId(2));
  Bytes frame = before;
  lower_time_to_live(frame);
  mark_congestion(frame);
  set_priority(frame, 5);
  EXPECT_EQ(frame, before);
}

Bytes bytes_of(const Packet& packet) {
  return {packet.bytes, packet.bytes + packet.length};
}

/// A RoCEv2 packet of arbitrary content that no scheme has touched; nothing if the frame is another one.
std::optional<Bytes> arbitrary_rocev2(FramePool& pool) {
  const auto noise = *rc::gen::container<std::vector<std::uint8_t>>(200, rc::gen::arbitrary<std::uint8_t>());
  testing::ByteSource source(noise);
  testing::ArbitraryFrames arbitrary(pool, source);
  testing::FrameToSend made = arbitrary.make();
  Frame plain = pool[made.id];
  pool.release(made.id);
  const bool is_rocev2 = plain.kind == FrameKind::data || plain.kind == FrameKind::ack ||
                         plain.kind == FrameKind::nack || plain.kind == FrameKind::cnp;
  if (!is_rocev2 || plain.trimmed()) return std::nullopt;
  plain.protocol = 0;
  plain.tag = 0;
  plain.tag_value = 0;
  plain.extension = ExtensionId::none();
  made.envelope.has_shim = false;
  Bytes bytes(10'000);
  const auto length = emit(pool, plain, made.envelope, made.payload, Fcs::absent, bytes);
  RC_ASSERT(length.ok());
  bytes.resize(*length);
  return bytes;
}

Bytes arbitrary_shim() {
  SchemeShim shim;
  shim.protocol = *rc::gen::arbitrary<std::uint8_t>();
  shim.tag = *rc::gen::arbitrary<std::uint16_t>();
  shim.tag_value = *rc::gen::arbitrary<std::uint32_t>();
  const auto words = static_cast<std::size_t>(*rc::gen::inRange(0, 16));
  Bytes block(4 * words);
  for (std::byte& byte : block) byte = std::byte{*rc::gen::arbitrary<std::uint8_t>()};
  shim.extension = {words > 0, false, static_cast<std::uint16_t>(block.size())};
  Bytes out(kShimBytes + block.size());
  emit_shim(shim, block, out);
  return out;
}

/// A data frame with this many bytes of payload.
FrameId data_frame(FramePool& pool, std::uint16_t payload) {
  const FrameId id = pool.allocate();
  Frame& frame = pool[id];
  frame.kind = FrameKind::data;
  frame.source = HostId(1);
  frame.destination = HostId(2);
  frame.queue_pair = QueuePairId(3);
  frame.payload_bytes = payload;
  return id;
}

// Adding, replacing and removing a scheme's header gives the bytes that a sender with this header would have sent.
RC_GTEST_PROP(Patch, ReplacesASchemesHeader, ()) {
  FramePool pool(4);
  const std::optional<Bytes> plain = arbitrary_rocev2(pool);
  RC_PRE(plain.has_value());
  constexpr std::size_t kRoom = 200;
  Bytes buffer = *plain;
  buffer.resize(plain->size() + kRoom, std::byte{0xa5});
  Packet packet{buffer.data(), buffer.data(), static_cast<std::uint32_t>(plain->size()),
                static_cast<std::uint32_t>(buffer.size())};
  for (int i = 0; i < 2; ++i) {
    const Bytes header = arbitrary_shim();
    RC_ASSERT(replace_shim(packet, header));
    // Checks the checksums, too.
    const auto parsed = parse(pool, packet.span(), Fcs::absent, IcrcCheck::verify);
    RC_ASSERT(parsed.ok());
    RC_ASSERT(parsed->envelope.has_shim);
    Bytes written(10'000);
    const auto length = emit(pool, pool[parsed->id], parsed->envelope, parsed->payload, Fcs::absent, written);
    RC_ASSERT(length.ok());
    written.resize(*length);
    RC_ASSERT(written == bytes_of(packet));
    pool.release(parsed->id);
    RC_ASSERT(std::search(written.begin(), written.end(), header.begin(), header.end()) != written.end());
  }
  RC_ASSERT(replace_shim(packet, {}));
  RC_ASSERT(bytes_of(packet) == *plain);
}

// For packets such as read_plain_rocev2() reads there is a shorter way to the same bytes.
RC_GTEST_PROP(Patch, ReplacesThePlainHeaderOfASchemeLikeAnyOther, ()) {
  FramePool pool(2);
  Frame& frame = pool[data_frame(pool, static_cast<std::uint16_t>(*rc::gen::inRange(0, 60)))];
  frame.kind = *rc::gen::element(FrameKind::data, FrameKind::ack, FrameKind::nack);
  if (frame.kind != FrameKind::data) frame.payload_bytes = 0;
  if (*rc::gen::arbitrary<bool>()) frame.tag = *rc::gen::arbitrary<std::uint16_t>();
  frame.set_ends_message(frame.kind == FrameKind::data && *rc::gen::arbitrary<bool>());
  Envelope envelope = default_envelope(frame);
  envelope.tagged = *rc::gen::arbitrary<bool>();
  Bytes payload(frame.payload_bytes);
  for (std::byte& byte : payload) byte = std::byte{*rc::gen::arbitrary<std::uint8_t>()};
  Bytes bytes(200, std::byte{0xa5});
  const auto length = emit(pool, frame, envelope, payload, Fcs::absent, bytes);
  RC_ASSERT(length.ok());
  bool has_shim = false;
  const auto accept = [&](FrameId, const FrameHeader&, bool with, std::size_t) { has_shim = with; };
  RC_ASSERT(read_plain_rocev2(pool, std::span(bytes).first(*length), 3, accept));

  Bytes other = bytes;
  const auto room = static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(0, 2 * kShimBytes));
  Packet packet{bytes.data(), bytes.data(), static_cast<std::uint32_t>(*length),
                static_cast<std::uint32_t>(*length) + room};
  Packet expected = packet;
  expected.bytes = other.data();
  for (int i = 0; i < 2; ++i) {
    const PlainShim shim{*rc::gen::arbitrary<std::uint8_t>(), *rc::gen::arbitrary<std::uint16_t>(),
                         *rc::gen::arbitrary<std::uint32_t>()};
    Bytes header(kShimBytes);
    emit_shim(SchemeShim{shim.protocol, shim.tag, shim.tag_value, {}, false}, {}, header);
    const bool fits = replace_shim(expected, header);
    RC_ASSERT(replace_plain_shim(packet, has_shim, shim) == fits);
    RC_ASSERT(packet.length == expected.length);
    RC_ASSERT(bytes_of(packet) == bytes_of(expected));
    has_shim = has_shim || fits;
  }
}

TEST(Patch, ASchemesHeaderNeedsRoom) {
  FramePool pool(1);
  const FrameId id = data_frame(pool, 10);
  const Frame& frame = pool[id];
  Bytes bytes(200);
  const auto length = emit(pool, frame, default_envelope(frame), {}, Fcs::absent, bytes);
  ASSERT_TRUE(length.ok());
  const Bytes before(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*length));
  Bytes header(kShimBytes);
  emit_shim(SchemeShim{1, 0, 0, {}, false}, {}, header);
  Packet packet{bytes.data(), bytes.data(), static_cast<std::uint32_t>(*length),
                static_cast<std::uint32_t>(*length + kShimBytes - 1)};
  EXPECT_FALSE(replace_shim(packet, header));
  EXPECT_EQ(bytes_of(packet), before);
  ++packet.capacity;
  EXPECT_TRUE(replace_shim(packet, header));
  EXPECT_EQ(packet.length, packet.capacity);
}

// What a parser ignores, as a switch must.
TEST(Patch, PadBytesAndReservedBitsStay) {
  FramePool pool(1);
  const FrameId id = data_frame(pool, 0);
  const Frame& frame = pool[id];
  Envelope envelope = default_envelope(frame);
  envelope.tagged = false;
  Bytes bytes(200);
  const auto length = emit(pool, frame, envelope, {}, Fcs::absent, bytes);
  ASSERT_TRUE(length.ok());
  ASSERT_EQ(*length, kMinimumEthernetBytes) << "58 bytes and 2 of padding";
  bytes[14 + 20 + 8 + 8] |= std::byte{0x55};  // reserved, next to the A bit
  const Bytes before(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*length));
  Packet packet{bytes.data(), bytes.data(), static_cast<std::uint32_t>(*length), 200};
  Bytes header(kShimBytes);
  emit_shim(SchemeShim{1, 0, 0, {}, false}, {}, header);
  ASSERT_TRUE(replace_shim(packet, header));
  EXPECT_EQ(packet.length, 58u + kShimBytes) << "without padding";
  ASSERT_TRUE(replace_shim(packet, {}));
  EXPECT_EQ(bytes_of(packet), before);
}

TEST(Patch, AForeignIcrcKeepsTheUdpChecksumRight) {
  FramePool pool(1);
  const FrameId id = data_frame(pool, 10);
  const Frame& frame = pool[id];
  Envelope envelope = default_envelope(frame);
  envelope.udp_checksum = true;
  Bytes bytes(200);
  const auto length = emit(pool, frame, envelope, {}, Fcs::absent, bytes);
  pool.release(id);
  ASSERT_TRUE(length.ok());
  bytes.resize(*length);
  Bytes damaged = bytes;
  for (std::size_t i = 1; i <= 4; ++i) damaged[damaged.size() - i] ^= static_cast<std::byte>(0x5a + i);
  Bytes rebuilt = bytes;
  copy_icrc(damaged, rebuilt);
  EXPECT_TRUE(std::equal(rebuilt.end() - 4, rebuilt.end(), damaged.end() - 4));
  // parse() verifies the UDP checksum.
  const auto parsed = parse(pool, rebuilt, Fcs::absent, IcrcCheck::skip);
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  pool.release(parsed->id);
  EXPECT_EQ(parse(pool, rebuilt, Fcs::absent).error(), WireError::bad_icrc);
}

}  // namespace
}  // namespace weir::patch_test
