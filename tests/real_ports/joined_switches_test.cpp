// SPDX-License-Identifier: Apache-2.0
// Switches of one process that are joined in memory (ports/packet_ring.h), in one thread and in two.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ports/packet_ring.h"
#include "ports/port_loop.h"
#include "ports/testing/memory_ports.h"
#include "ports/testing/packets.h"
#include "whole_network.h"

namespace weir::whole::joined_switches_test {
namespace {

using weir::testing::ipv4_packet;
using weir::testing::MemoryPool;
using weir::testing::MemoryPort;
using ByteString = std::vector<std::byte>;

constexpr BitRate kRate(1'000'000'000);
constexpr Duration kDelay = Duration::picoseconds(1'000'000);
constexpr Duration kPeriod = Duration::picoseconds(1'000'000);

/// Buffers that any thread may give back.
class SharedPool final : public PacketPool {
 public:
  Packet allocate() override {
    const std::scoped_lock lock(mutex_);
    return pool_.allocate();
  }
  void release(const Packet& packet) override {
    const std::scoped_lock lock(mutex_);
    pool_.release(packet);
  }
  Packet make(const ByteString& bytes) {
    const std::scoped_lock lock(mutex_);
    return pool_.make(bytes);
  }
  [[nodiscard]] std::size_t in_use() const { return pool_.in_use(); }

 private:
  std::mutex mutex_;
  MemoryPool pool_{100'000};
};

/// The link to a host: gives the switch packets that are delivered, and keeps the bytes of what it sends.
class HostPort final : public PacketPort {
 public:
  explicit HostPort(SharedPool& pool) : pool_(pool) {}
  std::size_t receive(std::span<Packet> out) override {
    std::size_t count = 0;
    for (; count < out.size() && next < arriving.size(); ++count) out[count] = pool_.make(arriving[next++]);
    return count;
  }
  std::size_t send(std::span<const Packet> packets) override {
    for (const Packet& packet : packets) {
      sent.emplace_back(packet.bytes, packet.bytes + packet.length);
      pool_.release(packet);
      arrived.fetch_add(1);
    }
    return packets.size();
  }

  std::vector<ByteString> arriving;
  std::size_t next = 0;
  std::vector<ByteString> sent;
  std::atomic<std::size_t> arrived = 0;

 private:
  SharedPool& pool_;
};

/// h0 and h1 at s0, h2 at s1.
Topology line() {
  Topology topology;
  const NodeId first = topology.add_switch("s0", 1, 0, 0);
  const NodeId second = topology.add_switch("s1", 1, 0, 1);
  topology.connect(topology.add_host("h0", 0, 0), first, {kRate, kDelay});
  topology.connect(topology.add_host("h1", 0, 0), first, {kRate, kDelay});
  topology.connect(topology.add_host("h2", 0, 1), second, {kRate, kDelay});
  topology.connect(first, second, {BitRate(2'000'000'000), kDelay});
  return topology;
}

/// One switch with its own nodes, as in a process.
struct Node {
  Node(SharedPool& packets, const Neighbours& neighbours, SwitchId id, const std::vector<PacketPort*>& devices)
      : fabric(settings()), node(fabric.switch_by(id), fabric.frames(), packets, neighbours, addresses(id, devices)) {
    std::vector<LoopPort> ports;
    const Topology& topology = fabric.topology();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const Link& link = topology.link_at(topology.node_of(id), PortId(i));
      ports.push_back({devices[i], link.rate, link.delay});
    }
    loop = std::make_unique<PortLoop>(node, packets, ports, 20);
  }
  static Settings settings() {
    Settings out = lossless_network(line(), 1_ms);
    out.switches.pause_response = 5_ms;  // threads may wait for a core, and the hosts obey no pauses
    out.switches.buffer = 4_MB;
    out.switches.buffer_policy = choose("static_threshold");
    EXPECT_TRUE(out.switches.buffer_policy.parameters.set("xoff", 20_KB));
    out.run.frame_capacity = std::size_t{1} << 13;
    return out;
  }
  static std::vector<PortAddresses> addresses(SwitchId id, const std::vector<PacketPort*>& devices) {
    std::vector<PortAddresses> out;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      out.push_back(
          {MacAddress{{2, 0, 0, 1, static_cast<std::uint8_t>(id.value), static_cast<std::uint8_t>(i)}}, std::nullopt});
    }
    return out;
  }

  Fabric fabric;
  PacketSwitch node;
  std::unique_ptr<PortLoop> loop;
};

class JoinedSwitches : public ::testing::Test {
 protected:
  static constexpr std::uint16_t kPackets = 300;  // of each of the two senders

  JoinedSwitches() {
    for (std::uint8_t host = 0; host < 2; ++host) {
      for (std::uint16_t i = 0; i < kPackets; ++i) {
        hosts[host].arriving.push_back(ipv4_packet({.protocol = 6,
                                                    .type_of_service = 0x60,
                                                    .source = 0x0a000000u + host,
                                                    .destination = 0x0a000002,
                                                    .ports = {i, host},
                                                    .payload = 1'000}));
      }
    }
  }
  ~JoinedSwitches() override { cable.clear(packets); }

  /// Each packet has arrived once, and those of a sender in order.
  void expect_all() {
    std::array<std::uint16_t, 2> next{};
    for (const ByteString& bytes : hosts[2].sent) {
      const std::size_t host = std::to_integer<std::size_t>(bytes[37]);
      ASSERT_LT(host, 2u);
      EXPECT_EQ(std::to_integer<unsigned>(bytes[34]) << 8 | std::to_integer<unsigned>(bytes[35]), next[host]++);
    }
    EXPECT_EQ(next[0], kPackets);
    EXPECT_EQ(next[1], kPackets);
    for (const Node* node : {&first, &second}) {
      for (int reason = 0; reason < kDropReasons; ++reason) {
        EXPECT_EQ(const_cast<Node*>(node)->node.node().drops(static_cast<DropReason>(reason)), 0u);
      }
    }
    // The overload is at the port to h2. Pauses cross the cable, and s0 passes them on to the hosts.
    EXPECT_GT(first.node.counters(PortId(2)).received_pauses, 0u);
    EXPECT_EQ(first.node.counters(PortId(2)).received_pauses, second.node.counters(PortId(1)).sent_pauses);
    EXPECT_GT(first.node.counters(PortId(0)).sent_pauses, 0u);
    EXPECT_EQ(first.node.counters(PortId(2)).sent_frames, second.node.counters(PortId(1)).received_frames);
  }

  SharedPool packets;
  Neighbours neighbours{3};
  std::array<HostPort, 3> hosts = {HostPort(packets), HostPort(packets), HostPort(packets)};
  PacketCable cable;
  Node first{packets, neighbours, SwitchId(0), {&hosts[0], &hosts[1], &cable.end(0)}};
  Node second{packets, neighbours, SwitchId(1), {&hosts[2], &cable.end(1)}};
};

TEST_F(JoinedSwitches, LoseNothing) {
  for (Time now; now < Time() + 20_ms; now += kPeriod) {
    first.loop->poll(now);
    second.loop->poll(now);
  }
  expect_all();
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(JoinedSwitches, LoseNothingInTwoThreads) {
  std::atomic<bool> done = false;
  std::atomic<std::int64_t> clock = 0;
  // Both threads see one clock, which steps when the first has polled.
  std::thread other([&] {
    Time now;
    while (!done) {
      now = std::max(now, Time() + Duration::picoseconds(clock.load()));
      second.loop->poll(now);
    }
  });
  for (int step = 0; step < 2'000'000 && hosts[2].arrived < 2u * kPackets; ++step) {
    first.loop->poll(Time() + Duration::picoseconds(clock.load()));
    clock += kPeriod.picoseconds() / 10;
    std::this_thread::yield();
  }
  done = true;
  other.join();
  EXPECT_EQ(hosts[2].arrived, 2u * kPackets);
  const Time end = Time() + Duration::picoseconds(clock.load());
  for (Time now = end; now < end + 1_ms; now += kPeriod) {
    first.loop->poll(now);
    second.loop->poll(now);
  }
  expect_all();
  EXPECT_EQ(packets.in_use(), 0u);
}

}  // namespace
}  // namespace weir::whole::joined_switches_test
