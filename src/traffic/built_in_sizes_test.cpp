// SPDX-License-Identifier: Apache-2.0
#include "traffic/built_in_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

namespace weir::built_in_sizes_test {
namespace {

// Quantiles of the published curves in bytes, and their means, computed from the points in the public simulators: HPCC
// (websearch, fb_hadoop_hpcc, ali_storage), Pyrrha-NS3 and Floodgate-NS3 (the others), linear between points.
constexpr std::array kProbabilities{0.0, 0.01, 0.05, 0.1,  0.15, 0.2,  0.3,  0.4,  0.5,   0.6,   0.7,    0.75,
                                    0.8, 0.85, 0.9,  0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 0.9999, 1.0};
struct Published {
  const char* name;
  double mean;
  std::array<double, kProbabilities.size()> quantiles;
};
constexpr std::array<Published, 8> kPublished{{
    {"websearch", 1711250, {0,       667,      3333,     6667,     10000,    20000,    30000,    50000,
                            73077,   200000,   1000000,  1500000,  2000000,  3500000,  5000000,  7142857,
                            8571429, 10000000, 16666667, 23333333, 26666667, 29333333, 29933333, 30000000}},
    {"fb_hadoop", 121849, {50,     124,    295,     314,     335,     374,     500,     561,
                           655,    956,    6259,    42271,   49287,   76850,   119336,  196997,
                           269287, 818855, 1609557, 3094208, 5564268, 8909836, 9890984, 10000000}},
    {"google", 2890, {3,   3,   3,    33,   59,   73,   102,   154,   257,   312,    395,     457,
                      566, 877, 1716, 3444, 5508, 9521, 13319, 30614, 84583, 355036, 2309988, 15158197}},
    {"memcached", 181, {1,   1,   1,   2,   2,   2,    5,    11,   27,   78,   150,  199,
                        264, 355, 500, 646, 801, 1073, 1327, 1853, 2526, 3895, 4097, 4120}},
    {"web_server", 62229, {50,     54,     77,     120,    183,    269,    1030,   1887,
                           3406,   6481,   16817,  31480,  70000,  186026, 268075, 311777,
                           344103, 389254, 426830, 552298, 722463, 934467, 993300, 1000000}},
    {"web_search_fg", 2510778, {1460,     1460,     2920,     5840,     8760,     18980,    27740,    48180,
                                70642,    194180,   973820,   1460000,  1946180,  3406180,  4866180,  15573625,
                                19466861, 23360097, 25306667, 27253431, 28226667, 29005372, 29180537, 29200000}},
    {"cache_follower", 686866, {50,      58,      222,     291,     321,     367,     561,     1123,
                                28270,   209671,  545885,  1635067, 1858680, 2198313, 2440257, 2566762,
                                2682023, 2802432, 2898344, 3058995, 3318310, 3727785, 3826707, 3837698}},
    {"ali_storage", 40870, {0,     174,    872,    1744,    2617,    3489,    4611,    5475,
                            6340,  7204,   8554,   12063,   15572,   23124,   31237,   58458,
                            93037, 166737, 587854, 1293927, 1646964, 1929393, 1992939, 2000000}},
}};

TEST(BuiltInSizes, FollowThePublishedQuantiles) {
  for (const Published& published : kPublished) {
    const auto table = built_in_size_table(published.name);
    ASSERT_NE(table, nullptr) << published.name;
    for (std::size_t i = 0; i < kProbabilities.size(); ++i) {
      // The expected values are rounded to whole bytes.
      const double expected = published.quantiles[i];
      EXPECT_NEAR(table->quantile(kProbabilities[i]), expected, 0.022 * expected + 0.5)
          << published.name << " at " << kProbabilities[i];
    }
    EXPECT_NEAR(table->mean(), published.mean, 0.001 * published.mean + 0.5) << published.name;
  }
}

TEST(BuiltInSizes, FbHadoopHpccIsTheTwentyPointCurve) {
  const auto table = built_in_size_table("fb_hadoop_hpcc");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->points().size(), 20u);
  EXPECT_NEAR(table->mean(), 120'421, 1);  // for HPCC's points
}

TEST(BuiltInSizes, OtherMeansAreThePublishedOnes) {
  const std::array<std::pair<const char*, double>, 4> means{
      {{"google_search", 423.4}, {"solar", 39'423.5}, {"datamining", 7'487'883.7}, {"enterprise", 216'304.1}}};
  for (const auto& [name, mean] : means) EXPECT_NEAR(built_in_size_table(name)->mean(), mean, 0.001 * mean) << name;
}

TEST(BuiltInSizes, AreSoundAndShort) {
  std::set<std::string> names;
  for (const BuiltInSizes& sizes : built_in_sizes()) {
    EXPECT_TRUE(names.insert(std::string(sizes.name)).second) << sizes.name;
    EXPECT_LE(sizes.points.size(), 24u) << sizes.name;
    EXPECT_TRUE(SizeTable::problems(sizes.points).empty()) << sizes.name;
    EXPECT_FALSE(sizes.source.empty()) << sizes.name;
    EXPECT_EQ(sizes.points.back().probability, 1.0) << sizes.name;
  }
  EXPECT_EQ(built_in_size_table("no such workload"), nullptr);
}

TEST(BuiltInSizes, DrawsHaveTheMean) {
  for (const BuiltInSizes& sizes : built_in_sizes()) {
    if (sizes.name == "enterprise" || sizes.name == "datamining") continue;  // tails too heavy to sample
    const auto table = built_in_size_table(sizes.name);
    RandomStream random(1, 1, 1);
    constexpr int kDraws = 400'000;
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(table->draw(random).count());
    EXPECT_NEAR(sum / kDraws, table->mean(), (sizes.name == "google" ? 0.12 : 0.03) * table->mean()) << sizes.name;
  }
}

TEST(BuiltInSizes, NearlyHalfOfGooglesBytesAreInShortFlows) {
  // bfc 2.2, fig. 2: flows below 100 KB, one bandwidth-delay product.
  const double share = built_in_size_table("google")->share_of_bytes(100'000);
  EXPECT_GT(share, 0.40);
  EXPECT_LT(share, 0.55);
}

TEST(BuiltInSizes, SharesOfSpfcTableTwo) {
  // spfc VII, table II: percentages of flows and of traffic by flow size. The paper's first column sums to 97 %: its
  // curve has 30 % of flows above 1 MB, where the table gives 27.
  constexpr double kPoints = 3.0 + 1e-9;
  struct Row {
    double upper;
    double flows;
    double traffic;
  };
  const auto check = [](const char* name, const std::array<Row, 4>& rows) {
    const auto table = built_in_size_table(name);
    double lower = 0.0;
    for (const Row& row : rows) {
      const double flows = table->share_of_flows(row.upper) - table->share_of_flows(lower);
      const double traffic = table->share_of_bytes(row.upper) - table->share_of_bytes(lower);
      EXPECT_NEAR(100.0 * flows, row.flows, kPoints) << name << " up to " << row.upper;
      EXPECT_NEAR(100.0 * traffic, row.traffic, kPoints) << name << " up to " << row.upper;
      lower = row.upper;
    }
  };
  check("websearch", {{{1e4, 15.0, 0.04}, {1e5, 39.16, 0.98}, {1e6, 15.83, 4.01}, {1e9, 27.0, 94.97}}});
  check("fb_hadoop_hpcc", {{{1e4, 70.26, 0.47}, {1e5, 18.24, 7.4}, {1e6, 9.0, 23.45}, {1e9, 2.5, 68.68}}});
}

}  // namespace
}  // namespace weir::built_in_sizes_test
