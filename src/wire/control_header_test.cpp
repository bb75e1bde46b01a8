// SPDX-License-Identifier: Apache-2.0
#include "wire/control_header.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/testing/hex.h"

namespace weir::control_header_test {
namespace {

using testing::from_hex;
using testing::to_hex;

ControlHeader example() {
  ControlHeader header;
  header.protocol = 0x21;
  header.ends_message = true;
  header.extension = {true, true, 4};
  header.tag = 0x0102;
  header.entropy = 0x0304;
  header.tag_value = 0x0506'0708;
  header.sequence = 0x090a'0b0c;
  header.queue_pair = QueuePairId(0x0d0e0f10);
  return header;
}

// The checksum is the complement of
// 0121 + 0200 + c004 + 0102 + 0304 + 0506 + 0708 + 090a + 0b0c + 0d0e + 0f10 + dead + beef = 2a109, that is a10b.
constexpr std::string_view kToAHost = "01210200c0045ef40102030405060708090a0b0c0d0e0f10deadbeef";

TEST(ControlHeader, HasEachFieldInItsPlace) {
  std::vector<std::byte> out(28);
  emit_control(example(), ControlReach::host, from_hex("deadbeef"), out);
  EXPECT_EQ(to_hex(out), kToAHost);
  const auto parsed = parse_control(out, ControlReach::host);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header, example());
  EXPECT_EQ(to_hex(parsed->extension), "deadbeef");
  EXPECT_EQ(parsed->trailing_bytes, 0u);
}

TEST(ControlHeader, NamesHostsOnlyToTheNeighbour) {
  ControlHeader header = example();
  header.source = HostId(0x00112233);
  header.extension = {};
  std::vector<std::byte> out(40);  // eight more than the header
  emit_control(header, ControlReach::neighbour, {}, out);
  EXPECT_EQ(to_hex(std::span(out).subspan(24)), "00112233ffffffff0000000000000000");
  const auto parsed = parse_control(out, ControlReach::neighbour);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header, header);
  EXPECT_EQ(parsed->trailing_bytes, 8u);
}

TEST(ControlHeader, DetectsEverySingleDamagedBit) {
  auto bytes = from_hex(kToAHost);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(parse_control(bytes, ControlReach::host)) << "bit " << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(ControlHeader, RefusesAMissingChecksum) {
  auto bytes = from_hex(kToAHost);
  bytes[6] = bytes[7] = std::byte{0};
  EXPECT_EQ(parse_control(bytes, ControlReach::host).error(), WireError::bad_control_checksum);
}

TEST(ControlHeader, RefusesWhatIsCutShort) {
  const auto bytes = from_hex(kToAHost);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(parse_control(std::span(bytes).first(length), ControlReach::host).error(), WireError::truncated);
  }
}

TEST(ControlHeader, SendsAChecksumOfZeroAsItsComplement) {
  ControlHeader header;
  header.queue_pair = QueuePairId(0);
  header.tag = 0xffff - 0x0100;  // version and tag sum to 0xffff
  std::vector<std::byte> out(24);
  emit_control(header, ControlReach::host, {}, out);
  EXPECT_EQ(to_hex(std::span(out).subspan(6, 2)), "ffff");
  EXPECT_TRUE(parse_control(out, ControlReach::host));
}

TEST(ControlHeader, RefusesOtherVersionsUnknownFlagsAndContradictions) {
  for (const std::string_view text : {"02210200c0045ef4", "0121020100005ef4", "0121080000005ef4", "0121020000045ef4"}) {
    auto bytes = from_hex(text);
    bytes.resize(28);
    EXPECT_EQ(parse_control(bytes, ControlReach::host).error(), WireError::bad_control_header) << text;
  }
}

}  // namespace
}  // namespace weir::control_header_test
