// SPDX-License-Identifier: Apache-2.0
// Which control frames a switch with real ports accepts from hosts and from switches. All others are counted and
// dropped.
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "fabric/hop_protocols.h"
#include "net/builders.h"
#include "ports/packet_switch.h"
#include "ports/testing/memory_ports.h"
#include "whole_network.h"
#include "wire/emit.h"
#include "wire/pfc.h"

namespace weir::whole::control_frames_test {
namespace {

using ByteString = std::vector<std::byte>;

/// The first switch of a chain of two: port 0 leads to host 0, port 1 to the other switch and host 1.
class ControlFrames : public ::testing::Test {
 protected:
  static constexpr PortId kHost{0};
  static constexpr PortId kSwitch{1};

  void build(std::vector<PolicyChoice> flow_control, std::string_view congestion_point = {}) {
    const LinkSpec link{BitRate(10'000'000'000), 1_us};
    Settings settings = lossless_network(chain({link, link, link}), 1_ms);
    settings.switches.flow_control = std::move(flow_control);
    if (!congestion_point.empty()) settings.switches.congestion_point = {choose(congestion_point)};
    settings.run.frame_capacity = 4'096;
    fabric = std::make_unique<Fabric>(settings);
    Switch& core = fabric->switch_by(SwitchId(0));
    ASSERT_TRUE(core.port(kHost).peer.is_host());
    ASSERT_FALSE(core.port(kSwitch).peer.is_host());
    node = std::make_unique<PacketSwitch>(core, fabric->frames(), packets, neighbours,
                                          std::vector<PortAddresses>(core.ports()));
    const HostControlProtocols to_hosts = host_control_of(settings);
    node->set_rules(kHost, {.to_hosts = to_hosts.from_hosts});
    node->set_rules(kSwitch, {.to_hosts = to_hosts.all});
  }
  /// A frame arrives at a port; the fields that it sets are those of the caller.
  template <class Fill>
  void receive(PortId port, FrameKind kind, Fill fill) {
    const FrameId id = scratch.allocate();
    Frame& frame = scratch[id];
    frame.kind = kind;
    fill(frame);
    deliver(port, id);
  }
  void deliver(PortId port, FrameId id) {
    ByteString bytes(2'000);
    const auto length = emit(scratch, scratch[id], default_envelope(scratch[id]), {}, Fcs::absent, bytes);
    ASSERT_TRUE(length.ok()) << to_string(length.error());
    scratch.release(id);
    bytes.resize(*length);
    const Packet packet = packets.make(bytes);
    node->receive(Time(), port, std::span(&packet, 1));
  }
  void pause(PortId port, std::vector<Priority> priorities, std::uint16_t quanta = 0xffff) {
    PfcQuanta pfc;
    for (const Priority priority : priorities) pfc.set(priority, quanta);
    deliver(port, make_pfc(scratch, pfc, Framing::rocev2()));
  }
  [[nodiscard]] std::uint64_t count(PortId port, ControlVerdict verdict) const {
    return node->counters(port).disobeyed[static_cast<std::size_t>(verdict)];
  }
  [[nodiscard]] bool open(PortId port, Priority priority) const {
    return node->node().priority_gate_open(port, priority);
  }

  FramePool scratch{16};
  weir::testing::MemoryPool packets{64};
  Neighbours neighbours{2};
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<PacketSwitch> node;
};

TEST_F(ControlFrames, PauseLosslessPrioritiesOnly) {
  build({choose("pfc")});
  for (const PortId port : {kHost, kSwitch}) {
    pause(port, {0, 7});
    EXPECT_EQ(count(port, ControlVerdict::no_target), 1u);
    pause(port, {0, 3});
    EXPECT_EQ(count(port, ControlVerdict::no_target), 1u);
    EXPECT_FALSE(open(port, 3));
    EXPECT_TRUE(open(port, 0));
    EXPECT_EQ(node->counters(port).received_pauses, 1u);
    EXPECT_EQ(node->counters(port).refused_frames(), 1u);
  }
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(ControlFrames, PauseOnlyWhatThePortMayPause) {
  build({choose("pfc")});
  PortRules rules;
  rules.pausable.reset(3);
  node->set_rules(kHost, rules);
  pause(kHost, {3});
  EXPECT_TRUE(open(kHost, 3));
  EXPECT_EQ(count(kHost, ControlVerdict::no_target), 1u);
  EXPECT_EQ(node->counters(kHost).narrowed_pauses, 1u);
  pause(kSwitch, {3});
  EXPECT_FALSE(open(kSwitch, 3));
  EXPECT_EQ(node->counters(kSwitch).narrowed_pauses, 0u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(ControlFrames, PauseNothingWithoutFlowControl) {
  build({});
  pause(kHost, {3});
  EXPECT_EQ(count(kHost, ControlVerdict::not_spoken), 1u);
  EXPECT_TRUE(open(kHost, 3));
}

/// A control frame to the neighbour, of a protocol with a scheme.
TEST_F(ControlFrames, OfSchemesThatDoNotRunAreRefused) {
  build({choose("pfc")});
  for (unsigned protocol = 0; protocol < 256; ++protocol) {
    receive(kSwitch, FrameKind::hop_control,
            [&](Frame& frame) { frame.protocol = static_cast<std::uint8_t>(protocol); });
  }
  EXPECT_EQ(count(kSwitch, ControlVerdict::not_spoken), 256u);
  EXPECT_EQ(packets.in_use(), 0u);
}

// The schemes whose switches exchange control frames: nothing that a host sends may pause, and random content names
// things that do not exist, or is refused as what no sender writes. The accounts of the switch stay right.
TEST_F(ControlFrames, OfASchemeAreJudgedByItsSwitch) {
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->flow_control == nullptr || scheme->traits.protocol == 0) continue;
    if (scheme->traits.to_hosts != ControlSource::none) continue;  // its control frames are for hosts
    SCOPED_TRACE(scheme->name);
    build({{scheme, Parameters(scheme->parameters)}});
    RandomStream random(7, 0, 0);
    constexpr unsigned kFrames = 20'000;
    for (const PortId port : {kHost, kSwitch}) {
      for (unsigned i = 0; i < kFrames; ++i) {
        receive(port, FrameKind::hop_control, [&](Frame& frame) {
          frame.protocol = scheme->traits.protocol;
          // Small numbers name things that may exist.
          const auto number = [&] { return static_cast<std::uint32_t>(random.next() >> (random.next() % 64)); };
          frame.tag = static_cast<std::uint16_t>(random.next() % (random.next() % 2 == 0 ? 16 : 4'096));
          frame.tag_value = random.next() % 2 == 0 ? static_cast<std::uint32_t>(random.next() % 6) : number();
          frame.sequence = random.next() % 2 == 0 ? 0 : number();
          frame.queue_pair = QueuePairId((random.next() % 2 == 0 ? random.next() % 4 : number()) & 0xff'ffffu);
        });
      }
      EXPECT_EQ(node->counters(port).received_frames, kFrames);
      EXPECT_GT(node->counters(port).refused_frames(), kFrames / 4);
    }
    EXPECT_LT(node->counters(kSwitch).refused_frames(), kFrames) << "some are in order";
    EXPECT_GT(count(kSwitch, ControlVerdict::no_target), 0u);
    EXPECT_GT(count(kSwitch, ControlVerdict::malformed), 0u);
    EXPECT_GT(count(kHost, ControlVerdict::wrong_neighbour), 0u);
    EXPECT_EQ(node->node().broken_invariant(), "");
    EXPECT_EQ(packets.in_use(), 0u);
  }
}

// A switch's notification to a sender passes a switch on its way, but no host may forge it.
TEST_F(ControlFrames, ToHostsComeFromThoseThatSendThem) {
  std::size_t from_switches = 0;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->congestion_point == nullptr || scheme->traits.to_hosts != ControlSource::switches) continue;
    SCOPED_TRACE(scheme->name);
    ++from_switches;
    build({choose("pfc")}, scheme->name);
    const auto notify = [&](PortId port, std::size_t to) {
      receive(port, FrameKind::host_control, [&](Frame& frame) {
        frame.protocol = scheme->traits.protocol;
        frame.source = HostId(1 - to);
        frame.destination = HostId(to);
      });
    };
    notify(kSwitch, 0);
    EXPECT_EQ(node->counters(kSwitch).refused_frames(), 0u);
    const auto sent = node->transmit(Time(), kHost);
    ASSERT_TRUE(sent);
    packets.release(sent->packet);
    notify(kHost, 1);
    EXPECT_EQ(count(kHost, ControlVerdict::wrong_neighbour), 1u);
    EXPECT_FALSE(node->transmit(Time(), kSwitch));
  }
  EXPECT_GE(from_switches, 2u);
}

TEST_F(ControlFrames, ToHostsOfUnknownProtocolsAreRefused) {
  build({choose("pfc")});
  for (const unsigned protocol : {0u, 77u, 200u}) {
    receive(kHost, FrameKind::host_control, [&](Frame& frame) {
      frame.protocol = static_cast<std::uint8_t>(protocol);
      frame.source = HostId(0);
      frame.destination = HostId(1);
    });
  }
  EXPECT_EQ(count(kHost, ControlVerdict::wrong_neighbour), 3u);
  EXPECT_FALSE(node->transmit(Time(), kSwitch));
  EXPECT_EQ(packets.in_use(), 0u);
}

}  // namespace
}  // namespace weir::whole::control_frames_test
