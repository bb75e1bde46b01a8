// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "traffic/load.h"

namespace weir::traffic_matrix_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Draws must follow for_each; returns the largest deviation in standard deviations.
double worst_deviation(const TrafficMatrix& matrix, int draws) {
  std::map<HostPair, double> share;
  double sum = 0.0;
  matrix.for_each([&](HostPair pair, double of_flows) {
    share[pair] += of_flows;
    sum += of_flows;
  });
  EXPECT_NEAR(sum, 1.0, 1e-9);
  std::map<HostPair, int> count;
  RandomStream random(1, 2, 3);
  for (int i = 0; i < draws; ++i) ++count[matrix.draw(random)];
  double worst = 0.0;
  for (const auto& [pair, of_flows] : share) {
    const double expected = of_flows * draws;
    worst = std::max(worst, std::abs(count[pair] - expected) / std::sqrt(expected));
  }
  EXPECT_EQ(count.size(), share.size());  // no other pairs
  return worst;
}

TEST(TrafficMatrix, UniformIsUniform) {
  EXPECT_LT(worst_deviation(TrafficMatrix::uniform(HostSet::range(0, 12)), 200'000), 4.5);
}

TEST(TrafficMatrix, RackLocalShare) {
  const Racks racks = Racks::of_equal_size(3, 4);
  const auto matrix = TrafficMatrix::with_rack_local_share(HostSet::range(0, 12), racks, 0.3);
  EXPECT_LT(worst_deviation(matrix, 200'000), 4.5);
  EXPECT_NEAR(matrix.inter_rack_share(racks), 0.7, 1e-9);
  const auto remote = TrafficMatrix::with_rack_local_share(HostSet::range(0, 12), racks, 0.0);
  EXPECT_NEAR(remote.inter_rack_share(racks), 1.0, 1e-12);
  EXPECT_LT(worst_deviation(remote, 100'000), 4.5);
}

TEST(TrafficMatrix, GroupsByWeight) {
  const HostSet a = HostSet::range(0, 4);
  const HostSet b = HostSet::range(4, 2);
  const TrafficMatrix matrix({{a, b, PairScope::any, 3.0}, {b, a, PairScope::any, 1.0}, {a, a, PairScope::any, 0.0}});
  EXPECT_LT(worst_deviation(matrix, 100'000), 4.5);
  std::map<bool, double> from_a;
  matrix.for_each([&](HostPair pair, double share) { from_a[a.contains(pair.source)] += share; });
  EXPECT_NEAR(from_a[true], 0.75, 1e-12);
  EXPECT_EQ(matrix.host_bound(), 6u);
}

TEST(TrafficMatrix, AnyBlocksDrawWhatTheySay) {
  EXPECT_TRUE(rc::check("draws follow the shares", [] {
    const Racks racks(*rc::gen::container<std::vector<std::uint32_t>>(8, rc::gen::inRange(0u, 3u)));
    std::vector<TrafficBlock> blocks;
    for (int i = 0, n = *rc::gen::inRange(1, 4); i < n; ++i) {
      const auto some = [] {
        std::vector<HostId> hosts;
        for (const int host : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8))) hosts.emplace_back(host);
        return HostSet(hosts);
      };
      const TrafficBlock block{some(), some(),
                               *rc::gen::element(PairScope::any, PairScope::inter_rack, PairScope::intra_rack),
                               static_cast<double>(*rc::gen::inRange(1, 5))};
      if (TrafficMatrix::problems({block}, racks).empty()) blocks.push_back(block);
    }
    if (blocks.empty()) blocks.push_back({HostSet::range(0, 3), HostSet::range(2, 3)});
    RC_ASSERT(TrafficMatrix::problems(blocks, racks).empty());
    RC_ASSERT(worst_deviation(TrafficMatrix(blocks, racks), 4000) < 7.0);
  }));
}

TEST(TrafficMatrix, ProblemsAreFound) {
  const HostSet one = HostSet::range(0, 1);
  const HostSet two = HostSet::range(0, 2);
  EXPECT_THAT(TrafficMatrix::problems({{two, two}}), IsEmpty());
  EXPECT_THAT(TrafficMatrix::problems({{two, two}, {one, one}}),
              ElementsAre("block 2: no source has a destination in its scope"));
  EXPECT_THAT(TrafficMatrix::problems({{two, two, PairScope::intra_rack}}),
              ElementsAre("no source has a destination in its scope"));
  EXPECT_THAT(TrafficMatrix::problems({{two, two, PairScope::any, -1.0}}),
              ElementsAre("the weight is -1, expected 0 to 1e12"));
  EXPECT_THAT(TrafficMatrix::problems({}), ElementsAre("no block has a weight, expected at least one"));
}

TEST(Load, HostAndCore) {
  EXPECT_EQ(offered_for_host_load(0.8, BitRate(100'000'000'000), 160), BitRate(12'800'000'000'000));
  // bfc 6.2: 64 ToR-spine links of 100 Gbit/s, 60 %.
  EXPECT_EQ(offered_for_core_load(0.6, BitRate(100'000'000'000), 64), BitRate(3'840'000'000'000));
  EXPECT_EQ(offered_for_core_load(0.6, BitRate(100'000'000'000), 64, 0.8), BitRate(4'800'000'000'000));
  // bfc 6.2: 5 % of that core in incasts of 20 MB is one per 500 us.
  EXPECT_NEAR(mean_interval(20e6, offered_for_core_load(0.05, BitRate(100'000'000'000), 64)), 500e6, 1.0);
  // floodgate: 720 flows of 35 packets of 1460 B at half the rate of a 100 G host: one per 5.89 ms.
  EXPECT_NEAR(mean_interval(720 * 35 * 1460.0, BitRate(50'000'000'000)), 5.89e9, 0.01e9);
}

}  // namespace
}  // namespace weir::traffic_matrix_test
