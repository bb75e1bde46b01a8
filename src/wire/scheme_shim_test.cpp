// SPDX-License-Identifier: Apache-2.0
#include "wire/scheme_shim.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/testing/hex.h"

namespace weir::scheme_shim_test {
namespace {

using testing::from_hex;
using testing::to_hex;

TEST(SchemeShim, HasEachFieldInItsPlace) {
  const SchemeShim shim{0x07, 0x0102, 0x0304'0506, {true, false, 4}};
  const auto block = from_hex("deadbeef 00000000");
  std::vector<std::byte> out(kShimBytes + 4);
  emit_shim(shim, block, out);
  EXPECT_EQ(to_hex(out), "010780040102000003040506deadbeef");
  out.push_back(std::byte{0x61});  // does not belong to the shim
  const auto parsed = parse_shim(out);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->shim, shim);
  EXPECT_EQ(to_hex(parsed->extension), "deadbeef");
}

TEST(SchemeShim, SaysThatAFrameWasTrimmed) {
  SchemeShim shim;
  shim.trimmed = true;
  std::vector<std::byte> out(kShimBytes);
  emit_shim(shim, {}, out);
  EXPECT_EQ(to_hex(out), "010000000000010000000000");
  const auto parsed = parse_shim(out);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->shim, shim);
}

TEST(SchemeShim, RefusesWhatIsCutShort) {
  const auto bytes = from_hex("010780040102000003040506deadbeef");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(parse_shim(std::span(bytes).first(length)).error(), WireError::truncated) << length;
  }
}

TEST(SchemeShim, RefusesOtherVersionsReservedBytesAndContradictions) {
  EXPECT_EQ(parse_shim(from_hex("020780000102000003040506")).error(), WireError::bad_shim);
  EXPECT_EQ(parse_shim(from_hex("010780000102000103040506")).error(), WireError::bad_shim);
  EXPECT_EQ(parse_shim(from_hex("010780000102020003040506")).error(), WireError::bad_shim);
  EXPECT_EQ(parse_shim(from_hex("010700040102000003040506deadbeef")).error(), WireError::bad_shim);
  EXPECT_EQ(parse_shim(from_hex("010780030102000003040506deadbeef")).error(), WireError::bad_shim);
}

}  // namespace
}  // namespace weir::scheme_shim_test
