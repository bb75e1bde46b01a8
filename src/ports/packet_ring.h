// SPDX-License-Identifier: Apache-2.0
// Ports that join two switches of one process, each of which may run in a thread of its own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "ports/packet.h"

namespace weir {

/// Packets from one thread to another, in order. One thread pushes, one pops; neither waits.
class PacketRing {
 public:
  /// Holds at least `packets` at a time.
  explicit PacketRing(std::size_t packets) : slots_(std::bit_ceil(packets)) {}

  /// Takes packets from the front of `packets`, and returns how many it took.
  std::size_t push(std::span<const Packet> packets) {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    const std::size_t room = slots_.size() - (end - begin_.load(std::memory_order_acquire));
    const std::size_t count = std::min(room, packets.size());
    for (std::size_t i = 0; i < count; ++i) slots_[(end + i) & (slots_.size() - 1)] = packets[i];
    end_.store(end + count, std::memory_order_release);
    return count;
  }
  /// Moves packets to the front of `out`, and returns their number.
  std::size_t pop(std::span<Packet> out) {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    const std::size_t there = end_.load(std::memory_order_acquire) - begin;
    const std::size_t count = std::min(there, out.size());
    for (std::size_t i = 0; i < count; ++i) out[i] = slots_[(begin + i) & (slots_.size() - 1)];
    begin_.store(begin + count, std::memory_order_release);
    return count;
  }

 private:
  static constexpr std::size_t kCacheLine = 64;

  std::vector<Packet> slots_;
  // Counts of packets since the start. Each is written by one thread.
  alignas(kCacheLine) std::atomic<std::size_t> begin_ = 0;
  alignas(kCacheLine) std::atomic<std::size_t> end_ = 0;
};

/// A link between two switches of one process: two ports, each of which receives what is sent to the other. Packets
/// keep the pool that they came from, so a pool must accept packets that another thread gives back.
class PacketCable {
 public:
  static constexpr std::size_t kPackets = 1'024;  ///< in each direction

  PacketCable() = default;
  PacketCable(const PacketCable&) = delete;
  PacketCable& operator=(const PacketCable&) = delete;

  /// The port at one end, 0 or 1.
  PacketPort& end(std::size_t which) { return ends_[which]; }
  /// Gives back the packets that nobody has received. No other thread may use the cable.
  void clear(PacketPool& packets) {
    for (PacketRing& ring : rings_) {
      std::array<Packet, 1> one;
      while (ring.pop(one) > 0) packets.release(one[0]);
    }
  }

 private:
  class End final : public PacketPort {
   public:
    End(PacketRing& in, PacketRing& out) : in_(in), out_(out) {}
    std::size_t receive(std::span<Packet> out) override { return in_.pop(out); }
    std::size_t send(std::span<const Packet> packets) override { return out_.push(packets); }

   private:
    PacketRing& in_;
    PacketRing& out_;
  };

  std::array<PacketRing, 2> rings_ = {PacketRing(kPackets), PacketRing(kPackets)};
  std::array<End, 2> ends_ = {End(rings_[0], rings_[1]), End(rings_[1], rings_[0])};
};

}  // namespace weir
