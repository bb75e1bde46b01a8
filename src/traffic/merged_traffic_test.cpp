// SPDX-License-Identifier: Apache-2.0
#include "traffic/merged_traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "traffic/closed_loop.h"
#include "traffic/flow_list.h"
#include "traffic/incast.h"
#include "traffic/open_loop.h"
#include "traffic/source_testing.h"
#include "units/time.h"

namespace weir::merged_traffic_test {
namespace {

using namespace literals;
using namespace testing_support;

FlowSpec flow(Duration start, std::int64_t size) {
  FlowSpec flow;
  flow.source = HostId(0);
  flow.destination = HostId(1);
  flow.start = Time() + start;
  flow.size = Bytes(size);
  return flow;
}

std::vector<FlowSpec> drain(MergedTraffic& traffic) {
  std::vector<FlowSpec> flows;
  while (traffic.next_start() != Time::never()) flows.push_back(traffic.take());
  return flows;
}

TEST(MergedTraffic, ByStartThenBySource) {
  std::vector<std::unique_ptr<TrafficSource>> sources;
  sources.push_back(std::make_unique<FlowListSource>(std::vector{flow(2_us, 1), flow(5_us, 2)}));
  sources.push_back(std::make_unique<FlowListSource>(std::vector{flow(2_us, 3), flow(2_us, 4), flow(1_us, 5)}));
  MergedTraffic traffic(std::move(sources));
  std::vector<std::int64_t> sizes;
  for (const FlowSpec& each : drain(traffic)) {
    EXPECT_EQ(each.id, FlowId(sizes.size()));
    sizes.push_back(each.size.count());
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{5, 1, 3, 4, 2}));
  EXPECT_EQ(traffic.flows_taken(), 5u);
}

TEST(MergedTraffic, NothingIsNever) {
  MergedTraffic none;
  EXPECT_EQ(none.next_start(), Time::never());
  MergedTraffic empty(std::vector<std::unique_ptr<TrafficSource>>{});
  EXPECT_EQ(empty.next_start(), Time::never());
}

TEST(MergedTraffic, IsTheStableSortOfItsSources) {
  EXPECT_TRUE(rc::check("any lists", [] {
    std::vector<std::unique_ptr<TrafficSource>> sources;
    std::vector<FlowSpec> all;
    std::int64_t size = 0;
    for (int i = 0, n = *rc::gen::inRange(0, 6); i < n; ++i) {
      std::vector<FlowSpec> flows;
      for (const int start : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20))) {
        flows.push_back(flow(Duration::picoseconds(start), ++size));
      }
      std::stable_sort(flows.begin(), flows.end(), [](auto& a, auto& b) { return a.start < b.start; });
      all.insert(all.end(), flows.begin(), flows.end());
      sources.push_back(std::make_unique<FlowListSource>(flows));
    }
    std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.start < b.start; });
    MergedTraffic traffic(std::move(sources));
    const auto merged = drain(traffic);
    RC_ASSERT(merged.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(merged[i].size == all[i].size);
  }));
}

TEST(MergedTraffic, CompletionsFindTheirSourceAndConnection) {
  ClosedLoopSettings settings;
  settings.size = FlowSize::fixed(Bytes(1000));
  settings.pairs = {{HostId(0), HostId(1)}, {HostId(1), HostId(0)}};
  std::vector<std::unique_ptr<TrafficSource>> sources;
  sources.push_back(std::make_unique<ClosedLoopSource>(settings, 1));
  settings.pairs = {{HostId(2), HostId(3)}};
  settings.flows.start = Time() + 1_us;
  sources.push_back(std::make_unique<ClosedLoopSource>(settings, 2));
  MergedTraffic traffic(std::move(sources));
  EXPECT_EQ(traffic.connections(), 3u);
  const auto flows = drain(traffic);
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[2].connection, ConnectionId(2));
  traffic.on_completed(flows[2], Time() + 7_us);
  EXPECT_EQ(traffic.next_start(), Time() + 7_us);
  const FlowSpec next = traffic.take();
  EXPECT_EQ(next.source, HostId(2));
  EXPECT_EQ(next.connection, ConnectionId(2));
  EXPECT_EQ(next.id, FlowId(3));
  EXPECT_EQ(traffic.next_start(), Time::never());
}

TEST(MergedTraffic, OfferedIsTheSum) {
  FlowSpec limited = flow(0_us, 1);
  limited.rate_limit = BitRate(5'000);
  std::vector<std::unique_ptr<TrafficSource>> sources;
  sources.push_back(std::make_unique<FlowListSource>(std::vector{limited}));
  sources.push_back(std::make_unique<FlowListSource>(std::vector{limited, limited}));
  const MergedTraffic traffic(std::move(sources));
  double sum = 0.0;
  traffic.offered([&](HostId, HostId, double rate) { sum += rate; });
  EXPECT_DOUBLE_EQ(sum, 15'000.0);
}

TEST(MergedTraffic, AnIncastMixIsDeterministic) {
  OpenLoopSettings background;
  background.matrix = TrafficMatrix::uniform(HostSet::range(0, 32));
  background.size = FlowSize::fixed(Bytes(10'000));
  background.offered = BitRate(1'000'000'000'000);
  background.flows.start = Time() + 30_us;
  IncastSettings incast;
  incast.sources = HostSet::range(0, 32);
  incast.degree = 16;
  incast.destinations = {HostId(0)};
  incast.size = FlowSize::multiples(30, 40, Bytes(1460));
  incast.mean_interval_picoseconds = 20e6;
  std::vector<std::unique_ptr<TrafficSource>> sources;
  sources.push_back(std::make_unique<OpenLoopSource>(background, 1));
  sources.push_back(std::make_unique<IncastSource>(incast, 2));
  MergedTraffic traffic(std::move(sources));
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 1000; ++i) flows.push_back(traffic.take());
  EXPECT_TRUE(in_order(flows));
  EXPECT_EQ(digest(flows), std::uint64_t{0xf28d4a17b4d5e4c7});
}

TEST(FlowLabels, NamesAndNumbers) {
  FlowLabels labels;
  EXPECT_EQ(labels.label("incast"), FlowLabel::incast);
  EXPECT_EQ(labels.name(FlowLabel::long_running), "long-running");
  const FlowLabel mice = labels.label("mice");
  EXPECT_EQ(labels.label("mice"), mice);
  EXPECT_EQ(labels.name(mice), "mice");
  EXPECT_EQ(labels.name(static_cast<FlowLabel>(77)), "label 77");
  for (int i = 0; i < 300; ++i) labels.label(std::to_string(i));
  EXPECT_EQ(labels.size(), 256u);
  EXPECT_EQ(labels.label("one too many"), FlowLabel::plain);
}

}  // namespace
}  // namespace weir::merged_traffic_test
