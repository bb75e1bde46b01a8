// SPDX-License-Identifier: Apache-2.0
// The shape of a forwarding whose senders choose the path: the NIC writes a source route into a header field of each
// frame, and switches follow it (as PathletRouting, or XPath, Hu et al., NSDI 2015).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::shape_source_route_test {
namespace {

using namespace literals;
using testing::IsEmpty;

/// Which of the equal next hops a frame takes at every choice: its index plus one; 0: not written.
const HeaderField kRoute = {
    .name = "route", .bytes = 2, .kinds = FrameKinds(FrameKind::data, FrameKind::ack, FrameKind::nack)};

class RoutedSwitch : public Forwarding {
 public:
  void attach(SwitchContext& context) override { route_ = context.headers().place<std::uint16_t>(kRoute); }
  PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) override {
    const std::uint16_t route = route_.read(frame);
    if (route == 0) ++unnamed;
    return hops.ports[(route == 0 ? 0u : route - 1u) % hops.ports.size()];
  }
  std::uint64_t unnamed = 0;

 private:
  InlineField<std::uint16_t> route_;
};

/// All frames to one destination take the same path, selected by the destination's number.
class RoutingNic : public NicForwarding {
 public:
  void attach(NicContext& context) override { route_ = context.headers().place<std::uint16_t>(kRoute); }
  void on_send(NicContext&, Frame& frame) override {
    route_.write(frame, static_cast<std::uint16_t>(1 + frame.destination.value % 4));
    ++written;
  }
  std::uint64_t written = 0;

 private:
  InlineField<std::uint16_t> route_;
};

const Scheme source_routes = {
    .name = "source routes",
    .summary = "",
    .traits = {.header_bytes = 8},
    .fields = {&kRoute},
    .parameters = {},
    .forwarding = make<Forwarding, RoutedSwitch>,
    .nic_forwarding = make<NicForwarding, RoutingNic>,
};

class SourceRouteShape : public BothDrivers {};

TEST_P(SourceRouteShape, SwitchesFollowWhatTheNicWrites) {
  Settings settings = bare(built(build_leaf_spine({.tors = 2,
                                                   .hosts_per_tor = 4,
                                                   .spines = 4,
                                                   .host_link = {100_Gbps, 500_ns},
                                                   .fabric_link = {100_Gbps, 500_ns},
                                                   .tor_oversubscription = {}})));
  settings.switches.forwarding = choose(source_routes);
  // Hosts 4 to 7 are at the other leaf: one path each.
  offer(settings, {flow(0, 4, 500_KB), flow(1, 5, 500_KB), flow(2, 6, 500_KB), flow(3, 7, 500_KB)});
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host < 8; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  expect_clean(outcome, 4);
  const Switch& leaf = lab.fabric().switch_by(SwitchId(0));
  const Duration alone = time_to_send(Bytes(500 * 1'094), BitRate(100'000'000'000));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(outcome.completion(i), alone + 10_us) << "none shares a link";
  for (std::size_t port = 0; port < leaf.ports(); ++port) {
    EXPECT_EQ(leaf.port(PortId(port)).frames_sent, 500u) << "data upwards, acknowledgements to hosts";
    if (leaf.port(PortId(port)).peer.is_host()) continue;
    EXPECT_EQ(leaf.port(PortId(port)).bytes_sent, 500 * (1'066 + 8)) << "with the route";
  }
  for (RoutedSwitch* node : Made<RoutedSwitch>::all()) EXPECT_EQ(node->unnamed, 0u);
  for (std::size_t host = 0; host < 8; ++host) EXPECT_EQ(Made<RoutingNic>::at(host).written, 500u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

WEIR_BOTH_DRIVERS(SourceRouteShape);

}  // namespace
}  // namespace weir::shape::shape_source_route_test
