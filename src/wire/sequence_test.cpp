// SPDX-License-Identifier: Apache-2.0
#include "wire/sequence.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace weir::sequence_test {
namespace {

TEST(ExtendSequence, FindsNeighboursAcrossTheWrap) {
  EXPECT_EQ(extend_sequence(0x000000, 0x00ffffff), 0x01000000u);
  EXPECT_EQ(extend_sequence(0xffffff, 0x01000000), 0x00ffffffu);
  EXPECT_EQ(extend_sequence(0x123456, 0x07123456), 0x07123456u);
  EXPECT_EQ(extend_sequence(0x000001, 0xffffffff), 0x00000001u);
}

TEST(ExtendSequence, TakesTheLowerOfTwoEquallyFar) {
  EXPECT_EQ(extend_sequence(0x800000, 0x01000000), 0x00800000u);
}

RC_GTEST_PROP(ExtendSequence, GivesBackWhatIsLessThanHalfTheRangeAway, (std::uint32_t sequence)) {
  constexpr std::int32_t kHalf = 1 << 23;
  const auto distance = *rc::gen::inRange<std::int32_t>(-kHalf + 1, kHalf + 1);
  const std::uint32_t reference = sequence + static_cast<std::uint32_t>(distance);
  RC_ASSERT(extend_sequence(sequence & kSequenceMask, reference) == sequence);
}

}  // namespace
}  // namespace weir::sequence_test
