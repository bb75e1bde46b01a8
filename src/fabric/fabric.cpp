// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "fabric/added_headers.h"
#include "fabric/exempt_turns.h"
#include "fabric/header_plan.h"
#include "fabric/hop_protocols.h"
#include "fabric/network_defaults.h"
#include "fabric/roles.h"
#include "policy/headroom.h"
#include "units/int128.h"

namespace weir {
namespace {

bool is_plain(const NetworkSettings& network, HostId host) {
  return std::find(network.plain_hosts.begin(), network.plain_hosts.end(), host) != network.plain_hosts.end();
}

/// Makes the policies of one switch.
SwitchPolicies make_policies(const SwitchSettings& settings) {
  SwitchPolicies policies;
  const PolicyChoice& forwarding = settings.forwarding;
  policies.forwarding = forwarding.scheme->forwarding(forwarding.parameters);
  policies.buffer = settings.buffer_policy.scheme->buffer(settings.buffer_policy.parameters);
  for (const PolicyChoice& choice : settings.flow_control) {
    if (choice.scheme->flow_control != nullptr) {
      policies.flow_control.push_back(choice.scheme->flow_control(choice.parameters));
    }
  }
  for (const PolicyChoice& choice : settings.congestion_point) {
    policies.congestion_point.push_back(choice.scheme->congestion_point(choice.parameters));
  }
  return policies;
}

/// Makes the policies of one NIC, whose switch is `edge`.
NicPolicies make_policies(const Settings& settings, SwitchId edge) {
  NicPolicies policies;
  const HostSettings& hosts = settings.hosts;
  if (hosts.transport.scheme != nullptr) {
    if (hosts.window.kind != WindowSettings::Kind::none) {
      throw std::invalid_argument("hosts have a window beside the transport \"" +
                                  std::string(hosts.transport.scheme->name) + "\", which would not obey it");
    }
    policies.transport = hosts.transport.scheme->transport(hosts.transport.parameters);
  } else {
    policies.congestion_control =
        hosts.congestion_control.scheme->congestion_control(hosts.congestion_control.parameters);
    policies.loss_recovery = hosts.loss_recovery.scheme->loss_recovery(hosts.loss_recovery.parameters);
  }
  const SwitchSettings at_edge = settings.switches_of(edge);
  if (const Scheme* forwarding = at_edge.forwarding.scheme; forwarding != nullptr && forwarding->nic_forwarding) {
    policies.forwarding = forwarding->nic_forwarding(at_edge.forwarding.parameters);
  }
  for (const PolicyChoice& choice : at_edge.flow_control) {
    if (choice.scheme->nic_flow_control != nullptr) {
      policies.flow_control.push_back(choice.scheme->nic_flow_control(choice.parameters));
    }
  }
  return policies;
}

/// The bytes that the schemes of a host, whose switch has settings `edge`, add to its frames: each scheme adds once,
/// whatever its roles.
NicHeaders headers_of_host(const Settings& settings, const SwitchSettings& edge) {
  NicHeaders out;
  std::set<const Scheme*> there;
  const auto add = [&](const PolicyChoice& choice) {
    if (!there.insert(choice.scheme).second) return;
    const HeaderBytes added = added_by_host(choice);
    out.data = static_cast<std::uint16_t>(out.data + added.at_source);
    out.acknowledgement = static_cast<std::uint16_t>(out.acknowledgement + added.acknowledgement);
    out.echoed |= added.echoed;
    if (!added.echoed) out.not_echoed = static_cast<std::uint16_t>(out.not_echoed + added.at_source);
  };
  for_each_host_role([&](const SchemeRole&, PolicyChoice HostSettings::*of) { add(settings.hosts.*of); });
  if (edge.forwarding.scheme != nullptr && edge.forwarding.scheme->nic_forwarding != nullptr) add(edge.forwarding);
  for (const PolicyChoice& choice : edge.flow_control) {
    if (choice.scheme->nic_flow_control != nullptr) add(choice);
  }
  return out;
}

std::int64_t saturated(Int128 value) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(std::clamp<Int128>(value, Limits::min(), Limits::max()));
}

/// Throws std::invalid_argument if the receive buffer of the host is too small, or not drained.
void give_receive_buffer(const Settings& settings, HostId host, NicConfig& config) {
  const ReceiveBuffer buffer = settings.receive_buffer_of(host);
  if (buffer.size == Bytes()) return;
  config.receive_buffer = buffer.size.count();
  config.drain_rate = buffer.drain_rate;
  config.receive_lossless = settings.switches_of(settings.network.topology.edge_of(host)).lossless;
  config.receive_headroom = receive_headroom(settings, host);
  const std::int64_t least = least_receive_buffer(config.receive_headroom, config.maximum_frame);
  if (config.receive_buffer >= least && buffer.drain_rate > BitRate()) return;
  throw std::invalid_argument("the receive buffer of host " + std::to_string(host.value) + " has " +
                              std::to_string(config.receive_buffer) + " B and a drain rate of " +
                              std::to_string(buffer.drain_rate.bits_per_second()) + " bit/s, expected at least " +
                              std::to_string(least) + " B and a rate above 0");
}

/// The turns of a switch that are among `turns`, by ingress and egress; empty if none.
std::vector<bool> turns_at(SwitchId id, std::size_t ports, const std::vector<Turn>& turns) {
  std::vector<bool> of_switch;
  for (const Turn& turn : turns) {
    if (turn.node != id) continue;
    of_switch.resize(ports * ports);
    of_switch[turn.ingress.index() * ports + turn.egress.index()] = true;
  }
  return of_switch;
}

}  // namespace

std::int64_t headroom_bytes(const HeadroomRule& rule, const Link& link, const Framing& framing,
                            std::int64_t maximum_frame, Duration pause_response) {
  switch (rule.kind) {
    case HeadroomRule::Kind::bytes:
      return rule.bytes.count();
    case HeadroomRule::Kind::rate_delay:
      return rate_delay_headroom(link.rate, link.delay, rule.factor).count();
    case HeadroomRule::Kind::computed:
      break;
  }
  return headroom_of({link.rate, link.delay, Bytes(maximum_frame), pause_response}, framing).total().count();
}

std::int64_t receive_headroom(const Settings& settings, HostId host) {
  const Topology& topology = settings.network.topology;
  const SwitchSettings edge = settings.switches_of(topology.edge_of(host));
  const bool any_lossless = std::find(edge.lossless.begin(), edge.lossless.end(), true) != edge.lossless.end();
  // As for a port of the switch, but once: a host pauses all lossless priorities at a time.
  if (!any_lossless || !protocols_of(edge, true).pfc || !protocols_of(edge, false).pfc) return 0;
  return headroom_bytes(edge.headroom, topology.link_at(topology.node_of(host), PortId(0)), settings.network.framing,
                        maximum_frame_bytes(settings), edge.pause_response);
}

std::int64_t maximum_frame_bytes(const Settings& settings) {
  return settings.network.framing.data(static_cast<std::uint32_t>(settings.hosts.payload)) +
         AddedHeaders(settings).most();
}

BufferPlan plan_buffer(const Settings& settings, SwitchId id) {
  const Topology& topology = settings.network.topology;
  const SwitchSettings switches = settings.switches_of(id);
  const std::int64_t largest_frame = maximum_frame_bytes(settings);
  Int128 reserves = 0;
  Int128 headrooms = 0;
  const NodeId node = topology.node_of(id);
  for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
    const std::int64_t headroom = headroom_bytes(switches.headroom, topology.link_at(node, PortId(port)),
                                                 settings.network.framing, largest_frame, switches.pause_response);
    for (const bool lossless : switches.lossless) {
      if (!lossless) continue;
      reserves += switches.reserve.count();
      headrooms += headroom;
    }
  }
  return {saturated(reserves), saturated(headrooms), saturated(switches.buffer.count() - reserves - headrooms)};
}

std::size_t frame_capacity(const Settings& settings) {
  if (settings.run.frame_capacity != RunSettings().frame_capacity) return settings.run.frame_capacity;
  constexpr std::int64_t kSmallestOnWire = 84;
  constexpr std::int64_t kLeast = std::int64_t{1} << 18;
  constexpr std::int64_t kMargin = 4;  // for frames in hosts, and zero-byte frames
  const Topology& topology = settings.network.topology;
  const Int128 most = settings.run.frame_capacity;
  Int128 bytes = 0;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const SwitchSettings switches = settings.switches_of(SwitchId(i));
    const std::size_t ports = topology.ports(topology.node_of(SwitchId(i))).size();
    bytes += switches.buffer.count() + static_cast<Int128>(ports) * switches.control_reserve.count();
  }
  for (std::size_t i = 0; i < topology.hosts(); ++i) bytes += settings.receive_buffer_of(HostId(i)).size.count();
  for (const Link& link : topology.links()) bytes += 2 * bytes_in(link.delay, link.rate).count();
  const Int128 frames = kMargin * (bytes / kSmallestOnWire);
  return static_cast<std::size_t>(std::min(most, std::max<Int128>(kLeast, frames)));
}

Fabric::Fabric(const Settings& settings, std::vector<std::uint32_t> partition_of_node)
    : topology_(settings.network.topology),
      weights_(settings.network.weights),
      partition_of_node_(std::move(partition_of_node)),
      headers_(plan_headers(settings.switches, settings.switch_groups, settings.hosts)),
      switch_of_node_(topology_.nodes().size(), nullptr),
      nic_of_node_(topology_.nodes().size(), nullptr),
      pause_response_(topology_.nodes().size()) {
  const std::uint32_t last = partition_of_node_.empty() ? 0 : std::ranges::max(partition_of_node_);
  const std::size_t frames = frame_capacity(settings);
  // If the number of frames is computed, it is that of the smallest frames, which have no long extension.
  constexpr std::size_t kShareOfLong = 8;
  const std::size_t of_long = frames == settings.run.frame_capacity ? frames : frames / kShareOfLong;
  for (std::uint32_t i = 0; i <= last; ++i) pools_.push_back(std::make_unique<FramePool>(frames, of_long));
  if (const auto& conflict = headers_.conflict()) {
    throw std::invalid_argument("the header fields of \"" + std::string(conflict->owner) + "\" and \"" +
                                std::string(conflict->other_owner) + "\" do not fit into one frame");
  }
  build_channels();
  const std::optional<Settings> settled = with_network_defaults(settings);
  build_switches(settled ? *settled : settings);
  build_nics(settled ? *settled : settings);
}

void Fabric::build_channels() {
  for (std::size_t node = 0; node < topology_.nodes().size(); ++node) {
    first_channel_.push_back(static_cast<std::uint32_t>(channels_.size()));
    const std::vector<PortEnd>& ports = topology_.ports(NodeId(node));
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const Link& link = topology_.link(ports[port].link);
      channels_.push_back({.from = NodeId(node),
                           .from_port = PortId(port),
                           .to = ports[port].peer,
                           .to_port = ports[port].peer_port,
                           .reverse = 0,
                           .link = ports[port].link,
                           .rate = link.rate,
                           .delay = link.delay,
                           .error_rate = link.error_rate});
    }
  }
  for (ChannelSpec& channel : channels_) channel.reverse = this->channel(channel.to, channel.to_port);
}

void Fabric::build_switches(const Settings& settings) {
  std::vector<SwitchPolicies> policies;
  std::vector<const Forwarding*> forwarding;
  std::vector<SwitchSettings> settings_of;
  for (std::size_t i = 0; i < topology_.switches(); ++i) {
    settings_of.push_back(settings.switches_of(SwitchId(i)));
    policies.push_back(make_policies(settings_of.back()));
    forwarding.push_back(policies.back().forwarding.get());
  }
  const std::vector<Turn> turns = cycle_breaking_turns(settings);
  std::vector<Routes> routes = compute_routes(topology_, {.failed_links = {}, .weights = weights_});
  paths_ = std::make_unique<PathTable>(topology_, routes, std::move(forwarding));
  std::vector<bool> slow;
  for (std::size_t i = 0; i < topology_.hosts(); ++i) {
    slow.push_back(settings.receive_buffer_of(HostId(i)).size > Bytes());
  }
  paths_->set_slow_hosts(std::move(slow));

  for (std::size_t i = 0; i < topology_.switches(); ++i) {
    const SwitchSettings& from = settings_of[i];
    const SwitchId id(i);
    const NodeId node = topology_.node_of(id);
    SwitchConfig config;
    config.id = id;
    config.tier = topology_.node(node).tier;
    config.hosts = topology_.hosts();
    config.framing = settings.network.framing;
    config.maximum_frame = maximum_frame_bytes(settings);
    config.seed = settings.run.seed;
    config.paths = paths_.get();
    config.headers = &headers_;
    config.keeps_statistics = settings.measurement.policies;
    config.breaks_cycle = turns_at(id, topology_.ports(node).size(), turns);
    config.buffer = from.buffer.count();
    config.control_reserve = from.control_reserve.count();
    config.pool_of_priority = from.pool_of_priority;
    config.lossless = from.lossless;
    config.level_of_priority = from.level_of_priority;
    config.discipline_of_priority = from.discipline_of_priority;
    config.watchdog = from.watchdog;
    const BufferPlan plan = plan_buffer(settings, id);
    if (plan.shared <= 0) {
      throw std::invalid_argument("switch " + topology_.node(node).name + ": headroom (" +
                                  std::to_string(plan.headroom) + " B) and reserve (" + std::to_string(plan.reserve) +
                                  " B) use up the buffer of " + std::to_string(config.buffer) + " B");
    }
    for (std::size_t pool = 0; pool < config.pools.size(); ++pool) {
      config.pools[pool] = static_cast<std::int64_t>(static_cast<double>(plan.shared) * from.pool_share[pool]);
    }
    for (std::size_t port = 0; port < topology_.ports(node).size(); ++port) {
      const Link& link = topology_.link_at(node, PortId(port));
      PortConfig config_of_port;
      config_of_port.rate = link.rate;
      config_of_port.delay = link.delay;
      config_of_port.peer = topology_.peer(node, PortId(port));
      Peer& peer = config_of_port.peer;
      const SwitchSettings& of_peer = peer.is_host() ? from : settings_of[peer.neighbour.index()];
      peer.protocols = protocols_of(of_peer, peer.is_host());
      peer.announced = announced_by(of_peer, peer.is_host());
      if (peer.is_host() && is_plain(settings.network, peer.host)) {
        peer.protocols.numbers.reset();
        peer.announced.clear();
      }
      for (std::size_t priority = 0; priority < kPriorities; ++priority) {
        if (!from.lossless[priority]) continue;
        config_of_port.reserve[priority] = from.reserve.count();
        config_of_port.headroom[priority] =
            headroom_bytes(from.headroom, link, settings.network.framing, config.maximum_frame, from.pause_response);
      }
      config.ports.push_back(config_of_port);
    }
    switches_.push_back(std::make_unique<Switch>(*pools_[partition_of(node)], config, std::move(policies[i])));
    switches_.back()->install(std::move(routes[i]));
    switch_of_node_[node.index()] = switches_.back().get();
    pause_response_[node.index()] = from.pause_response;
  }
}

void Fabric::build_nics(const Settings& settings) {
  for (std::size_t i = 0; i < topology_.hosts(); ++i) {
    const HostId host(i);
    const NodeId node = topology_.node_of(host);
    const Link& link = topology_.link_at(node, PortId(0));
    NicConfig config;
    config.host = host;
    config.hosts = topology_.hosts();
    config.rate = link.rate;
    config.delay = link.delay;
    config.framing = settings.network.framing;
    config.maximum_payload = settings.hosts.payload;
    config.added = headers_of_host(settings, settings.switches_of(topology_.edge_of(host)));
    config.maximum_frame = maximum_frame_bytes(settings);
    give_receive_buffer(settings, host, config);
    config.seed = settings.run.seed;
    config.paths = paths_.get();
    config.headers = &headers_;
    config.level_of_priority = settings.switches.level_of_priority;
    config.acknowledge_every = settings.hosts.acknowledge_every;
    config.acknowledge_priority = settings.hosts.acknowledge_priority;
    config.acknowledgements_ignore_pause = settings.hosts.acknowledgements_ignore_pause;
    config.notification_priority = settings.hosts.notification_priority;
    config.window_follows_rate = settings.hosts.window.kind == WindowSettings::Kind::variable;
    config.shortest_remaining_first = settings.hosts.shortest_remaining_first;
    config.measure_waits = settings.measurement.slowdown_split;
    nics_.push_back(
        std::make_unique<Nic>(*pools_[partition_of(node)], config, make_policies(settings, topology_.edge_of(host))));
    nic_of_node_[node.index()] = nics_.back().get();
  }
}

void Fabric::reroute(const std::vector<LinkId>& failed) {
  std::vector<Routes> routes = compute_routes(topology_, {.failed_links = failed, .weights = weights_});
  for (std::size_t i = 0; i < routes.size(); ++i) {
    paths_->set_routes(SwitchId(i), routes[i]);
    switches_[i]->install(std::move(routes[i]));
  }
}

std::size_t Fabric::frames_held() const {
  std::size_t held = 0;
  for (const auto& node : switches_) held += node->frames_held();
  for (const auto& nic : nics_) held += nic->frames_held();
  return held;
}

}  // namespace weir
