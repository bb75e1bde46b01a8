// SPDX-License-Identifier: Apache-2.0
#include "fabric/network_defaults.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "fabric/added_headers.h"
#include "fabric/fabric.h"
#include "fabric/roles.h"
#include "net/alike_racks.h"
#include "net/path_metrics.h"
#include "net/routing.h"

namespace weir {
namespace {

/// Rounded to the nearest integer. A product of doubles and llround() are the same on all platforms.
std::int64_t times(std::int64_t figure, double factor) {
  return factor == 1 ? figure : std::llround(static_cast<double>(figure) * factor);
}

/// Calls visit(choice) for each scheme in a role, including those of groups.
template <class AnySettings, class Visit>
void visit_choices(AnySettings& settings, const Visit& visit) {
  const auto visit_all = [&visit](auto& chosen) {
    if constexpr (requires { chosen.scheme; }) {
      visit(chosen);
    } else {
      for (auto& choice : chosen) visit(choice);
    }
  };
  for_each_switch_role([&](const SchemeRole&, auto SwitchSettings::*chosen, auto SwitchGroup::*own) {
    visit_all(settings.switches.*chosen);
    for (auto& group : settings.switch_groups) {
      if (group.*own) visit_all(*(group.*own));
    }
  });
  for_each_host_role([&](const SchemeRole&, PolicyChoice HostSettings::*chosen) { visit_all(settings.hosts.*chosen); });
}

}  // namespace

RoundTrips round_trips(const Settings& settings, const std::vector<LinkId>& failed) {
  const Topology& topology = settings.network.topology;
  const Framing& framing = settings.network.framing;
  const AddedHeaders headers(settings);
  const RoundTripFrames frames = {
      Bytes(maximum_frame_bytes(settings) + framing.wire_overhead),
      Bytes(framing.acknowledge(headers.longest_acknowledgement()) + framing.wire_overhead)};
  // Repeated racks have the same extremes and can be left out; but failed links and weights refer to numbers in the
  // complete network.
  const bool whole = !failed.empty() || !settings.network.weights.empty();
  const Topology part = whole ? Topology() : without_repeated_racks(topology);
  const Topology& of = whole ? topology : part;
  const std::vector<Routes> routes = compute_routes(of, {.failed_links = failed, .weights = settings.network.weights});
  const PathMetrics metrics(of, routes, frames);
  return {.shortest = metrics.shortest_round_trip(),
          .longest = metrics.longest_round_trip(),
          .bandwidth_delay_product = metrics.largest_bandwidth_delay_product()};
}

const RoundTrips& NetworkFigures::of_round_trips() {
  if (!round_trips_) round_trips_ = round_trips(settings_, {});
  return *round_trips_;
}

std::vector<BitRate> NetworkFigures::host_rates() const {
  const Topology& topology = settings_.network.topology;
  std::vector<BitRate> out;
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    out.push_back(topology.link_at(topology.node_of(HostId(host)), PortId(0)).rate);
  }
  return out;
}

ParameterValue NetworkFigures::value_of(const ParameterSpec& spec) {
  if (settings_.network.topology.hosts() == 0) return spec.default_value;
  const double factor = spec.from_network.factor;
  const auto rate = [&](BitRate of) { return BitRate(times(of.bits_per_second(), factor)); };
  switch (spec.from_network.figure) {
    case NetworkFigure::round_trip:
      return Duration::picoseconds(times(of_round_trips().longest.picoseconds(), factor));
    case NetworkFigure::bandwidth_delay_product:
      return Bytes(times(of_round_trips().bandwidth_delay_product.count(), factor));
    case NetworkFigure::lowest_host_rate:
      return rate(std::ranges::min(host_rates()));
    case NetworkFigure::highest_host_rate:
      return rate(std::ranges::max(host_rates()));
    case NetworkFigure::none:
      break;
  }
  return spec.default_value;
}

std::optional<Settings> with_network_defaults(const Settings& settings) {
  bool any = false;
  visit_choices(settings, [&any](const PolicyChoice& choice) { any |= !choice.parameters.of_network().empty(); });
  if (!any) return std::nullopt;
  NetworkFigures figures(settings);
  Settings out = settings;
  visit_choices(out, [&figures](PolicyChoice& choice) {
    if (choice.parameters.of_network().empty()) return;
    for (const ParameterSpec& spec : choice.scheme->parameters) {
      if (std::ranges::count(choice.parameters.of_network(), spec.name) == 0) continue;
      const ParameterValue value = figures.value_of(spec);
      if (!is_in_range(spec, value)) {
        throw std::invalid_argument(
            "parameter \"" + std::string(spec.name) + "\" of \"" + std::string(choice.scheme->name) +
            "\": the value computed from the network is out of range, expected an explicit value");
      }
      choice.parameters.set_default(spec.name, value);
    }
  });
  return out;
}

}  // namespace weir
