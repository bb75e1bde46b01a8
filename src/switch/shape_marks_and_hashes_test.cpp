// SPDX-License-Identifier: Apache-2.0
// A switch policy that reads a header field written by another scheme's NIC, and one that forwards by its own hash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "policy/first_round_trip.h"
#include "policy/hashed_forwarding.h"
#include "switch/test_switch.h"

namespace weir::testing_switch::shape_marks_and_hashes_test {
namespace {

using testing::ElementsAre;

/// Limits frames of the first round trip to a short queue, and others to the whole buffer.
class Selective final : public BufferPolicy {
 public:
  void attach(SwitchContext& context) override { first_ = FirstRoundTrip(context.headers()); }
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return 100'000; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return 100'000; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return 100'000; }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] std::int64_t frame_limit(const SwitchContext&, const Frame& frame) const override {
    return first_.marks(frame) ? 2'500 : 100'000;
  }

 private:
  FirstRoundTrip first_;
};

TEST(ShapeFirstRoundTrip, ASwitchTreatsMarkedFramesApart) {
  const std::array<const HeaderField*, 1> fields = {&kFirstRoundTrip};
  const HeaderLayout layout(HeaderLayout::Owner{"both", fields});
  SwitchConfig config = config_of();
  config.headers = &layout;
  SwitchPolicies policies;
  policies.buffer = std::make_unique<Selective>();
  TestSwitch at(config, std::move(policies));
  const FirstRoundTrip first(layout);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const FrameId id = at.make(1, kLossy, 1'000, i);
    first.mark(at.pool[id], i % 3 != 2);
    at.receive(0, id);
  }
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1, 2, 5));
}

std::uint32_t own_hash(std::uint32_t seed, const FlowKey& key) {
  return static_cast<std::uint32_t>(mix(key.source.value ^ key.destination.value ^ key.entropy, seed) >> 32);
}

TEST(ShapeHash, ASwitchChoosesByAHashOfItsOwnAsPredicted) {
  auto forwarding = std::make_unique<HashedForwarding<&own_hash>>(5, SeedScope::tier);
  const Forwarding* policy = forwarding.get();
  SwitchPolicies policies;
  policies.forwarding = std::move(forwarding);
  policies.buffer = std::make_unique<Thresholds>();
  TestSwitch at(config_of(4), std::move(policies));
  Routes routes(4);
  const std::array up = {PortId(1), PortId(2), PortId(3)};
  const std::uint16_t group = routes.add_group(up);
  for (std::size_t host = 0; host < 4; ++host) routes.set_group(HostId(host), group);
  at.node->install(routes);
  std::array<int, 4> seen{};
  for (std::uint16_t entropy = 0; entropy < 60; ++entropy) {
    const FrameId id = at.make(3, kLossy, 1'000, entropy);
    at.pool[id].entropy = entropy;
    const PortId expected = policy->predict(FlowKey::of(at.pool[id]), routes.to(HostId(3)));
    EXPECT_EQ(expected, policy->predict(reversed(FlowKey::of(at.pool[id])), routes.to(HostId(3))));
    at.receive(0, id);
    EXPECT_EQ(at.next(expected.index()), entropy);
    ++seen[expected.index()];
  }
  for (std::size_t port = 1; port < 4; ++port) EXPECT_GT(seen[port], 10);
}

}  // namespace
}  // namespace weir::testing_switch::shape_marks_and_hashes_test
