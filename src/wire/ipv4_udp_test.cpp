// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv4_udp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/internet_checksum.h"
#include "wire/testing/hex.h"

namespace weir::ipv4_udp_test {
namespace {

using testing::from_hex;
using testing::to_hex;

// A header that is widely used as an example: UDP from 192.168.0.1 to 192.168.0.199, checksum 0xb861.
constexpr std::string_view kExample = "45000073000040004011b861c0a80001c0a800c7";

std::vector<std::byte> example_packet() {
  std::vector<std::byte> bytes = from_hex(kExample);
  bytes.resize(0x73);
  return bytes;
}

// Corrects the header checksum of `bytes`.
void repair(std::vector<std::byte>& bytes) {
  const std::size_t length = std::size_t{4} * (std::to_integer<std::size_t>(bytes[0]) & 0x0fu);
  bytes[10] = bytes[11] = std::byte{0};
  InternetChecksum sum;
  sum.update(std::span<const std::byte>(bytes).first(length));
  bytes[10] = static_cast<std::byte>(sum.value() >> 8);
  bytes[11] = static_cast<std::byte>(sum.value());
}

WireError error_after(std::size_t at, unsigned value) {
  std::vector<std::byte> bytes = example_packet();
  bytes[at] = static_cast<std::byte>(value);
  repair(bytes);
  const auto packet = parse_ipv4(bytes);
  EXPECT_FALSE(packet);
  return packet.error();
}

TEST(Ipv4, ReadsAndWritesAKnownHeader) {
  const auto bytes = example_packet();
  const auto packet = parse_ipv4(bytes);
  ASSERT_TRUE(packet);
  Ipv4Header expected;
  expected.total_length = 0x73;
  expected.dont_fragment = true;
  expected.time_to_live = 64;
  expected.protocol = ip_protocol::kUdp;
  expected.source = {0xc0a8'0001};
  expected.destination = {0xc0a8'00c7};
  EXPECT_EQ(packet->header, expected);
  EXPECT_EQ(packet->payload.size(), 0x73u - 20u);
  std::vector<std::byte> out(20);
  emit_ipv4(packet->header, out);
  EXPECT_EQ(to_hex(out), kExample);
}

TEST(Ipv4, TellsDscpFromEcn) {
  auto bytes = example_packet();
  bytes[1] = std::byte{0xb9};  // expedited forwarding, ECT(1)
  repair(bytes);
  const auto packet = parse_ipv4(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->header.dscp, 46);
  EXPECT_EQ(packet->header.ecn, 1);
}

TEST(Ipv4, CountsWhatIsBehindThePacket) {
  auto bytes = example_packet();
  bytes.resize(bytes.size() + 7);
  const auto packet = parse_ipv4(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->trailing_bytes, 7u);
  EXPECT_EQ(packet->packet.size(), 0x73u);
}

TEST(Ipv4, DetectsEverySingleDamagedHeaderBit) {
  auto bytes = example_packet();
  for (std::size_t bit = 8; bit < 20 * 8; ++bit) {  // the first byte contains the header length
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(parse_ipv4(bytes).error(), WireError::bad_ipv4_checksum) << "bit " << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(Ipv4, TakesBothZerosAsChecksum) {
  // An identification that makes the other words sum to 0xffff.
  auto bytes = example_packet();
  InternetChecksum others;
  bytes[10] = bytes[11] = std::byte{0};
  others.update(std::span<const std::byte>(bytes).first(20));
  bytes[4] = static_cast<std::byte>(others.value() >> 8);
  bytes[5] = static_cast<std::byte>(others.value());
  EXPECT_TRUE(parse_ipv4(bytes));
  bytes[10] = bytes[11] = std::byte{0xff};
  EXPECT_TRUE(parse_ipv4(bytes));
}

TEST(Ipv4, RefusesOtherVersionsAndWrongLengths) {
  EXPECT_EQ(error_after(0, 0x65), WireError::bad_ipv4_version);
  EXPECT_EQ(error_after(0, 0x44), WireError::bad_length);
  EXPECT_EQ(error_after(3, 0x74), WireError::bad_length);  // longer than the available bytes
  EXPECT_EQ(error_after(3, 0x13), WireError::bad_length);  // shorter than its header
  const auto bytes = example_packet();
  for (std::size_t length = 0; length < 20; ++length) {
    EXPECT_EQ(parse_ipv4(std::span(bytes).first(length)).error(), WireError::truncated);
  }
  auto with_options = example_packet();
  with_options[0] = std::byte{0x4f};
  EXPECT_EQ(parse_ipv4(std::span(with_options).first(59)).error(), WireError::truncated);
}

TEST(Ipv4, RefusesFragmentsAndTheReservedFlag) {
  EXPECT_EQ(error_after(6, 0x20), WireError::fragmented);
  EXPECT_EQ(error_after(7, 0x01), WireError::fragmented);
  EXPECT_EQ(error_after(6, 0x80), WireError::fragmented);
}

TEST(Ipv4, RefusesATimeToLiveOfZero) {
  EXPECT_EQ(error_after(8, 0), WireError::expired);
}

Ipv4Options options_of(std::string_view text) {
  const auto bytes = from_hex(text);
  Ipv4Options options;
  options.bytes = static_cast<std::uint8_t>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), options.content.begin());
  return options;
}

TEST(Ipv4Options, AreWellFormedWhenEachEndsWithinThem) {
  EXPECT_TRUE(well_formed(options_of("")));
  EXPECT_TRUE(well_formed(options_of("01010101")));
  EXPECT_TRUE(well_formed(options_of("94040000")));  // router alert
  EXPECT_TRUE(well_formed(options_of("00ffffff")));  // nothing is interpreted after the end
  EXPECT_TRUE(well_formed(options_of("0101 8302 0707 0402 0304 0500")));
  EXPECT_FALSE(well_formed(options_of("94050000")));  // extends beyond the options
  EXPECT_FALSE(well_formed(options_of("94010000")));  // shorter than its own header
  EXPECT_FALSE(well_formed(options_of("01010194")));  // no room for a length
  EXPECT_FALSE(well_formed(options_of("0101")));      // half a word
}

TEST(Ipv4Options, AreKeptAsTheyAre) {
  const auto packet_bytes = [] {
    auto bytes = from_hex("46000018 00004000 40fd0000 0a000001 0a000002 94040000");
    repair(bytes);
    return bytes;
  }();
  const auto packet = parse_ipv4(packet_bytes);
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->payload.empty());
  std::vector<std::byte> out(header_bytes(packet->header));
  emit_ipv4(packet->header, out);
  EXPECT_EQ(to_hex(out), to_hex(packet_bytes));
}

TEST(Ipv4Options, RefusesMalformedOnes) {
  auto bytes = from_hex("46000018 00004000 40fd0000 0a000001 0a000002 94050000");
  repair(bytes);
  EXPECT_EQ(parse_ipv4(bytes).error(), WireError::bad_ipv4_options);
}

// 10.0.0.1:1024 to 10.0.0.2:4791, three bytes.
Ipv4Packet packet_around(std::span<const std::byte> datagram) {
  Ipv4Packet packet{};
  packet.header.source = {0x0a00'0001};
  packet.header.destination = {0x0a00'0002};
  packet.header.protocol = ip_protocol::kUdp;
  packet.payload = datagram;
  return packet;
}

TEST(Udp, ReadsADatagramWithoutChecksum) {
  const auto bytes = from_hex("0400 12b7 000b 0000 616263");
  const auto datagram = parse_udp(packet_around(bytes));
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->header, (UdpHeader{1024, 4791, false}));
  EXPECT_EQ(to_hex(datagram->payload), "616263");
}

TEST(Udp, ChecksumCoversAddressesPortsLengthAndPayload) {
  auto bytes = from_hex("0400 12b7 000b 0000 616263");
  const Ipv4Packet around = packet_around(bytes);
  emit_udp({1024, 4791, true}, around.header, bytes);
  // 0a00 + 0001 + 0a00 + 0002 + 0011 + 000b + 0400 + 12b7 + 000b + 6162 + 6300 = ef43
  EXPECT_EQ(to_hex(bytes), "040012b7000b10bc616263");
  ASSERT_TRUE(parse_udp(around));
  EXPECT_TRUE(parse_udp(around)->header.has_checksum);
  bytes[9] ^= std::byte{1};
  EXPECT_EQ(parse_udp(around).error(), WireError::bad_udp_checksum);
  bytes[9] ^= std::byte{1};
  Ipv4Packet elsewhere = around;
  elsewhere.header.destination = {0x0a00'0003};
  EXPECT_EQ(parse_udp(elsewhere).error(), WireError::bad_udp_checksum);
}

TEST(Udp, SendsAChecksumOfZeroAsItsComplement) {
  // The payload complements the other words to 0xffff.
  auto bytes = from_hex("0400 12b7 000a 0000 d520");
  const Ipv4Packet around = packet_around(bytes);
  emit_udp({1024, 4791, true}, around.header, bytes);
  EXPECT_EQ(to_hex(bytes), "040012b7000affffd520");
  EXPECT_TRUE(parse_udp(around));
}

TEST(Udp, RefusesLengthsThatAreNotTheDatagrams) {
  EXPECT_EQ(parse_udp(packet_around(from_hex("0400 12b7 000c 0000 616263"))).error(), WireError::bad_length);
  EXPECT_EQ(parse_udp(packet_around(from_hex("0400 12b7 0007 0000 616263"))).error(), WireError::bad_length);
  EXPECT_EQ(parse_udp(packet_around(from_hex("0400 12b7 0008 00"))).error(), WireError::truncated);
}

}  // namespace
}  // namespace weir::ipv4_udp_test
