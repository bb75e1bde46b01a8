// SPDX-License-Identifier: Apache-2.0
#include "wire/ethernet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/testing/bitwise_crc.h"
#include "wire/testing/hex.h"

namespace weir::ethernet_test {
namespace {

using testing::bitwise_crc;
using testing::from_hex;
using testing::to_hex;

// A header, padded with zeros to the minimum length.
std::vector<std::byte> frame_of(std::string_view header) {
  std::vector<std::byte> bytes = from_hex(header);
  bytes.resize(kMinimumEthernetBytes);
  return bytes;
}

void append_fcs(std::vector<std::byte>& bytes, std::uint32_t fcs) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(fcs >> (8 * i)));
}

TEST(Ethernet, ReadsAnUntaggedHeader) {
  const auto bytes = frame_of("0180c2000001 020000000005 8808 0101");
  const auto frame = parse_ethernet(bytes, Fcs::absent);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header.destination, kMacControlAddress);
  EXPECT_EQ(frame->header.source, (MacAddress{{0x02, 0, 0, 0, 0, 0x05}}));
  EXPECT_FALSE(frame->header.tag);
  EXPECT_EQ(frame->header.ether_type, ether_type::kMacControl);
  EXPECT_EQ(frame->payload.data(), bytes.data() + 14);
  EXPECT_EQ(frame->payload.size(), 46u);
}

TEST(Ethernet, ReadsPriorityDropEligibilityAndVlanOfATag) {
  const auto bytes = frame_of("02000a000001 02000a000002 8100 b123 0800 45");
  const auto frame = parse_ethernet(bytes, Fcs::absent);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header.tag, (VlanTag{5, true, 0x123}));
  EXPECT_EQ(frame->header.ether_type, ether_type::kIpv4);
  EXPECT_EQ(to_hex(frame->payload.first(1)), "45");
}

TEST(Ethernet, LeavesASecondTagToTheCaller) {
  const auto frame = parse_ethernet(frame_of("02000a000001 02000a000002 8100 6000 8100 6000 0800"), Fcs::absent);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header.ether_type, ether_type::kVlan);
}

TEST(Ethernet, RefusesTheReservedVlan) {
  const auto frame = parse_ethernet(frame_of("02000a000001 02000a000002 8100 0fff 0800"), Fcs::absent);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error(), WireError::bad_vlan_tag);
}

TEST(Ethernet, RefusesRunts) {
  auto bytes = frame_of("02000a000001 02000a000002 0800");
  EXPECT_TRUE(parse_ethernet(bytes, Fcs::absent));
  EXPECT_EQ(parse_ethernet(bytes, Fcs::present).error(), WireError::runt);
  bytes.pop_back();
  EXPECT_EQ(parse_ethernet(bytes, Fcs::absent).error(), WireError::runt);
  EXPECT_EQ(parse_ethernet({}, Fcs::absent).error(), WireError::runt);
}

TEST(Ethernet, DetectsEverySingleDamagedBit) {
  auto bytes = frame_of("02000a000001 02000a000002 0800 4500");
  append_fcs(bytes, bitwise_crc(bytes));
  const auto frame = parse_ethernet(bytes, Fcs::present);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->payload.size(), 46u);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(parse_ethernet(bytes, Fcs::present).error(), WireError::bad_fcs) << "bit " << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(Ethernet, WritesWhatItReads) {
  for (const std::string header : {"0180c2000001020000000005"
                                   "8808",
                                   "02000a00000102000a000002"
                                   "8100b1230800",
                                   "02000a00000102000a000002"
                                   "81000000"
                                   "88b5"}) {
    const auto frame = parse_ethernet(frame_of(header), Fcs::absent);
    ASSERT_TRUE(frame);
    std::vector<std::byte> out(header_bytes(frame->header));
    emit_ethernet(frame->header, out);
    EXPECT_EQ(to_hex(out), header);
  }
}

}  // namespace
}  // namespace weir::ethernet_test
