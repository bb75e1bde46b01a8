#include "schemes/bfc/delayed_pauses.h"

#include <gtest/gtest.h>

namespace weir::bfc {
namespace {

using namespace literals;

TEST(DelayedPauses, ComeInOrder) {
  DelayedPauses pauses(8);
  EXPECT_TRUE(pauses.empty());
  pauses.push(5, Time() + 1_us);
  pauses.push(2, Time() + 2_us);
  pauses.push(7, Time() + 2_us);
  EXPECT_EQ(pauses.due(), Time() + 1_us);
  EXPECT_EQ(pauses.pop(), 5u);
  EXPECT_EQ(pauses.due(), Time() + 2_us);
  EXPECT_EQ(pauses.pop(), 2u);
  EXPECT_EQ(pauses.pop(), 7u);
  EXPECT_TRUE(pauses.empty());
}

TEST(DelayedPauses, AreTakenBack) {
  DelayedPauses pauses(3);
  for (std::size_t queue = 0; queue < 3; ++queue) pauses.push(queue, Time());
  pauses.remove(1);
  pauses.remove(1);
  EXPECT_FALSE(pauses.waits(1));
  EXPECT_TRUE(pauses.waits(2));
  pauses.push(1, Time() + 1_us);
  EXPECT_EQ(pauses.pop(), 0u);
  EXPECT_EQ(pauses.pop(), 2u);
  EXPECT_EQ(pauses.pop(), 1u);
  pauses.push(1, Time());
  pauses.clear();
  EXPECT_TRUE(pauses.empty());
  EXPECT_FALSE(pauses.waits(1));
}

}  // namespace
}  // namespace weir::bfc
