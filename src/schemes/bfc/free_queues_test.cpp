// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/free_queues.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace weir::bfc::free_queues_test {
namespace {

TEST(FreeQueues, AreAllFreeAtFirst) {
  const FreeQueues free(3, 100);
  for (std::size_t queue = 0; queue < 100; ++queue) EXPECT_TRUE(free.is_free(2, queue));
  EXPECT_TRUE(free.all_free());
}

TEST(FreeQueues, SearchesFromWhereItIsToldAndRound) {
  FreeQueues free(1, 200);
  for (std::size_t queue = 0; queue < 200; ++queue) free.clear(0, queue);
  EXPECT_EQ(free.next(0, 5), FreeQueues::kNone);
  free.set(0, 3);
  free.set(0, 70);
  free.set(0, 199);
  EXPECT_EQ(free.next(0, 0), 3u);
  EXPECT_EQ(free.next(0, 3), 3u);
  EXPECT_EQ(free.next(0, 4), 70u);
  EXPECT_EQ(free.next(0, 71), 199u);
  free.clear(0, 199);
  EXPECT_EQ(free.next(0, 71), 3u);
}

TEST(FreeQueues, KeepsGroupsApart) {
  FreeQueues free(2, 1);
  free.clear(0, 0);
  EXPECT_EQ(free.next(0, 0), FreeQueues::kNone);
  EXPECT_EQ(free.next(1, 0), 0u);
  EXPECT_FALSE(free.all_free());
  free.set_all(0);
  EXPECT_TRUE(free.all_free());
}

RC_GTEST_PROP(FreeQueues, FindsWhatALinearSearchFinds, ()) {
  const auto queues = *rc::gen::inRange<std::size_t>(1, FreeQueues::kMostQueues + 1);
  FreeQueues free(1, queues);
  std::set<std::size_t> taken;
  const auto steps = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, queues));
  const bool mostly_taken = *rc::gen::arbitrary<bool>();
  if (mostly_taken) {
    for (std::size_t queue = 0; queue < queues; ++queue) free.clear(0, queue), taken.insert(queue);
  }
  for (const std::size_t queue : steps) {
    if (taken.erase(queue) > 0) {
      free.set(0, queue);
    } else {
      free.clear(0, queue);
      taken.insert(queue);
    }
    std::size_t expected = FreeQueues::kNone;
    for (std::size_t i = 0; i < queues && expected == FreeQueues::kNone; ++i) {
      if (const std::size_t at = (queue + i) % queues; !taken.contains(at)) expected = at;
    }
    RC_ASSERT(free.next(0, queue) == expected);
    RC_ASSERT(free.count(0) == queues - taken.size());
    std::size_t rank = 0;
    for (std::size_t at = 0; at < queues && rank < 200; ++at) {
      if (!taken.contains(at)) RC_ASSERT(free.nth(0, rank++) == at);
    }
  }
}

}  // namespace
}  // namespace weir::bfc::free_queues_test
