// SPDX-License-Identifier: Apache-2.0
// Packets (the bytes of frames in buffers of a device), the pool they come from, and the ports that move them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

/// One Ethernet frame in a buffer of a PacketPool, from its destination address to its last byte before the FCS. A
/// handle: copies name the same buffer, and exactly one owner gives it back or sends it.
struct Packet {
  void* handle = nullptr;      ///< of the pool; nullptr: no packet
  std::byte* bytes = nullptr;  ///< the first byte of the frame
  std::uint32_t length = 0;    ///< bytes of the frame
  std::uint32_t capacity = 0;  ///< bytes that the frame may have in this buffer

  [[nodiscard]] bool exists() const { return handle != nullptr; }
  [[nodiscard]] std::span<std::byte> span() const { return {bytes, length}; }
};

/// Buffers for packets. Not thread-safe.
class PacketPool {
 public:
  virtual ~PacketPool() = default;
  /// An empty packet; one that does not exist if all buffers are in use.
  virtual Packet allocate() = 0;
  virtual void release(const Packet& packet) = 0;
};

/// One port of a device. No call waits.
class PacketPort {
 public:
  virtual ~PacketPort() = default;
  /// Moves received packets to the front of `out`, at most as many as fit, and returns their number. The caller owns
  /// them.
  virtual std::size_t receive(std::span<Packet> out) = 0;
  /// Takes packets from the front of `packets`, and returns how many it took; the caller still owns the others.
  virtual std::size_t send(std::span<const Packet> packets) = 0;
  /// Whether the link is up, as far as the device knows.
  virtual bool is_up() { return true; }
};

}  // namespace weir
