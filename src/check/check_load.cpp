// SPDX-License-Identifier: Apache-2.0
#include "check/check_load.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "check/large_load.h"
#include "check/offers.h"
#include "fabric/failure_states.h"
#include "net/offered_load.h"
#include "net/routing.h"

namespace weir {
namespace {

/// The load that one source of traffic puts on the wire.
struct Offer : OfferTimes {
  std::vector<Demand> data;
  std::vector<Demand> acknowledgements;
  std::vector<Demand> credits;

  void add(HostId source, HostId destination, double payload, const WireCost& cost) {
    data.push_back({source, destination, payload * cost.data});
    acknowledgements.push_back({destination, source, payload * cost.acknowledgements});
    if (cost.credits > 0) credits.push_back({destination, source, payload * cost.credits});
  }
};

/// 1 bit/s for each pair.
std::vector<Demand> pairs_of(const std::vector<Demand>& demands) {
  std::set<std::pair<HostId, HostId>> pairs;
  for (const Demand& demand : demands) pairs.emplace(demand.source, demand.destination);
  std::vector<Demand> out;
  for (const auto& [source, destination] : pairs) out.push_back({source, destination, 1});
  return out;
}

/// The directions of all links, numbered by node and port.
class Directions {
 public:
  explicit Directions(const Topology& topology) {
    for (std::size_t node = 0; node < topology.nodes().size(); ++node) {
      first_.push_back(ends_.size());
      for (std::size_t port = 0; port < topology.ports(NodeId(node)).size(); ++port) {
        ends_.emplace_back(NodeId(node), PortId(port));
      }
    }
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::size_t at(NodeId node, PortId port) const { return first_[node.index()] + port.index(); }
  [[nodiscard]] const std::pair<NodeId, PortId>& end(std::size_t direction) const { return ends_[direction]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::pair<NodeId, PortId>> ends_;
};

/// The part of one offer on one direction of a link.
struct Part {
  const OfferTimes* offer;
  double data = 0;
  double acknowledgements = 0;
  double credits = 0;
  double pairs = 0;
};

/// Finds the time of maximum demand of a direction. `parts` are in order of start.
void find_peak(const std::vector<Part>& parts, const std::vector<TrafficEntry>& traffic, CheckedLink& link) {
  std::multimap<Time, const Part*> active;  // by stop
  double sum = 0;
  double credits = 0;
  // The load increases only when a part starts.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Time now = parts[i].offer->start;
    for (auto first = active.begin(); first != active.end() && first->first <= now; first = active.erase(first)) {
      sum -= first->second->data + first->second->acknowledgements;
      credits -= first->second->credits;
    }
    active.emplace(parts[i].offer->stop, &parts[i]);
    sum += parts[i].data + parts[i].acknowledgements;
    credits += parts[i].credits;
    const bool more_start_now = i + 1 < parts.size() && parts[i + 1].offer->start == now;
    constexpr double kRounding = 1e-12;
    if (more_start_now || std::max(sum, credits) <= link.demand() + kRounding) continue;
    link.at = now;
    link.data = 0;
    link.acknowledgements = 0;
    link.credits = 0;
    link.pairs = 0;
    link.intended = false;
    std::set<std::size_t> entries;
    for (const auto& [stop, part] : active) {
      link.data += part->data;
      link.acknowledgements += part->acknowledgements;
      link.credits += part->credits;
      link.pairs += part->pairs;
      entries.insert(part->offer->entry);
    }
    link.sources.clear();
    for (const std::size_t entry : entries) {
      link.sources.push_back(traffic[entry].name);
      link.intended = link.intended || traffic[entry].overload_intended;
    }
  }
}

void list_links(const std::vector<std::vector<Part>>& parts, const std::vector<TrafficEntry>& traffic,
                const Directions& directions, CheckedState& state) {
  for (std::size_t i = 0; i < directions.size(); ++i) {
    CheckedLink& link = state.links.emplace_back();
    std::tie(link.from, link.port) = directions.end(i);
    find_peak(parts[i], traffic, link);
    if (link.offered() > 0) link.at = std::max(link.at, state.from);
  }
  std::stable_sort(state.links.begin(), state.links.end(),
                   [](const CheckedLink& a, const CheckedLink& b) { return a.demand() > b.demand(); });
}

void load_links(const Settings& settings, const std::vector<TrafficEntry>& traffic, const std::vector<Offer>& offers,
                const Directions& directions, CheckedState& state) {
  const Topology& topology = settings.network.topology;
  const std::vector<Routes> routes =
      compute_routes(topology, {.failed_links = state.failed, .weights = settings.network.weights});
  LoadSplitter splitter(topology, routes);
  std::vector<std::vector<Part>> parts(directions.size());  // by direction
  const auto part_of = [&](const LinkLoad& load, const Offer& offer) -> Part& {
    std::vector<Part>& of_link = parts[directions.at(load.from, load.port)];
    if (of_link.empty() || of_link.back().offer != &offer) of_link.push_back({&offer});
    return of_link.back();
  };
  for (const Offer& offer : offers) {
    if (offer.start >= state.until || offer.stop <= state.from) continue;
    const OfferedLoad data = splitter.split(offer.data);
    state.undelivered += data.undelivered_bits_per_second;
    // They are sorted, highest first.
    for (const LinkLoad& load : data.links) {
      if (load.fraction <= 0) break;
      part_of(load, offer).data = load.fraction;
    }
    for (const LinkLoad& load : splitter.split(pairs_of(offer.data)).links) {
      if (load.fraction <= 0) break;
      part_of(load, offer).pairs = load.bits_per_second;
    }
    const OfferedLoad acknowledgements = splitter.split(offer.acknowledgements);
    for (const LinkLoad& load : acknowledgements.links) {
      if (load.fraction <= 0) break;
      part_of(load, offer).acknowledgements = load.fraction;
    }
    if (offer.credits.empty()) continue;
    for (const LinkLoad& load : splitter.split(offer.credits).links) {
      if (load.fraction <= 0) break;
      part_of(load, offer).credits = load.fraction;
    }
  }
  list_links(parts, traffic, directions, state);
}

/// The same for a large network, with all links up and without weights.
void load_large(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                const std::vector<LargeOffer>& offers, const Directions& directions, CheckedState& state) {
  const Topology& topology = settings.network.topology;
  SwitchLoads loads(topology);
  std::vector<std::vector<Part>> parts(directions.size());  // by direction
  for (const LargeOffer& offer : offers) {
    if (offer.start >= state.until || offer.stop <= state.from) continue;
    for (const LargeLoad& load : large_load(topology, loads, offer)) {
      const auto rate = static_cast<double>(topology.link_at(load.from, load.port).rate.bits_per_second());
      parts[directions.at(load.from, load.port)].push_back(
          {&offer, load.data / rate, load.acknowledgements / rate, load.credits / rate, load.pairs});
    }
  }
  list_links(parts, traffic, directions, state);
}

template <class AnyOffer>
std::vector<AnyOffer> offers_of(const Settings& settings, const std::vector<TrafficEntry>& traffic) {
  Offers<AnyOffer> offers(settings);
  for (std::size_t i = 0; i < traffic.size(); ++i) offers.add(traffic[i], i);
  return offers.take();
}

}  // namespace

std::vector<CheckedState> check_load(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                                     std::size_t large) {
  const Directions directions(settings.network.topology);
  std::vector<FailureState> failures = failure_states(settings.network, settings.run.stop);
  std::vector<CheckedState> states;
  const bool plain = failures.size() == 1 && failures.front().failed.empty() && settings.network.weights.empty();
  if (plain && settings.network.topology.hosts() >= large) {
    CheckedState& checked = states.emplace_back();
    checked.from = failures.front().from;
    checked.until = failures.front().until;
    load_large(settings, traffic, offers_of<LargeOffer>(settings, traffic), directions, checked);
    return states;
  }
  const std::vector<Offer> all = offers_of<Offer>(settings, traffic);
  for (FailureState& state : failures) {
    CheckedState& checked = states.emplace_back();
    checked.from = state.from;
    checked.until = state.until;
    checked.failed = std::move(state.failed);
    load_links(settings, traffic, all, directions, checked);
  }
  return states;
}

}  // namespace weir
