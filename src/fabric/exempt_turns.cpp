// SPDX-License-Identifier: Apache-2.0
#include "fabric/exempt_turns.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fabric/failure_states.h"
#include "fabric/hop_protocols.h"
#include "net/routing.h"
#include "policy/path_view.h"
#include "policy/pausing.h"

namespace weir {
namespace {

/// The turns on which one switch applies backpressure to another.
enum class Held : std::uint8_t {
  never,
  but_breaking,  // on all turns except those that are chosen to break cycles
  but_down_up,   // on all except those from a downward to an upward link
  always
};

/// The backpressure between all pairs of switches.
class Holders {
 public:
  explicit Holders(const Settings& settings) {
    for (std::size_t i = 0; i < settings.network.topology.switches(); ++i) {
      switches_.push_back(pausing(settings.switches_of(SwitchId(i))));
    }
  }

  /// The turns on which `at` applies any backpressure to its neighbour `upstream`.
  [[nodiscard]] Held held(SwitchId at, SwitchId upstream) const {
    const bool priorities = switches_[at.index()].priorities && switches_[upstream.index()].protocols.pfc;
    return priorities ? Held::always : held_by_name(at, upstream);
  }

  /// The same without PFC, which exempts no turns and for which none are chosen.
  [[nodiscard]] Held held_by_name(SwitchId at, SwitchId upstream) const {
    const HopProtocols& obeyed = switches_[upstream.index()].protocols;
    Held held = Held::never;
    for (const auto& [protocol, of_protocol] : switches_[at.index()].names) {
      if (!obeyed.has(protocol) || held == of_protocol) continue;
      // Two protocols that exempt different turns exempt only the turns common to both; these are assumed to be none.
      held = held == Held::never ? of_protocol : Held::always;
    }
    return held;
  }

 private:
  struct Pausing {
    HopProtocols protocols = HopProtocols::none();
    bool priorities = false;  // by PFC
    std::vector<std::pair<std::uint8_t, Held>> names;
  };

  static Pausing pausing(const SwitchSettings& settings) {
    Pausing out;
    out.protocols = protocols_of(settings, false);
    const auto& lossless = settings.lossless;
    out.priorities = out.protocols.pfc && std::find(lossless.begin(), lossless.end(), true) != lossless.end();
    for (const PolicyChoice& choice : settings.flow_control) {
      if (choice.scheme == nullptr || !pauses(*choice.scheme) || choice.scheme->traits.protocol == 0) continue;
      out.names.emplace_back(choice.scheme->traits.protocol, held_by(choice));
    }
    return out;
  }

  static Held held_by(const PolicyChoice& choice) {
    if (choice.scheme->exempt_turns == nullptr) return Held::always;
    switch (choice.scheme->exempt_turns(choice.parameters)) {
      case ExemptTurns::down_up:
        return Held::but_down_up;
      case ExemptTurns::cycle_breaking:
        return Held::but_breaking;
      case ExemptTurns::none:
        break;
    }
    return Held::always;
  }

  std::vector<Pausing> switches_;
};

bool is_down_up(const Topology& topology, SwitchId at, PortId ingress, PortId egress) {
  const NodeId node = topology.node_of(at);
  return is_down_up_turn(topology.peer(node, ingress), topology.peer(node, egress));
}

bool asks_for_breaking(const Settings& settings) {
  for (const SwitchSettings& kind : settings.switch_kinds()) {
    for (const PolicyChoice& choice : kind.flow_control) {
      if (choice.scheme == nullptr || choice.scheme->exempt_turns == nullptr) continue;
      if (choice.scheme->exempt_turns(choice.parameters) == ExemptTurns::cycle_breaking) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Turn> cycle_breaking_turns(const Settings& settings) {
  if (!asks_for_breaking(settings)) return {};
  const Topology& topology = settings.network.topology;
  std::vector<std::vector<Routes>> routes;
  std::set<std::vector<LinkId>> known;
  for (const FailureState& state : failure_states(settings.network, Time::never())) {
    if (!known.insert(state.failed).second) continue;
    routes.push_back(compute_routes(topology, {.failed_links = state.failed, .weights = settings.network.weights}));
  }
  const Holders holders(settings);
  std::vector<BackpressureEdge> edges = backpressure_edges(topology, routes);
  std::erase_if(edges, [&](const BackpressureEdge& edge) {
    const Held held = holders.held_by_name(edge.from.node, edge.to.node);
    return held == Held::never ||
           (held == Held::but_down_up && is_down_up(topology, edge.from.node, edge.ingress, edge.from.port));
  });
  return break_cycles(edges, [&](const BackpressureEdge& edge) {
    if (holders.held_by_name(edge.from.node, edge.to.node) != Held::but_breaking) return Exempting::never;
    return is_down_up(topology, edge.from.node, edge.ingress, edge.from.port) ? Exempting::rather
                                                                              : Exempting::if_need_be;
  });
}

std::optional<std::vector<Turn>> exempt_turns(const Settings& settings, const std::vector<Turn>& breaking) {
  const Topology& topology = settings.network.topology;
  const Holders holders(settings);
  std::vector<Turn> exempt;
  bool any = false;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const SwitchId at(i);
    const NodeId node = topology.node_of(at);
    const std::size_t ports = topology.ports(node).size();
    for (std::size_t ingress = 0; ingress < ports; ++ingress) {
      const SwitchId upstream = topology.node(topology.port(node, PortId(ingress)).peer).switch_id;
      if (!upstream.exists()) continue;  // a host waits for nothing
      const Held held = holders.held(at, upstream);
      any = any || held != Held::never;
      for (std::size_t egress = 0; egress < ports && held != Held::always; ++egress) {
        const Turn turn = {at, PortId(ingress), PortId(egress)};
        if (held == Held::never || (held == Held::but_down_up && is_down_up(topology, at, turn.ingress, turn.egress)) ||
            (held == Held::but_breaking && std::binary_search(breaking.begin(), breaking.end(), turn))) {
          exempt.push_back(turn);
        }
      }
    }
  }
  if (!any) return std::nullopt;
  return exempt;
}

}  // namespace weir
