// SPDX-License-Identifier: Apache-2.0
#include "ports/port_loop.h"

#include <algorithm>
#include <array>
#include <optional>

namespace weir {
namespace {

/// Packets that a wire can hold: those of smallest size on the link, and some that a device has not taken yet.
std::size_t ring_size(const LoopPort& port) {
  constexpr std::int64_t kSmallestOnWire = 84;
  constexpr std::int64_t kMost = 1 << 16;
  const std::int64_t on_link = bytes_in(port.delay, port.rate).count() / kSmallestOnWire;
  return static_cast<std::size_t>(std::min(on_link, kMost)) + 4 * PortLoop::kBurst;
}

}  // namespace

PortLoop::PortLoop(PacketSwitch& node, PacketPool& packets, const std::vector<LoopPort>& ports,
                   std::uint32_t wire_overhead)
    : node_(node), packets_(packets), overhead_(wire_overhead) {
  for (const LoopPort& port : ports) {
    Wire& wire = wires_.emplace_back();
    wire.device = port.device;
    wire.serialisation = SerialisationTime(port.rate);
    wire.delay = port.delay;
    wire.ring.resize(ring_size(port));
  }
}

PortLoop::~PortLoop() {
  for (Wire& wire : wires_) {
    for (std::size_t i = 0; i < wire.size; ++i) packets_.release(wire.at(i).packet);
  }
}

std::size_t PortLoop::in_flight() const {
  std::size_t out = 0;
  for (const Wire& wire : wires_) out += wire.size;
  return out;
}

void PortLoop::poll(Time now) {
  note_poll(now);
  for (std::size_t i = 0; i < wires_.size(); ++i) receive(now, (first_ + i) % wires_.size());
  first_ = (first_ + 1) % wires_.size();
  Switch& node = node_.node();
  while (node.next_deadline() <= now) node.advance(now);
  node_.give_back();
  for (std::size_t port = 0; port < wires_.size(); ++port) {
    fill(now, port);
    send_due(now, wires_[port]);
  }
  node.clear_ready();
}

void PortLoop::note_poll(Time now) {
  if (counters_.polls > 0) {
    const Duration gap = now - last_poll_;
    counters_.longest_gap = std::max(counters_.longest_gap, gap);
    if (gap > kGap) ++counters_.gaps;
  }
  ++counters_.polls;
  last_poll_ = now;
}

void PortLoop::receive(Time now, std::size_t port) {
  std::array<Packet, kBurst> burst;
  const std::size_t count = wires_[port].device->receive(burst);
  if (count > 0) node_.receive(now, PortId(port), std::span<const Packet>(burst.data(), count));
}

void PortLoop::fill(Time now, std::size_t port) {
  Wire& wire = wires_[port];
  if (!wire.backlogged) wire.free_at = std::max(wire.free_at, now);
  wire.free_at = std::max(wire.free_at, now + -kCatchUp);
  wire.backlogged = true;
  std::size_t ahead = 0;  // sent, and not begun yet
  while (ahead < wire.size && wire.at(wire.size - 1 - ahead).begin > now) ++ahead;
  while (wire.size < wire.ring.size() && (wire.free_at <= now || ahead < kAhead)) {
    const std::optional<PacketSwitch::Sent> sent = node_.transmit(now, PortId(port));
    if (!sent) {
      wire.backlogged = false;
      return;
    }
    const Time begin = wire.free_at;
    if (begin > now) ++ahead;
    wire.free_at = begin + wire.serialisation(sent->frame_bytes + overhead_);
    wire.at(wire.size) = {sent->packet, begin, wire.free_at + wire.delay};
    ++wire.size;
  }
}

void PortLoop::send_due(Time now, Wire& wire) {
  while (wire.size > 0 && wire.at(0).due <= now) {
    std::array<Packet, kBurst> burst;
    std::size_t count = 0;
    while (count < kBurst && count < wire.size && wire.at(count).due <= now) {
      burst[count] = wire.at(count).packet;
      ++count;
    }
    const std::size_t taken = wire.device->send(std::span<const Packet>(burst.data(), count));
    wire.head = (wire.head + taken) % wire.ring.size();
    wire.size -= taken;
    if (taken < count) {
      ++counters_.device_full;
      return;
    }
  }
}

}  // namespace weir
