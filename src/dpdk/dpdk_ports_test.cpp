// SPDX-License-Identifier: Apache-2.0
#include "dpdk/dpdk_ports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weir::dpdk_ports_test {
namespace {

TEST(TscClock, ConvertsWithoutDrift) {
  EXPECT_EQ(picoseconds_of(0, 3), 0);
  EXPECT_EQ(picoseconds_of(1, 1'000'000'000), 1'000);
  EXPECT_EQ(picoseconds_of(1, 3), 333'333'333'333);
  EXPECT_EQ(picoseconds_of(3, 3), 1'000'000'000'000);
  // Ten days at 2.6 GHz, to the picosecond: the count times 10^12 does not fit into 64 bits.
  constexpr std::uint64_t kSeconds = 864'000;
  constexpr std::uint64_t kFrequency = 2'599'999'937;
  EXPECT_EQ(picoseconds_of(kSeconds * kFrequency, kFrequency), 864'000'000'000'000'000);
}

/// The environment starts once per process, so failures are tried in others.
int open_and_report(const std::vector<std::string>& devices, const std::vector<std::size_t>& longest_frames = {},
                    std::size_t packet_bytes = 2'048) {
  try {
    const DpdkPorts ports({.devices = devices,
                           .packets = 1'024,
                           .control_packets = 512,
                           .packet_bytes = packet_bytes,
                           .longest_frames = longest_frames});
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}

TEST(DpdkPortsDeathTest, NamesADeviceThatDoesNotExist) {
  EXPECT_EXIT(std::_Exit(open_and_report({"net_af_packet0,iface=no_such_interface"})), ::testing::ExitedWithCode(3),
              "net_af_packet0,iface=no_such_interface");
}

// The MTU of the loopback interface is 65,536 bytes.
TEST(DpdkPortsDeathTest, RefusesFramesThatDoNotFit) {
  EXPECT_EXIT(std::_Exit(open_and_report({"net_ring0", "net_ring1"}, {1'500, 2'049})), ::testing::ExitedWithCode(3),
              "\"net_ring1\" have up to 2049 bytes, but packet buffers have 2048");
  EXPECT_EXIT(std::_Exit(open_and_report({"net_af_packet0,iface=lo"}, {65'555}, 66'000)), ::testing::ExitedWithCode(3),
              "MTU of 65536 bytes, expected at least 65537");
  EXPECT_EXIT(std::_Exit(open_and_report({"net_af_packet0,iface=no_such_interface"}, {1'000})),
              ::testing::ExitedWithCode(3), "cannot open the device");
}

// The driver net_ring gives a port whose sent packets it receives itself.
TEST(DpdkPorts, MovesPacketsAndGivesThemBack) {
  // The second port has a pool of its own.
  DpdkPorts ports({.devices = {"net_ring0", "net_ring1"},
                   .packets = 1'024,
                   .control_packets = 512,
                   .pools = 2,
                   .pool_of_device = {0, 1}});
  ASSERT_EQ(ports.ports(), 2u);
  const std::size_t at_rest = ports.packets_in_use();
  std::vector<Packet> sent;
  for (std::uint8_t i = 0; i < 3; ++i) {
    Packet packet = ports.packets().allocate();
    ASSERT_TRUE(packet.exists());
    EXPECT_GE(packet.capacity, 2'048u);
    packet.length = 64u + i;
    std::fill_n(packet.bytes, packet.length, std::byte{i});
    sent.push_back(packet);
  }
  EXPECT_EQ(ports.packets_in_use(), at_rest + 3);
  ASSERT_EQ(ports.port(0).send(sent), 3u);
  std::array<Packet, 32> received;
  EXPECT_EQ(ports.port(1).receive(received), 0u);
  ASSERT_EQ(ports.port(0).receive(received), 3u);
  for (std::uint8_t i = 0; i < 3; ++i) {
    EXPECT_EQ(received[i].length, 64u + i);
    EXPECT_TRUE(std::all_of(received[i].span().begin(), received[i].span().end(),
                            [i](std::byte byte) { return byte == std::byte{i}; }));
    ports.packets().release(received[i]);
  }
  EXPECT_EQ(ports.packets_in_use(), at_rest);

  // All packets that the switch can make, and not one more.
  std::vector<Packet> all;
  for (Packet packet = ports.packets().allocate(); packet.exists(); packet = ports.packets().allocate()) {
    all.push_back(packet);
  }
  EXPECT_EQ(all.size(), 512u);
  // The other pool has as many. Any thread may give any packet to any pool, which returns it to its own.
  const Packet other = ports.packets(1).allocate();
  EXPECT_TRUE(other.exists());
  std::thread([&] {
    const DpdkThread known;
    for (const Packet& packet : all) ports.packets(1).release(packet);
    ports.packets().release(other);
  }).join();
  EXPECT_EQ(ports.packets_in_use(), at_rest);
  EXPECT_TRUE(ports.packets().allocate().exists());

  const TscClock clock;
  const Time first = clock.now();
  EXPECT_GE(first, Time());
  EXPECT_LE(first, clock.now());
}

}  // namespace
}  // namespace weir::dpdk_ports_test
