// SPDX-License-Identifier: Apache-2.0
#include "apps/real_run.h"

#include <chrono>
#include <utility>

#include "fabric/hop_protocols.h"
#include "scenario/real_common.h"

namespace weir::apps {
namespace {

Settings settings_of(const RealSwitch& real) {
  Settings settings = real.settings;
  settings.run.frame_capacity = real.packets + kControlPackets;
  const Topology& topology = settings.network.topology;
  for (std::size_t port = 0; port < real.ports.size(); ++port) {
    const Node& peer = topology.node(topology.ports(topology.node_of(real.id))[port].peer);
    if (!real.ports[port].speaks_schemes) settings.network.plain_hosts.push_back(peer.host);
  }
  return settings;
}

}  // namespace

RealNodes::RealNodes(const RealSwitch& real)
    : id_(real.id), fabric_(std::make_unique<Fabric>(settings_of(real))), neighbours_(fabric_->topology().hosts()) {
  const Topology& topology = fabric_->topology();
  const NodeId node = topology.node_of(id_);
  name_ = topology.node(node).name;
  const HostControlProtocols to_hosts = host_control_of(real.settings);
  for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
    const Link& link = topology.link_at(node, PortId(port));
    links_.push_back({nullptr, link.rate, link.delay});
    const Node& peer = topology.node(topology.ports(node)[port].peer);
    peers_.push_back(peer.name);
    rules_.push_back({peer.is_host() ? to_hosts.from_hosts : to_hosts.all, real.ports[port].pausable,
                      real.ports[port].speaks_schemes});
  }
  for (const auto& [host, mac] : real.neighbours) neighbours_.set_mac(host, mac);
}

std::size_t longest_frame(const Settings& settings) {
  return longest_packet(settings);
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weir::apps
