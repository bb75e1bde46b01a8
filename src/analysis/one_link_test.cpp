// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "traffic/built_in_sizes.h"

namespace weir::one_link_test {
namespace {

double mean_active(const OneLinkResult& result) {
  double weighted = 0;
  double total = 0;
  for (std::size_t n = 0; n < result.time_at.size(); ++n) {
    weighted += static_cast<double>(n) * static_cast<double>(result.time_at[n]);
    total += static_cast<double>(result.time_at[n]);
  }
  return weighted / total;
}

double idle_share(const OneLinkResult& result) {
  const double total =
      static_cast<double>(std::accumulate(result.time_at.begin(), result.time_at.end(), std::int64_t{0}));
  return static_cast<double>(result.time_at[0]) / total;
}

OneLinkSettings poisson(double load) {
  OneLinkSettings settings;
  settings.sizes = built_in_size_table("web_server");
  settings.rate = BitRate(100'000'000'000);
  settings.load = load;
  settings.sigma = 0;
  settings.flows = 200'000;
  return settings;
}

// Processor sharing with Poisson arrivals has load / (1 - load) flows on average, for any size distribution (bfc 2.3).
TEST(OneLink, HasTheFlowsOfProcessorSharing) {
  for (const double load : {0.3, 0.6, 0.8}) {
    const OneLinkResult result = run_one_link(poisson(load));
    EXPECT_NEAR(mean_active(result), load / (1 - load), 0.08 * load / (1 - load)) << load;
    EXPECT_NEAR(idle_share(result), 1 - load, 0.02) << load;
  }
}

TEST(OneLink, IsBusyAsMuchWhateverTheScheduling) {
  OneLinkSettings settings = poisson(0.7);
  const double fair = idle_share(run_one_link(settings));
  settings.scheduling = LinkScheduling::shortest_remaining;
  EXPECT_EQ(idle_share(run_one_link(settings)), fair);
  settings.scheduling = LinkScheduling::first_come;
  EXPECT_EQ(idle_share(run_one_link(settings)), fair);
}

TEST(OneLink, HasFewestFlowsWhenTheShortestGoFirst) {
  OneLinkSettings settings = poisson(0.7);
  const double fair = mean_active(run_one_link(settings));
  settings.scheduling = LinkScheduling::shortest_remaining;
  EXPECT_LT(mean_active(run_one_link(settings)), fair);
  settings.scheduling = LinkScheduling::first_come;
  EXPECT_GT(mean_active(run_one_link(settings)), fair);
}

TEST(OneLink, ScalesWithItsRate) {
  OneLinkSettings settings = poisson(0.6);
  const double fast = mean_active(run_one_link(settings));
  settings.rate = BitRate(10'000'000'000);
  // The same flows with ten times the intervals, except for rounding to picoseconds.
  EXPECT_NEAR(mean_active(run_one_link(settings)), fast, 1e-3 * fast);
}

TEST(OneLink, KeepsAFlowThatNeverEnds) {
  OneLinkSettings settings = poisson(0.6);
  settings.permanent = true;
  const OneLinkResult result = run_one_link(settings, Duration::picoseconds(8'000'000));
  EXPECT_EQ(result.time_at[0], 0);
  EXPECT_GT(result.sampled.size(), 10'000U);
  EXPECT_THAT(result.sampled, testing::Each(testing::Ge(1U)));
}

TEST(OneLink, SamplesAtEqualIntervals) {
  const OneLinkSettings settings = poisson(0.5);
  const Duration interval = Duration::picoseconds(1'000'000);
  const OneLinkResult result = run_one_link(settings, interval);
  const std::int64_t time = std::accumulate(result.time_at.begin(), result.time_at.end(), std::int64_t{0});
  EXPECT_NEAR(static_cast<double>(result.sampled.size()), static_cast<double>(time) / 1e6, 1);
  double mean = 0;
  for (const std::uint32_t flows : result.sampled) mean += flows;
  EXPECT_NEAR(mean / static_cast<double>(result.sampled.size()), mean_active(result), 0.01);
}

TEST(OneLink, IsTheSameOnAnyMachine) {
  OneLinkSettings settings = poisson(0.8);
  settings.sizes = built_in_size_table("google");
  settings.sigma = 2;
  settings.flows = 10'000;
  const OneLinkResult result = run_one_link(settings);
  EXPECT_EQ(result.time_at, run_one_link(settings).time_at);
  // Result of gcc 12 with -O2 and of clang 14 with -O0.
  EXPECT_EQ(result.time_at[1], 456'692'108);
}

}  // namespace
}  // namespace weir::one_link_test
