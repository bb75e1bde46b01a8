// SPDX-License-Identifier: Apache-2.0
// A linear buffer threshold that changes only when its policy reports it.
#include <gtest/gtest.h>

#include "switch/test_switch.h"

namespace weir::testing_switch::threshold_test {
namespace {

/// A fixed number of bytes per ingress, independent of the free buffer.
class Fixed final : public BufferPolicy {
 public:
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId ingress, Priority) const override {
    ++asked;
    return bytes[ingress.index()];
  }
  [[nodiscard]] std::optional<LinearThreshold> linear_xoff(PortId ingress, Priority) const override {
    ++asked_rule;
    return LinearThreshold{.base = bytes[ingress.index()], .share = 0};
  }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return 0; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return 0; }

  std::array<std::int64_t, 2> bytes{3'000, 3'000};
  mutable int asked = 0;
  mutable int asked_rule = 0;
};

/// Two ports with headroom; arriving frames go to host 1.
struct Linear {
  Linear() {
    SwitchConfig config = config_of(2);
    for (PortConfig& port : config.ports) port.headroom[kLossless] = 100'000;
    auto buffer = std::make_unique<Fixed>();
    policy = buffer.get();
    SwitchPolicies policies;
    policies.buffer = std::move(buffer);
    node = std::make_unique<Switch>(pool, config, std::move(policies));
    Routes routes(2);
    const PortId port(1);
    routes.set_group(HostId(1), routes.add_group({&port, 1}));
    node->install(std::move(routes));
  }
  void receive(std::size_t port) {
    const FrameId id = pool.allocate();
    Frame& frame = pool[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = 1'000;
    frame.priority = kLossless;
    frame.destination = HostId(1);
    node->receive(Time(), PortId(port), id);
  }
  [[nodiscard]] const IngressState& ingress(std::size_t port) const { return node->ingress(PortId(port), kLossless); }

  FramePool pool{64};
  Fixed* policy = nullptr;
  std::unique_ptr<Switch> node;
};

TEST(SwitchThreshold, IsARuleThatIsAskedForOnce) {
  Linear at;
  EXPECT_EQ(at.policy->asked_rule, 2 * kPriorities);
  at.policy->bytes = {1'000'000, 1'000'000};  // not reported
  for (int i = 0; i < 5; ++i) at.receive(0);
  EXPECT_EQ(at.ingress(0).shared, 3'000);
  EXPECT_EQ(at.ingress(0).headroom, 2'000);
  EXPECT_EQ(at.policy->asked_rule, 2 * kPriorities);
  EXPECT_EQ(at.policy->asked, 0);
}

TEST(SwitchThreshold, IsAnotherForOneIngressOnceThePolicySaysSo) {
  Linear at;
  at.policy->bytes = {5'000, 5'000};
  at.node->note_threshold(PortId(0));
  EXPECT_EQ(at.policy->asked_rule, 3 * kPriorities);
  for (int i = 0; i < 6; ++i) {
    at.receive(0);
    at.receive(1);
  }
  EXPECT_EQ(at.ingress(0).shared, 5'000);
  EXPECT_EQ(at.ingress(0).headroom, 1'000);
  EXPECT_EQ(at.ingress(1).shared, 3'000);  // no change was reported for it
  EXPECT_EQ(at.ingress(1).headroom, 3'000);
  at.policy->bytes = {1'000, 1'000};  // below the current occupancy: further frames go to headroom
  at.node->note_threshold(PortId(0));
  at.receive(0);
  EXPECT_EQ(at.ingress(0).shared, 5'000);
  EXPECT_EQ(at.ingress(0).headroom, 2'000);
  EXPECT_EQ(at.policy->asked, 0);
  EXPECT_EQ(at.node->broken_invariant(), "");
}

}  // namespace
}  // namespace weir::testing_switch::threshold_test
