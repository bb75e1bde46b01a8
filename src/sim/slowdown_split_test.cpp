// SPDX-License-Identifier: Apache-2.0
#include "sim/slowdown_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::slowdown_split_test {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;

constexpr Duration us(std::int64_t microseconds) {
  return Duration::picoseconds(microseconds * 1'000'000);
}

/// 10 us in a network without other traffic.
FlowRecord flow(FlowClass flow_class, Duration completion) {
  FlowRecord record;
  record.flow_class = flow_class;
  record.sender_completion = completion;
  record.ideal_fct = us(10);
  return record;
}

TEST(SlowdownSplit, PartsAndOneAreTheSlowdown) {
  SlowdownSplit split;
  split.add(flow(FlowClass::victim, us(50)), {us(5), us(10), us(15)});
  const auto row = FieldsAre("victim", 1, DoubleEq(5), DoubleEq(1), DoubleEq(0.5), DoubleEq(1), DoubleEq(1.5));
  const std::vector<SlowdownSplitRecord> rows = split.rows();
  ASSERT_EQ(rows.size(), 3U);  // without incast and all
  EXPECT_THAT(rows[0], row);
  EXPECT_EQ(rows[1].flow_class, "not incast");
  EXPECT_EQ(rows[2].flow_class, "all");
}

TEST(SlowdownSplit, IsAMeanOverFlows) {
  SlowdownSplit split;
  split.add(flow(FlowClass::incast, us(20)), {us(10), {}, {}});
  split.add(flow(FlowClass::incast, us(40)), {{}, {}, us(30)});
  EXPECT_THAT(split.rows(),
              ElementsAre(FieldsAre("incast", 2, DoubleEq(3), DoubleEq(0), DoubleEq(0.5), DoubleEq(0), DoubleEq(1.5)),
                          FieldsAre("all", 2, DoubleEq(3), DoubleEq(0), DoubleEq(0.5), DoubleEq(0), DoubleEq(1.5))));
}

/// A flow alone also waits for its window: the parts do not exceed its slowdown.
TEST(SlowdownSplit, TellsNoMoreThanTheExcess) {
  SlowdownSplit split;
  split.add(flow(FlowClass::background, us(16)), {us(3), us(100), us(1)});
  EXPECT_THAT(split.rows()[0],
              FieldsAre("background", 1, DoubleEq(1.6), DoubleEq(0), DoubleEq(0.3), DoubleEq(0.2), DoubleEq(0.1)));
  SlowdownSplit fast;
  fast.add(flow(FlowClass::background, us(9)), {us(3), us(4), us(1)});
  EXPECT_THAT(fast.rows()[0], FieldsAre("background", 1, DoubleEq(1), 0, 0, 0, 0));
}

TEST(SlowdownSplit, LeavesOutWhatHasNoSlowdown) {
  SlowdownSplit split;
  split.add(flow(FlowClass::victim, Duration()), {});
  FlowRecord stopped = flow(FlowClass::victim, us(20));
  stopped.stopped = true;
  split.add(stopped, {});
  FlowRecord unknown = flow(FlowClass::victim, us(20));
  unknown.ideal_fct = Duration();
  split.add(unknown, {});
  EXPECT_THAT(split.rows(), IsEmpty());
}

}  // namespace
}  // namespace weir::slowdown_split_test
