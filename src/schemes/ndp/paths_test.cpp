// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/ndp/path_cycle.h"
#include "schemes/ndp/path_forwarding.h"

namespace weir::ndp::paths_test {
namespace {

std::vector<std::uint8_t> round_of(PathCycle& cycle, RandomStream& random, std::size_t paths) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < paths; ++i) out.push_back(cycle.next(random));
  return out;
}

TEST(NdpPaths, EachIsUsedOnceInARound) {
  RandomStream random(1, 2, 3);
  PathCycle cycle;
  for (const std::uint32_t paths : {1u, 4u, 64u, kMaximumPaths}) {
    cycle.start(paths);
    for (int i = 0; i < 5; ++i) {
      const std::vector<std::uint8_t> round = round_of(cycle, random, paths);  // [NDP-PATH-1]
      EXPECT_EQ(std::set<std::uint8_t>(round.begin(), round.end()).size(), paths);
    }
  }
}

TEST(NdpPaths, TheOrderIsAnotherOneInEachRound) {
  RandomStream random(1, 2, 3);
  PathCycle cycle;
  cycle.start(64);
  const std::vector<std::uint8_t> first = round_of(cycle, random, 64);
  EXPECT_NE(round_of(cycle, random, 64), first);
}

/// Of the orders of three paths, each occurs as often.
TEST(NdpPaths, AllOrdersAreEquallyLikely) {
  RandomStream random(4, 5, 6);
  PathCycle cycle;
  cycle.start(3);
  std::map<std::vector<std::uint8_t>, int> seen;
  for (int i = 0; i < 6'000; ++i) ++seen[round_of(cycle, random, 3)];
  EXPECT_EQ(seen.size(), 6u);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1'000, 120);
}

constexpr std::array<PortId, 4> kUp = {PortId(4), PortId(5), PortId(6), PortId(7)};

/// A switch of this tier.
class Tier {
 public:
  explicit Tier(int tier) : frame_(context_.new_frame(PortId(0), PortId(0), 1)) {
    context_.set_tier(tier);
    policy_.attach(context_);
  }
  PortId choice(std::uint16_t number, const NextHops& hops) {
    frame_.entropy = number;
    const PortId chosen = policy_.choose(context_, frame_, hops);
    EXPECT_EQ(policy_.predict(FlowKey::of(frame_), hops), chosen);
    return chosen;
  }

 private:
  FakeSwitch context_{8};
  Frame& frame_;
  PathForwarding policy_;
};

TEST(NdpPaths, SwitchesFollowTheNumber) {
  const NextHops hops{kUp, {}};
  Tier first(1);
  Tier second(2);
  std::set<std::pair<PortId, PortId>> taken;
  for (std::uint16_t number = 0; number < 16; ++number) {
    EXPECT_EQ(first.choice(number, hops), kUp[number % 4]);  // [NDP-PATH-2]
    EXPECT_EQ(second.choice(number, hops), kUp[number / 4]);
    taken.emplace(first.choice(number, hops), second.choice(number, hops));
  }
  EXPECT_EQ(taken.size(), 16u) << "16 numbers are the 16 paths of two tiers";
}

TEST(NdpPaths, WeightsAreHonoured) {
  const std::array<std::uint32_t, 4> weights = {1, 0, 3, 0};
  const NextHops hops{kUp, weights};
  Tier first(1);
  std::map<PortId, int> taken;
  for (std::uint32_t number = 0; number < 4'000; ++number)
    ++taken[first.choice(static_cast<std::uint16_t>(number), hops)];
  EXPECT_EQ(taken.size(), 2u);
  EXPECT_NEAR(taken[PortId(4)], 1'000, 120);
  EXPECT_NEAR(taken[PortId(6)], 3'000, 120);
}

}  // namespace
}  // namespace weir::ndp::paths_test
