// SPDX-License-Identifier: Apache-2.0
#include "check/part_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "check/check_text.h"
#include "fabric/fabric.h"
#include "net/routing.h"

namespace weir {
namespace {

/// The part as a DeclaresNeeds, or nullptr.
template <class Part>
const DeclaresNeeds* needs_of(const std::unique_ptr<Part>& part) {
  return dynamic_cast<const DeclaresNeeds*>(part.get());
}

std::unique_ptr<Transport> transport_of(const HostSettings& hosts) {
  const PolicyChoice& choice = hosts.transport;
  if (choice.scheme == nullptr || choice.scheme->transport == nullptr) return nullptr;
  return choice.scheme->transport(choice.parameters);
}

/// The priorities that data have, and of these those that the scenario changes from the default, by traffic.
std::map<Priority, std::set<std::string>> priorities_by_traffic(const std::vector<TrafficEntry>& traffic,
                                                                std::uint64_t seed) {
  std::map<Priority, std::set<std::string>> out;
  for (const TrafficEntry& entry : traffic) {
    if (!entry.list) {
      out[entry.priority].insert(entry.name);
      continue;
    }
    for (const FlowSpec& flow : entry.list(seed)) out[flow.priority].insert(entry.name);
  }
  return out;
}

/// The forwardings of switches with several next hops to a host, each once.
std::vector<const Scheme*> choosing_forwardings(const Settings& settings) {
  const Topology& topology = settings.network.topology;
  const std::vector<Routes> routes = compute_routes(topology, {.failed_links = {}, .weights = {}});
  std::vector<const Scheme*> out;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const Scheme* forwarding = settings.switches_of(SwitchId(i)).forwarding.scheme;
    if (forwarding == nullptr || std::find(out.begin(), out.end(), forwarding) != out.end()) continue;
    for (std::size_t host = 0; host < topology.hosts(); ++host) {
      if (routes[i].to(HostId(host)).ports.size() < 2) continue;
      out.push_back(forwarding);
      break;
    }
  }
  return out;
}

/// Switches that have the same of everything that a part may ask for.
struct AlikeSwitches {
  SwitchSettings settings;
  SwitchView view;
  std::vector<SwitchId> switches;
  std::size_t ports = 0;
  Bytes shared;
  std::optional<Bytes> egress_limit;
};

std::optional<Bytes> egress_limit_of(const PolicyChoice& buffer_policy) {
  if (buffer_policy.scheme == nullptr || buffer_policy.scheme->buffer == nullptr) return std::nullopt;
  const std::unique_ptr<BufferPolicy> part = buffer_policy.scheme->buffer(buffer_policy.parameters);
  const DeclaresNeeds* needs = needs_of(part);
  return needs == nullptr ? std::nullopt : needs->fixed_egress_limit();
}

std::vector<AlikeSwitches> alike_switches(const Settings& settings) {
  const Topology& topology = settings.network.topology;
  std::map<std::tuple<const SwitchGroup*, std::size_t, std::int64_t>, AlikeSwitches> kinds;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const SwitchId id(i);
    const std::size_t ports = topology.ports(topology.node_of(id)).size();
    const std::int64_t shared = plan_buffer(settings, id).shared;
    AlikeSwitches& kind = kinds[{settings.group_of(id), ports, shared}];
    if (kind.switches.empty()) {
      kind.settings = settings.switches_of(id);
      kind.view.lossless = kind.settings.lossless;
      kind.view.level_of_priority = kind.settings.level_of_priority;
      kind.ports = ports;
      kind.shared = Bytes(shared);
      kind.egress_limit = egress_limit_of(kind.settings.buffer_policy);
    }
    kind.switches.push_back(id);
  }
  std::vector<AlikeSwitches> out;
  for (auto& [key, kind] : kinds) out.push_back(std::move(kind));
  return out;
}

class Statements {
 public:
  void add(const Scheme& scheme, const DeclaresNeeds& part, const PartPlace& place) {
    for (const std::string& line : part.warnings(place)) add(out.warnings, scheme, line);
    for (const std::string& line : part.notes(place)) add(out.notes, scheme, line);
  }
  static void add(std::vector<std::string>& to, const Scheme& scheme, const std::string& text) {
    std::string line = fmt::format("{}: {}", scheme.name, text);
    if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(std::move(line));
  }
  PartStatements out;
};

/// Warns of priorities of the traffic that a transport replaces by its own.
void warn_of_priorities(const Scheme& scheme, const std::map<Priority, std::set<std::string>>& priorities,
                        Statements& statements) {
  const Priority usual = TrafficEntry().priority;
  for (const auto& [priority, names] : priorities) {
    if (priority == usual) continue;
    for (const std::string& name : names) {
      const std::string key = name.starts_with("traffic.") ? name : "traffic." + name;
      Statements::add(statements.out.warnings, scheme,
                      fmt::format("priority {} of {} has no effect: the transport gives packets priorities of its own; "
                                  "expected no priority there",
                                  priority, key));
    }
  }
}

}  // namespace

std::optional<ControlCost> control_cost(const HostSettings& hosts, const Framing& framing) {
  const std::unique_ptr<Transport> transport = transport_of(hosts);
  const DeclaresNeeds* needs = needs_of(transport);
  if (needs == nullptr || !needs->has_control_cost()) return std::nullopt;
  return needs->control_cost(framing, hosts.payload);
}

PartStatements statements_of_parts(const Settings& settings, const std::vector<TrafficEntry>& traffic) {
  const std::unique_ptr<Transport> transport = transport_of(settings.hosts);
  const DeclaresNeeds* host_part = needs_of(transport);
  struct SwitchPart {
    const Scheme* scheme;
    std::unique_ptr<FlowControl> part;
    SwitchSpace space;
  };
  const std::vector<AlikeSwitches> kinds = alike_switches(settings);
  std::vector<SwitchPart> switch_parts;
  for (const AlikeSwitches& kind : kinds) {
    for (const PolicyChoice& choice : kind.settings.flow_control) {
      if (choice.scheme == nullptr || choice.scheme->flow_control == nullptr) continue;
      std::unique_ptr<FlowControl> part = choice.scheme->flow_control(choice.parameters);
      if (needs_of(part) == nullptr) continue;
      const std::string name = switches_name(settings.network.topology, kind.switches);
      switch_parts.push_back(
          {choice.scheme, std::move(part), {name, kind.ports, kind.shared, kind.egress_limit, &kind.view}});
    }
  }
  if (host_part == nullptr && switch_parts.empty()) return {};
  const auto priorities = priorities_by_traffic(traffic, settings.run.seed);
  PartPlace place;
  place.framing = settings.network.framing;
  place.payload = settings.hosts.payload;
  place.maximum_frame = maximum_frame_bytes(settings);
  for (const auto& [priority, names] : priorities) place.offered.insert(priority);
  place.forwardings = choosing_forwardings(settings);
  Statements statements;
  if (host_part != nullptr) {
    const Scheme& scheme = *settings.hosts.transport.scheme;
    statements.add(scheme, *host_part, place);
    if (host_part->chooses_priorities()) warn_of_priorities(scheme, priorities, statements);
  }
  for (const SwitchPart& one : switch_parts) {
    place.of_switches = std::span(&one.space, 1);
    statements.add(*one.scheme, *needs_of(one.part), place);
  }
  return std::move(statements.out);
}

}  // namespace weir
