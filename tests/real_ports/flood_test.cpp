// SPDX-License-Identifier: Apache-2.0
// Good traffic keeps its rate while other frames that a switch refuses arrive as fast as it can receive. The clock is
// virtual: each received frame takes the loop a fixed time, and each device holds a limited number of received packets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/hop_protocols.h"
#include "ports/port_loop.h"
#include "ports/testing/memory_ports.h"
#include "ports/testing/packets.h"
#include "whole_network.h"
#include "wire/emit.h"
#include "wire/pfc.h"

namespace weir::whole::flood_test {
namespace {

using ByteString = std::vector<std::byte>;

constexpr BitRate kRate(1'000'000'000);
constexpr Duration kDelay = Duration::picoseconds(5'000'000);
constexpr Duration kPerRound = Duration::picoseconds(200'000);
constexpr Duration kPerFrame = Duration::picoseconds(100'000);
constexpr std::size_t kDeviceRing = 1'024;
constexpr Duration kGoodPeriod = Duration::picoseconds(8'624'000);  // 1,058 bytes and 20 of gap at 1 Gbit/s

ByteString bytes_of(FramePool& frames, FrameId id) {
  ByteString bytes(2'000);
  const auto length = emit(frames, frames[id], default_envelope(frames[id]), {}, Fcs::absent, bytes);
  EXPECT_TRUE(length.ok());
  frames.release(id);
  bytes.resize(length.ok() ? *length : 0);
  return bytes;
}

/// Frames that no port accepts from a host, one of each sort.
std::vector<ByteString> bad_frames() {
  FramePool frames(8);
  std::vector<ByteString> out;
  out.emplace_back(5);
  out.emplace_back(60);
  const ByteString good = weir::testing::ipv4_packet({.destination = 0x0a000002, .ports = {}, .payload = 100});
  for (const std::size_t damaged : {14u, 17u, 24u}) {  // version, length, checksum
    out.push_back(good);
    out.back()[damaged] ^= std::byte{0x10};
  }
  out.push_back(weir::testing::ipv4_packet({.time_to_live = 1, .destination = 0x0a000002, .ports = {}}));
  out.push_back(weir::testing::ipv4_packet({.destination = 0x0a0000ff, .ports = {}}));
  for (const FrameKind kind : {FrameKind::hop_control, FrameKind::host_control}) {
    const FrameId id = frames.allocate();
    frames[id].kind = kind;
    frames[id].protocol = 99;
    frames[id].source = HostId(0);
    frames[id].destination = HostId(2);
    out.push_back(bytes_of(frames, id));
  }
  PfcQuanta lossy;
  lossy.set(0, 0xffff);
  lossy.set(7, 0xffff);
  out.push_back(bytes_of(frames, make_pfc(frames, lossy, Framing::rocev2())));
  return out;
}

/// Host 1 sends good packets to host 2 through a switch.
class Flood : public ::testing::Test {
 protected:
  struct Result {
    std::size_t good = 0;         ///< packets that left to host 2
    std::uint64_t refused = 0;    ///< by the switch
    std::size_t missed_good = 0;  ///< by the device
    std::size_t missed_bad = 0;
  };

  /// For 20 ms. Every `flood_period` a bad frame arrives at port `flooded`.
  static Result run(Duration good_period, std::size_t flooded, Duration flood_period) {
    Settings settings = lossless_network(star(3, {kRate, kDelay}), 1_ms);
    settings.switches.pause_response = 20_us;
    settings.run.frame_capacity = std::size_t{1} << 12;
    Fabric fabric(settings);
    weir::testing::MemoryPool packets(100'000);
    const Neighbours neighbours(3);
    std::vector<std::unique_ptr<weir::testing::MemoryPort>> ports;
    std::vector<LoopPort> links;
    for (std::size_t i = 0; i < 3; ++i) {
      ports.push_back(std::make_unique<weir::testing::MemoryPort>(packets));
      links.push_back({ports.back().get(), kRate, kDelay});
    }
    PacketSwitch node(fabric.switch_by(SwitchId(0)), fabric.frames(), packets, neighbours,
                      std::vector<PortAddresses>(3));
    const HostControlProtocols to_hosts = host_control_of(settings);
    for (std::size_t i = 0; i < 3; ++i) node.set_rules(PortId(i), {.to_hosts = to_hosts.from_hosts});
    PortLoop loop(node, packets, links, 20);

    const std::vector<ByteString> bad = bad_frames();
    const ByteString good = weir::testing::ipv4_packet(
        {.type_of_service = 0x60, .destination = 0x0a000002, .ports = {1, 80}, .payload = 1'020});
    Result out;
    Time now;
    Time next_good;
    Time next_bad;
    std::size_t which = 0;
    while (now < at(20_ms)) {
      // In the order of their arrival since the last round.
      while (std::min(next_good, next_bad) <= now) {
        const bool is_good = next_good <= next_bad;
        weir::testing::MemoryPort& port = *ports[is_good ? 1 : flooded];
        const bool fits = port.arriving.size() < kDeviceRing;
        if (fits) port.deliver(is_good ? good : bad[which++ % bad.size()]);
        if (!fits) ++(is_good ? out.missed_good : out.missed_bad);
        (is_good ? next_good : next_bad) += is_good ? good_period : flood_period;
      }
      const std::uint64_t before = received(node);
      loop.poll(now);
      now += kPerRound + static_cast<std::int64_t>(received(node) - before) * kPerFrame;
    }
    out.good = ports[2]->sent.size();
    for (std::size_t i = 0; i < 3; ++i) out.refused += node.counters(PortId(i)).refused_frames();
    EXPECT_EQ(fabric.switch_by(SwitchId(0)).broken_invariant(), "");
    for (const auto& port : ports) {
      for (const Packet& packet : port->arriving) packets.release(packet);
    }
    return out;
  }

  static constexpr Duration kNoFlood = Duration::picoseconds(1'000'000'000'000);

 private:
  static std::uint64_t received(const PacketSwitch& node) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += node.counters(PortId(i)).received_frames;
    return sum;
  }
};

// 14.88 million frames per second, one and a half times what the loop can receive.
TEST_F(Flood, AtAnotherPortLeavesTheRate) {
  const Result calm = run(kGoodPeriod, 0, kNoFlood);
  const Result flooded = run(kGoodPeriod, 0, Duration::picoseconds(67'200));
  EXPECT_GT(calm.good, 2'300u);
  EXPECT_GE(flooded.good * 100, calm.good * 95);
  EXPECT_EQ(flooded.missed_good, 0u);
  EXPECT_GT(flooded.missed_bad, 50'000u) << "the flood is more than the loop can receive";
  EXPECT_GT(flooded.refused, 100'000u);
}

// The host of the good traffic sends the smallest frames in the rest of its link.
TEST_F(Flood, AtTheSamePortLeavesTheRate) {
  const Result calm = run(2 * kGoodPeriod, 1, kNoFlood);
  const Result flooded = run(2 * kGoodPeriod, 1, Duration::picoseconds(2 * 672'000));
  EXPECT_GT(calm.good, 1'150u);
  EXPECT_GE(flooded.good * 100, calm.good * 95);
  EXPECT_EQ(flooded.missed_good + flooded.missed_bad, 0u);
  EXPECT_GT(flooded.refused, 14'000u);
}

// Those of each sort are refused: none is taken for good traffic.
TEST_F(Flood, IsRefusedFrameByFrame) {
  const Result flooded = run(kNoFlood, 0, 100_us);
  EXPECT_EQ(flooded.good, 1u) << "the first good packet";
  EXPECT_EQ(flooded.refused, 200u);
}

}  // namespace
}  // namespace weir::whole::flood_test
