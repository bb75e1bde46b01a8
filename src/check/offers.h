// SPDX-License-Identifier: Apache-2.0
// The load that sources of traffic put on the wire while they are active.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "check/wire_cost.h"
#include "fabric/settings.h"
#include "scenario/traffic_entry.h"
#include "traffic/open_loop.h"

namespace weir {

/// The time during which a source is active, and its index.
struct OfferTimes {
  Time start;
  Time stop;
  std::size_t entry = 0;  ///< index into the traffic
};

/// The time at which `bytes` sent at `rate` end; Time::never() if it is out of range.
inline Time end_of(Time start, double bytes, double rate) {
  const double picoseconds = bytes * 8e12 / rate;
  constexpr double kLongest = 0x1p62;
  return picoseconds >= kLongest ? Time::never()
                                 : saturating_add(start, Duration::picoseconds(static_cast<std::int64_t>(picoseconds)));
}

/// Collects offers. An Offer is an OfferTimes with add(source, destination, bit/s of payload, WireCost); if it also has
/// add_run(TrafficRun, WireCost), open loops are added one source at a time.
template <class Offer>
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
    // Most sources have flows of one distribution or of a few sizes, so their costs are computed once.
    std::map<double, WireCost> costs;
    const auto cost_at = [&](double payload_rate) {
      const FlowSize size = entry.size(payload_rate);
      const auto [known, added] = costs.try_emplace(size.mean());
      if (added) known->second = cost(size);
      return known->second;
    };
    std::unique_ptr<TrafficSource> source = entry.make(settings_.run.seed);
    if constexpr (requires(TrafficRun run, WireCost cost) { whole.add_run(run, cost); }) {
      if (const auto* open_loop = dynamic_cast<const OpenLoopSource*>(source.get())) {
        open_loop->offered_runs([&](const TrafficRun& run) { whole.add_run(run, cost_at(run.share)); });
        whole.keep(std::move(source));  // the runs refer to its hosts
        return;
      }
    }
    source->offered(
        [&](HostId from, HostId to, double payload_rate) { whole.add(from, to, payload_rate, cost_at(payload_rate)); });
  }
  void add_list(const TrafficEntry& entry, std::size_t number) {
    const Topology& topology = settings_.network.topology;
    for (const FlowSpec& flow : entry.list(settings_.run.seed)) {
      const WireCost of_flow = cost(FlowSize::fixed(flow.size));
      const auto payload = static_cast<double>(flow.size.count());
      if (entry.load_window > Duration()) {
        const double rate = payload * 8 / entry.load_window.seconds();
        offer(entry.start, entry.stop, number).add(flow.source, flow.destination, rate, of_flow);
      } else if (flow.rate_limit > BitRate()) {
        // A NIC paces the bytes it puts on the wire.
        const BitRate line = topology.link_at(topology.node_of(flow.source), PortId(0)).rate;
        const auto rate = static_cast<double>(std::min(flow.rate_limit, line).bits_per_second());
        const Time stop = std::min(flow.stop, end_of(flow.start, payload * of_flow.data, rate));
        offer(flow.start, stop, number).add(flow.source, flow.destination, rate / of_flow.data, of_flow);
      }
    }
  }

  const Settings& settings_;
  std::map<When, Offer> offers_;
};

}  // namespace weir
