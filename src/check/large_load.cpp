// SPDX-License-Identifier: Apache-2.0
#include "check/large_load.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace weir {
namespace {

/// Of data, of acknowledgements, of credits, and pairs of hosts.
enum Kind : std::size_t { kData, kAcknowledgements, kCredits, kPairs, kKinds };

/// Whether it goes from the destinations to the sources.
bool goes_back(std::size_t kind) {
  return kind == kAcknowledgements || kind == kCredits;
}

/// Loads between the switches that have hosts, and on the links of hosts.
class Sums {
 public:
  explicit Sums(const Topology& topology) : edge_of_(topology.hosts()) {
    std::map<SwitchId, std::uint32_t> numbers;
    for (std::size_t host = 0; host < edge_of_.size(); ++host) {
      const SwitchId edge = topology.edge_of(HostId(host));
      const auto [known, is_new] = numbers.try_emplace(edge, static_cast<std::uint32_t>(edges_.size()));
      if (is_new) edges_.push_back(edge);
      edge_of_[host] = known->second;
    }
    for (std::vector<double>& out : out_) out.resize(topology.hosts());
    for (std::vector<double>& in : in_) in.resize(topology.hosts());
  }

  void add_pairs(const std::vector<LargeOffer::Pair>& pairs) {
    std::vector<std::uint64_t> known;
    constexpr int kHostBits = 32;
    for (const LargeOffer::Pair& pair : pairs) {
      add(kData, pair.source, pair.destination, pair.data);
      add(kAcknowledgements, pair.destination, pair.source, pair.acknowledgements);
      if (pair.credits > 0) add(kCredits, pair.destination, pair.source, pair.credits);
      known.push_back(std::uint64_t{pair.source.value} << kHostBits | pair.destination.value);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (const std::uint64_t pair : known) add(kPairs, HostId(pair >> kHostBits), HostId(pair & 0xffff'ffff), 1);
  }

  /// Long runs are counted as a whole, and exceptions are subtracted.
  void add_runs(const std::vector<LargeOffer::Run>& runs) {
    constexpr std::size_t kShort = 256;
    using Span = std::pair<const HostId*, std::size_t>;
    std::map<Span, Whole> wholes;
    for (const LargeOffer::Run& run : runs) {
      const std::span<const HostId> to = run.run.destinations;
      if (to.size() <= kShort) {
        for (const HostId& host : to) {
          const bool left_out =
              !run.run.but.empty() && &host >= run.run.but.data() && &host < run.run.but.data() + run.run.but.size();
          if (!left_out) add_all(run, host, 1);
        }
        continue;
      }
      Whole& whole = wholes[{to.data(), to.size()}];
      if (whole.hosts_at.empty()) {
        whole.hosts = to;
        whole.hosts_at.resize(edges_.size());
        for (const HostId host : to) ++whole.hosts_at[edge_of_[host.index()]];
        for (std::vector<double>& from : whole.from) from.resize(edges_.size());
      }
      const std::uint32_t from = edge_of_[run.run.source.index()];
      const auto number = static_cast<double>(to.size());
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        whole.from[kind][from] += of(run, kind);
        (goes_back(kind) ? in_ : out_)[kind][run.run.source.index()] += of(run, kind) * number;
      }
      for (const HostId host : run.run.but) add_all(run, host, -1);
    }
    for (const auto& [span, whole] : wholes) spread(whole);
  }

  /// In ascending order of target; without the load from a switch to itself.
  [[nodiscard]] std::vector<SwitchDemand> between(std::size_t kind) {
    std::vector<SwitchDemand>& single = single_[kind];
    const std::vector<double>& dense = dense_[kind];
    for (std::size_t to = 0; !dense.empty() && to < edges_.size(); ++to) {
      for (std::size_t from = 0; from < edges_.size(); ++from) {
        const double amount = dense[to * edges_.size() + from];
        if (amount > 0 && from != to) single.push_back({edges_[from], edges_[to], amount});
      }
    }
    std::stable_sort(single.begin(), single.end(), [](const SwitchDemand& a, const SwitchDemand& b) {
      return std::tie(a.target, a.source) < std::tie(b.target, b.source);
    });
    return std::move(single);
  }
  [[nodiscard]] double out(std::size_t kind, HostId host) const { return out_[kind][host.index()]; }
  [[nodiscard]] double in(std::size_t kind, HostId host) const { return in_[kind][host.index()]; }

 private:
  /// Destinations that many sources share.
  struct Whole {
    std::span<const HostId> hosts;
    std::vector<double> hosts_at;                  // by index of edge switch
    std::array<std::vector<double>, kKinds> from;  // by kind and index of edge switch
  };

  static double of(const LargeOffer::Run& run, std::size_t kind) {
    switch (kind) {
      case kData:
        return run.data;
      case kAcknowledgements:
        return run.acknowledgements;
      case kCredits:
        return run.credits;
      default:
        return 1;
    }
  }
  void add_all(const LargeOffer::Run& run, HostId to, double times) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const bool back = goes_back(kind);
      const HostId from = back ? to : run.run.source;
      const HostId at = back ? run.run.source : to;
      const double amount = of(run, kind) * times;
      out_[kind][from.index()] += amount;
      in_[kind][at.index()] += amount;
      cell(kind, edge_of_[from.index()], edge_of_[at.index()]) += amount;
    }
  }
  void spread(const Whole& whole) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const bool back = goes_back(kind);
      double all = 0;
      for (const double from : whole.from[kind]) all += from;
      for (const HostId host : whole.hosts) (back ? out_ : in_)[kind][host.index()] += all;
      for (std::uint32_t at = 0; at < edges_.size(); ++at) {
        if (whole.hosts_at[at] == 0) continue;
        for (std::uint32_t from = 0; from < edges_.size(); ++from) {
          cell(kind, back ? at : from, back ? from : at) += whole.from[kind][from] * whole.hosts_at[at];
        }
      }
    }
  }
  void add(std::size_t kind, HostId from, HostId to, double amount) {
    out_[kind][from.index()] += amount;
    in_[kind][to.index()] += amount;
    const SwitchId source = edges_[edge_of_[from.index()]];
    const SwitchId target = edges_[edge_of_[to.index()]];
    if (source != target) single_[kind].push_back({source, target, amount});
  }
  double& cell(std::size_t kind, std::uint32_t from, std::uint32_t to) {
    std::vector<double>& dense = dense_[kind];
    if (dense.empty()) dense.resize(edges_.size() * edges_.size());
    return dense[to * edges_.size() + from];
  }

  std::vector<std::uint32_t> edge_of_;  // by host: an index into edges_
  std::vector<SwitchId> edges_;
  std::array<std::vector<double>, kKinds> out_;  // by kind and host
  std::array<std::vector<double>, kKinds> in_;
  std::array<std::vector<double>, kKinds> dense_;  // by target and source; empty: no load
  std::array<std::vector<SwitchDemand>, kKinds> single_;
};

/// The factor by which `b` is a multiple of `a`, if it is.
std::optional<double> times(const std::vector<SwitchDemand>& b, const std::vector<SwitchDemand>& a) {
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  constexpr double kRounding = 1e-9;
  const double factor = b.front().amount / a.front().amount;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].source != b[i].source || a[i].target != b[i].target ||
        std::abs(b[i].amount - factor * a[i].amount) > kRounding * b[i].amount)
      return std::nullopt;
  }
  return factor;
}

}  // namespace

std::vector<LargeLoad> large_load(const Topology& topology, SwitchLoads& loads, const LargeOffer& offer) {
  Sums sums(topology);
  sums.add_pairs(offer.pairs);
  sums.add_runs(offer.runs);
  std::map<std::pair<NodeId, PortId>, LargeLoad> found;
  const auto at = [&](NodeId node, PortId port) -> LargeLoad& {
    LargeLoad& load = found[{node, port}];
    load.from = node;
    load.port = port;
    return load;
  };
  static constexpr std::array kAmounts = {&LargeLoad::data, &LargeLoad::acknowledgements, &LargeLoad::credits,
                                          &LargeLoad::pairs};
  std::vector<SwitchDemand> first;
  std::vector<SwitchLoad> first_loads;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    std::vector<SwitchDemand> demands = sums.between(kind);
    // All-to-all traffic is proportional in all of them, so it is split only once.
    const std::optional<double> factor = times(demands, first);
    const std::vector<SwitchLoad> split = factor ? first_loads : loads.split(demands);
    for (const SwitchLoad& load : split) {
      at(topology.node_of(load.from), load.port).*kAmounts[kind] += load.amount * factor.value_or(1);
    }
    if (kind == kData) {
      first = std::move(demands);
      first_loads = split;
    }
    for (std::size_t i = 0; i < topology.hosts(); ++i) {
      const HostId host(i);
      const NodeId node = topology.node_of(host);
      const PortEnd& end = topology.port(node, PortId(0));
      if (sums.out(kind, host) > 0) at(node, PortId(0)).*kAmounts[kind] += sums.out(kind, host);
      if (sums.in(kind, host) > 0) at(end.peer, end.peer_port).*kAmounts[kind] += sums.in(kind, host);
    }
  }
  std::vector<LargeLoad> out;
  for (const auto& [where, load] : found) out.push_back(load);
  return out;
}

}  // namespace weir
