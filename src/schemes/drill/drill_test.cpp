// SPDX-License-Identifier: Apache-2.0
#include "schemes/drill/drill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "policy/testing/fake_switch.h"

namespace weir::drill::drill_test {
namespace {

using testing::SizeIs;

constexpr std::array kPorts = {PortId(4), PortId(5), PortId(6), PortId(7)};
constexpr std::array kOthers = {PortId(2), PortId(3)};
constexpr NextHops kFour = {kPorts, {}, 1};

/// A switch of eight ports, and DRILL with this number of samples.
struct Setting {
  explicit Setting(std::int64_t samples = 2, bool remember = true) {
    Parameters parameters(scheme.parameters);
    EXPECT_TRUE(parameters.set("samples", samples));
    EXPECT_TRUE(parameters.set("remember", remember));
    policy = scheme.forwarding(parameters);
    context.set_hosts(8);
    policy->attach(context);
  }
  void fill(PortId port, std::int64_t bytes) { context.port_state(port).queued_bytes = bytes; }
  PortId choose(const NextHops& hops = kFour) { return policy->choose(context, frame, hops); }
  std::map<PortId, int> spread(int frames, const NextHops& hops = kFour) {
    std::map<PortId, int> out;
    for (int i = 0; i < frames; ++i) ++out[choose(hops)];
    return out;
  }

  FakeSwitch context{8};
  Frame& frame = context.new_frame(PortId(0), PortId::none(), 3);
  std::unique_ptr<Forwarding> policy;
};

TEST(Drill, TakesTheShorterOfTwoRandomPorts) {
  Setting at(2, false);
  for (const PortId port : kPorts) at.fill(port, port.value * 1'000);
  const auto counts = at.spread(12'000);
  // [DRILL-1] Of the six pairs, port 4 is the shorter one in three, port 5 in two, port 6 in one, port 7 in none.
  EXPECT_THAT(counts, SizeIs(3));
  EXPECT_NEAR(counts.at(PortId(4)), 6'000, 300);
  EXPECT_NEAR(counts.at(PortId(5)), 4'000, 300);
  EXPECT_NEAR(counts.at(PortId(6)), 2'000, 300);
}

TEST(Drill, DrawsAsManyPortsAsRequested) {
  Setting one(1, false);
  for (const PortId port : kPorts) one.fill(port, port.value * 1'000);
  const auto counts = one.spread(10'000);
  EXPECT_THAT(counts, SizeIs(4));
  for (const auto& [port, count] : counts) EXPECT_NEAR(count, 2'500, 200);  // [DRILL-1]

  // All four, also if more are requested than there are.
  for (const std::int64_t samples : {4, 9}) {
    Setting all(samples, false);
    for (const PortId port : kPorts) all.fill(port, (8 - port.value) * 1'000);
    EXPECT_EQ(all.spread(100), (std::map<PortId, int>{{PortId(7), 100}}));
  }
}

TEST(Drill, RemembersTheBestPortOfLastTime) {
  Setting at(1);
  for (const PortId port : kPorts) at.fill(port, port == PortId(6) ? 1'000 : 5'000);
  while (at.choose() != PortId(6)) {
  }
  EXPECT_EQ(at.spread(1'000), (std::map<PortId, int>{{PortId(6), 1'000}}));  // [DRILL-2]

  // It is compared by its present length.
  at.fill(PortId(6), 9'000);
  at.spread(50);
  EXPECT_EQ(at.spread(1'000).count(PortId(6)), 0u);
}

TEST(Drill, ForgetsOnRequest) {
  Setting at(1, false);
  for (const PortId port : kPorts) at.fill(port, port == PortId(6) ? 1'000 : 5'000);
  EXPECT_THAT(at.spread(1'000), SizeIs(4));  // [DRILL-2]
}

TEST(Drill, KeepsTheRememberedPortAmongEquals) {
  Setting at;
  const PortId first = at.choose();
  EXPECT_EQ(at.spread(1'000), (std::map<PortId, int>{{first, 1'000}}));  // [DRILL-3]
  at.fill(first, 1);
  EXPECT_NE(at.choose(), first);
}

TEST(Drill, RemembersAPortForEachSetOfNextHops) {
  Setting at(1);
  const NextHops others = {kOthers, {}, 2};
  at.fill(PortId(2), 0);
  at.fill(PortId(3), 5'000);
  for (const PortId port : kPorts) at.fill(port, port == PortId(6) ? 1'000 : 5'000);
  while (at.choose() != PortId(6)) {
  }
  while (at.choose(others) != PortId(2)) {
  }
  for (int i = 0; i < 100; ++i) {  // [DRILL-4]
    EXPECT_EQ(at.choose(), PortId(6));
    EXPECT_EQ(at.choose(others), PortId(2));
  }
}

TEST(Drill, ForgetsAPortThatIsNoLongerANextHop) {
  Setting at;
  at.spread(10);
  // The same set has other ports after a change of routes.
  const NextHops changed = {kOthers, {}, 1};
  for (const PortId port : kOthers) at.fill(port, 9'000);
  const PortId port = at.choose(changed);
  EXPECT_TRUE(port == PortId(2) || port == PortId(3));  // [DRILL-4]
}

TEST(Drill, HonoursWeights) {
  constexpr std::array<std::uint32_t, 4> kWeights = {1, 0, 3, 0};
  const NextHops weighted = {kPorts, kWeights, 1};
  Setting at(1, false);
  at.fill(PortId(4), 5'000);
  at.fill(PortId(6), 5'000);
  const auto counts = at.spread(10'000, weighted);
  EXPECT_THAT(counts, SizeIs(2));
  EXPECT_NEAR(counts.at(PortId(6)), 7'500, 200);  // [DRILL-6]

  // Of two draws, port 4 is taken unless both are port 6.
  Setting two(2, false);
  two.fill(PortId(6), 5'000);
  EXPECT_NEAR(two.spread(16'000, weighted).at(PortId(6)), 9'000, 300);
}

TEST(Drill, CannotBeForeseen) {
  const Setting at;
  EXPECT_FALSE(at.policy->predict({HostId(1), HostId(2), 3}, kFour).exists());  // [DRILL-5]
}

}  // namespace
}  // namespace weir::drill::drill_test
