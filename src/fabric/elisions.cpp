#include "fabric/elisions.h"

#include <set>

#include "fabric/failure_states.h"
#include "net/routing.h"

namespace weir {
namespace {

bool asks_for_list(const Settings& settings) {
  for (const SwitchSettings& kind : settings.switch_kinds()) {
    for (const PolicyChoice& choice : kind.flow_control) {
      if (choice.scheme == nullptr || choice.scheme->spares == nullptr) continue;
      if (choice.scheme->spares(choice.parameters) == Spared::listed) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Elision> listed_elisions(const Settings& settings) {
  if (!asks_for_list(settings)) return {};
  const Topology& topology = settings.network.topology;
  std::vector<std::vector<Routes>> routes;
  std::set<std::vector<LinkId>> known;
  for (const FailureState& state : failure_states(settings.network, Time::never())) {
    if (!known.insert(state.failed).second) continue;
    routes.push_back(compute_routes(topology, {.failed_links = state.failed, .weights = settings.network.weights}));
  }
  return elide_cycles(backpressure_edges(topology, routes));
}

}  // namespace weir
