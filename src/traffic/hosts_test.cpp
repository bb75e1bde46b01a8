// SPDX-License-Identifier: Apache-2.0
#include "traffic/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

namespace weir::hosts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HostSet, IsSortedAndDistinct) {
  const HostSet set{HostId(5), HostId(1), HostId(5), HostId(3)};
  EXPECT_THAT(set.hosts(), ElementsAre(HostId(1), HostId(3), HostId(5)));
  EXPECT_TRUE(set.contains(HostId(3)));
  EXPECT_FALSE(set.contains(HostId(2)));
  EXPECT_THAT(set.without(HostSet::range(2, 2)).hosts(), ElementsAre(HostId(1), HostId(5)));
  EXPECT_EQ(HostSet::range(4, 3).hosts(), (std::vector<HostId>{HostId(4), HostId(5), HostId(6)}));
}

TEST(Racks, FirstHosts) {
  EXPECT_THAT(Racks::of_equal_size(3, 4).first_hosts(), ElementsAre(HostId(0), HostId(4), HostId(8)));
  EXPECT_THAT(Racks({7, 2, 7, 1}).first_hosts(), ElementsAre(HostId(0), HostId(1), HostId(3)));
}

TEST(Racks, AnUnknownHostStandsAlone) {
  const Racks none;
  EXPECT_TRUE(none.same(HostId(3), HostId(3)));
  EXPECT_FALSE(none.same(HostId(3), HostId(4)));
  EXPECT_FALSE(Racks({3}).same(HostId(0), HostId(3)));
}

TEST(HostsByRack, ChoiceIsWhatThePairListSays) {
  EXPECT_TRUE(rc::check("each host in the scope once, no other", [] {
    const auto racks = Racks(*rc::gen::container<std::vector<std::uint32_t>>(20, rc::gen::inRange(0u, 5u)));
    const auto some = [] {
      std::vector<HostId> hosts;
      for (const int host : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 24))) hosts.emplace_back(host);
      return HostSet(hosts);
    };
    const HostSet sources = some();
    const HostSet destinations = some();
    const auto scope = *rc::gen::element(PairScope::any, PairScope::inter_rack, PairScope::intra_rack);
    const HostsByRack by_rack(destinations, racks);
    std::set<HostPair> chosen;
    std::size_t count = 0;
    for (const HostId source : sources) {
      const auto choice = by_rack.choice(source, scope);
      for (std::size_t k = 0; k < choice.size(); ++k, ++count) chosen.insert({source, by_rack.at(choice, k)});
    }
    const auto expected = all_pairs(sources, destinations, scope, racks);
    RC_ASSERT(count == expected.size());
    RC_ASSERT(chosen == std::set<HostPair>(expected.begin(), expected.end()));
  }));
}

TEST(Pairs, AllPairsLeaveOutSelves) {
  EXPECT_THAT(
      all_pairs(HostSet::range(0, 2), HostSet::range(1, 2)),
      ElementsAre(HostPair{HostId(0), HostId(1)}, HostPair{HostId(0), HostId(2)}, HostPair{HostId(1), HostId(2)}));
  EXPECT_EQ(
      all_pairs(HostSet::range(0, 160), HostSet::range(0, 160), PairScope::inter_rack, Racks::of_equal_size(10, 16))
          .size(),
      23'040u);  // as in the incast mix of the authors of floodgate and pyrrha
}

TEST(Pairs, ZippedRepeatTheShorter) {
  EXPECT_THAT(zipped_pairs({HostId(0), HostId(1), HostId(2)}, {HostId(1)}),
              ElementsAre(HostPair{HostId(0), HostId(1)}, HostPair{HostId(2), HostId(1)}));
  EXPECT_THAT(zipped_pairs({}, {HostId(1)}), IsEmpty());
}

TEST(Pairs, PermutationsHaveNoFixedPoint) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::set<HostId> sources;
    std::set<HostId> destinations;
    for (const HostPair& pair : permutation_pairs(HostSet::range(3, 17), RandomStream(seed, 0, 0))) {
      EXPECT_NE(pair.source, pair.destination);
      sources.insert(pair.source);
      destinations.insert(pair.destination);
    }
    EXPECT_EQ(sources.size(), 17u);
    EXPECT_EQ(destinations, sources);
  }
  EXPECT_THAT(permutation_pairs(HostSet::range(0, 1), RandomStream()), IsEmpty());
}

TEST(Pairs, RandomPairsStayInScope) {
  const Racks racks = Racks::of_equal_size(2, 4);
  const auto pairs = random_pairs(HostSet::range(0, 8), HostSet::range(0, 8), 100, RandomStream(1, 1, 1),
                                  PairScope::inter_rack, racks);
  EXPECT_EQ(pairs.size(), 800u);
  std::map<HostId, int> received;
  for (const HostPair& pair : pairs) {
    EXPECT_FALSE(racks.same(pair.source, pair.destination));
    ++received[pair.destination];
  }
  for (const auto& [host, count] : received) EXPECT_NEAR(count, 100, 45) << host.index();
}

}  // namespace
}  // namespace weir::hosts_test
