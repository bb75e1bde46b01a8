// SPDX-License-Identifier: Apache-2.0
#include "wire/pfc_frame.h"

#include <gtest/gtest.h>

#include <array>

#include "wire/testing/hex.h"

namespace weir::pfc_frame_test {
namespace {

using testing::from_hex;
using testing::to_hex;

TEST(MacControl, ReadsAndWritesPfc) {
  const std::string_view text =
      "01010081"
      "000100000000000000000000"
      "0000ffff";
  const auto pfc = parse_mac_control(from_hex(text));
  ASSERT_TRUE(pfc);
  EXPECT_EQ(pfc->enabled, 0x81);
  EXPECT_EQ(pfc->quanta, (std::array<std::uint16_t, 8>{1, 0, 0, 0, 0, 0, 0, 0xffff}));
  std::array<std::byte, kPfcPayloadBytes> out{};
  emit_pfc(*pfc, out);
  EXPECT_EQ(to_hex(out), text);
}

TEST(MacControl, IgnoresTheReservedHalfOfTheClassEnableVector) {
  const auto pfc = parse_mac_control(from_hex("0101ff01 0001 0000 0000 0000 0000 0000 0000 0000"));
  ASSERT_TRUE(pfc);
  EXPECT_EQ(pfc->enabled, 0x01);
}

TEST(MacControl, RefusesPlainPauseByName) {
  EXPECT_EQ(parse_mac_control(from_hex("0001 ffff 0000 0000 0000 0000 0000 0000 0000 0000")).error(),
            WireError::plain_pause);
}

TEST(MacControl, RefusesOtherOpcodesAndShortFrames) {
  EXPECT_EQ(parse_mac_control(from_hex("0102 0001")).error(), WireError::unknown_mac_control);
  EXPECT_EQ(parse_mac_control(from_hex("01")).error(), WireError::truncated);
  EXPECT_EQ(parse_mac_control(from_hex("01010001 0001 0000 0000 0000 0000 0000 0000 00")).error(),
            WireError::truncated);
}

}  // namespace
}  // namespace weir::pfc_frame_test
