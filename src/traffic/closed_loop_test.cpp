// SPDX-License-Identifier: Apache-2.0
#include "traffic/closed_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/built_in_sizes.h"
#include "traffic/source_testing.h"
#include "units/time.h"

namespace weir::closed_loop_test {
namespace {

using namespace literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// rocc 6.3: one queue pair for each of 1800 pairs.
ClosedLoopSettings rocc() {
  ClosedLoopSettings settings;
  settings.pairs = all_pairs(HostSet::range(0, 60), HostSet::range(60, 30));
  settings.size = FlowSize::of(built_in_size_table("fb_hadoop_hpcc"));
  return settings;
}

ClosedLoopSettings one_pair() {
  ClosedLoopSettings settings;
  settings.pairs = {{HostId(0), HostId(1)}};
  settings.size = FlowSize::fixed(Bytes(1000));
  return settings;
}

TEST(ClosedLoop, TheNextMessageWaitsForTheLast) {
  ClosedLoopSettings settings = one_pair();
  settings.mean_think_picoseconds = 5e6;
  ClosedLoopSource source(settings, 1);
  const FlowSpec first = source.take();
  EXPECT_EQ(first.start, Time());
  EXPECT_EQ(source.next_start(), Time::never());
  source.on_completed(first, Time() + 20_us);
  EXPECT_EQ(source.next_start(), Time() + 25_us);
  EXPECT_EQ(source.take().connection, first.connection);
  EXPECT_EQ(source.next_start(), Time::never());
}

TEST(ClosedLoop, AllPairsAreActive) {
  ClosedLoopSource source(rocc(), 1);
  const auto flows = take(source, 10'000);
  EXPECT_EQ(flows.size(), 1800u);
  EXPECT_EQ(source.connections(), 1800u);
  const auto more = take_completing(source, 10, 1_us);
  EXPECT_THAT(more, IsEmpty());  // those in flight were not reported as completed
}

TEST(ClosedLoop, KeepsItsNumberOutstanding) {
  ClosedLoopSettings settings = one_pair();
  settings.outstanding = 3;
  ClosedLoopSource source(settings, 1);
  auto flows = take(source, 100);
  ASSERT_EQ(flows.size(), 3u);
  source.on_completed(flows[1], Time() + 1_us);
  source.on_completed(flows[0], Time() + 1_us);
  EXPECT_EQ(take(source, 100).size(), 2u);
}

TEST(ClosedLoop, SizesDoNotDependOnOtherPairs) {
  const auto sizes_of_pair_7 = [](Duration duration_of_others) {
    ClosedLoopSettings settings = rocc();
    ClosedLoopSource source(settings, 1);
    std::multimap<Time, FlowSpec> in_flight;
    std::vector<Bytes> sizes;
    while (sizes.size() < 20) {
      if (!in_flight.empty() && in_flight.begin()->first <= source.next_start()) {
        const auto [now, flow] = *in_flight.begin();
        in_flight.erase(in_flight.begin());
        source.on_completed(flow, now);
        continue;
      }
      const FlowSpec flow = source.take();
      const bool watched = flow.connection == ConnectionId(7);
      if (watched) sizes.push_back(flow.size);
      in_flight.emplace(flow.start + (watched ? 3_us : duration_of_others), flow);
    }
    return sizes;
  };
  EXPECT_EQ(sizes_of_pair_7(1_us), sizes_of_pair_7(17_us));
}

TEST(ClosedLoop, ThinkTimesHaveTheirMean) {
  ClosedLoopSettings settings = one_pair();
  settings.think = {ArrivalShape::Kind::exponential};
  settings.mean_think_picoseconds = 9e6;
  ClosedLoopSource source(settings, 1);
  const auto flows = take_completing(source, 50'001, 1_us);
  EXPECT_NEAR((flows.back().start - flows.front().start).microseconds() / 50'000, 10.0, 0.15);
}

TEST(ClosedLoop, NewQueuePairsWhenAsked) {
  ClosedLoopSettings settings = one_pair();
  settings.persistent_queue_pairs = false;
  ClosedLoopSource source(settings, 1);
  for (const FlowSpec& flow : take_completing(source, 10, 1_us)) EXPECT_FALSE(flow.connection.exists());
  EXPECT_EQ(source.connections(), 0u);
}

TEST(ClosedLoop, LimitsHold) {
  ClosedLoopSettings settings = one_pair();
  settings.messages_per_pair = 5;
  ClosedLoopSource by_pair(settings, 1);
  EXPECT_EQ(take_completing(by_pair, 100, 1_us).size(), 5u);

  settings = rocc();
  settings.flows.flow_limit = 2000;
  ClosedLoopSource by_flows(settings, 1);
  EXPECT_EQ(take_completing(by_flows, 10'000, 1_us).size(), 2000u);

  settings = one_pair();
  settings.flows.start = Time() + 2_us;
  settings.flows.stop = Time() + 10_us;
  ClosedLoopSource by_time(settings, 1);
  EXPECT_EQ(take_completing(by_time, 100, 2_us).size(), 4u);  // at 2, 4, 6 and 8 us
}

TEST(ClosedLoop, EndsWhenSendersStop) {
  ClosedLoopSettings settings = one_pair();
  settings.flows.end_flows = Time() + 10_us;
  ClosedLoopSource source(settings, 1);
  EXPECT_EQ(take_completing(source, 100, 2_us).size(), 5u);  // at 0, 2, 4, 6 and 8 us
  EXPECT_EQ(source.next_start(), Time::never());
}

TEST(ClosedLoop, JitterSpreadsTheFirstMessages) {
  ClosedLoopSettings settings = rocc();
  settings.jitter = 10_us;
  ClosedLoopSource source(settings, 1);
  const auto flows = take(source, 10'000);
  EXPECT_TRUE(in_order(flows));
  EXPECT_LT(flows.front().start, Time() + 1_us);
  EXPECT_GT(flows.back().start, Time() + 9_us);
  EXPECT_LE(flows.back().start, Time() + 10_us);
}

TEST(ClosedLoop, OffersNoRate) {
  const ClosedLoopSource source(rocc(), 1);
  EXPECT_THAT(offered(source), IsEmpty());
}

TEST(ClosedLoop, IsDeterministic) {
  ClosedLoopSettings settings = rocc();
  settings.think = {ArrivalShape::Kind::exponential};
  settings.mean_think_picoseconds = 2e6;
  settings.jitter = 10_us;
  settings.pairs.resize(90);
  ClosedLoopSource source(settings, 1);
  EXPECT_EQ(digest(take_completing(source, 1000, 3_us)), std::uint64_t{0xb6b7f6cf202839c0});
}

TEST(ClosedLoop, ProblemsAreFound) {
  EXPECT_THAT(problems(rocc()), IsEmpty());
  ClosedLoopSettings settings;
  settings.outstanding = 0;
  settings.mean_think_picoseconds = -1.0;
  EXPECT_THAT(problems(settings),
              ElementsAre("no pair of hosts, expected at least one", "no message is outstanding, expected at least one",
                          "the think time is negative"));
}

}  // namespace
}  // namespace weir::closed_loop_test
