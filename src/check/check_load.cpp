// SPDX-License-Identifier: Apache-2.0
#include "check/check_load.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "check/wire_cost.h"
#include "fabric/failure_states.h"
#include "net/offered_load.h"
#include "net/routing.h"

namespace weir {
namespace {

/// What one source of traffic puts on the wire all the time from `start` to `stop`.
struct Offer {
  Time start;
  Time stop;
  std::size_t entry;
  std::vector<Demand> data;
  std::vector<Demand> acknowledgements;

  void add(HostId source, HostId destination, double data_rate, double acknowledgement_rate) {
    data.push_back({source, destination, data_rate});
    acknowledgements.push_back({destination, source, acknowledgement_rate});
  }
};

/// The time in which `bytes` leave at `rate`; Time::never() when that is out of range.
Time end_of(Time start, double bytes, double rate) {
  const double picoseconds = bytes * 8e12 / rate;
  constexpr double kLongest = 0x1p62;
  return picoseconds >= kLongest ? Time::never()
                                 : saturating_add(start, Duration::picoseconds(static_cast<std::int64_t>(picoseconds)));
}

class Offers {
 public:
  explicit Offers(const Settings& settings) : settings_(settings) {}

  void add(const TrafficEntry& entry, std::size_t number) {
    if (!entry.make) return;
    if (entry.list) {
      add_list(entry, number);
    } else {
      add_source(entry, number);
    }
  }
  std::vector<Offer> take() {
    std::vector<Offer> out;
    for (auto& [when, offer] : offers_) out.push_back(std::move(offer));
    return out;
  }

 private:
  using When = std::tuple<Time, Time, std::size_t>;

  Offer& offer(Time start, Time stop, std::size_t entry) {
    Offer& offer = offers_[{start, stop, entry}];
    offer.start = start;
    offer.stop = stop;
    offer.entry = entry;
    return offer;
  }
  [[nodiscard]] WireCost cost(const FlowSize& size) const {
    return wire_cost(size, settings_.hosts, settings_.network.framing);
  }
  void add_source(const TrafficEntry& entry, std::size_t number) {
    Offer& whole = offer(entry.start, entry.stop, number);
    // Most sources have flows of one distribution, or of a few sizes: what these cost is worked out once.
    std::map<double, WireCost> costs;
    entry.make(settings_.run.seed)->offered([&](HostId source, HostId destination, double payload_rate) {
      const FlowSize size = entry.size(payload_rate);
      const auto [known, added] = costs.try_emplace(size.mean());
      if (added) known->second = cost(size);
      whole.add(source, destination, payload_rate * known->second.data, payload_rate * known->second.acknowledgements);
    });
  }
  void add_list(const TrafficEntry& entry, std::size_t number) {
    const Topology& topology = settings_.network.topology;
    for (const FlowSpec& flow : entry.list(settings_.run.seed)) {
      const WireCost of_flow = cost(FlowSize::fixed(flow.size));
      const auto payload = static_cast<double>(flow.size.count());
      if (entry.load_window > Duration()) {
        const double rate = payload * 8 / entry.load_window.seconds();
        offer(entry.start, entry.stop, number)
            .add(flow.source, flow.destination, rate * of_flow.data, rate * of_flow.acknowledgements);
      } else if (flow.rate_limit > BitRate()) {
        // A NIC paces what it puts on the wire.
        const BitRate line = topology.link_at(topology.node_of(flow.source), PortId(0)).rate;
        const auto rate = static_cast<double>(std::min(flow.rate_limit, line).bits_per_second());
        const Time stop = std::min(flow.stop, end_of(flow.start, payload * of_flow.data, rate));
        offer(flow.start, stop, number)
            .add(flow.source, flow.destination, rate, rate * of_flow.acknowledgements / of_flow.data);
      }
    }
  }

  const Settings& settings_;
  std::map<When, Offer> offers_;
};

/// A bit/s of each pair.
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

/// What one offer comes to on one direction of a link.
struct Part {
  const Offer* offer;
  double data = 0;
  double acknowledgements = 0;
  double pairs = 0;
};

/// Finds when most is offered to a direction. `parts` are in order of start.
void find_peak(const std::vector<Part>& parts, const std::vector<TrafficEntry>& traffic, CheckedLink& link) {
  std::multimap<Time, const Part*> active;  // by stop
  double sum = 0;
  // It rises only where something starts.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Time now = parts[i].offer->start;
    for (auto first = active.begin(); first != active.end() && first->first <= now; first = active.erase(first)) {
      sum -= first->second->data + first->second->acknowledgements;
    }
    active.emplace(parts[i].offer->stop, &parts[i]);
    sum += parts[i].data + parts[i].acknowledgements;
    const bool more_start_now = i + 1 < parts.size() && parts[i + 1].offer->start == now;
    constexpr double kRounding = 1e-12;
    if (more_start_now || sum <= link.offered() + kRounding) continue;
    link.at = now;
    link.data = 0;
    link.acknowledgements = 0;
    link.pairs = 0;
    link.intended = false;
    std::set<std::size_t> entries;
    for (const auto& [stop, part] : active) {
      link.data += part->data;
      link.acknowledgements += part->acknowledgements;
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
    // They come with the highest first.
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
  }
  for (std::size_t i = 0; i < directions.size(); ++i) {
    CheckedLink& link = state.links.emplace_back();
    std::tie(link.from, link.port) = directions.end(i);
    find_peak(parts[i], traffic, link);
    if (link.offered() > 0) link.at = std::max(link.at, state.from);
  }
  std::stable_sort(state.links.begin(), state.links.end(),
                   [](const CheckedLink& a, const CheckedLink& b) { return a.offered() > b.offered(); });
}

}  // namespace

std::vector<CheckedState> check_load(const Settings& settings, const std::vector<TrafficEntry>& traffic) {
  Offers offers(settings);
  for (std::size_t i = 0; i < traffic.size(); ++i) offers.add(traffic[i], i);
  const std::vector<Offer> all = offers.take();
  const Directions directions(settings.network.topology);
  std::vector<CheckedState> states;
  for (FailureState& state : failure_states(settings.network, settings.run.stop)) {
    CheckedState& checked = states.emplace_back();
    checked.from = state.from;
    checked.until = state.until;
    checked.failed = std::move(state.failed);
    load_links(settings, traffic, all, directions, checked);
  }
  return states;
}

}  // namespace weir
