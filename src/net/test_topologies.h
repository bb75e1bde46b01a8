// SPDX-License-Identifier: Apache-2.0
// Networks for the tests in this folder.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "net/builders.h"
#include "net/topology.h"
#include "policy/switch_policy.h"

namespace weir::testing {

/// A link of 100 Gbit/s and 1 us.
inline LinkSpec common_link() {
  using namespace literals;
  return {100_Gbps, 1_us};
}

inline Topology built(BuiltTopology result) {
  EXPECT_EQ(result.errors, std::vector<std::string>());
  EXPECT_EQ(result.topology.errors(), std::vector<std::string>());
  return std::move(result.topology);
}

/// Hosts linked at 100 Gbit/s and fabric links at `fabric_rate`, all with 600 ns.
inline Topology leaf_spine(int tors, int hosts_per_tor, int spines, std::int64_t fabric_gigabits = 400,
                           int parallel_links = 1) {
  using namespace literals;
  LeafSpineSettings settings;
  settings.tors = tors;
  settings.hosts_per_tor = hosts_per_tor;
  settings.spines = spines;
  settings.host_link = {100_Gbps, 600_ns};
  settings.fabric_link = {BitRate(fabric_gigabits * 1'000'000'000), 600_ns};
  settings.parallel_links = parallel_links;
  return built(build_leaf_spine(settings));
}

inline Topology fat_tree(int k) {
  FatTreeSettings settings;
  settings.k = k;
  settings.host_link = settings.edge_agg_link = settings.agg_core_link = common_link();
  return built(build_fat_tree(settings));
}

/// An arbitrary network of up to 8 switches, in one or several parts, with parallel links, and 1 to 12 hosts on them.
/// Every host has one link.
inline Topology random_topology() {
  const int switches = *rc::gen::inRange(1, 9);
  // inRange narrows with the size, and the sizes of the lists must not limit their elements.
  const auto any_switch = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, switches));
  const auto hosts = *rc::gen::resize(12, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(any_switch)));
  const auto links =
      *rc::gen::resize(24, rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(any_switch, any_switch)));
  using namespace literals;
  Topology topology;
  std::vector<NodeId> nodes;
  for (int i = 0; i < switches; ++i) nodes.push_back(topology.add_switch("s" + std::to_string(i), 1));
  const auto spec = [&topology] {
    // Different links, so that paths of equal length differ in time and rate.
    const auto n = static_cast<std::int64_t>(topology.links().size());
    return LinkSpec{BitRate((n % 3 + 1) * 10'000'000'000), Duration::picoseconds((n % 5 + 1) * 100'000)};
  };
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const NodeId host = topology.add_host("h" + std::to_string(i));
    topology.connect(host, nodes[static_cast<std::size_t>(hosts[i])], spec());
  }
  for (const auto& [a, b] : links) {
    if (a != b) topology.connect(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)], spec());
  }
  return topology;
}

/// Chooses by a hash with a seed, as an ECMP switch does.
class HashingFake final : public Forwarding {
 public:
  explicit HashingFake(std::uint32_t seed) : seed_(seed) {}
  PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) override {
    return predict(FlowKey::of(frame), hops);
  }
  [[nodiscard]] PortId predict(const FlowKey& key, const NextHops& hops) const override {
    return select(hops, flow_hash(HashKind::mix, seed_, key));
  }

 private:
  std::uint32_t seed_;
};

/// Chooses unpredictably.
class SprayingFake final : public Forwarding {
 public:
  PortId choose(SwitchContext&, const Frame&, const NextHops& hops) override { return hops.ports.front(); }
};

}  // namespace weir::testing
