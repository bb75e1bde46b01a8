// SPDX-License-Identifier: Apache-2.0
// One direction of a link whose rate and delay a loop models in front of a device.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ports/packet.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir {

/// The packets that a node has sent and the device has not taken yet. A frame occupies the wire for its length at the
/// link's rate, and is handed to the device when its last bit would arrive at the other end. The node is asked for the
/// next frame when the wire is free, and for kAhead frames more, because a loop cannot look exactly then. While the
/// node has frames, the wire has no gaps, however late the loop comes, up to kCatchUp.
class ModelledWire {
 public:
  static constexpr std::size_t kBurst = 32;  ///< packets given to the device in one call
  static constexpr std::size_t kAhead = 1;   ///< frames beyond the one on the wire, which can no longer be paused
  static constexpr Duration kCatchUp = Duration::picoseconds(100'000'000'000);

  /// A packet to put on the wire.
  struct Sent {
    Packet packet;
    std::uint16_t frame_bytes = 0;  ///< with FCS, as nodes account it
  };

  /// `overhead`: bytes per frame on the wire beside the frame. The device and the pool outlive it.
  ModelledWire(PacketPort& device, PacketPool& packets, BitRate rate, Duration delay, std::uint32_t overhead)
      : device_(device), packets_(packets), serialisation_(rate), delay_(delay), overhead_(overhead) {
    constexpr std::int64_t kSmallestOnWire = 84;
    constexpr std::int64_t kMost = 1 << 16;
    const std::int64_t on_link = bytes_in(delay, rate).count() / kSmallestOnWire;
    most_ = static_cast<std::size_t>(std::min(on_link, kMost)) + 4 * kBurst;
    packets_on_wire_.resize(std::bit_ceil(most_));
    due_.resize(packets_on_wire_.size());
    mask_ = due_.size() - 1;
  }
  /// Gives back the packets on the wire.
  ~ModelledWire() { clear(Time()); }
  ModelledWire(const ModelledWire&) = delete;
  ModelledWire& operator=(const ModelledWire&) = delete;

  /// Asks `transmit` for the frames that are due. If there is one, it fills a Packet and returns the bytes of the frame
  /// (Sent::frame_bytes); otherwise it returns zero.
  template <class Transmit>
  void fill(Time now, Transmit transmit) {
    if (!backlogged_) free_at_ = std::max(free_at_, now);
    free_at_ = std::max(free_at_, now + -kCatchUp);
    backlogged_ = true;
    static_assert(kAhead == 1);
    while (size_ < most_ && last_begin_ <= now) {
      const std::size_t last = slot(size_);
      const std::uint16_t frame_bytes = transmit(packets_on_wire_[last]);
      if (frame_bytes == 0) {
        backlogged_ = false;
        return;
      }
      last_begin_ = free_at_;
      free_at_ += serialisation_(frame_bytes + overhead_);
      due_[last] = free_at_ + delay_;
      ++size_;
    }
  }

  /// Hands over what has arrived. False: the device was full; the rest is handed over later.
  bool send_due(Time now) {
    while (size_ > 0 && due_[slot(0)] <= now) {
      const std::size_t first = slot(0);
      const std::size_t most = std::min({kBurst, size_, due_.size() - first});
      std::size_t count = 1;
      while (count < most && due_[first + count] <= now) ++count;
      const std::size_t taken = device_.send(std::span<const Packet>(packets_on_wire_).subspan(first, count));
      head_ += taken;
      size_ -= taken;
      if (taken < count) return false;
    }
    return true;
  }

  /// The link failed or was restored: gives back the packets on the wire, and returns their number.
  std::size_t clear(Time now) {
    const std::size_t lost = size_;
    for (std::size_t i = 0; i < size_; ++i) packets_.release(packets_on_wire_[slot(i)]);
    size_ = 0;
    free_at_ = now;
    last_begin_ = now;
    backlogged_ = false;
    return lost;
  }

  [[nodiscard]] std::size_t in_flight() const { return size_; }

 private:
  /// The place in the ring of the packet behind `i` others.
  [[nodiscard]] std::size_t slot(std::size_t i) const { return (head_ + i) & mask_; }

  PacketPort& device_;
  PacketPool& packets_;
  SerialisationTime serialisation_;
  Duration delay_;
  std::uint32_t overhead_;
  Time free_at_;
  Time last_begin_;          // of the first bit of the frame that was sent last
  bool backlogged_ = false;  // the node had more when the wire was last filled
  std::size_t most_ = 0;     // packets in flight
  // A ring of a power of two. Packets are apart from their times, so that the device is given them as they are.
  std::vector<Packet> packets_on_wire_;
  std::vector<Time> due_;  // when the last bit arrives
  std::size_t mask_ = 0;
  std::size_t head_ = 0;  // counts on beyond the ring
  std::size_t size_ = 0;
};

}  // namespace weir
