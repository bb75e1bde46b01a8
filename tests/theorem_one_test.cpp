// SPDX-License-Identifier: Apache-2.0
// Theorem 1 of BFC's paper by simulation: if the edges that close a cycle are elided, no queue is paused permanently,
// whatever links fail; without elision, some are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "net/routing.h"
#include "whole_network.h"

namespace weir::whole::theorem_one_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

/// `tors` switches with `hosts` hosts each, connected to each of `spines`.
Topology clos(int tors, int hosts, int spines) {
  Topology topology;
  std::vector<NodeId> low;
  for (int i = 0; i < tors; ++i) low.push_back(topology.add_switch("tor" + std::to_string(i), 1, 0, i));
  for (int i = 0; i < tors * hosts; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, i / hosts), low[static_cast<std::size_t>(i / hosts)],
                     kLink);
  }
  for (int i = 0; i < spines; ++i) {
    const NodeId spine = topology.add_switch("spine" + std::to_string(i), 2, 0);
    for (const NodeId tor : low) topology.connect(tor, spine, kLink);
  }
  return topology;
}

/// Switches in a ring with chords, with a host at each: no tiers.
Topology ring(int switches, const std::vector<int>& chords) {
  Topology topology;
  std::vector<NodeId> nodes;
  for (int i = 0; i < switches; ++i) {
    nodes.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, i));
    topology.connect(topology.add_host("h" + std::to_string(i), 0, i), nodes.back(), kLink);
  }
  const auto join = [&](int one, int other) {
    topology.connect(nodes[static_cast<std::size_t>(one)], nodes[static_cast<std::size_t>(other)], kLink);
  };
  for (int i = 0; i < switches; ++i) join(i, (i + 1) % switches);
  for (const int chord : chords) join(chord % switches, (chord + 2) % switches);
  return topology;
}

bool all_reach_all(const Topology& topology, const std::vector<LinkId>& failed) {
  const std::vector<Routes> routes = compute_routes(topology, {.failed_links = failed, .weights = {}});
  for (const Routes& each : routes) {
    for (std::size_t host = 0; host < topology.hosts(); ++host) {
      if (each.to(HostId(host)).ports.empty()) return false;
    }
  }
  return true;
}

int up_to(int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most + 1));
}

/// Links between switches that fail, from the start or later, permanently or for a time, as long as all hosts can still
/// reach each other.
std::vector<LinkFailure> some_failures(const Topology& topology) {
  std::vector<LinkFailure> failures;
  std::vector<LinkId> failed;
  for (int i = up_to(4); i > 0; --i) {
    const LinkId link(static_cast<std::size_t>(up_to(static_cast<int>(topology.links().size()) - 1)));
    const Link& ends = topology.link(link);
    if (topology.node(ends.a).is_host() || topology.node(ends.b).is_host()) continue;
    if (std::find(failed.begin(), failed.end(), link) != failed.end()) continue;
    failed.push_back(link);
    if (!all_reach_all(topology, failed)) {
      failed.pop_back();
      continue;
    }
    const Time down = at(Duration::picoseconds(10'000'000 * std::int64_t{up_to(30)}));
    const bool for_good = up_to(2) == 0;
    failures.push_back(
        {link, down,
         for_good ? Time::never() : down + Duration::picoseconds(1'000'000 * std::int64_t{1 + up_to(100)})});
  }
  return failures;
}

/// BFC alone with few queues; two or three flows from each host, in a pattern that fills all links.
Settings crowded(Topology topology, std::vector<LinkFailure> failures, const char* elide) {
  Settings settings = lossless_network(std::move(topology), 100_ms);
  settings.run.drain = true;
  settings.switches.lossless = {};
  settings.switches.flow_control = {
      choose("bfc", {{"queues", std::int64_t{1 + up_to(1)}}, {"elide", std::string(elide)}})};
  settings.network.failures = std::move(failures);
  settings.network.failure_detection = Duration::picoseconds(1'000'000 * std::int64_t{up_to(50)});
  const std::size_t hosts = settings.network.topology.hosts();
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < hosts; ++host) {
    for (int i = 2 + up_to(1); i > 0; --i) {
      const auto onward = static_cast<std::size_t>(1 + up_to(static_cast<int>(hosts) - 2));
      flows.push_back(flow(host, (host + onward) % hosts, 200_KB));
    }
  }
  offer(settings, flows);
  return settings;
}

void assert_all_complete(const Settings& settings) {
  const RunRecord record = Simulation(settings).run();
  RC_ASSERT(record.failure == std::string());
  for (const FlowRecord& each : record.flows) RC_ASSERT(each.completed());
}

RC_GTEST_PROP(TheoremOne, HoldsInATieredNetworkWithoutItsValleys, ()) {
  const Topology topology = clos(2 + up_to(3), 1 + up_to(3), 2 + up_to(2));
  const std::vector<LinkFailure> failures = some_failures(topology);
  assert_all_complete(crowded(topology, failures, "valleys"));
}

RC_GTEST_PROP(TheoremOne, HoldsInAnyNetworkWithoutTheEdgesThatCloseItsCycles, ()) {
  const Topology topology = up_to(1) == 0
                                ? ring(3 + up_to(4), *rc::gen::container<std::vector<int>>(
                                                         static_cast<std::size_t>(up_to(2)), rc::gen::inRange(0, 8)))
                                : clos(2 + up_to(3), 1 + up_to(3), 2 + up_to(2));
  const std::vector<LinkFailure> failures = some_failures(topology);
  assert_all_complete(crowded(topology, failures, "cycles"));
}

/// The same kind of network with its cycles: the absence of deadlocks above is not due to a lack of traffic.
TEST(TheoremOne, IsNotIdle) {
  std::size_t deadlocks = 0;
  for (int switches = 3; switches <= 8; ++switches) {
    Settings settings = lossless_network(ring(switches, {}), 20_ms);
    settings.switches.lossless = {};
    for (const char* elide : {"none", "cycles"}) {
      settings.switches.flow_control = {choose("bfc", {{"queues", std::int64_t{1}}, {"elide", std::string(elide)}})};
      std::vector<FlowSpec> flows;
      const auto hosts = static_cast<std::size_t>(switches);
      for (std::size_t host = 0; host < hosts; ++host) {
        flows.push_back(flow(host, (host + (hosts - 1) / 2) % hosts, 500_KB));
      }
      offer(settings, flows);
      const RunRecord record = Simulation(settings).run();
      if (std::string(elide) == "none") {
        deadlocks += record.deadlock ? 1 : 0;
      } else {
        EXPECT_EQ(record.failure, "") << switches << " switches";
      }
    }
  }
  EXPECT_GE(deadlocks, 3u);
}

}  // namespace
}  // namespace weir::whole::theorem_one_test
