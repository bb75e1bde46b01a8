// SPDX-License-Identifier: Apache-2.0
#include "net/path_metrics.h"

#include <algorithm>
#include <limits>

#include "net/destination_graph.h"

namespace weir {
namespace {

Duration round_trip_over(const Link& link, const RoundTripFrames& frames) {
  return 2 * link.delay + time_to_send(frames.data, link.rate) + time_to_send(frames.ack, link.rate);
}

const Link& link_of(const Topology& topology, HostId host) {
  return topology.link_at(topology.node_of(host), PortId(0));
}

constexpr BitRate kUnlimited(std::numeric_limits<std::int64_t>::max());

// Adds the paths that start with `link` and continue as `onward` to those found so far.
void merge(PathRange& range, const PathRange& onward, const Link& link, Duration link_round_trip) {
  const Duration shortest = onward.shortest + link_round_trip;
  const Duration longest = onward.longest + link_round_trip;
  const BitRate narrowest = std::min(onward.narrowest, link.rate);
  const BitRate widest = std::min(onward.widest, link.rate);
  const bool is_first = range.widest == BitRate(0);
  range.shortest = is_first ? shortest : std::min(range.shortest, shortest);
  range.longest = std::max(range.longest, longest);
  range.narrowest = is_first ? narrowest : std::min(range.narrowest, narrowest);
  range.widest = std::max(range.widest, widest);
  range.links = std::max(range.links, onward.links + 1);
}

}  // namespace

Duration base_round_trip(const Topology& topology, HostId source, std::span<const Hop> path,
                         const RoundTripFrames& frames) {
  Duration sum = round_trip_over(link_of(topology, source), frames);
  for (const Hop& hop : path) sum += round_trip_over(topology.link_at(topology.node_of(hop.node), hop.port), frames);
  return sum;
}

BitRate minimum_rate(const Topology& topology, HostId source, std::span<const Hop> path) {
  BitRate rate = link_of(topology, source).rate;
  for (const Hop& hop : path) rate = std::min(rate, topology.link_at(topology.node_of(hop.node), hop.port).rate);
  return rate;
}

PathMetrics::PathMetrics(const Topology& topology, std::span<const Routes> routes, const RoundTripFrames& frames)
    : hosts_(topology.hosts()) {
  std::vector<Duration> link_round_trips;
  for (const Link& link : topology.links()) link_round_trips.push_back(round_trip_over(link, frames));

  const std::vector<DestinationClass> classes = destination_classes(topology, routes);
  classes_ = classes.size();
  std::vector<SwitchId> edges;
  for (const DestinationClass& one : classes) {
    if (edges.empty() || edges.back() != one.edge) edges.push_back(one.edge);
    const auto edge = static_cast<std::uint32_t>(edges.size() - 1);
    const auto number = static_cast<std::uint32_t>(&one - classes.data());
    for (const HostId host : one.hosts) {
      if (!is_connected(topology, routes, host)) continue;
      const Link& link = link_of(topology, host);
      hosts_[host.index()] = {round_trip_over(link, frames), link.rate, edge, number};
    }
  }
  edges_ = edges.size();

  fabric_.reserve(classes_ * edges_);
  DestinationGraph graph(topology, routes);
  std::vector<PathRange> ranges(topology.switches());
  for (const DestinationClass& one : classes) {
    graph.aim(one.hosts.front());
    for (const SwitchId at : graph.order()) {
      PathRange& range = ranges[at.index()];
      range = {};
      if (at == one.edge) range = {{}, {}, kUnlimited, kUnlimited, 0};
      for (const DestinationGraph::NextHop& hop : graph.next_hops(at)) {
        const PathRange& onward = ranges[hop.to.index()];
        if (onward.widest == BitRate(0)) continue;
        const LinkId link = topology.port(topology.node_of(at), hop.port).link;
        merge(range, onward, topology.link(link), link_round_trips[link.index()]);
      }
    }
    for (const SwitchId edge : edges) fabric_.push_back(ranges[edge.index()]);
  }
  find_extremes();
}

PathRange PathMetrics::joined(const PathRange& fabric, const HostLink& source, const HostLink& destination) {
  const Duration both = source.round_trip + destination.round_trip;
  const BitRate rate = std::min(source.rate, destination.rate);
  return {fabric.shortest + both, fabric.longest + both, std::min(fabric.narrowest, rate),
          std::min(fabric.widest, rate), fabric.links + 2};
}

std::optional<PathRange> PathMetrics::between(HostId source, HostId destination) const {
  const HostLink& from = hosts_[source.index()];
  const HostLink& to = hosts_[destination.index()];
  if (source == destination || from.edge == kNone || to.edge == kNone) return std::nullopt;
  const PathRange& range = fabric(from.edge, to.destination_class);
  if (range.widest == BitRate(0)) return std::nullopt;
  return joined(range, from, to);
}

// Hosts of one class with identical links are equivalent: a pair of classes has few kinds of pairs.
void PathMetrics::find_extremes() {
  struct Kind {
    HostLink link;
    std::size_t hosts;
  };
  std::vector<std::vector<Kind>> kinds(classes_);
  for (const HostLink& host : hosts_) {
    if (host.edge == kNone) continue;
    std::vector<Kind>& of_class = kinds[host.destination_class];
    const auto found = std::find_if(of_class.begin(), of_class.end(), [&host](const Kind& kind) {
      return kind.link.round_trip == host.round_trip && kind.link.rate == host.rate;
    });
    if (found != of_class.end()) {
      ++found->hosts;
    } else {
      of_class.push_back({host, 1});
    }
  }
  for (const std::vector<Kind>& sources : kinds) {
    for (const Kind& source : sources) {
      for (const std::vector<Kind>& destinations : kinds) {
        for (const Kind& destination : destinations) {
          if (&source == &destination && source.hosts == 1) continue;  // a host has no path to itself
          const PathRange& range = fabric(source.link.edge, destination.link.destination_class);
          if (range.widest == BitRate(0)) continue;
          const PathRange pair = joined(range, source.link, destination.link);
          shortest_round_trip_ = std::min(shortest_round_trip_, pair.shortest);
          longest_round_trip_ = std::max(longest_round_trip_, pair.longest);
          largest_product_ = std::max(largest_product_, bytes_in(pair.longest, pair.widest));
        }
      }
    }
  }
}

}  // namespace weir
