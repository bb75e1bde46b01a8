// SPDX-License-Identifier: Apache-2.0
#include "traffic/hosts.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace weir {

HostSet::HostSet(std::vector<HostId> hosts) : hosts_(std::move(hosts)) {
  std::sort(hosts_.begin(), hosts_.end());
  hosts_.erase(std::unique(hosts_.begin(), hosts_.end()), hosts_.end());
}

HostSet HostSet::range(std::size_t first, std::size_t count) {
  HostSet set;
  set.hosts_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) set.hosts_.emplace_back(first + i);
  return set;
}

bool HostSet::contains(HostId host) const {
  return std::binary_search(hosts_.begin(), hosts_.end(), host);
}

HostSet HostSet::without(const HostSet& others) const {
  HostSet rest;
  std::set_difference(begin(), end(), others.begin(), others.end(), std::back_inserter(rest.hosts_));
  return rest;
}

Racks Racks::of_equal_size(std::size_t racks, std::size_t hosts_per_rack) {
  std::vector<std::uint32_t> rack_of_host;
  rack_of_host.reserve(racks * hosts_per_rack);
  for (std::size_t i = 0; i < racks * hosts_per_rack; ++i) {
    rack_of_host.push_back(static_cast<std::uint32_t>(i / hosts_per_rack));
  }
  return Racks(std::move(rack_of_host));
}

std::vector<HostId> Racks::first_hosts() const {
  std::vector<HostId> first;
  std::set<std::uint32_t> seen;
  for (std::size_t host = 0; host < rack_of_host_.size(); ++host) {
    if (seen.insert(rack_of_host_[host]).second) first.emplace_back(host);
  }
  return first;
}

HostsByRack::HostsByRack(const HostSet& hosts, const Racks& racks) : racks_(racks), hosts_(hosts.hosts()) {
  std::stable_sort(hosts_.begin(), hosts_.end(), [&](HostId a, HostId b) { return racks_.rack(a) < racks_.rack(b); });
}

HostsByRack::Choice HostsByRack::choice(HostId host, PairScope scope) const {
  const auto position = [&](auto found) { return static_cast<std::size_t>(found - hosts_.begin()); };
  const std::uint64_t rack = racks_.rack(host);
  const auto first =
      std::partition_point(hosts_.begin(), hosts_.end(), [&](HostId other) { return racks_.rack(other) < rack; });
  const auto last = std::partition_point(first, hosts_.end(), [&](HostId other) { return racks_.rack(other) == rack; });
  if (scope == PairScope::inter_rack) return {0, hosts_.size(), position(first), position(last)};

  const auto self = std::lower_bound(first, last, host);
  const bool present = self != last && *self == host;
  const std::size_t gap = position(self);
  const std::size_t gap_end = present ? gap + 1 : gap;
  if (scope == PairScope::intra_rack) return {position(first), position(last), gap, gap_end};
  return {0, hosts_.size(), gap, gap_end};
}

std::vector<HostPair> all_pairs(const HostSet& sources, const HostSet& destinations, PairScope scope,
                                const Racks& racks) {
  std::vector<HostPair> pairs;
  for (const HostId source : sources) {
    for (const HostId destination : destinations) {
      const bool same_rack = racks.same(source, destination);
      if (source == destination || (scope == PairScope::inter_rack && same_rack) ||
          (scope == PairScope::intra_rack && !same_rack)) {
        continue;
      }
      pairs.push_back({source, destination});
    }
  }
  return pairs;
}

std::vector<HostPair> zipped_pairs(const std::vector<HostId>& sources, const std::vector<HostId>& destinations) {
  std::vector<HostPair> pairs;
  if (sources.empty() || destinations.empty()) return pairs;
  for (std::size_t i = 0; i < std::max(sources.size(), destinations.size()); ++i) {
    const HostPair pair{sources[i % sources.size()], destinations[i % destinations.size()]};
    if (pair.source != pair.destination) pairs.push_back(pair);
  }
  return pairs;
}

std::vector<HostPair> permutation_pairs(const HostSet& hosts, RandomStream random) {
  if (hosts.size() < 2) return {};
  std::vector<HostId> image = hosts.hosts();
  for (std::size_t i = image.size() - 1; i > 0; --i) std::swap(image[i], image[random.below(i)]);
  std::vector<HostPair> pairs;
  for (std::size_t i = 0; i < image.size(); ++i) pairs.push_back({hosts[i], image[i]});
  return pairs;
}

std::vector<HostPair> random_pairs(const HostSet& sources, const HostSet& destinations, std::size_t count,
                                   RandomStream random, PairScope scope, const Racks& racks) {
  const HostsByRack by_rack(destinations, racks);
  std::vector<HostPair> pairs;
  for (const HostId source : sources) {
    const HostsByRack::Choice choice = by_rack.choice(source, scope);
    if (choice.size() == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      pairs.push_back({source, by_rack.at(choice, random.below(choice.size()))});
    }
  }
  return pairs;
}

}  // namespace weir
