// SPDX-License-Identifier: Apache-2.0
#include "ports/packet_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ports/testing/memory_ports.h"

namespace weir::packet_table_test {
namespace {

using testing::MemoryPool;

// A switch core that behaves at random: it takes frames, releases some, makes others with the same numbers, and hands
// some to the driver. No packet may be lost, given back twice, or sent for a frame that did not bring it.
RC_GTEST_PROP(PacketTable, OwnsEachPacketExactlyOnce, ()) {
  FramePool frames(8);
  MemoryPool packets(8);
  std::map<FrameId, void*> held;  // frames of the core, and the packets they came with, if any
  std::size_t sent = 0;
  {
    PacketTable table(frames, packets);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 8)));
    for (const auto& [action, which] : steps) {
      const auto chosen = held.empty() ? held.end() : std::next(held.begin(), which % static_cast<int>(held.size()));
      if (action == 0) {  // the driver receives
        const Packet packet = packets.allocate();
        if (!packet.exists()) continue;
        const FrameId id = frames.allocate();
        if (!id.exists()) {
          packets.release(packet);
          continue;
        }
        table.attach(id, {.packet = packet, .received = FrameHeader(frames[id])});
        held[id] = packet.handle;
      } else if (action == 1) {  // the core makes a frame
        if (const FrameId id = frames.allocate(); id.exists()) held[id] = nullptr;
      } else if (chosen == held.end()) {
        continue;
      } else if (action == 2) {  // the core drops one
        frames.release(chosen->first);
        held.erase(chosen);
      } else {  // the core sends one
        const Packet packet = table.take(chosen->first);
        RC_ASSERT((packet.handle == chosen->second));
        if (packet.exists()) packets.release(packet);
        frames.release(chosen->first);
        held.erase(chosen);
        ++sent;
      }
    }
    table.give_back_released();
    const auto with_packet =
        std::count_if(held.begin(), held.end(), [](const auto& one) { return one.second != nullptr; });
    RC_ASSERT(table.held() == static_cast<std::size_t>(with_packet));
    RC_ASSERT(packets.in_use() == static_cast<std::size_t>(with_packet));
  }
  RC_ASSERT(packets.in_use() == 0u);
}

TEST(PacketTable, ANumberWithANewOwnerHasNoPacket) {
  FramePool frames(1);
  MemoryPool packets(2);
  PacketTable table(frames, packets);
  const FrameId received = frames.allocate();
  table.attach(received, {.packet = packets.allocate(), .received = FrameHeader(frames[received])});
  frames.release(received);
  const FrameId made = frames.allocate();
  ASSERT_EQ(made, received);
  EXPECT_FALSE(table.take(made).exists());
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST(PacketTable, ANumberWithANewOwnerHasItsBodyOnly) {
  FramePool frames(1);
  MemoryPool packets(2);
  PacketTable table(frames, packets);
  const FrameId first = frames.allocate();
  table.attach(first, {.packet = packets.allocate(),
                       .received = FrameHeader(frames[first]),
                       .extension_bytes = 8,
                       .has_shim = true,
                       .form = PacketForm::opaque});
  frames.release(first);
  table.give_back_released();
  const FrameId second = frames.allocate();
  ASSERT_EQ(second, first);
  frames[second].sequence = 5;
  const Packet packet = packets.allocate();
  table.attach_first(second, packet, FrameHeader(frames[second]), false);
  const PacketBody& body = table.body(second);
  EXPECT_EQ(body.packet.handle, packet.handle);
  EXPECT_TRUE(body.received.is_of(frames[second]));
  EXPECT_EQ(body.extension_bytes, 0);
  EXPECT_FALSE(body.has_shim);
  EXPECT_EQ(body.form, PacketForm::plain);
}

}  // namespace
}  // namespace weir::packet_table_test
