// SPDX-License-Identifier: Apache-2.0
#include "sim/tournament.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace weir::tournament_test {
namespace {

TEST(EventKey, OrdersByTimeAndThenByEvent) {
  constexpr EventKey key(4);
  EXPECT_LT(key.of(Time::picoseconds(7), 15), key.of(Time::picoseconds(8), 0));
  EXPECT_LT(key.of(Time::picoseconds(8), 3), key.of(Time::picoseconds(8), 4));
  EXPECT_LT(key.of(key.limit() - Duration::picoseconds(1), 15), EventKey::kIdle);
}

TEST(EventKey, GivesBackWhatItWasMadeOf) {
  constexpr EventKey key(9);
  const std::uint64_t made = key.of(Time::picoseconds(1'234'567), 500);
  EXPECT_EQ(key.time(made), Time::picoseconds(1'234'567));
  EXPECT_EQ(key.event(made), 500u);
  EXPECT_EQ(key.time(EventKey::kIdle), key.limit());
}

TEST(EventKey, GoesFarEnough) {
  EXPECT_GT(EventKey(8).limit().seconds(), 20.0 * 3600);
  EXPECT_GT(EventKey(12).limit().seconds(), 3600.0);
}

TEST(Tournament, IsIdleAtFirst) {
  const Tournament tournament(3);
  EXPECT_EQ(tournament.first(), EventKey::kIdle);
  EXPECT_EQ(tournament.key(2), EventKey::kIdle);
}

TEST(Tournament, OfOnePlayerHasThatOneFirst) {
  Tournament tournament(1);
  tournament.set(0, 5);
  EXPECT_EQ(tournament.first(), 5u);
  tournament.set(0, EventKey::kIdle);
  EXPECT_EQ(tournament.first(), EventKey::kIdle);
}

RC_GTEST_PROP(Tournament, HasTheLowestKeyFirst, ()) {
  const auto players = *rc::gen::inRange<std::uint32_t>(1, 300);
  Tournament tournament(players);
  std::vector<std::uint64_t> keys(players, EventKey::kIdle);
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, players), rc::gen::inRange<std::uint64_t>(0, 50)));
  for (const auto& [player, drawn] : steps) {
    const std::uint64_t key = drawn % 5 == 0 ? EventKey::kIdle : drawn;
    tournament.set(player, key);
    keys[player] = key;
    RC_ASSERT(tournament.first() == *std::min_element(keys.begin(), keys.end()));
    RC_ASSERT(tournament.key(player) == key);
  }
}

}  // namespace
}  // namespace weir::tournament_test
