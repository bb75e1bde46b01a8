// SPDX-License-Identifier: Apache-2.0
#include "traffic/flow_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/source_testing.h"
#include "units/time.h"

namespace weir::flow_list_test {
namespace {

using namespace literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

FlowSpec flow(std::size_t source, std::size_t destination, Duration start, std::int64_t size) {
  FlowSpec flow;
  flow.source = HostId(source);
  flow.destination = HostId(destination);
  flow.start = Time() + start;
  flow.size = Bytes(size);
  return flow;
}

TEST(FlowList, IsInOrderOfStartThenOfTheList) {
  FlowListSource source({flow(0, 1, 3_us, 10), flow(1, 2, 1_us, 20), flow(2, 3, 3_us, 30)});
  const auto flows = take(source, 10);
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].size, Bytes(20));
  EXPECT_EQ(flows[1].size, Bytes(10));
  EXPECT_EQ(flows[2].size, Bytes(30));
  EXPECT_EQ(source.next_start(), Time::never());
}

TEST(FlowList, LongFlowsWithLimitsAndStops) {
  // rocc 6.1, fig. 8: N sources, each limited to 90 % of its link.
  SourceSettings settings;
  settings.label = FlowLabel::long_running;
  settings.rate_limit = BitRate(36'000'000'000);
  settings.end_flows = Time() + 20_ms;
  FlowListSource source(flows_on_pairs(zipped_pairs(HostSet::range(0, 10).hosts(), {HostId(10)}),
                                       FlowSize::fixed(kLongRunning), settings, 1));
  EXPECT_NEAR(total(offered(source)), 360e9, 1.0);
  const auto flows = take(source, 100);
  ASSERT_EQ(flows.size(), 10u);
  for (const FlowSpec& each : flows) {
    EXPECT_EQ(each.stop, Time() + 20_ms);
    EXPECT_EQ(each.size, kLongRunning);
    EXPECT_EQ(each.rate_limit, BitRate(36'000'000'000));
  }
}

TEST(LongRunning, HasNoMorePacketsThanThereCanBe) {
  EXPECT_EQ(long_running(1'000), kLongRunning);
  EXPECT_EQ(long_running(65'535), kLongRunning);
  for (const std::int64_t payload : {1, 256, 465}) {
    EXPECT_EQ(long_running(payload), Bytes(payload * 0x7fff'ffff)) << payload;
  }
}

TEST(FlowList, OfferedOverAWindow) {
  const std::vector<FlowSpec> flows{flow(0, 1, 0_us, 1000), flow(0, 1, 1_us, 3000), flow(1, 0, 1_us, 500)};
  EXPECT_THAT(offered(FlowListSource(flows)), IsEmpty());
  const auto rates = offered(FlowListSource(flows, 1_us));
  EXPECT_NEAR(rates.at({HostId(0), HostId(1)}), 32e9, 1.0);
  EXPECT_NEAR(rates.at({HostId(1), HostId(0)}), 4e9, 1.0);
}

TEST(FlowList, ConnectionsAreCounted) {
  FlowSpec on_seven = flow(0, 1, 0_us, 10);
  on_seven.connection = ConnectionId(7);
  EXPECT_EQ(FlowListSource({on_seven, flow(0, 1, 0_us, 10)}).connections(), 8u);
  EXPECT_EQ(FlowListSource({flow(0, 1, 0_us, 10)}).connections(), 0u);
}

TEST(FlowList, SizesAreDrawnWithTheSeed) {
  const std::vector<FlowSpec> flows(3, flow(0, 1, 0_us, 1));
  const FlowSize drawn = FlowSize::multiples(1, 1'000'000, Bytes(1));
  const std::vector<FlowSize> sizes{FlowSize::fixed(7_B), drawn, drawn};
  const auto one = with_sizes(flows, sizes, 1);
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[0].size, 7_B);
  EXPECT_NE(one[1].size, one[2].size);
  EXPECT_EQ(digest(with_sizes(flows, sizes, 1)), digest(one));
  const auto other = with_sizes(flows, sizes, 2);
  EXPECT_EQ(other[0].size, 7_B);
  EXPECT_NE(other[1].size, one[1].size);
}

TEST(FlowList, EndsWhenSendersStop) {
  SourceSettings settings;
  settings.end_flows = Time() + 1_us;
  const auto pairs = permutation_pairs(HostSet::range(0, 40), RandomStream(1, 1, 1));
  const auto flows = flows_on_pairs(pairs, FlowSize::fixed(1_KB), settings, 1, 2_us);
  EXPECT_GT(flows.size(), 5u);
  EXPECT_LT(flows.size(), 35u);
  EXPECT_THAT(problems(flows), IsEmpty());
}

TEST(FlowList, PairsWithJitterAndLimits) {
  SourceSettings settings;
  settings.start = Time() + 1_ms;
  settings.flow_limit = 30;
  const auto pairs = permutation_pairs(HostSet::range(0, 40), RandomStream(1, 1, 1));
  auto flows = flows_on_pairs(pairs, FlowSize::multiples(1, 3, Bytes(1000)), settings, 1, 2_us);
  ASSERT_EQ(flows.size(), 30u);
  for (const FlowSpec& each : flows) {
    EXPECT_GE(each.start, Time() + 1_ms);
    EXPECT_LE(each.start, Time() + 1_ms + 2_us);
    EXPECT_TRUE(each.synchronous);
  }
  EXPECT_THAT(problems(flows), IsEmpty());
  EXPECT_EQ(digest(flows), std::uint64_t{0xd1808dd4ea1a5cab});
}

TEST(FlowList, ProblemsAreFound) {
  std::vector<FlowSpec> flows{flow(1, 1, 0_us, 10), flow(0, 1, 0_us, 0), flow(0, 1, 5_us, 10), flow(0, 1, 0_us, 10)};
  flows[2].stop = Time() + 5_us;
  flows[3].priority = 8;
  EXPECT_THAT(problems(flows), ElementsAre("flow 1: sends to itself", "flow 2: the size is not above zero",
                                           "flow 3: stops before it starts", "flow 4: the priority is above 7"));
  flows.assign(1000, flow(1, 1, 0_us, 0));
  EXPECT_EQ(problems(flows).size(), 20u);
}

}  // namespace
}  // namespace weir::flow_list_test
