// SPDX-License-Identifier: Apache-2.0
#include "results/digest.h"

#include <gtest/gtest.h>

namespace weir::digest_test {
namespace {

TEST(FormatDigest, KeepsLeadingZeros) {
  EXPECT_EQ(format_digest(0), "0000000000000000");
  EXPECT_EQ(format_digest(0x0123456789abcdefU), "0123456789abcdef");
  EXPECT_EQ(format_digest(~std::uint64_t{0}), "ffffffffffffffff");
}

}  // namespace
}  // namespace weir::digest_test
