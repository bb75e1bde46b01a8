// SPDX-License-Identifier: Apache-2.0
#include "ports/nic_loop.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace weir {

NicLoop::NicLoop(PacketNic& node, PacketPool& packets, const NicPorts& ports, std::uint32_t wire_overhead,
                 std::function<void(Nic&)> settle)
    : node_(node),
      packets_(packets),
      fabric_(ports.fabric),
      host_(ports.host),
      wire_(*ports.fabric, packets, ports.rate, ports.delay, wire_overhead),
      settle_(std::move(settle)) {
  for_host_.reserve(2 * kHostQueue);
}

NicLoop::~NicLoop() {
  for (std::size_t i = first_for_host_; i < for_host_.size(); ++i) packets_.release(for_host_[i]);
}

void NicLoop::poll(Time now) {
  counters_.note_poll(now);
  if (link_clock_.is_due(now)) check_link(now);
  receive_from_fabric(now);
  if (host_ != nullptr) {
    std::array<Packet, kBurst> burst;
    if (const std::size_t count = host_->receive(burst); count > 0) {
      node_.receive_from_host(now, std::span<const Packet>(burst.data(), count));
    }
  }
  Nic& nic = node_.nic();
  while (nic.next_deadline() <= now) nic.advance(now);
  if (!nic.completions().empty()) {
    if (settle_) {
      settle_(nic);
    } else {
      nic.clear_completions();
    }
  }
  node_.give_back();
  deliver();
  wire_.fill(now, [&](Packet& out) -> std::uint16_t {
    const std::optional<ModelledWire::Sent> sent = node_.transmit(now);
    if (!sent) return 0;
    out = sent->packet;
    return sent->frame_bytes;
  });
  if (!wire_.send_due(now)) ++counters_.device_full;
  nic.clear_ready();
}

void NicLoop::check_link(Time now) {
  if (fabric_->is_up() == link_.up) return;
  link_.up = !link_.up;
  if (!link_.up) ++link_.failures;
  link_.lost_sent += wire_.clear(now);
  node_.nic().link(now, link_.up);
  node_.give_back();
}

void NicLoop::receive_from_fabric(Time now) {
  std::array<Packet, kBurst> burst;
  const std::size_t count = fabric_->receive(burst);
  if (count == 0) return;
  if (link_.up) return node_.receive_from_fabric(now, std::span<const Packet>(burst.data(), count));
  for (std::size_t i = 0; i < count; ++i) packets_.release(burst[i]);
  link_.lost_received += count;
}

void NicLoop::deliver() {
  while (const std::optional<Packet> packet = node_.take_for_host()) {
    if (for_host_.size() - first_for_host_ >= kHostQueue) {
      node_.drop_for_host(*packet);
    } else {
      if (for_host_.size() == for_host_.capacity()) {
        for_host_.erase(for_host_.begin(), for_host_.begin() + static_cast<std::ptrdiff_t>(first_for_host_));
        first_for_host_ = 0;
      }
      for_host_.push_back(*packet);
    }
  }
  while (first_for_host_ < for_host_.size()) {
    const std::size_t count = std::min(kBurst, for_host_.size() - first_for_host_);
    const std::size_t taken = host_->send(std::span<const Packet>(for_host_.data() + first_for_host_, count));
    first_for_host_ += taken;
    if (taken < count) {
      ++counters_.device_full;
      return;
    }
  }
  for_host_.clear();
  first_for_host_ = 0;
}

}  // namespace weir
