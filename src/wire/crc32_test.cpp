// SPDX-License-Identifier: Apache-2.0
#include "wire/crc32.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "wire/testing/bitwise_crc.h"
#include "wire/testing/byte_source.h"
#include "wire/testing/hex.h"

namespace weir::crc32_test {
namespace {

using testing::bitwise_crc;
using testing::from_hex;
using testing::to_bytes;

std::uint32_t crc_of(std::span<const std::byte> bytes) {
  Crc32 crc;
  crc.update(bytes);
  return crc.value();
}

TEST(Crc32, HasTheKnownCheckValue) {
  EXPECT_EQ(crc_of(from_hex("313233343536373839")), 0xcbf4'3926u);
}

TEST(Crc32, OfNothingIsZero) {
  EXPECT_EQ(crc_of({}), 0u);
}

TEST(Crc32, LeavesTheKnownResidueBehindItsOwnValue) {
  std::vector<std::byte> bytes = from_hex("313233343536373839");
  const std::uint32_t crc = crc_of(bytes);
  bytes.resize(bytes.size() + kCrcBytes);
  store_crc(std::span(bytes).last<kCrcBytes>(), crc);
  EXPECT_EQ(crc_of(bytes), 0x2144'df1cu);
}

TEST(Crc32, IsSentLowestByteFirst) {
  std::array<std::byte, kCrcBytes> bytes{};
  store_crc(bytes, 0x0102'0304);
  EXPECT_EQ(testing::to_hex(bytes), "04030201");
  EXPECT_EQ(load_crc(bytes), 0x0102'0304u);
}

RC_GTEST_PROP(Crc32, EqualsTheBitwiseDivision, (const std::vector<std::uint8_t>& octets)) {
  const auto bytes = to_bytes(octets);
  RC_ASSERT(crc_of(bytes) == bitwise_crc(bytes));
}

RC_GTEST_PROP(Crc32, DoesNotDependOnThePieces, (const std::vector<std::uint8_t>& octets, std::uint16_t cut)) {
  const auto bytes = to_bytes(octets);
  const std::size_t at = cut % (bytes.size() + 1);
  Crc32 crc;
  crc.update(std::span(bytes).first(at));
  crc.update(std::span(bytes).subspan(at));
  RC_ASSERT(crc.value() == crc_of(bytes));
}

}  // namespace
}  // namespace weir::crc32_test
