// SPDX-License-Identifier: Apache-2.0
#include "schemes/ecmp/ecmp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "policy/testing/fake_switch.h"

namespace weir::ecmp::ecmp_test {
namespace {

using testing::Each;
using testing::Key;
using testing::SizeIs;

constexpr std::array kPorts = {PortId(4), PortId(5), PortId(6), PortId(7)};
const NextHops kFour = {kPorts, {}};

/// ECMP in switch `id`.
std::unique_ptr<Forwarding> make(std::size_t id, const std::string& hash = "mix", bool seed_per_switch = true,
                                 int tier = 1) {
  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(parameters.set("hash", hash));
  EXPECT_TRUE(parameters.set("seed_per_switch", seed_per_switch));
  auto policy = scheme.forwarding(parameters);
  FakeSwitch context(8);
  context.set_id(SwitchId(id));
  context.set_tier(tier);
  policy->attach(context);
  return policy;
}

/// Flows as in a simulation: few hosts with small numbers, and ports.
std::vector<FlowKey> flows(std::size_t count) {
  RandomStream random(7, 0, 0);
  std::vector<FlowKey> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({HostId(random.below(64)), HostId(random.below(64)), static_cast<std::uint16_t>(random.next())});
  }
  return out;
}

std::map<PortId, int> spread(const Forwarding& policy, const std::vector<FlowKey>& keys, const NextHops& hops) {
  std::map<PortId, int> out;
  for (const FlowKey& key : keys) ++out[policy.predict(key, hops)];
  return out;
}

TEST(Ecmp, SendsAFlowOneWayAndFlowsAllWays) {
  for (const char* hash : {"mix", "crc32", "xor_fold"}) {
    const auto policy = make(1, hash);
    const std::vector<FlowKey> keys = flows(10'000);
    const auto counts = spread(*policy, keys, kFour);
    EXPECT_THAT(counts, SizeIs(4)) << hash;
    for (const auto& [port, count] : counts) EXPECT_NEAR(count, 2'500, 250) << hash;  // [ECMP-1]
    for (const FlowKey& key : flows(100)) EXPECT_EQ(policy->predict(key, kFour), policy->predict(key, kFour));
  }
}

TEST(Ecmp, HonoursWeights) {
  const std::array<std::uint32_t, 4> weights = {1, 0, 3, 0};
  for (const char* hash : {"mix", "crc32", "xor_fold"}) {
    const auto counts = spread(*make(1, hash), flows(10'000), {kPorts, weights});  // [ECMP-2]
    EXPECT_THAT(counts, SizeIs(2)) << hash;
    EXPECT_NEAR(counts.at(PortId(4)), 2'500, 250) << hash;
    EXPECT_NEAR(counts.at(PortId(6)), 7'500, 250) << hash;
  }
}

/// The flows that switch 1 sends to the first of its ports, as they arrive at the next switch.
std::vector<FlowKey> first_share(const Forwarding& first) {
  std::vector<FlowKey> out;
  for (const FlowKey& key : flows(10'000)) {
    if (first.predict(key, kFour) == kPorts[0]) out.push_back(key);
  }
  return out;
}

TEST(Ecmp, SpreadsAtEachTierWithSeedsOfTheirOwn) {
  const auto counts = spread(*make(2), first_share(*make(1)), kFour);
  EXPECT_THAT(counts, SizeIs(4));  // [ECMP-3]
  for (const auto& [port, count] : counts) EXPECT_NEAR(count, 625, 150);
}

TEST(Ecmp, PolarisesWithOneSeed) {
  for (const char* hash : {"mix", "crc32", "xor_fold"}) {
    const auto counts = spread(*make(2, hash, false), first_share(*make(1, hash, false)), kFour);
    EXPECT_THAT(counts, SizeIs(1)) << hash;  // [ECMP-3]
    EXPECT_THAT(counts, Each(Key(kPorts[0]))) << hash;
  }
}

// The seed of a linear hash only permutes the ports of a group if the group's size is a power of two.
TEST(Ecmp, PolarisesWithALinearHashWhateverTheSeeds) {
  for (const char* hash : {"crc32", "xor_fold"}) {
    const auto counts = spread(*make(2, hash), first_share(*make(1, hash)), kFour);
    EXPECT_THAT(counts, SizeIs(1)) << hash;  // [ECMP-3]
  }
}

TEST(Ecmp, TakesBothDirectionsAlikeBySymmetricHashes) {
  const auto one = make(1, "symmetric", false);
  const auto other = make(2, "symmetric", false);
  const auto above = make(3, "symmetric", false, 2);
  int differ = 0;
  for (const FlowKey& key : flows(1'000)) {
    EXPECT_EQ(one->predict(key, kFour), other->predict(reversed(key), kFour));  // [ECMP-5]
    if (one->predict(key, kFour) != above->predict(key, kFour)) ++differ;
  }
  EXPECT_NEAR(differ, 750, 100) << "the tiers' choices do not polarise";
  const auto counts = spread(*one, flows(10'000), kFour);
  for (const auto& [port, count] : counts) EXPECT_NEAR(count, 2'500, 250);
}

TEST(Ecmp, RefusesSeedsOfTheSwitchesOwnForASymmetricHash) {
  Parameters parameters(scheme.parameters);
  EXPECT_THAT(scheme.errors(parameters), SizeIs(0));
  ASSERT_TRUE(parameters.set("hash", std::string("symmetric")));
  EXPECT_THAT(scheme.errors(parameters), SizeIs(1));
  ASSERT_TRUE(parameters.set("seed_per_switch", false));
  EXPECT_THAT(scheme.errors(parameters), SizeIs(0));
}

TEST(Ecmp, DerivesItsSeedsFromTheParameter) {
  std::set<std::vector<PortId>> choices;
  for (const std::int64_t seed : {1, 2, 3}) {
    Parameters parameters(scheme.parameters);
    ASSERT_TRUE(parameters.set("seed", seed));
    const auto policy = scheme.forwarding(parameters);
    FakeSwitch context(8);
    policy->attach(context);
    std::vector<PortId> ports;
    for (const FlowKey& key : flows(100)) ports.push_back(policy->predict(key, kFour));
    choices.insert(ports);
  }
  EXPECT_THAT(choices, SizeIs(3));  // [ECMP-3]
}

RC_GTEST_PROP(Ecmp, PredictsWhatItChooses, (std::uint32_t source, std::uint32_t destination, std::uint16_t entropy)) {
  FakeSwitch context(8);
  Frame& frame = context.new_frame(PortId(0), PortId::none(), 0);
  frame.source = HostId(source);
  frame.destination = HostId(destination);
  frame.entropy = entropy;
  const std::string hash = *rc::gen::element<std::string>("mix", "crc32", "xor_fold");
  const auto policy = make(*rc::gen::inRange<std::size_t>(0, 100), hash);
  const std::array<std::uint32_t, 4> weights = {1, 2, 3, 4};
  const NextHops hops = {
      kPorts, *rc::gen::arbitrary<bool>() ? std::span<const std::uint32_t>(weights) : std::span<const std::uint32_t>()};
  const PortId chosen = policy->choose(context, frame, hops);
  RC_ASSERT(chosen == policy->predict(FlowKey::of(frame), hops));  // [ECMP-4]
  frame.sequence = 99;
  frame.frame_bytes = 64;
  frame.set_ecn(Ecn::congestion_experienced);
  RC_ASSERT(chosen == policy->choose(context, frame, hops));  // [ECMP-1]
}

}  // namespace
}  // namespace weir::ecmp::ecmp_test
