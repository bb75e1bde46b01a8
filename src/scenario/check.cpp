#include "scenario/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "fabric/fabric.h"
#include "net/offered_load.h"
#include "net/path_metrics.h"
#include "net/routing.h"
#include "policy/headroom.h"
#include "results/summary.h"
#include "results/table.h"
#include "results/text.h"
#include "scenario/quantity.h"

namespace weir {
namespace {

/// Loads above this are overloads; what lies between is rounding.
constexpr double kOverload = 1 + 1e-9;

/// Bits on the wire for each bit of payload in full packets.
double wire_per_payload(const Settings& settings) {
  const Framing& framing = settings.network.framing;
  const double wire = framing.data(static_cast<std::uint32_t>(settings.hosts.payload)) + framing.wire_overhead;
  return wire / static_cast<double>(settings.hosts.payload);
}

std::vector<Routes> routes_of(const Settings& settings) {
  return compute_routes(settings.network.topology, {.failed_links = {}, .weights = settings.network.weights});
}

void check_round_trips(const Settings& settings, std::span<const Routes> routes, CheckedVariant& out) {
  const Topology& topology = settings.network.topology;
  const Framing& framing = settings.network.framing;
  const RoundTripFrames frames = {Bytes(maximum_frame_bytes(settings) + framing.wire_overhead),
                                  Bytes(framing.ack + framing.wire_overhead)};
  const PathMetrics metrics(topology, routes, frames);
  out.longest_round_trip = metrics.longest_round_trip();
  out.bandwidth_delay_product = metrics.largest_bandwidth_delay_product();
  out.shortest_round_trip = out.longest_round_trip;
  // A host's nearest peers are on its own switch or, where it is alone there, anywhere.
  for (std::size_t source = 0; source < topology.hosts(); ++source) {
    for (std::size_t destination = 0; destination < topology.hosts(); ++destination) {
      const auto path = metrics.between(HostId(source), HostId(destination));
      if (path) out.shortest_round_trip = std::min(out.shortest_round_trip, path->shortest);
    }
  }
}

std::string named(const Topology& topology, const std::vector<SwitchId>& switches) {
  const std::string& first = topology.node(topology.node_of(switches.front())).name;
  if (switches.size() == 1) return first;
  return fmt::format("{} switches like {}", switches.size(), first);
}

void check_buffers(const Settings& settings, CheckedVariant& out) {
  const Topology& topology = settings.network.topology;
  std::map<std::tuple<int, std::size_t, std::int64_t>, CheckedSwitches> alike;
  std::map<std::pair<BitRate, Duration>, CheckedHeadroom> ports_alike;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const SwitchId id(i);
    const NodeId node = topology.node_of(id);
    const BufferPlan plan = plan_buffer(settings, id);
    const std::size_t ports = topology.ports(node).size();
    CheckedSwitches& group = alike[{topology.node(node).tier, ports, plan.headroom}];
    group.switches.push_back(id);
    group.tier = topology.node(node).tier;
    group.ports = ports;
    group.buffer = settings.switches.buffer;
    group.reserve = Bytes(plan.reserve);
    group.headroom = Bytes(plan.headroom);
    group.shared = Bytes(plan.shared);
    for (std::size_t port = 0; port < ports; ++port) {
      const Link& link = topology.link_at(node, PortId(port));
      CheckedHeadroom& headroom = ports_alike[{link.rate, link.delay}];
      headroom.rate = link.rate;
      headroom.delay = link.delay;
      ++headroom.ports;
      headroom.headroom = Bytes(headroom_bytes(settings.switches.headroom, link, settings.network.framing,
                                               maximum_frame_bytes(settings), settings.switches.pause_response));
    }
  }
  for (auto& [key, group] : alike) {
    if (group.shared <= Bytes()) {
      out.errors.push_back(fmt::format(
          "{}: headroom ({}) and reserve ({}) of {} ports leave nothing of the buffer of {}, expected a larger buffer, "
          "fewer lossless priorities or less headroom",
          named(topology, group.switches), to_text(group.headroom), to_text(group.reserve), group.ports,
          to_text(group.buffer)));
    }
    out.switches.push_back(std::move(group));
  }
  const bool any_lossless = std::any_of(settings.switches.lossless.begin(), settings.switches.lossless.end(),
                                        [](bool lossless) { return lossless; });
  if (!any_lossless) return;
  for (auto& [key, headroom] : ports_alike) out.headroom.push_back(headroom);
}

/// The directions of all links, numbered by node and port.
class Directions {
 public:
  explicit Directions(const Topology& topology) {
    std::size_t next = 0;
    for (std::size_t node = 0; node < topology.nodes().size(); ++node) {
      first_.push_back(next);
      next += topology.ports(NodeId(node)).size();
    }
    size_ = next;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t at(NodeId node, PortId port) const { return first_[node.index()] + port.index(); }

 private:
  std::vector<std::size_t> first_;
  std::size_t size_ = 0;
};

/// What one source offers to each direction, as fractions of the links' rates.
std::vector<double> fractions_of(const TrafficEntry& entry, const Settings& settings, std::span<const Routes> routes,
                                 const Directions& directions) {
  const Topology& topology = settings.network.topology;
  const double scale = wire_per_payload(settings);
  std::vector<Demand> demands;
  entry.make(settings.run.seed)->offered([&](HostId source, HostId destination, double payload_rate) {
    demands.push_back({source, destination, payload_rate * scale});
  });
  std::vector<double> fractions(directions.size(), 0.0);
  for (const LinkLoad& load : offered_load(topology, routes, demands).links) {
    fractions[directions.at(load.from, load.port)] = load.fraction;
  }
  return fractions;
}

bool active_at(const TrafficEntry& entry, Time t) {
  return entry.start <= t && t < entry.stop;
}

void check_load(const Settings& settings, const std::vector<TrafficEntry>& traffic, std::span<const Routes> routes,
                CheckedVariant& out) {
  const Topology& topology = settings.network.topology;
  const Directions directions(topology);
  std::vector<std::vector<double>> by_entry;
  for (const TrafficEntry& entry : traffic) by_entry.push_back(fractions_of(entry, settings, routes, directions));

  out.links.resize(directions.size());
  for (std::size_t node = 0; node < topology.nodes().size(); ++node) {
    for (std::size_t port = 0; port < topology.ports(NodeId(node)).size(); ++port) {
      CheckedLink& link = out.links[directions.at(NodeId(node), PortId(port))];
      link.from = NodeId(node);
      link.port = PortId(port);
    }
  }
  // The offered load rises only where a source starts.
  for (const TrafficEntry& starting : traffic) {
    for (std::size_t i = 0; i < directions.size(); ++i) {
      double fraction = 0;
      for (std::size_t e = 0; e < traffic.size(); ++e) {
        if (active_at(traffic[e], starting.start)) fraction += by_entry[e][i];
      }
      CheckedLink& link = out.links[i];
      if (fraction <= link.fraction) continue;
      link.fraction = fraction;
      link.at = starting.start;
      link.sources.clear();
      link.intended = false;
      for (std::size_t e = 0; e < traffic.size(); ++e) {
        if (!active_at(traffic[e], starting.start) || by_entry[e][i] <= 0) continue;
        link.sources.push_back(traffic[e].name);
        link.intended = link.intended || traffic[e].overload_intended;
      }
    }
  }
  std::stable_sort(out.links.begin(), out.links.end(),
                   [](const CheckedLink& a, const CheckedLink& b) { return a.fraction > b.fraction; });
}

std::string direction(const Topology& topology, const CheckedLink& link) {
  const Node& to = topology.node(topology.port(link.from, link.port).peer);
  return fmt::format("{} -> {}", topology.node(link.from).name, to.name);
}

void refuse_overloads(const Topology& topology, CheckedVariant& out) {
  std::size_t overloaded = 0;
  constexpr std::size_t kShown = 5;
  for (const CheckedLink& link : out.links) {
    if (link.fraction <= kOverload || link.intended) continue;
    if (++overloaded > kShown) continue;
    out.errors.push_back(fmt::format(
        "link {}: is offered {:.3f} of its rate from {} on, by {}; expected at most 1, or overload = \"intended\"",
        direction(topology, link), link.fraction, to_text(link.at.since_start()), fmt::join(link.sources, " and ")));
  }
  if (overloaded > kShown) {
    out.errors.push_back(fmt::format("and {} more links are offered more than their rate", overloaded - kShown));
  }
}

std::string headroom_terms(const Settings& settings, const CheckedHeadroom& ports) {
  if (settings.switches.headroom.kind != HeadroomRule::Kind::computed) return {};
  const Headroom h =
      headroom_of({ports.rate, ports.delay, Bytes(maximum_frame_bytes(settings)), settings.switches.pause_response},
                  settings.network.framing);
  return fmt::format(
      "    = {} crossing + {} own frame + {} PFC frame + {} in flight + {} response + {} neighbour's frame\n",
      h.crossing_frame.count(), h.own_frame.count(), h.pause_frame.count(), h.in_flight.count(), h.response.count(),
      h.neighbour_frame.count());
}

std::string buffers_text(const CheckedVariant& checked, const Settings& settings) {
  const Topology& topology = settings.network.topology;
  Table table({{"", "switches", "", Column::Align::left},
               {"", "ports", "", Column::Align::right},
               {"", "buffer", "MB", Column::Align::right},
               {"", "headroom", "MB", Column::Align::right},
               {"", "reserve", "MB", Column::Align::right},
               {"", "shared", "MB", Column::Align::right}});
  for (const CheckedSwitches& group : checked.switches) {
    table.add_row({named(topology, group.switches), fmt::format("{}", group.ports),
                   format_megabytes(group.buffer.count()), format_megabytes(group.headroom.count()),
                   format_megabytes(group.reserve.count()),
                   group.shared > Bytes() ? format_megabytes(group.shared.count()) : "none"});
  }
  std::string out = table.format(0);
  for (const CheckedHeadroom& ports : checked.headroom) {
    out += fmt::format("headroom of a port of {} and {}: {} for each lossless priority\n{}", to_text(ports.rate),
                       to_text(ports.delay), to_text(ports.headroom), headroom_terms(settings, ports));
  }
  return out;
}

std::string sources_of(const CheckedLink& link) {
  const char* verdict = link.fraction <= kOverload ? "" : link.intended ? " (overload intended)" : " (overload)";
  return fmt::format("{}{}", fmt::join(link.sources, ", "), verdict);
}

/// Every direction that is offered anything.
std::string all_loads_text(const CheckedVariant& checked, const Topology& topology) {
  Table table({{"", "link", "", Column::Align::left},
               {"", "offered", "of rate", Column::Align::right},
               {"", "from", "", Column::Align::right},
               {"", "by", "", Column::Align::left}});
  for (const CheckedLink& link : checked.links) {
    if (link.fraction <= 0) continue;
    table.add_row({direction(topology, link), fmt::format("{:.3f}", link.fraction), to_text(link.at.since_start()),
                   sources_of(link)});
  }
  return table.format(0);
}

/// A row for all links from one tier to another, and the highest of them.
std::string loads_by_tier_text(const CheckedVariant& checked, const Topology& topology) {
  struct Tiers {
    std::size_t links = 0;
    double sum = 0;
    const CheckedLink* highest = nullptr;
  };
  int top = 0;
  for (const Node& node : topology.nodes()) top = std::max(top, node.tier);
  std::map<std::pair<int, int>, Tiers> by_tiers;
  for (const CheckedLink& link : checked.links) {
    const int to = topology.node(topology.port(link.from, link.port).peer).tier;
    Tiers& tiers = by_tiers[{topology.node(link.from).tier, to}];
    ++tiers.links;
    tiers.sum += link.fraction;
    // They come with the highest first.
    if (tiers.highest == nullptr) tiers.highest = &link;
  }
  Table table({{"", "links", "", Column::Align::left},
               {"", "number", "", Column::Align::right},
               {"offered", "mean", "of rate", Column::Align::right},
               {"offered", "highest", "of rate", Column::Align::right},
               {"", "on", "", Column::Align::left},
               {"", "by", "", Column::Align::left}});
  for (const auto& [tier, tiers] : by_tiers) {
    table.add_row({fmt::format("{} -> {}", tier_name(tier.first, top), tier_name(tier.second, top)),
                   fmt::format("{}", tiers.links), fmt::format("{:.3f}", tiers.sum / static_cast<double>(tiers.links)),
                   fmt::format("{:.3f}", tiers.highest->fraction), direction(topology, *tiers.highest),
                   sources_of(*tiers.highest)});
  }
  return table.format(0);
}

std::string loads_text(const CheckedVariant& checked, const Topology& topology, bool all) {
  const bool any = std::any_of(checked.links.begin(), checked.links.end(),
                               [](const CheckedLink& link) { return link.fraction > 0; });
  if (!any) return "no link has an offered load: all flows are elastic, or there is but one event\n";
  return all ? all_loads_text(checked, topology) : loads_by_tier_text(checked, topology);
}

}  // namespace

CheckedVariant check_variant(const Settings& settings, const std::vector<TrafficEntry>& traffic) {
  CheckedVariant out;
  const std::vector<Routes> routes = routes_of(settings);
  check_round_trips(settings, routes, out);
  check_buffers(settings, out);
  check_load(settings, traffic, routes, out);
  refuse_overloads(settings.network.topology, out);
  return out;
}

std::string check_report(const CheckedVariant& checked, const Settings& settings, bool links) {
  const Topology& topology = settings.network.topology;
  std::string out =
      fmt::format("{} hosts, {} switches, {} links\n", topology.hosts(), topology.switches(), topology.links().size());
  out += fmt::format("base round trip {} to {}, bandwidth-delay product at most {}\n\n",
                     to_text(checked.shortest_round_trip), to_text(checked.longest_round_trip),
                     to_text(checked.bandwidth_delay_product));
  out += buffers_text(checked, settings);
  out += "\n";
  out += loads_text(checked, topology, links);
  return out;
}

}  // namespace weir
