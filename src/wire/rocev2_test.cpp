// SPDX-License-Identifier: Apache-2.0
#include "wire/rocev2.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string_view>
#include <vector>

#include "wire/crc32.h"
#include "wire/testing/bitwise_crc.h"
#include "wire/testing/byte_source.h"
#include "wire/testing/hex.h"

namespace weir::rocev2_test {
namespace {

using testing::from_hex;
using testing::to_bytes;
using testing::to_hex;

WireResult<Bth> bth_of(std::string_view text) {
  const auto bytes = from_hex(text);
  return parse_bth(std::span(bytes).first<kBthBytes>());
}

std::string text_of(const Bth& bth) {
  std::array<std::byte, kBthBytes> out{};
  emit_bth(bth, out);
  return to_hex(out);
}

TEST(Bth, HasEachFieldInItsPlace) {
  Bth bth;
  bth.opcode = BthOpcode::send_last;
  EXPECT_EQ(text_of(bth), "0200ffff0000000000000000");
  bth.solicited_event = true;
  EXPECT_EQ(text_of(bth), "0280ffff0000000000000000");
  bth.migration_request = true;
  EXPECT_EQ(text_of(bth), "02c0ffff0000000000000000");
  bth.pad_count = 3;
  EXPECT_EQ(text_of(bth), "02f0ffff0000000000000000");
  bth.partition_key = 0x8001;
  EXPECT_EQ(text_of(bth), "02f080010000000000000000");
  bth.fecn = true;
  EXPECT_EQ(text_of(bth), "02f080018000000000000000");
  bth.becn = true;
  EXPECT_EQ(text_of(bth), "02f08001c000000000000000");
  bth.destination_queue_pair = 0x123456;
  EXPECT_EQ(text_of(bth), "02f08001c012345600000000");
  bth.acknowledge_request = true;
  EXPECT_EQ(text_of(bth), "02f08001c012345680000000");
  bth.sequence = 0xabcdef;
  EXPECT_EQ(text_of(bth), "02f08001c012345680abcdef");
  const auto parsed = bth_of("02f08001c012345680abcdef");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, bth);
}

TEST(Bth, KnowsSendAcknowledgeAndCnpAndNoOtherOpcode) {
  int known = 0;
  for (int opcode = 0; opcode < 256; ++opcode) {
    std::array<std::byte, kBthBytes> bytes{};
    bytes[0] = static_cast<std::byte>(opcode);
    const auto bth = parse_bth(bytes);
    if (!bth) {
      EXPECT_EQ(bth.error(), WireError::unknown_opcode);
      continue;
    }
    ++known;
    EXPECT_EQ(bth->has_shim, opcode >= 0xc0);
    Bth expected = *bth;
    expected.partition_key = 0;
    EXPECT_EQ(text_of(expected), to_hex(bytes));
  }
  EXPECT_EQ(known, 12);  // six, with and without a scheme's header
}

TEST(Bth, MarksASchemesHeaderInTheTransportBits) {
  EXPECT_EQ(bth_of("c400ffff0000000000000000")->opcode, BthOpcode::send_only);
  EXPECT_EQ(bth_of("d100ffff0000000000000000")->opcode, BthOpcode::acknowledge);
  EXPECT_EQ(bth_of("e100ffff0000000000000000")->opcode, BthOpcode::cnp);
}

TEST(Bth, IgnoresReservedBitsAndRefusesOtherTransportVersions) {
  EXPECT_EQ(*bth_of("0400ffff3f0000007f000000"), *bth_of("0400ffff0000000000000000"));
  EXPECT_EQ(bth_of("0401ffff0000000000000000").error(), WireError::bad_transport_version);
}

TEST(Aeth, KnowsAckAndSequenceErrorAndNoOtherSyndrome) {
  for (std::uint32_t syndrome = 0; syndrome < 256; ++syndrome) {
    const std::array<std::byte, kAethBytes> bytes{static_cast<std::byte>(syndrome), std::byte{1}, std::byte{2},
                                                  std::byte{3}};
    const auto aeth = parse_aeth(bytes);
    if (syndrome > 0x1f && syndrome != 0x60) {
      EXPECT_EQ(aeth.error(), WireError::refused_syndrome) << syndrome;
      continue;
    }
    ASSERT_TRUE(aeth) << syndrome;
    EXPECT_EQ(aeth->negative, syndrome == 0x60);
    EXPECT_EQ(aeth->message_sequence_number, 0x010203u);
    std::array<std::byte, kAethBytes> out{};
    emit_aeth(*aeth, out);
    EXPECT_EQ(out, bytes);
  }
}

std::string icrc_text(std::string_view packet, std::size_t shim_bytes = 0) {
  std::array<std::byte, kIcrcBytes> out{};
  store_crc(out, invariant_crc(from_hex(packet), shim_bytes));
  return to_hex(out);
}

// The packets below were sent by other implementations; the last four bytes of each are the ICRC that they sent.

TEST(InvariantCrc, IsThatOfACnpOfAConnectX4Lx) {  // captured; published with Scapy's tests of its RoCE layer
  EXPECT_EQ(icrc_text("45c2003c718c4000401191610a0011010a001201"
                      "000012b700280000"
                      "8100ffff4000011800000000"
                      "00000000000000000000000000000000"),
            "82fd002a");
}

TEST(InvariantCrc, IsThatOfAnUnreliableSendWithAUdpChecksum) {  // from the same tests
  EXPECT_EQ(icrc_text("45010040047840004011b4d5c0a80007c0a80007"
                      "c00012b7002caca2"
                      "2460ffff000000d300cf1710"
                      "4630818be28935d90e9a95505401be885e500000"),
            "78f353f3");
}

TEST(InvariantCrc, IsThatOfAnRdmaWrite) {  // sent by Linux' software RoCE driver
  EXPECT_EQ(icrc_text("4500004c000100004011f54cc0a80201c0a80202"
                      "01f412b70038ffa6"
                      "0a00ffff0000000200000000"
                      "00000000000012300000000000000010"
                      "000102030405060708090a0b0c0d0e0f"),
            "ca47470e");
}

constexpr std::string_view kAcknowledgement =
    "45600030000040004011"
    "24530a0102030a000007"
    "c00012b7001c0000"
    "1100ffff000012340000ffff"
    "1f000005";

TEST(InvariantCrc, IsTheBitwiseCrcOfThePacketWithItsVariantFieldsMasked) {
  const auto masked = from_hex(
      "ffffffffffffffff"  // in place of the local route header
      "45ff003000004000ff11"
      "ffff0a0102030a000007"
      "c00012b7001cffff"
      "1100ffffff0012340000ffff"
      "1f000005");
  EXPECT_EQ(invariant_crc(from_hex(kAcknowledgement), 0), testing::bitwise_crc(masked));
}

TEST(InvariantCrc, ChangesWithEveryBitButTheVariantOnes) {
  auto bytes = from_hex(kAcknowledgement);
  const std::uint32_t icrc = invariant_crc(bytes, 0);
  for (std::size_t bit = 8; bit < bytes.size() * 8; ++bit) {
    const std::size_t at = bit / 8;
    const bool variant = at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 || at == 32;
    bytes[at] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(invariant_crc(bytes, 0) == icrc, variant) << "byte " << at;
    bytes[at] ^= std::byte{1} << (bit % 8);
  }
}

TEST(InvariantCrc, CoversIpv4Options) {
  const std::string_view without_options =
      "45000020000000004011 0000 0a000001 0a000002 c00012b7000c0000 0400ffff0000000200000000";
  const std::string_view with_options =
      "46000024000000004011 0000 0a000001 0a000002 01010101 c00012b7000c0000 0400ffff0000000200000000";
  const std::string_view with_others =
      "46000024000000004011 0000 0a000001 0a000002 01010100 c00012b7000c0000 0400ffff0000000200000000";
  EXPECT_NE(icrc_text(with_options), icrc_text(without_options));
  EXPECT_NE(icrc_text(with_options), icrc_text(with_others));
}

RC_GTEST_PROP(InvariantCrc, IsThatOfThePacketWithoutTheSchemesHeader,
              (const std::vector<std::uint8_t>& shim, const std::vector<std::uint8_t>& rest, bool is_cnp)) {
  const auto packet = [&](bool with_shim) {
    auto bytes = from_hex("45000000000040004011 0000 0a000001 0a000002 c00012b700000000");
    const auto add = [&](const std::vector<std::byte>& more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
    add(from_hex(is_cnp ? (with_shim ? "e1" : "81") : (with_shim ? "c4" : "04")));
    add(from_hex("00ffff0000000200000000"));
    if (with_shim) add(to_bytes(shim));
    add(to_bytes(rest));
    const std::size_t total = bytes.size() + kIcrcBytes;
    bytes[2] = static_cast<std::byte>(total >> 8);
    bytes[3] = static_cast<std::byte>(total);
    bytes[24] = static_cast<std::byte>((total - 20) >> 8);
    bytes[25] = static_cast<std::byte>(total - 20);
    return bytes;
  };
  RC_PRE(!shim.empty());
  RC_ASSERT(invariant_crc(packet(true), shim.size()) == invariant_crc(packet(false), 0));
}

}  // namespace
}  // namespace weir::rocev2_test
