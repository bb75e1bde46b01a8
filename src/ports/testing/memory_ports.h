// SPDX-License-Identifier: Apache-2.0
// A packet pool and ports in memory, for tests. They notice packets that are lost, given back twice, or sent twice.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "ports/packet.h"

namespace weir::testing {

/// Every buffer knows whether it is in use; a wrong owner ends the test with an exception.
class MemoryPool final : public PacketPool {
 public:
  static constexpr std::size_t kCapacity = 2'048;

  explicit MemoryPool(std::size_t packets) : limit_(packets) {}

  Packet allocate() override {
    if (in_use_.size() >= limit_) return {};
    if (free_.empty()) {
      buffers_.push_back(std::make_unique<Buffer>());
      free_.push_back(buffers_.back().get());
    }
    Buffer* buffer = free_.back();
    free_.pop_back();
    in_use_.insert(buffer);
    buffer->fill(std::byte{0xa5});
    return {buffer, buffer->data(), 0, kCapacity};
  }
  void release(const Packet& packet) override {
    if (in_use_.erase(packet.handle) != 1) throw std::logic_error("a packet was given back twice");
    free_.push_back(static_cast<Buffer*>(packet.handle));
  }
  /// A packet with these bytes.
  Packet make(std::span<const std::byte> bytes) {
    Packet packet = allocate();
    if (!packet.exists()) throw std::logic_error("the pool is empty");
    std::copy(bytes.begin(), bytes.end(), packet.bytes);
    packet.length = static_cast<std::uint32_t>(bytes.size());
    return packet;
  }
  [[nodiscard]] bool is_in_use(const Packet& packet) const { return in_use_.contains(packet.handle); }
  [[nodiscard]] std::size_t in_use() const { return in_use_.size(); }
  void set_limit(std::size_t packets) { limit_ = packets; }

 private:
  using Buffer = std::array<std::byte, kCapacity>;
  std::size_t limit_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;
  std::set<void*> in_use_;
};

/// A port with two queues of packets: those that will be received, and those that were sent.
class MemoryPort final : public PacketPort {
 public:
  explicit MemoryPort(MemoryPool& pool) : pool_(pool) {}

  std::size_t receive(std::span<Packet> out) override {
    std::size_t count = 0;
    for (; count < out.size() && !arriving.empty(); ++count) {
      out[count] = arriving.front();
      arriving.pop_front();
    }
    return count;
  }
  std::size_t send(std::span<const Packet> packets) override {
    const std::size_t count = std::min(packets.size(), takes);
    for (const Packet& packet : packets.first(count)) {
      if (!pool_.is_in_use(packet)) throw std::logic_error("a packet was sent that has been given back");
      sent.emplace_back(packet.bytes, packet.bytes + packet.length);
      pool_.release(packet);
    }
    return count;
  }
  bool is_up() override { return up; }
  /// Bytes that will be received.
  void deliver(std::span<const std::byte> bytes) { arriving.push_back(pool_.make(bytes)); }

  std::deque<Packet> arriving;
  std::vector<std::vector<std::byte>> sent;
  std::size_t takes = ~std::size_t{0};  ///< packets that the device takes per call
  bool up = true;

 private:
  MemoryPool& pool_;
};

}  // namespace weir::testing
