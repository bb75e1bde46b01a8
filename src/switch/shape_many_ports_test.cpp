// SPDX-License-Identifier: Apache-2.0
// A switch with many ports: per-port state exists for each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "policy/hashed_forwarding.h"
#include "switch/test_switch.h"

namespace weir::testing_switch::shape_many_ports_test {
namespace {

using testing::ElementsAre;

constexpr std::size_t kPorts = 512;

TEST(ShapeManyPorts, EachOf512PortsForwardsPausesAndFailsByItself) {
  TestSwitch at(config_of(kPorts));
  for (std::size_t port = 1; port < kPorts; ++port) at.node->receive(at.now, PortId(0), at.make(port, kLossless, 500));
  at.node->set_priority_gate(PortId(300), kLossless, at.script->owner, false);
  at.node->close_gate_until(at.queue(400, kLossless), at.script->owner, Time() + Duration::picoseconds(10));
  at.node->note_pause(PortId(511), kLossless, true);
  EXPECT_TRUE(at.ingress(511, kLossless).paused);
  EXPECT_FALSE(at.ingress(511 - 256, kLossless).paused);
  std::set<std::size_t> ready;
  at.node->take_ready([&](PortId port) { ready.insert(port.index()); });
  EXPECT_EQ(ready.size(), kPorts - 1);
  std::vector<std::size_t> held;
  for (std::size_t port = 1; port < kPorts; ++port) {
    if (!at.transmit(port)) held.push_back(port);
  }
  EXPECT_THAT(held, ElementsAre(300, 400));
  at.run_for(Duration::picoseconds(10));
  EXPECT_EQ(at.next(400), 0);
  at.link(300, false);
  EXPECT_EQ(at.node->drops(DropReason::link_down), 1u);
  at.expect_empty();
}

std::uint32_t entropy_hash(std::uint32_t, const FlowKey& key) {
  return static_cast<std::uint32_t>(key.entropy) << 16;
}

TEST(ShapeManyPorts, AGroupOfNextHopsMayHaveThemAll) {
  SwitchPolicies policies;
  policies.forwarding = std::make_unique<HashedForwarding<&entropy_hash>>(1, SeedScope::network);
  policies.buffer = std::make_unique<Thresholds>();
  TestSwitch at(config_of(kPorts), std::move(policies));
  std::vector<PortId> ports;
  for (std::size_t port = 0; port < kPorts; ++port) ports.emplace_back(port);
  Routes routes(kPorts);
  routes.set_group(HostId(7), routes.add_group(ports));
  at.node->install(routes);
  for (std::size_t port = 0; port < kPorts; ++port) {
    const FrameId id = at.make(7, kLossy, 500, static_cast<std::uint32_t>(port));
    at.pool[id].entropy = static_cast<std::uint16_t>(port << 7);
    at.node->receive(at.now, PortId(1), id);
    const FrameId sent = at.node->transmit(at.now, PortId(port));
    ASSERT_TRUE(sent.exists()) << port;
    at.pool.release(sent);
  }
  at.expect_empty();
}

TEST(ShapeManyPorts, TurnsAreKnownForEachPair) {
  SwitchConfig config = config_of(kPorts);
  config.breaks_cycle.resize(kPorts * kPorts);
  config.breaks_cycle[511 * kPorts + 70] = true;
  const TestSwitch at(config);
  EXPECT_TRUE(at.node->breaks_cycle(PortId(511), PortId(70)));
  EXPECT_FALSE(at.node->breaks_cycle(PortId(511), PortId(6)));
  EXPECT_FALSE(at.node->breaks_cycle(PortId(447), PortId(70)));
}

}  // namespace
}  // namespace weir::testing_switch::shape_many_ports_test
