// SPDX-License-Identifier: Apache-2.0
// Hosts in memory whose NICs are joined by a switch: hosts, NICs and switch exchange bytes, with a virtual clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ports/nic_loop.h"
#include "ports/packet_nic.h"
#include "ports/port_loop.h"
#include "ports/testing/memory_ports.h"
#include "ports/testing/packets.h"
#include "whole_network.h"

namespace weir::whole {

/// One end of a cable.
class CablePort final : public PacketPort {
 public:
  explicit CablePort(testing::MemoryPool& pool) : pool_(pool) {}
  ~CablePort() override {
    for (const Packet& packet : arriving_) pool_.release(packet);
  }
  void plug(CablePort& other) {
    other_ = &other;
    other.other_ = this;
  }
  std::size_t receive(std::span<Packet> out) override {
    const std::size_t count = std::min(out.size(), arriving_.size());
    std::copy_n(arriving_.begin(), count, out.begin());
    arriving_.erase(arriving_.begin(), arriving_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  std::size_t send(std::span<const Packet> packets) override {
    other_->arriving_.insert(other_->arriving_.end(), packets.begin(), packets.end());
    return packets.size();
  }

 private:
  testing::MemoryPool& pool_;
  CablePort* other_ = nullptr;
  std::deque<Packet> arriving_;
};

/// The nodes of a network with one switch. The switch has the frames of the first partition, each NIC those of its own.
class NicPath {
 public:
  static constexpr Duration kPeriod = Duration::picoseconds(1'000'000);

  explicit NicPath(const Settings& settings, const ForeignTraffic& foreign = {.has_host = true})
      : neighbours(settings.network.topology.hosts()) {
    std::vector<std::uint32_t> partitions(settings.network.topology.nodes().size(), 0);
    const std::size_t hosts = settings.network.topology.hosts();
    for (std::size_t i = 0; i < hosts; ++i) {
      partitions[settings.network.topology.node_of(HostId(i)).index()] = static_cast<std::uint32_t>(i + 1);
    }
    fabric = std::make_unique<Fabric>(settings, partitions);
    const Topology& topology = fabric->topology();
    const std::uint32_t overhead = settings.network.framing.wire_overhead;
    std::vector<LoopPort> links;
    std::vector<PortAddresses> addresses;
    for (std::size_t i = 0; i < hosts; ++i) {
      const NodeId at = topology.node_of(HostId(i));
      const Link& link = topology.link_at(at, PortId(0));
      cables.push_back(std::make_unique<CablePort>(packets));
      at_switch.push_back(std::make_unique<CablePort>(packets));
      cables.back()->plug(*at_switch.back());
      links.push_back({at_switch.back().get(), link.rate, link.delay});
      addresses.push_back({MacAddress{{2, 0, 0, 0, 1, static_cast<std::uint8_t>(i)}}, std::nullopt});
      host.push_back(std::make_unique<testing::MemoryPort>(packets));
      nic.push_back(std::make_unique<PacketNic>(fabric->nic(HostId(i)),
                                                fabric->frames_of_partition(fabric->partition_of(at)), packets,
                                                neighbours, addresses.back().own, foreign));
      loops.push_back(std::make_unique<NicLoop>(
          *nic.back(), packets, NicPorts{cables.back().get(), host.back().get(), link.rate, link.delay}, overhead,
          [this](Nic& of) { settle ? settle(of) : of.clear_completions(); }));
    }
    node = std::make_unique<PacketSwitch>(fabric->switch_by(SwitchId(0)), fabric->frames(), packets, neighbours,
                                          addresses);
    loop = std::make_unique<PortLoop>(*node, packets, links, overhead);
  }

  void poll() {
    for (const auto& each : loops) each->poll(now);
    loop->poll(now);
    now += kPeriod;
  }
  void run(Duration length) {
    for (const Time end = now + length; now < end;) poll();
  }

  std::function<void(Nic&)> settle;  ///< handles and clears completions
  Time now;
  testing::MemoryPool packets{200'000};
  Neighbours neighbours;
  std::unique_ptr<Fabric> fabric;
  std::vector<std::unique_ptr<CablePort>> cables;
  std::vector<std::unique_ptr<CablePort>> at_switch;
  std::vector<std::unique_ptr<testing::MemoryPort>> host;
  std::vector<std::unique_ptr<PacketNic>> nic;
  std::vector<std::unique_ptr<NicLoop>> loops;
  std::unique_ptr<PacketSwitch> node;
  std::unique_ptr<PortLoop> loop;
};

}  // namespace weir::whole
