// SPDX-License-Identifier: Apache-2.0
#include "ports/port_loop.h"

#include <algorithm>
#include <span>
#include <utility>

namespace weir {

void LoopCounters::note_poll(Time now) {
  if (polls > 0) {
    const Duration gap = now - last_poll;
    longest_gap = std::max(longest_gap, gap);
    if (gap > kGap) ++gaps;
  }
  ++polls;
  last_poll = now;
}

PortLoop::PortLoop(PacketSwitch& node, PacketPool& packets, const std::vector<LoopPort>& ports,
                   std::uint32_t wire_overhead, std::function<void()> links_changed)
    : node_(node), packets_(packets), links_(ports.size()), links_changed_(std::move(links_changed)) {
  for (const LoopPort& port : ports) {
    devices_.push_back(port.device);
    wires_.push_back(std::make_unique<ModelledWire>(*port.device, packets, port.rate, port.delay, wire_overhead));
  }
}

std::size_t PortLoop::in_flight() const {
  std::size_t out = 0;
  for (const auto& wire : wires_) out += wire->in_flight();
  return out;
}

void PortLoop::poll(Time now) {
  counters_.note_poll(now);
  if (link_clock_.is_due(now)) check_links(now);
  for (std::size_t i = 0; i < devices_.size(); ++i) receive(now, (first_ + i) % devices_.size());
  first_ = (first_ + 1) % devices_.size();
  Switch& node = node_.node();
  while (node.next_deadline() <= now) node.advance(now);
  node_.give_back();
  for (std::size_t port = 0; port < wires_.size(); ++port) {
    wires_[port]->fill(now, [&](Packet& out) { return node_.transmit(now, PortId(port), out); });
    if (!wires_[port]->send_due(now)) ++counters_.device_full;
  }
  node.clear_ready();
}

void PortLoop::check_links(Time now) {
  bool changed = false;
  for (std::size_t port = 0; port < devices_.size(); ++port) {
    LinkState& link = links_[port];
    if (devices_[port]->is_up() == link.up) continue;
    changed = true;
    link.up = !link.up;
    if (!link.up) ++link.failures;
    link.lost_sent += wires_[port]->clear(now);
    node_.node().link(now, PortId(port), link.up);
  }
  if (changed && links_changed_) links_changed_();
}

void PortLoop::receive(Time now, std::size_t port) {
  const std::size_t count = devices_[port]->receive(burst_);
  if (!links_[port].up) {
    for (std::size_t i = 0; i < count; ++i) packets_.release(burst_[i]);
    links_[port].lost_received += count;
    return;
  }
  if (count > 0) node_.receive(now, PortId(port), std::span<const Packet>(burst_.data(), count));
}

}  // namespace weir
