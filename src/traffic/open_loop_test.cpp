// SPDX-License-Identifier: Apache-2.0
#include "traffic/open_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/built_in_sizes.h"
#include "traffic/load.h"
#include "traffic/source_testing.h"

namespace weir::open_loop_test {
namespace {

using namespace literals;

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

OpenLoopSettings web_server() {
  OpenLoopSettings settings;
  settings.matrix = TrafficMatrix::with_rack_local_share(HostSet::range(0, 160), Racks::of_equal_size(10, 16), 0.0);
  settings.size = FlowSize::of(built_in_size_table("web_server"));
  settings.offered = offered_for_host_load(0.8, BitRate(100'000'000'000), 160);
  return settings;
}

TEST(OpenLoop, RealisesItsLoad) {
  OpenLoopSource source(web_server(), 1);
  const auto flows = take(source, 100'000);
  ASSERT_EQ(flows.size(), 100'000u);
  EXPECT_TRUE(in_order(flows));
  EXPECT_NEAR(realised(flows), 12.8e12, 0.03 * 12.8e12);
}

TEST(OpenLoop, RealisesItsLoadWithLognormalArrivals) {
  OpenLoopSettings settings = web_server();
  settings.arrivals = {ArrivalShape::Kind::lognormal, 2.0};
  OpenLoopSource source(settings, 1);
  EXPECT_NEAR(realised(take(source, 400'000)), 12.8e12, 0.05 * 12.8e12);
}

TEST(OpenLoop, EachHostSendsAndReceivesItsPart) {
  OpenLoopSource source(web_server(), 2);
  std::map<HostId, int> sent;
  std::map<HostId, int> received;
  const Racks racks = Racks::of_equal_size(10, 16);
  for (const FlowSpec& flow : take(source, 160'000)) {
    ++sent[flow.source];
    ++received[flow.destination];
    EXPECT_FALSE(racks.same(flow.source, flow.destination));
  }
  for (std::size_t host = 0; host < 160; ++host) {
    EXPECT_NEAR(sent[HostId(host)], 1000, 150);
    EXPECT_NEAR(received[HostId(host)], 1000, 150);
  }
}

TEST(OpenLoop, SaysWhatItOffers) {
  const OpenLoopSource source(web_server(), 1);
  const auto rates = offered(source);
  EXPECT_EQ(rates.size(), 23'040u);
  EXPECT_NEAR(total(rates), 12.8e12, 1e3);
  EXPECT_NEAR(rates.begin()->second, 12.8e12 / 23'040, 1.0);
}

TEST(OpenLoop, KeepsItsSettings) {
  OpenLoopSettings settings = web_server();
  settings.flows.priority = 5;
  settings.flows.label = static_cast<FlowLabel>(9);
  settings.flows.rate_limit = BitRate(1'000'000'000);
  settings.flows.start = Time::picoseconds(30'000'000);
  settings.flows.stop = Time::picoseconds(31'000'000);
  settings.flows.end_flows = Time::picoseconds(50'000'000);
  OpenLoopSource source(settings, 1);
  const auto flows = take(source, 100'000);
  EXPECT_NEAR(static_cast<double>(flows.size()), 25.4, 20);  // 12.8 Tbit/s for 1 us in flows of 62 KB
  for (const FlowSpec& flow : flows) {
    EXPECT_GE(flow.start, settings.flows.start);
    EXPECT_LT(flow.start, settings.flows.stop);
    EXPECT_EQ(flow.stop, settings.flows.end_flows);
    EXPECT_EQ(flow.priority, 5);
    EXPECT_EQ(flow.label, static_cast<FlowLabel>(9));
    EXPECT_EQ(flow.rate_limit, BitRate(1'000'000'000));
    EXPECT_FALSE(flow.connection.exists());
    EXPECT_FALSE(flow.synchronous);
  }
}

TEST(OpenLoop, StartsNothingWhenSendersHaveStopped) {
  OpenLoopSettings settings = web_server();
  settings.flows.stop = Time() + 40_us;
  settings.flows.end_flows = Time() + 10_us;
  OpenLoopSource source(settings, 1);
  const auto flows = take(source, 100'000);
  ASSERT_FALSE(flows.empty());
  EXPECT_LT(flows.back().start, settings.flows.end_flows);
}

TEST(OpenLoop, StopsAtItsLimit) {
  OpenLoopSettings settings = web_server();
  settings.flows.flow_limit = 7;
  OpenLoopSource source(settings, 1);
  EXPECT_EQ(take(source, 100).size(), 7u);
  EXPECT_EQ(source.next_start(), Time::never());
}

TEST(OpenLoop, PersistentQueuePairsAreOneForEachPair) {
  OpenLoopSettings settings = web_server();
  settings.matrix = TrafficMatrix({{HostSet::range(0, 60), HostSet::range(60, 30)}});
  settings.persistent_queue_pairs = true;
  OpenLoopSource source(settings, 1);
  std::map<ConnectionId, HostPair> pair_of;
  for (const FlowSpec& flow : take(source, 40'000)) {
    ASSERT_TRUE(flow.connection.exists());
    ASSERT_LT(flow.connection.index(), source.connections());
    const HostPair pair{flow.source, flow.destination};
    EXPECT_EQ(pair_of.emplace(flow.connection, pair).first->second, pair);
  }
  EXPECT_EQ(pair_of.size(), 1800u);  // rocc 6.3
}

TEST(OpenLoop, IsDeterministic) {
  OpenLoopSource one(web_server(), 1);
  OpenLoopSource same(web_server(), 1);
  OpenLoopSource other(web_server(), 2);
  const std::uint64_t expected = digest(take(one, 1000));
  EXPECT_EQ(digest(take(same, 1000)), expected);
  EXPECT_NE(digest(take(other, 1000)), expected);
  EXPECT_EQ(expected, std::uint64_t{0x242011522a20899f});
}

TEST(OpenLoop, LognormalIsDeterministic) {
  OpenLoopSettings settings;
  settings.matrix = TrafficMatrix::uniform(HostSet::range(0, 128));
  settings.size = FlowSize::of(built_in_size_table("google"));
  settings.arrivals = {ArrivalShape::Kind::lognormal, 2.0};
  settings.offered = offered_for_core_load(0.6, BitRate(100'000'000'000), 64);
  OpenLoopSource source(settings, 1);
  EXPECT_EQ(digest(take(source, 1000)), std::uint64_t{0xb742dd0b1e5ecf7c});
}

TEST(OpenLoop, ProblemsAreFound) {
  EXPECT_THAT(problems(web_server()), IsEmpty());
  OpenLoopSettings settings;
  settings.size = FlowSize::fixed(Bytes(0));
  settings.arrivals = {ArrivalShape::Kind::lognormal, -1.0};
  EXPECT_THAT(
      problems(settings),
      ElementsAre("sigma is -1, expected 0 to 5", "no pair of hosts, expected a traffic matrix",
                  "sizes can be zero, expected at least one byte", "offers nothing, expected a rate above zero"));
}

}  // namespace
}  // namespace weir::open_loop_test
