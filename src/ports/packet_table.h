// SPDX-License-Identifier: Apache-2.0
// The bytes of the frames that a switch holds, by frame number: the switch core never sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/frame_header.h"
#include "ports/packet.h"
#include "units/hot_path.h"
#include "wire/frame_pool.h"

namespace weir {

/// What is known of the bytes of a received frame.
enum class PacketForm : std::uint8_t {
  parsed,  ///< of a protocol that Weir models
  plain,   ///< such as read_plain_rocev2() reads
  opaque,  ///< DecodedFrame::opaque
};

/// What a driver keeps of a received frame until it leaves the switch: one cache line.
struct alignas(64) PacketBody {
  Packet packet;
  FrameHeader received;               ///< as it was given to the switch
  std::uint16_t extension_bytes = 0;  ///< DecodedFrame::extension_bytes
  bool has_shim = false;              ///< DecodedFrame::has_shim
  PacketForm form = PacketForm::parsed;
};
static_assert(sizeof(PacketBody) == 64);

/// Bodies by frame number. The switch core releases frames without telling the driver; the frame pool lists them
/// (FramePool::list_released), and their packets are given back before the table is used again. So a packet is given
/// back or sent exactly once, even if its frame's number has a new owner meanwhile.
class PacketTable {
 public:
  /// One body for each frame of `frames`, all reserved here.
  PacketTable(FramePool& frames, PacketPool& packets) : frames_(frames), packets_(packets), bodies_(frames.capacity()) {
    frames_.list_released();
  }
  ~PacketTable() {
    for (PacketBody& body : bodies_) drop(body);
  }
  PacketTable(const PacketTable&) = delete;
  PacketTable& operator=(const PacketTable&) = delete;

  /// Takes the packet of a frame that was just allocated.
  void attach(FrameId frame, const PacketBody& body) {
    give_back_released();
    bodies_[frame.index()] = body;
    ++held_;
  }
  /// The same for a packet of read_plain_rocev2(), if no frame was released since give_back_released().
  WEIR_HOT_INLINE void attach_first(FrameId frame, const Packet& packet, const FrameHeader& received, bool has_shim) {
    PacketBody& body = bodies_[frame.index()];
    body.packet = packet;
    body.received = received;
    body.extension_bytes = 0;
    body.has_shim = has_shim;
    body.form = PacketForm::plain;
    ++held_;
  }
  /// The body of a frame; without a packet if the frame was made in the switch.
  [[nodiscard]] const PacketBody& body(FrameId frame) {
    give_back_released();
    return bodies_[frame.index()];
  }
  /// The packet of a frame, which the caller now owns, if the frame has one.
  WEIR_HOT_INLINE Packet take(FrameId frame) {
    give_back_released();
    PacketBody& body = bodies_[frame.index()];
    if (body.packet.exists()) --held_;
    const Packet out = body.packet;
    body.packet.handle = nullptr;
    return out;
  }
  /// The same for a frame that has one, if no frame was released since give_back_released().
  WEIR_HOT_INLINE void take_first(FrameId frame, Packet& out) {
    Packet& packet = bodies_[frame.index()].packet;
    --held_;
    out = packet;
    packet.handle = nullptr;
  }
  /// Gives back the packets of all frames that were released since the last call.
  void give_back_released() {
    frames_.take_released([this](FrameId frame) { drop(bodies_[frame.index()]); });
  }
  /// Packets held, with those that the next call gives back.
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  void drop(PacketBody& body) {
    if (!body.packet.exists()) return;
    packets_.release(body.packet);
    body.packet = Packet();
    --held_;
  }

  FramePool& frames_;
  PacketPool& packets_;
  std::vector<PacketBody> bodies_;
  std::size_t held_ = 0;
};

}  // namespace weir
