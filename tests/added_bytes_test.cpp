// SPDX-License-Identifier: Apache-2.0
// The bytes that a scheme adds to frames are added exactly once, whichever of its roles the network uses.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/fabric.h"
#include "policy/scheme.h"

namespace weir::added_bytes_test {
namespace {

using namespace literals;

PolicyChoice choice(const Scheme& scheme) {
  return {&scheme, Parameters(scheme.parameters)};
}

/// Two hosts at one switch.
Settings pair() {
  Settings settings;
  const NodeId middle = settings.network.topology.add_switch("s", 1);
  for (std::size_t i = 0; i < 2; ++i) {
    LinkSpec link;
    link.rate = 100_Gbps;
    link.delay = 1_us;
    settings.network.topology.connect(settings.network.topology.add_host("h" + std::to_string(i)), middle, link);
  }
  settings.run.frame_capacity = 1'024;
  settings.switches.forwarding = choice(*find_scheme("ecmp"));
  settings.switches.buffer_policy = choice(*find_scheme("dynamic_threshold"));
  settings.hosts.congestion_control = choice(*find_scheme("line_rate"));
  settings.hosts.loss_recovery = choice(*find_scheme("go_back_n"));
  return settings;
}

/// Frame bytes of a data frame of host 0 with the largest payload.
int sent_bytes(const Settings& settings) {
  Fabric fabric(settings);
  Nic& nic = fabric.nic(HostId(0));
  OpenSender spec;
  spec.remote = HostId(1);
  spec.priority = 3;
  const QueuePairId number = nic.open_sender(Time(), spec);
  nic.connect_sender(number, QueuePairId(1));
  nic.post(Time(), number, FlowId(0), Bytes(settings.hosts.payload));
  const FrameId id = nic.transmit(Time());
  return id.exists() ? fabric.frames()[id].frame_bytes : 0;
}

TEST(AddedBytes, OfASchemeWithTwoRolesAtAHostAreAddedOnce) {
  Scheme both = *find_scheme("go_back_n");
  both.congestion_control = find_scheme("line_rate")->congestion_control;
  both.header_bytes = [](const Parameters&) { return HeaderBytes{.at_source = 8}; };
  Settings settings = pair();
  const int plain = sent_bytes(settings);
  settings.hosts.loss_recovery = choice(both);
  EXPECT_EQ(sent_bytes(settings), plain + 8);
  settings.hosts.congestion_control = choice(both);
  EXPECT_EQ(sent_bytes(settings), plain + 8);
  EXPECT_EQ(sent_bytes(settings), maximum_frame_bytes(settings));
}

TEST(AddedBytes, OfABufferPolicyCountToo) {
  Scheme longer = *find_scheme("dynamic_threshold");
  longer.header_bytes = [](const Parameters&) { return HeaderBytes{.at_switch = 4, .switches = 3}; };
  Settings settings = pair();
  const std::int64_t plain = maximum_frame_bytes(settings);
  settings.switches.buffer_policy = choice(longer);
  EXPECT_EQ(maximum_frame_bytes(settings), plain + 12);
}

}  // namespace
}  // namespace weir::added_bytes_test
