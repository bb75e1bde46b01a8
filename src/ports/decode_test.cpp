// SPDX-License-Identifier: Apache-2.0
#include "ports/decode.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ports/testing/packets.h"
#include "wire/emit.h"
#include "wire/internet_checksum.h"
#include "wire/pfc.h"

namespace weir::decode_test {
namespace {

using testing::arp_request;
using testing::Bytes;
using testing::ipv4_packet;
using testing::Ipv4Fields;
using testing::with_tag;

class Decode : public ::testing::Test {
 protected:
  Frame frame_of(const Bytes& bytes) {
    const auto decoded = decode(pool, bytes, neighbours);
    EXPECT_TRUE(decoded.ok()) << to_string(decoded.error());
    if (!decoded) return {};
    EXPECT_EQ(decoded->opaque, pool[decoded->id].kind == FrameKind::datagram);
    const Frame frame = pool[decoded->id];
    pool.release(decoded->id);
    return frame;
  }
  WireError error_of(const Bytes& bytes) {
    const auto decoded = decode(pool, bytes, neighbours);
    EXPECT_FALSE(decoded.ok());
    EXPECT_EQ(pool.in_use(), 0u);
    return decoded ? WireError::too_long : decoded.error();
  }

  FramePool pool{8};
  Neighbours neighbours{4};
};

TEST_F(Decode, AnArpRequestGoesToTheHostThatItAsksFor) {
  const Frame frame = frame_of(arp_request(HostId(1), HostId(2)));
  EXPECT_EQ(frame.kind, FrameKind::datagram);
  EXPECT_EQ(frame.source, HostId(1));
  EXPECT_EQ(frame.destination, HostId(2));
  EXPECT_EQ(frame.frame_bytes, 64);  // 42 bytes, padded, with FCS
}

TEST_F(Decode, TcpIsOpaqueWithItsPortsAsEntropy) {
  const Bytes one = ipv4_packet({.protocol = 6, .ports = {1000, 80}, .payload = 100});
  const Bytes other = ipv4_packet({.protocol = 6, .ports = {1001, 80}, .payload = 100});
  const Frame frame = frame_of(one);
  EXPECT_EQ(frame.kind, FrameKind::datagram);
  EXPECT_EQ(frame.source, HostId(1));
  EXPECT_EQ(frame.destination, HostId(2));
  EXPECT_EQ(frame.frame_bytes, one.size() + 4);
  EXPECT_NE(frame.entropy, frame_of(other).entropy);
  EXPECT_NE(frame_of(ipv4_packet({.protocol = 17, .ports = {5, 5}, .payload = 30})).entropy, 0);
}

TEST_F(Decode, AFragmentHasNoPorts) {
  const Frame frame = frame_of(ipv4_packet({.protocol = 17, .ports = {1000, 80}, .payload = 100, .fragment = 0x2000}));
  EXPECT_EQ(frame.kind, FrameKind::datagram);
  EXPECT_EQ(frame.destination, HostId(2));
  EXPECT_EQ(frame.entropy, 0);
}

TEST_F(Decode, ThePriorityIsThatOfTheTagOrElseOfTheDscp) {
  const Bytes untagged = ipv4_packet({.protocol = 6, .type_of_service = 0x62, .ports = {1, 2}, .payload = 30});
  EXPECT_EQ(frame_of(untagged).priority, 3);
  EXPECT_EQ(frame_of(untagged).ecn(), Ecn::capable);
  const Frame tagged = frame_of(with_tag(untagged, 5));
  EXPECT_EQ(tagged.priority, 5);
  EXPECT_EQ(tagged.destination, HostId(2));
}

TEST_F(Decode, AFrameOfAnotherProtocolGoesByItsMacAddress) {
  Bytes bytes(60);
  const auto put = [&](std::size_t at, const MacAddress& mac) {
    for (std::size_t i = 0; i < 6; ++i) bytes[at + i] = std::byte{mac.octets[i]};
  };
  put(0, mac_address_of(HostId(3)));
  bytes[12] = std::byte{0x86};
  bytes[13] = std::byte{0xdd};
  EXPECT_EQ(frame_of(bytes).destination, HostId(3));
  const MacAddress real{{0x52, 0x54, 0, 1, 2, 3}};
  put(0, real);
  EXPECT_EQ(error_of(bytes), WireError::foreign_host);
  neighbours.set_mac(HostId(0), real);
  EXPECT_EQ(frame_of(bytes).destination, HostId(0));
}

TEST_F(Decode, AnEchoRequestIsOpaqueButNotTheIcmpOfSchemes) {
  Ipv4Fields fields{.protocol = 1, .ports = {0x0800, 0}, .payload = 40};
  EXPECT_EQ(frame_of(ipv4_packet(fields)).kind, FrameKind::datagram);
  fields.ports = {0xfd00, 0};  // type 253, with a checksum that is wrong
  EXPECT_EQ(error_of(ipv4_packet(fields)), WireError::bad_icmp);
}

TEST_F(Decode, RefusesAddressesOutsideTheNetwork) {
  EXPECT_EQ(error_of(ipv4_packet({.protocol = 6, .destination = 0x0a000004, .ports = {1, 2}, .payload = 30})),
            WireError::foreign_host);
  EXPECT_EQ(error_of(ipv4_packet({.protocol = 6, .destination = 0xc0a80001, .ports = {1, 2}, .payload = 30})),
            WireError::foreign_host);
}

TEST_F(Decode, RefusesATimeToLiveThatEndsHere) {
  EXPECT_EQ(error_of(ipv4_packet({.protocol = 6, .time_to_live = 1, .ports = {1, 2}, .payload = 30})),
            WireError::expired);
  EXPECT_EQ(
      error_of(ipv4_packet({.protocol = 17, .time_to_live = 1, .ports = {1, 2}, .payload = 30, .fragment = 0x2000})),
      WireError::expired);
}

TEST_F(Decode, RefusesADamagedHeader) {
  Bytes bytes = ipv4_packet({.protocol = 6, .ports = {1, 2}, .payload = 30});
  bytes[20] ^= std::byte{1};
  EXPECT_EQ(error_of(bytes), WireError::bad_ipv4_checksum);
  bytes.resize(13);
  EXPECT_EQ(error_of(bytes), WireError::truncated);
}

/// A RoCEv2 frame of `opcode` from host 1 to host 2.
Bytes roce(FramePool& pool, std::size_t source, std::size_t destination) {
  const FrameId id = pool.allocate();
  Frame& frame = pool[id];
  frame.kind = FrameKind::data;
  frame.source = HostId(source);
  frame.destination = HostId(destination);
  frame.queue_pair = QueuePairId(7);
  frame.payload_bytes = 64;
  frame.priority = 3;
  frame.sequence = 9;
  Bytes bytes(200);
  const auto length = emit(pool, frame, default_envelope(frame), {}, Fcs::absent, bytes);
  pool.release(id);
  EXPECT_TRUE(length.ok());
  bytes.resize(*length);
  return bytes;
}

TEST_F(Decode, RoceIsParsedWhateverItsIcrc) {
  Bytes bytes = roce(pool, 1, 2);
  bytes.back() ^= std::byte{0xff};
  const Frame frame = frame_of(bytes);
  EXPECT_EQ(frame.kind, FrameKind::data);
  EXPECT_EQ(frame.sequence, 9u);
  EXPECT_EQ(frame.priority, 3);
  EXPECT_EQ(frame.frame_bytes, 64 + 66);
}

TEST_F(Decode, RoceWithAnotherOpcodeIsOpaque) {
  Bytes bytes = roce(pool, 1, 2);
  bytes[18 + 20 + 8] = std::byte{0x0c};  // RDMA READ request
  EXPECT_EQ(frame_of(bytes).kind, FrameKind::datagram);
  bytes.resize(bytes.size() - 8);  // now the lengths disagree
  EXPECT_EQ(error_of(bytes), WireError::bad_length);
}

/// With this time to live and fragment field, and the right header checksum.
Bytes with_header(Bytes bytes, std::uint8_t time_to_live, std::uint16_t fragment) {
  constexpr std::size_t kIp = 18;  // after an 802.1Q tag
  bytes[kIp + 8] = std::byte{time_to_live};
  testing::put16(bytes, kIp + 6, fragment);
  testing::put16(bytes, kIp + 10, 0);
  InternetChecksum sum;
  sum.update(std::span<const std::byte>(bytes).subspan(kIp, 20));
  testing::put16(bytes, kIp + 10, sum.value());
  return bytes;
}

TEST_F(Decode, RefusesRoceWhoseTimeToLiveEndsHere) {
  const Bytes bytes = roce(pool, 1, 2);
  EXPECT_EQ(error_of(with_header(bytes, 1, 0x4000)), WireError::expired);
  EXPECT_EQ(error_of(with_header(bytes, 0, 0x4000)), WireError::expired);
  EXPECT_EQ(frame_of(with_header(bytes, 2, 0x4000)).kind, FrameKind::data);
  const auto at_host = decode(pool, with_header(bytes, 1, 0x4000), neighbours, DecodeAt::host);
  ASSERT_TRUE(at_host.ok());
  pool.release(at_host->id);
  EXPECT_FALSE(decode(pool, with_header(bytes, 0, 0x4000), neighbours, DecodeAt::host).ok());
}

TEST_F(Decode, AFragmentOfRoceIsOpaque) {
  EXPECT_EQ(frame_of(with_header(roce(pool, 1, 2), 64, 0x2000)).kind, FrameKind::datagram);
}

TEST_F(Decode, RefusesRoceOfAHostThatDoesNotExist) {
  EXPECT_EQ(error_of(roce(pool, 1, 4)), WireError::foreign_host);
  EXPECT_EQ(error_of(roce(pool, 4, 1)), WireError::foreign_host);
}

TEST_F(Decode, APauseIsParsed) {
  PfcQuanta pfc;
  pfc.set(3, 0xffff);
  const FrameId id = make_pfc(pool, pfc, Framing::rocev2());
  Bytes bytes(64);
  const auto length = emit(pool, pool[id], default_envelope(pool[id]), {}, Fcs::absent, bytes);
  pool.release(id);
  ASSERT_TRUE(length.ok());
  bytes.resize(*length);
  const auto decoded = decode(pool, bytes, neighbours);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(read_pfc(pool, pool[decoded->id]).quanta[3], 0xffff);
  pool.release(decoded->id);
  bytes[15] = std::byte{0x77};
  EXPECT_EQ(error_of(bytes), WireError::unknown_mac_control);
}

TEST_F(Decode, AnEmptyPoolRefuses) {
  while (pool.allocate().exists()) {
  }
  const auto decoded = decode(pool, arp_request(HostId(1), HostId(2)), neighbours);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error(), WireError::pool_empty);
}

}  // namespace
}  // namespace weir::decode_test
