// SPDX-License-Identifier: Apache-2.0
#include "ports/packet_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "ports/testing/memory_ports.h"

namespace weir::packet_ring_test {
namespace {

Packet numbered(std::uint32_t number) {
  Packet out;
  out.length = number;
  return out;
}

TEST(PacketRing, KeepsTheOrderAndTakesNoMoreThanItHolds) {
  PacketRing ring(5);  // room for 8
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < 10; ++i) packets.push_back(numbered(i));
  EXPECT_EQ(ring.push(packets), 8u);
  EXPECT_EQ(ring.push(packets), 0u);
  std::array<Packet, 3> some;
  std::uint32_t next = 0;
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(ring.pop(some), 3u);
    for (const Packet& packet : some) EXPECT_EQ(packet.length, next++);
  }
  EXPECT_EQ(ring.push(std::span<const Packet>(packets).subspan(8)), 2u);
  std::array<Packet, 8> all;
  ASSERT_EQ(ring.pop(all), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(all[i].length, next++);
  EXPECT_EQ(ring.pop(all), 0u);
}

TEST(PacketRing, PassesPacketsBetweenThreads) {
  constexpr std::uint32_t kPackets = 200'000;
  PacketRing ring(64);
  std::thread sender([&ring] {
    for (std::uint32_t i = 0; i < kPackets;) {
      std::array<Packet, 7> burst;
      std::size_t count = 0;
      for (; count < burst.size() && i + count < kPackets; ++count) {
        burst[count] = numbered(i + static_cast<std::uint32_t>(count));
      }
      const std::size_t taken = ring.push(std::span<const Packet>(burst).first(count));
      i += static_cast<std::uint32_t>(taken);
      if (taken == 0) std::this_thread::yield();
    }
  });
  std::uint32_t next = 0;
  bool in_order = true;
  while (next < kPackets) {
    std::array<Packet, 5> burst;
    const std::size_t count = ring.pop(burst);
    for (std::size_t i = 0; i < count; ++i) in_order &= burst[i].length == next++;
    if (count == 0) std::this_thread::yield();
  }
  sender.join();
  EXPECT_TRUE(in_order);
}

TEST(PacketCable, JoinsTwoPorts) {
  testing::MemoryPool pool(10);
  PacketCable cable;
  const std::array<Packet, 2> sent = {pool.allocate(), pool.allocate()};
  EXPECT_EQ(cable.end(0).send(sent), 2u);
  std::array<Packet, 4> received;
  EXPECT_EQ(cable.end(0).receive(received), 0u);
  ASSERT_EQ(cable.end(1).receive(received), 2u);
  EXPECT_EQ(received[1].handle, sent[1].handle);
  EXPECT_EQ(cable.end(1).send(std::span<const Packet>(received).first(1)), 1u);
  EXPECT_EQ(cable.end(0).send(std::span<const Packet>(received).subspan(1, 1)), 1u);
  EXPECT_TRUE(cable.end(0).is_up());
  cable.clear(pool);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_EQ(cable.end(0).receive(received), 0u);
  EXPECT_EQ(cable.end(1).receive(received), 0u);
}

}  // namespace
}  // namespace weir::packet_ring_test
