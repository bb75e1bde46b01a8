// SPDX-License-Identifier: Apache-2.0
#include "wire/icmp.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/testing/hex.h"

namespace weir::icmp_test {
namespace {

using testing::from_hex;
using testing::to_hex;

TEST(Icmp, WritesTheHeaderOfAnExperiment) {
  auto bytes = from_hex("ffffffffffffffff616263");
  emit_icmp(bytes);
  EXPECT_EQ(to_hex(bytes), "fd003e9c00000000616263");
  const auto content = parse_icmp(bytes);
  ASSERT_TRUE(content);
  EXPECT_EQ(to_hex(*content), "616263");
}

TEST(Icmp, RefusesOtherTypesAndCodesAndDamage) {
  auto bytes = from_hex("fd003e9c00000000616263");
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(parse_icmp(bytes).error(), WireError::bad_icmp) << "bit " << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_EQ(parse_icmp(std::span(bytes).first(7)).error(), WireError::truncated);
}

}  // namespace
}  // namespace weir::icmp_test
