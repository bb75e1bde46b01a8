// SPDX-License-Identifier: Apache-2.0
#include "traffic/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/source_testing.h"
#include "units/time.h"

namespace weir::train_test {
namespace {

using namespace literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// spfc III: N of H1-H29 emit 64 KB flows to R2 at 100 Gbit/s from 1 ms to 12 ms; 1000 of 1048 bytes are payload.
TrainSettings spfc(std::size_t n) {
  TrainSettings settings;
  settings.flows.label = FlowLabel::burst;
  settings.flows.start = Time() + 1_ms;
  settings.flows.stop = Time() + 12_ms;
  settings.pairs = zipped_pairs(HostSet::range(1, n).hosts(), {HostId(31)});
  settings.size = Bytes(65'536);
  settings.rate = BitRate(100'000'000'000 / 1048 * 1000);
  return settings;
}

TEST(Train, BackToBackFromStartToStop) {
  TrainSource source(spfc(24), 1);
  const auto flows = take(source, 1'000'000);
  EXPECT_TRUE(in_order(flows));
  // 5.4945 us each: each host starts flows at 0, 1, ... 2001 times that.
  ASSERT_EQ(flows.size(), 24u * 2002u);
  EXPECT_EQ(flows.front().start, Time() + 1_ms);
  EXPECT_LT(flows.back().start, Time() + 12_ms);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_EQ(flows[i].source, HostId(i % 24 + 1));
    EXPECT_EQ(flows[i].start, flows[i - i % 24].start);
    EXPECT_FALSE(flows[i].connection.exists());
    EXPECT_TRUE(flows[i].synchronous);
  }
  const double interval = (flows[24].start - flows[0].start).microseconds();
  EXPECT_NEAR(interval, 5.494, 0.001);
}

TEST(Train, RoundingDoesNotAddUp) {
  TrainSettings settings = spfc(1);
  settings.flows.stop = Time::never();
  settings.size = Bytes(1);
  settings.rate = BitRate(3);  // 8/3 s: not an integer number of picoseconds
  TrainSource source(settings, 1);
  const auto flows = take(source, 3001);
  EXPECT_EQ(flows[3].start, Time() + 1_ms + 8_s);
  EXPECT_EQ(flows[3000].start, Time() + 1_ms + 8000_s);
}

TEST(Train, JitterShiftsWholeTrains) {
  TrainSettings settings = spfc(10);
  settings.jitter = 5_us;
  TrainSource source(settings, 1);
  std::map<HostId, std::vector<Time>> starts;
  const auto flows = take(source, 1000);
  EXPECT_TRUE(in_order(flows));
  for (const FlowSpec& flow : flows) starts[flow.source].push_back(flow.start);
  std::size_t shifted = 0;
  for (const auto& [host, times] : starts) {
    shifted += times.front() > Time() + 1_ms ? 1 : 0;
    EXPECT_LE(times.front(), Time() + 1_ms + 5_us);
    EXPECT_NEAR((times[1] - times[0]).microseconds(), 5.494, 0.001);
  }
  EXPECT_GE(shifted, 9u);
}

TEST(Train, LimitsHold) {
  TrainSettings settings = spfc(4);
  settings.flows_per_train = 40;
  TrainSource source(settings, 1);
  EXPECT_EQ(take(source, 10'000).size(), 160u);
  settings.flows.flow_limit = 101;
  TrainSource limited(settings, 1);
  EXPECT_EQ(take(limited, 10'000).size(), 101u);
}

TEST(Train, OfferedIsItsRate) {
  const TrainSource source(spfc(24), 1);
  EXPECT_EQ(offered(source).size(), 24u);
  EXPECT_NEAR(total(offered(source)), 24 * 100e9 / 1.048, 1e6);
}

TEST(Train, IsDeterministic) {
  TrainSettings settings = spfc(24);
  settings.jitter = 5_us;
  TrainSource source(settings, 1);
  EXPECT_EQ(digest(take(source, 1000)), std::uint64_t{0x9fa4ed41a89fc62e});
}

TEST(Train, ProblemsAreFound) {
  EXPECT_THAT(problems(spfc(3)), IsEmpty());
  EXPECT_THAT(problems(TrainSettings()), ElementsAre("no pair of hosts, expected at least one",
                                                     "the size is not above zero", "the rate is not above zero"));
}

}  // namespace
}  // namespace weir::train_test
