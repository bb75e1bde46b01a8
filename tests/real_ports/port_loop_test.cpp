// SPDX-License-Identifier: Apache-2.0
// A switch between ports in memory, with a virtual clock.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ports/port_loop.h"
#include "ports/testing/memory_ports.h"
#include "ports/testing/packets.h"
#include "whole_network.h"
#include "wire/emit.h"
#include "wire/parse.h"
#include "wire/pfc.h"

namespace weir::whole::port_loop_test {
namespace {

using weir::testing::header_verifies;
using weir::testing::ipv4_packet;
using weir::testing::MemoryPool;
using weir::testing::MemoryPort;
using ByteString = std::vector<std::byte>;

constexpr BitRate kRate(1'000'000'000);
constexpr Duration kDelay = Duration::picoseconds(5'000'000);
constexpr Duration kPeriod = Duration::picoseconds(1'000'000);

/// Three hosts on one switch with links of 1 Gbit/s and 5 us.
class PortLoopOf : public ::testing::Test {
 protected:
  PortLoopOf() { build(100_MB); }  // room for every test that does not obey pauses

  void build(Bytes buffer) {
    loop.reset();
    node.reset();
    Settings settings = lossless_network(star(3, {kRate, kDelay}), 1_ms);
    settings.switches.buffer = buffer;
    settings.switches.pause_response = 20_us;
    settings.run.frame_capacity = std::size_t{1} << 12;
    fabric = std::make_unique<Fabric>(settings);
    std::vector<LoopPort> links;
    std::vector<PortAddresses> addresses;
    ports.clear();
    for (std::size_t i = 0; i < 3; ++i) {
      ports.push_back(std::make_unique<MemoryPort>(packets));
      links.push_back({ports.back().get(), kRate, kDelay});
      addresses.push_back({MacAddress{{2, 0, 0, 0, 1, static_cast<std::uint8_t>(i)}}, std::nullopt});
    }
    node = std::make_unique<PacketSwitch>(fabric->switch_by(SwitchId(0)), fabric->frames(), packets, neighbours,
                                          addresses);
    loop = std::make_unique<PortLoop>(*node, packets, links, 20);
  }
  void run(Duration length) {
    for (const Time end = now + length; now < end; now += kPeriod) loop->poll(now);
  }
  /// An opaque packet of priority 3 from host 1 to `to`.
  static ByteString packet(std::size_t to, std::uint16_t number, std::size_t payload = 1'000) {
    return ipv4_packet({.protocol = 6,
                        .type_of_service = 0x60,
                        .destination = 0x0a000000 + static_cast<std::uint32_t>(to),
                        .ports = {number, 80},
                        .payload = payload});
  }
  static std::uint16_t number_of(const ByteString& bytes) {
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[34]) << 8 | std::to_integer<unsigned>(bytes[35]));
  }

  Time now;
  MemoryPool packets{100'000};
  Neighbours neighbours{3};
  std::unique_ptr<Fabric> fabric;
  std::vector<std::unique_ptr<MemoryPort>> ports;
  std::unique_ptr<PacketSwitch> node;
  std::unique_ptr<PortLoop> loop;
};

TEST_F(PortLoopOf, APacketArrivesAfterItsWireTimeAndTheDelay) {
  ports[1]->deliver(packet(2, 7));
  // 1034 bytes, 4 of FCS and 20 of gap last 8.464 us at 1 Gbit/s.
  run(13_us);
  EXPECT_TRUE(ports[2]->sent.empty());
  EXPECT_EQ(loop->in_flight(), 1u);
  run(2_us);
  ASSERT_EQ(ports[2]->sent.size(), 1u);
  ByteString expected = packet(2, 7);
  expected[22] = std::byte{63};
  expected[24] = ports[2]->sent[0][24];
  expected[25] = ports[2]->sent[0][25];
  EXPECT_EQ(ports[2]->sent[0], expected);
  EXPECT_TRUE(header_verifies(ports[2]->sent[0]));
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(PortLoopOf, ABusyPortSendsAtTheRateOfItsLink) {
  for (std::uint16_t i = 0; i < 200; ++i) ports[1]->deliver(packet(2, i));
  run(1_ms);
  // 1 ms less the delay and the last frame, at 8.464 us each.
  EXPECT_GE(ports[2]->sent.size(), 116u);
  EXPECT_LE(ports[2]->sent.size(), 118u);
  for (std::size_t i = 0; i < ports[2]->sent.size(); ++i) EXPECT_EQ(number_of(ports[2]->sent[i]), i);
}

TEST_F(PortLoopOf, ALatePollLosesNoRate) {
  for (std::uint16_t i = 0; i < 100; ++i) ports[1]->deliver(packet(2, i));
  run(100_us);
  now += 500_us;
  run(50_us);
  EXPECT_GE(ports[2]->sent.size(), 74u);
  EXPECT_LE(ports[2]->sent.size(), 77u);
  EXPECT_EQ(loop->counters().gaps, 1u);
}

TEST_F(PortLoopOf, AFullDeviceIsAskedAgainAndLosesNothing) {
  ports[2]->takes = 0;
  for (std::uint16_t i = 0; i < 100; ++i) ports[1]->deliver(packet(2, i));
  run(2_ms);
  EXPECT_TRUE(ports[2]->sent.empty());
  EXPECT_GT(loop->counters().device_full, 0u);
  ports[2]->takes = 3;
  run(1_ms);
  EXPECT_EQ(ports[2]->sent.size(), 100u);
  for (std::size_t i = 0; i < ports[2]->sent.size(); ++i) EXPECT_EQ(number_of(ports[2]->sent[i]), i);
  EXPECT_EQ(packets.in_use(), 0u);
}

/// The PFC frame among bytes; priority 3's quanta, or nothing.
std::optional<std::uint16_t> quanta_in(const ByteString& bytes) {
  FramePool frames(1);
  const auto parsed = parse(frames, bytes, Fcs::absent);
  if (!parsed || frames[parsed->id].kind != FrameKind::pfc) return std::nullopt;
  const PfcQuanta pfc = read_pfc(frames, frames[parsed->id]);
  return pfc.names(3) ? std::optional(pfc.quanta[3]) : std::nullopt;
}

TEST_F(PortLoopOf, APauseStopsThePriorityUntilItEnds) {
  PfcQuanta pfc;
  pfc.set(3, 200);  // 200 x 512 bits: 102.4 us
  FramePool frames(1);
  const FrameId id = make_pfc(frames, pfc, Framing::rocev2());
  ByteString bytes(64);
  const auto length = emit(frames, frames[id], default_envelope(frames[id]), {}, Fcs::absent, bytes);
  ASSERT_TRUE(length.ok());
  bytes.resize(*length);
  ports[2]->deliver(bytes);
  run(2_us);
  ports[1]->deliver(packet(2, 1));
  run(100_us);
  EXPECT_TRUE(ports[2]->sent.empty());
  run(20_us);
  EXPECT_EQ(ports[2]->sent.size(), 1u);
  EXPECT_EQ(node->counters(PortId(2)).received_pauses, 1u);
}

// Hosts 1 and 2 send at line rate to host 0 and obey pauses: nothing is lost, in order, at the link's rate.
TEST_F(PortLoopOf, AnOverloadIsLosslessWithPauses) {
  build(300'000_B);
  constexpr Duration kPerFrame = Duration::picoseconds(8'464'000);
  struct Sender {
    Time next;
    Time paused_until;
    std::uint16_t number = 0;
    std::size_t seen = 0;
    std::size_t pauses = 0;
  };
  std::array<Sender, 3> senders;
  constexpr std::uint16_t kPackets = 1'000;
  for (const Time end = now + 40_ms; now < end; now += kPeriod) {
    for (std::size_t host = 1; host < 3; ++host) {
      Sender& sender = senders[host];
      for (; sender.seen < ports[host]->sent.size(); ++sender.seen) {
        const auto quanta = quanta_in(ports[host]->sent[sender.seen]);
        if (!quanta) continue;
        ++sender.pauses;
        sender.paused_until = now + pause_of(*quanta, kRate);
      }
      while (sender.number < kPackets && sender.next <= now && sender.paused_until <= now) {
        ports[host]->deliver(ipv4_packet({.protocol = 6,
                                          .type_of_service = 0x60,
                                          .source = 0x0a000000 + static_cast<std::uint32_t>(host),
                                          .destination = 0x0a000000,
                                          .ports = {sender.number++, static_cast<std::uint16_t>(host)},
                                          .payload = 1'000}));
        sender.next = std::max(sender.next, now + -kPeriod) + kPerFrame;
      }
    }
    loop->poll(now);
  }
  EXPECT_EQ(ports[0]->sent.size(), 2u * kPackets);
  EXPECT_GT(senders[1].pauses, 1u);
  EXPECT_GT(senders[2].pauses, 1u);
  EXPECT_EQ(fabric->switch_by(SwitchId(0)).drops(DropReason::buffer_full), 0u);
  std::array<std::uint16_t, 3> next{};
  for (const ByteString& bytes : ports[0]->sent) {
    const std::size_t host = std::to_integer<std::size_t>(bytes[29]);
    ASSERT_EQ(number_of(bytes), next[host]++);
  }
  EXPECT_EQ(packets.in_use(), 0u);
}

/// Host 2 pauses priority 3 for as long as possible.
ByteString longest_pause() {
  PfcQuanta pfc;
  pfc.set(3, 0xffff);
  FramePool frames(1);
  const FrameId id = make_pfc(frames, pfc, Framing::rocev2());
  ByteString bytes(64);
  bytes.resize(*emit(frames, frames[id], default_envelope(frames[id]), {}, Fcs::absent, bytes));
  return bytes;
}

// What the simulator's switch does when a link fails: the queues of the port are dropped, and so is all that follows.
TEST_F(PortLoopOf, AFailedLinkLosesWhatIsOnItAndInItsQueues) {
  constexpr std::uint16_t kPackets = 2'000;  // 17 ms
  for (std::uint16_t i = 0; i < kPackets; ++i) ports[1]->deliver(packet(2, i));
  run(50_us);
  EXPECT_FALSE(ports[2]->sent.empty());
  ports[2]->up = false;
  run(LinkClock::kInterval);
  const Switch& core = fabric->switch_by(SwitchId(0));
  const LinkState& link = loop->link(2);
  EXPECT_FALSE(link.up);
  EXPECT_EQ(link.failures, 1u);
  // The device, which knew first, was given packets until the loop asked it.
  EXPECT_GE(link.lost_sent, 1u);
  EXPECT_GT(core.drops(DropReason::link_down), 500u);
  EXPECT_EQ(link.lost_sent + core.drops(DropReason::link_down) + ports[2]->sent.size(), kPackets);
  EXPECT_EQ(packets.in_use(), 0u);
  ports[1]->sent.clear();
  const std::uint64_t before = core.drops(DropReason::link_down);
  ports[1]->deliver(packet(2, 99));
  ports[2]->deliver(packet(1, 98));
  run(100_us);
  EXPECT_EQ(core.drops(DropReason::link_down), before + 1);
  EXPECT_EQ(link.lost_received, 1u);
  EXPECT_TRUE(ports[1]->sent.empty());
  EXPECT_EQ(packets.in_use(), 0u);
  EXPECT_TRUE(loop->link(1).up);
}

TEST_F(PortLoopOf, ARestoredLinkIsUsedAgain) {
  ports[2]->up = false;
  run(2 * LinkClock::kInterval);
  ports[2]->up = true;
  run(LinkClock::kInterval);
  ports[1]->deliver(packet(2, 7));
  ports[2]->deliver(packet(1, 8));
  run(100_us);
  EXPECT_EQ(ports[2]->sent.size(), 1u);
  EXPECT_EQ(ports[1]->sent.size(), 1u);
  EXPECT_EQ(loop->link(2).failures, 1u);
  EXPECT_TRUE(loop->link(2).up);
}

// 65,535 quanta last 33.6 ms; the neighbour behind a new link has paused nothing.
TEST_F(PortLoopOf, AFailedLinkEndsThePausesOfItsNeighbour) {
  ports[2]->deliver(longest_pause());
  run(2_us);
  EXPECT_FALSE(fabric->switch_by(SwitchId(0)).priority_gate_open(PortId(2), 3));
  ports[2]->up = false;
  run(LinkClock::kInterval);
  EXPECT_TRUE(fabric->switch_by(SwitchId(0)).priority_gate_open(PortId(2), 3));
  ports[2]->up = true;
  run(LinkClock::kInterval);
  ports[1]->deliver(packet(2, 7));
  run(100_us);
  EXPECT_EQ(ports[2]->sent.size(), 1u);
}

TEST_F(PortLoopOf, SaysThatLinksHaveChanged) {
  loop.reset();
  std::vector<LoopPort> links;
  for (const auto& port : ports) links.push_back({port.get(), kRate, kDelay});
  int changes = 0;
  loop = std::make_unique<PortLoop>(*node, packets, links, 20, [&] { ++changes; });
  run(3 * LinkClock::kInterval);
  EXPECT_EQ(changes, 0);
  ports[0]->up = false;
  ports[1]->up = false;
  run(3 * LinkClock::kInterval);
  EXPECT_EQ(changes, 1);
  ports[0]->up = true;
  run(3 * LinkClock::kInterval);
  EXPECT_EQ(changes, 2);
}

TEST_F(PortLoopOf, GivesBackEverythingWhenItEnds) {
  for (std::uint16_t i = 0; i < 100; ++i) ports[1]->deliver(packet(2, i));
  run(50_us);
  EXPECT_GT(packets.in_use(), 0u);
  while (!ports[1]->arriving.empty()) {
    packets.release(ports[1]->arriving.front());
    ports[1]->arriving.pop_front();
  }
  loop.reset();
  node.reset();
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(PortLoopOf, HostileFramesAreCountedAndDropped) {
  ports[1]->deliver(ByteString(5));
  ports[1]->deliver(ByteString(60));
  ByteString damaged = packet(2, 1);
  damaged[20] ^= std::byte{1};
  ports[1]->deliver(damaged);
  run(1_ms);
  EXPECT_TRUE(ports[2]->sent.empty());
  EXPECT_EQ(node->counters(PortId(1)).refused_frames(), 3u);
  EXPECT_EQ(packets.in_use(), 0u);
}

}  // namespace
}  // namespace weir::whole::port_loop_test
