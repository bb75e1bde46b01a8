// SPDX-License-Identifier: Apache-2.0
#include "sim/ranked_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace weir::ranked_set_test {
namespace {

TEST(RankedSet, GivesTheLowestRankFirstWhateverTheOrderOfInsertion) {
  RankedSet set(std::vector<std::uint64_t>{30, 10, 20});
  for (const std::uint32_t number : {0u, 2u, 1u}) set.insert(number);
  EXPECT_EQ(set.take_first(), 1u);
  EXPECT_EQ(set.take_first(), 2u);
  EXPECT_EQ(set.take_first(), 0u);
  EXPECT_TRUE(set.empty());
}

TEST(RankedSet, GivesTheLowerNumberFirstAmongEqualRanks) {
  RankedSet set(std::vector<std::uint64_t>{7, 7, 7});
  set.insert(2);
  set.insert(0);
  EXPECT_EQ(set.take_first(), 0u);
  EXPECT_EQ(set.take_first(), 2u);
}

TEST(RankedSet, HoldsANumberOnce) {
  RankedSet set(std::vector<std::uint64_t>{1, 2});
  set.insert(1);
  set.insert(1);
  EXPECT_EQ(set.take_first(), 1u);
  EXPECT_TRUE(set.empty());
}

TEST(RankedSet, IsEmptyWithoutMembers) {
  EXPECT_TRUE(RankedSet({}).empty());
}

RC_GTEST_PROP(RankedSet, AgreesWithAnOrderedSet, ()) {
  const auto size = *rc::gen::inRange<std::uint32_t>(1, 10'000);
  const auto ranks = *rc::gen::container<std::vector<std::uint64_t>>(size, rc::gen::inRange<std::uint64_t>(0, 5'000));
  RankedSet set(ranks);
  std::set<std::pair<std::uint64_t, std::uint32_t>> model;
  const auto numbers = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, size));
  for (const std::uint32_t number : numbers) {
    set.insert(number);
    model.emplace(ranks[number], number);
    if (number % 3 != 0) continue;  // some are taken in between
    RC_ASSERT(set.take_first() == model.begin()->second);
    model.erase(model.begin());
  }
  while (!model.empty()) {
    RC_ASSERT(set.take_first() == model.begin()->second);
    model.erase(model.begin());
  }
  RC_ASSERT(set.empty());
}

}  // namespace
}  // namespace weir::ranked_set_test
