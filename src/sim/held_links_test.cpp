// SPDX-License-Identifier: Apache-2.0
#include "sim/held_links.h"

#include <gtest/gtest.h>

namespace weir::held_links_test {
namespace {

Time at(std::int64_t picoseconds) {
  return Time::picoseconds(picoseconds);
}

TEST(HeldLinks, CountsTheTimeInWhichAnyPriorityIsClosed) {
  HeldLinks links(2);
  EXPECT_EQ(links.gate(1, 3, false, at(10)), HeldLinks::Change::held);
  EXPECT_EQ(links.gate(1, 3, false, at(12)), HeldLinks::Change::none);  // a refresh
  EXPECT_EQ(links.gate(1, 5, false, at(15)), HeldLinks::Change::none);
  EXPECT_EQ(links.gate(1, 3, true, at(20)), HeldLinks::Change::none);
  EXPECT_TRUE(links.closed(1, 5));
  EXPECT_FALSE(links.closed(1, 3));
  EXPECT_EQ(links.gate(1, 5, true, at(30)), HeldLinks::Change::released);
  EXPECT_EQ(links.total(1, at(100)).picoseconds(), 20);
  EXPECT_EQ(links.total(0, at(100)).picoseconds(), 0);
}

TEST(HeldLinks, CountsWhatHoldsAtTheEnd) {
  HeldLinks links(1);
  links.gate(0, 0, false, at(10));
  links.gate(0, 0, true, at(20));
  links.gate(0, 0, false, at(50));
  EXPECT_EQ(links.total(0, at(100)).picoseconds(), 60);
}

TEST(HeldLinks, CountsPausesByNameAndByPriorityOnce) {
  HeldLinks links(1);
  EXPECT_EQ(links.by_name(0, true, at(10)), HeldLinks::Change::held);
  links.by_name(0, true, at(20));
  links.gate(0, 3, false, at(30));
  links.by_name(0, false, at(40));
  EXPECT_EQ(links.by_name(0, false, at(50)), HeldLinks::Change::none);
  EXPECT_EQ(links.gate(0, 3, true, at(60)), HeldLinks::Change::released);
  EXPECT_EQ(links.total(0, at(70)).picoseconds(), 50);
}

}  // namespace
}  // namespace weir::held_links_test
