// SPDX-License-Identifier: Apache-2.0
#include "dpdk/dpdk_ports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
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

using Bytes = std::vector<std::uint8_t>;

/// Frames of all lengths from 60 bytes on.
std::vector<Bytes> some_frames() {
  std::vector<Bytes> out;
  for (std::size_t i = 0; i < 300; ++i) out.emplace_back(60 + i, static_cast<std::uint8_t>(i));
  return out;
}

void append(Bytes& bytes, std::initializer_list<std::uint32_t> words) {
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
}

/// A capture in the format of libpcap, version 2.4, of Ethernet frames.
Bytes capture_of(const std::vector<Bytes>& frames) {
  Bytes out;
  append(out, {0xa1b2c3d4, 0x00040002, 0, 0, 65'535, 1});
  for (const Bytes& frame : frames) {
    const auto length = static_cast<std::uint32_t>(frame.size());
    append(out, {0, 0, length, length});
    out.insert(out.end(), frame.begin(), frame.end());
  }
  return out;
}

/// The frames of a capture, whatever their times.
std::vector<Bytes> frames_in(const Bytes& capture) {
  std::vector<Bytes> out;
  for (std::size_t at = 24; at + 16 <= capture.size();) {
    const std::size_t length = capture[at + 8] + (std::size_t{capture[at + 9]} << 8);
    at += 16;
    if (at + length > capture.size()) break;
    out.emplace_back(capture.begin() + static_cast<std::ptrdiff_t>(at),
                     capture.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  return out;
}

Bytes read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Sends what a port receives, in a process of its own. Returns the packets that are lost, or kept, at the end.
int forward(const std::string& device, std::size_t frames) {
  DpdkPorts ports({.devices = {device}, .packets = 1'024, .control_packets = 512});
  const std::size_t at_rest = ports.packets_in_use();
  std::array<Packet, 32> burst;
  std::size_t forwarded = 0;
  for (int poll = 0; poll < 1'000 && forwarded < frames; ++poll) {
    const std::size_t count = ports.port(0).receive(burst);
    for (const Packet& packet : std::span(burst).first(count)) {
      if (packet.capacity < 2'048) return 200;
    }
    forwarded += ports.port(0).send(std::span(burst).first(count));
  }
  if (forwarded != frames) return 201;
  std::size_t made = 0;
  std::vector<Packet> all;
  for (Packet packet = ports.packets().allocate(); packet.exists(); packet = ports.packets().allocate(), ++made) {
    all.push_back(packet);
  }
  for (const Packet& packet : all) ports.packets().release(packet);
  if (made != 512) return 202;
  return static_cast<int>(ports.packets_in_use() - at_rest);
}

// Not all drivers are known to accept buffers that cross pages: others, as net_pcap, get DPDK's own pools.
TEST(DpdkPortsDeathTest, ForwardsWithPoolsOfDpdksOwn) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("weir_pcap_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const Bytes capture = capture_of(some_frames());
  std::ofstream(folder / "in.pcap", std::ios::binary)
      .write(reinterpret_cast<const char*>(capture.data()), static_cast<std::streamsize>(capture.size()));
  const std::string device =
      "net_pcap0,rx_pcap=" + (folder / "in.pcap").string() + ",tx_pcap=" + (folder / "out.pcap").string();
  EXPECT_EXIT(std::_Exit(forward(device, some_frames().size())), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(frames_in(read_all(folder / "out.pcap")), some_frames());
  std::filesystem::remove_all(folder);
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
