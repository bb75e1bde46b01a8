// SPDX-License-Identifier: Apache-2.0
#include "net/switch_loads.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "net/offered_load.h"
#include "net/routing.h"
#include "net/test_topologies.h"

namespace weir::switch_loads_test {
namespace {

/// The result equals that of LoadSplitter on the routes with all links up.
RC_GTEST_PROP(SwitchLoads, AreThoseOfTheRoutes, ()) {
  const Topology topology = testing::fat_tree(*rc::gen::element(2, 4, 6));
  std::vector<Demand> demands;
  std::vector<SwitchDemand> between;
  const int number = *rc::gen::inRange(0, 30);
  for (int i = 0; i < number; ++i) {
    const HostId from(*rc::gen::inRange<std::size_t>(0, topology.hosts()));
    const HostId to(*rc::gen::inRange<std::size_t>(0, topology.hosts()));
    if (from == to) continue;
    demands.push_back({from, to, 1e9 * (i + 1)});
    between.push_back({topology.edge_of(from), topology.edge_of(to), 1e9 * (i + 1)});
  }
  std::stable_sort(between.begin(), between.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
  std::map<std::pair<NodeId, PortId>, double> expected;
  for (const LinkLoad& load : offered_load(topology, compute_routes(topology), demands).links) {
    const bool of_hosts =
        topology.node(load.from).is_host() || topology.node(topology.port(load.from, load.port).peer).is_host();
    if (!of_hosts && load.bits_per_second > 0) expected[{load.from, load.port}] = load.bits_per_second;
  }
  SwitchLoads loads(topology);
  for (int again = 0; again < 2; ++again) {
    const std::vector<SwitchLoad> found = loads.split(between);
    RC_ASSERT(found.size() == expected.size());
    for (const SwitchLoad& load : found) {
      const double there = expected.at({topology.node_of(load.from), load.port});
      RC_ASSERT(std::abs(load.amount - there) <= 1e-9 * there);
    }
  }
}

}  // namespace
}  // namespace weir::switch_loads_test
