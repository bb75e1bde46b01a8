// SPDX-License-Identifier: Apache-2.0
#include "schemes/spray/spray.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>

#include "policy/testing/fake_switch.h"

namespace weir::spray::spray_test {
namespace {

using testing::SizeIs;

constexpr std::array kPorts = {PortId(4), PortId(5), PortId(6), PortId(7)};

/// The egress ports of the frames of one flow.
std::map<PortId, int> spread(int frames, const NextHops& hops) {
  FakeSwitch context(8);
  const auto policy = scheme.forwarding(Parameters(scheme.parameters));
  policy->attach(context);
  const Frame& frame = context.new_frame(PortId(0), PortId::none(), 3);
  std::map<PortId, int> out;
  for (int i = 0; i < frames; ++i) ++out[policy->choose(context, frame, hops)];
  return out;
}

TEST(Spray, SendsTheFramesOfAFlowAllWays) {
  const auto counts = spread(10'000, {kPorts, {}});
  EXPECT_THAT(counts, SizeIs(4));
  for (const auto& [port, count] : counts) EXPECT_NEAR(count, 2'500, 200);  // [SPRAY-1]
}

TEST(Spray, HonoursWeights) {
  const std::array<std::uint32_t, 4> weights = {1, 0, 3, 0};
  const auto counts = spread(10'000, {kPorts, weights});
  EXPECT_THAT(counts, SizeIs(2));
  EXPECT_NEAR(counts.at(PortId(6)), 7'500, 200);  // [SPRAY-1]
}

TEST(Spray, DrawsFromTheSwitchsOwnStream) {
  const auto policy = scheme.forwarding(Parameters(scheme.parameters));
  FakeSwitch one(8);
  FakeSwitch other(8);
  other.set_random(RandomStream(2, 0, 0));
  const Frame& frame = one.new_frame(PortId(0), PortId::none(), 3);
  int same = 0;
  for (int i = 0; i < 1'000; ++i) {
    same += policy->choose(one, frame, {kPorts, {}}) == policy->choose(other, frame, {kPorts, {}}) ? 1 : 0;
  }
  EXPECT_NEAR(same, 250, 60);  // [SPRAY-1]
}

TEST(Spray, CannotBeForeseen) {
  const auto policy = scheme.forwarding(Parameters(scheme.parameters));
  EXPECT_FALSE(policy->predict({HostId(1), HostId(2), 3}, {kPorts, {}}).exists());  // [SPRAY-2]
}

}  // namespace
}  // namespace weir::spray::spray_test
