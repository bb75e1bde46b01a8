// SPDX-License-Identifier: Apache-2.0
#include "ports/flow_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <utility>

namespace weir::flow_slots_test {
namespace {

using Flow = FlowSlots::Flow;

Flow flow(std::uint32_t remote, std::uint32_t number) {
  return {HostId(remote), QueuePairId(number)};
}

TEST(FlowSlots, TheLeastRecentlyUsedMakesRoom) {
  FlowSlots slots(2);
  slots.add(flow(1, 7), QueuePairId(10));
  EXPECT_FALSE(slots.make_room());
  slots.add(flow(2, 7), QueuePairId(11));
  EXPECT_EQ(slots.use(flow(1, 7)), QueuePairId(10));
  EXPECT_EQ(slots.peek(flow(2, 7)), QueuePairId(11)) << "which is no use";
  EXPECT_EQ(slots.make_room(), QueuePairId(11));
  EXPECT_FALSE(slots.use(flow(2, 7)).exists());
  EXPECT_EQ(slots.size(), 1u);
}

// Against a list in the order of use.
TEST(FlowSlots, AgreesWithAList) {
  constexpr std::size_t kRoom = 13;
  FlowSlots slots(kRoom);
  std::list<std::pair<Flow, QueuePairId>> model;  // the oldest first
  RandomStream random(1, 2, 3);
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const Flow which = flow(static_cast<std::uint32_t>(random.below(5)), static_cast<std::uint32_t>(random.below(6)));
    const auto known = std::find_if(model.begin(), model.end(), [&](const auto& each) { return each.first == which; });
    const QueuePairId found = slots.use(which);
    ASSERT_EQ(found.exists(), known != model.end());
    if (known != model.end()) {
      ASSERT_EQ(found, known->second);
      model.splice(model.end(), model, known);
      continue;
    }
    const auto oldest = slots.make_room();
    ASSERT_EQ(oldest.has_value(), model.size() == kRoom);
    if (oldest) {
      ASSERT_EQ(*oldest, model.front().second);
      model.pop_front();
    }
    slots.add(which, QueuePairId(step));
    model.emplace_back(which, QueuePairId(step));
    ASSERT_EQ(slots.size(), model.size());
  }
}

}  // namespace
}  // namespace weir::flow_slots_test
