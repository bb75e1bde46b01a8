// SPDX-License-Identifier: Apache-2.0
// Floodgate in whole networks: windows, credits and VOQs in any run, losses, pauses of hosts, and the deadlock of VOQs
// that packets of both directions share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "net/builders.h"
#include "shape_lab.h"
#include "whole_network.h"

namespace weir::whole::floodgate_test {
namespace {

using shape::Driver;
using shape::name_of;
using testing::HasSubstr;

constexpr BitRate k100G(100'000'000'000);
constexpr BitRate k400G(400'000'000'000);
constexpr std::size_t kRack = 4;

/// Four racks of four hosts below two spines.
Topology leaf_spine(double error_rate = 0, double host_error_rate = 0) {
  LeafSpineSettings settings;
  settings.tors = 4;
  settings.hosts_per_tor = static_cast<int>(kRack);
  settings.spines = 2;
  settings.host_link = {k100G, 600_ns, host_error_rate};
  settings.fabric_link = {k400G, 600_ns, error_rate};
  return shape::built(build_leaf_spine(settings));
}

/// All hosts of other racks send to host 0, each so often, and to each other.
std::vector<FlowSpec> incast(std::size_t repeats, Bytes size = 60_KB, Time start = Time(), std::size_t to = 0) {
  std::vector<FlowSpec> flows;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t from = 0; from < 4 * kRack; ++from) {
      if (from / kRack == to / kRack) continue;
      flows.push_back(flow(from, to, size, start));
    }
  }
  return flows;
}

Settings with_floodgate(Topology topology, const Values& values, Duration length = 5_ms) {
  Settings settings = lossless_network(std::move(topology), length);
  settings.switches.flow_control = {choose("floodgate", values), choose("pfc")};
  settings.measurement.policies = true;
  return settings;
}

/// A statistic of switches: the sum of its values at the end, or the largest maximum.
double total(const RunRecord& record, const std::string& name) {
  double sum = 0;
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name == "floodgate." + name) sum += row.value;
  }
  return sum;
}
double most(const RunRecord& record, const std::string& name) {
  double most = 0;
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name == "floodgate." + name) most = std::max(most, row.maximum);
  }
  return most;
}

/// No window was ever exceeded, and all are full again; no VOQ is taken.
void expect_rest(const RunRecord& record) {
  EXPECT_EQ(record.failure, "");
  EXPECT_LE(most(record, "fullest_window"), 1);
  EXPECT_EQ(total(record, "uncredited"), 0);
  EXPECT_EQ(total(record, "voqs"), 0);
  EXPECT_EQ(total(record, "voq_bytes"), 0);
  EXPECT_EQ(total(record, "untracked"), 0);
}

std::size_t completed(const RunRecord& record) {
  return static_cast<std::size_t>(
      std::count_if(record.flows.begin(), record.flows.end(), [](const FlowRecord& flow) { return flow.completed(); }));
}

const std::vector<Values>& variants() {
  static const std::vector<Values> all = {
      {},
      {{"unit", std::string("bytes")}},
      {{"credit_frames", std::string("list")}},
      {{"variant", std::string("ideal")}},
      {{"variant", std::string("ideal")}, {"pause_destinations", true}},
      {{"pipeline", std::string("port")}},
      {{"window_of", std::string("port")}},
      {{"recovery", false}},
      {{"table", std::string("hashed")}, {"table_entries", std::int64_t{64}}},
  };
  return all;
}

TEST(Floodgate, HasAllWindowsBackAfterAnIncast) {
  for (const Values& values : variants()) {
    Settings settings = with_floodgate(leaf_spine(), values);
    offer(settings, incast(10));
    Simulation simulation(settings);
    const RunRecord record = simulation.run();
    expect_rest(record);
    EXPECT_EQ(completed(record), record.flows.size());
    EXPECT_GT(total(record, "voq_packets"), 0);
    EXPECT_GT(most(record, "fullest_window"), 0.99);
    EXPECT_EQ(total(record, "recovered"), 0);
    for (std::size_t host = 0; host < simulation.fabric().hosts(); ++host) {
      EXPECT_EQ(simulation.fabric().nic(HostId(host)).out_of_order(), 0u);
    }
  }
}

// Appendix B: above a threshold, the last-hop ToR pauses the destination at its neighbours, which then use a VOQ.
TEST(Floodgate, WithTagsPausesTheDestinationOfAnIncast) {
  const Scheme* scheme = find_scheme("floodgate");
  const auto variant = std::find_if(scheme->parameters.begin(), scheme->parameters.end(),
                                    [](const ParameterSpec& parameter) { return parameter.name == "variant"; });
  ASSERT_NE(variant, scheme->parameters.end());
  EXPECT_THAT(variant->choices, testing::Contains("tag"));
  Settings settings = with_floodgate(leaf_spine(), {{"variant", std::string("tag")}}, 10_ms);
  // The second incast completes only if the pauses of the first have all been revoked.
  std::vector<FlowSpec> flows = incast(10);
  for (const FlowSpec& later : incast(10, 60_KB, at(2_ms))) flows.push_back(later);
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(completed(record), flows.size());
  EXPECT_GT(total(record, "dst_pauses"), 0);
  EXPECT_GT(total(record, "dst_resumes"), 0);
  EXPECT_GT(most(record, "voqs"), 0);
  EXPECT_EQ(total(record, "voqs"), 0);
}

// 6.1: at the destination's ToR at most a window from each spine, while they come; without Floodgate all of it.
TEST(Floodgate, BoundsTheBacklogAtTheDestination) {
  const std::vector<FlowSpec> flows = incast(10);
  const std::int64_t window = 60'000 + 500'000;  // towards a ToR: 400 Gbit/s
  for (const bool floodgate : {false, true}) {
    Settings settings = with_floodgate(leaf_spine(), {});
    if (!floodgate) settings.switches.flow_control = {choose("pfc")};
    settings.switches.buffer = 20_MB;
    offer(settings, flows);
    Simulation simulation(settings);
    simulation.run();
    const std::int64_t backlog = simulation.fabric().switch_by(SwitchId(0)).buffer().maximum;
    // A packet of 1,000 bytes of payload is 1,090 on the wire, of which the window counts all.
    if (floodgate) {
      EXPECT_LE(backlog, 2 * (window + 1'090));
    } else {
      EXPECT_GT(backlog, 4 * window);
    }
  }
}

// The links between switches lose packets, credits and SYNs.
TEST(Floodgate, HasAllWindowsBackThoughLinksLoseFrames) {
  for (const double loss : {0.01, 0.1}) {
    Settings settings = with_floodgate(leaf_spine(loss), {}, 60_ms);
    settings.hosts.loss_recovery = choose("irn");
    offer(settings, incast(4));
    const RunRecord record = Simulation(settings).run();
    expect_rest(record);
    EXPECT_EQ(completed(record), record.flows.size());
    EXPECT_GT(total(record, "recovered"), 0);
    if (loss > 0.05) {
      EXPECT_GT(total(record, "syns"), 0);
    }
  }
}

TEST(Floodgate, LosesItsWindowsToLossesWithoutRecovery) {
  Settings settings = with_floodgate(leaf_spine(0.1), {{"recovery", false}}, 60_ms);
  settings.hosts.loss_recovery = choose("irn");
  offer(settings, incast(20));
  const RunRecord record = Simulation(settings).run();
  EXPECT_LT(completed(record), record.flows.size());
  EXPECT_GT(total(record, "uncredited"), 0);
}

TEST(Floodgate, HandlesTenIncastsInARow) {
  for (const bool ideal : {false, true}) {
    Settings settings = with_floodgate(leaf_spine(), {{"variant", std::string(ideal ? "ideal" : "practical")}}, 10_ms);
    std::vector<FlowSpec> flows;
    for (std::size_t i = 0; i < 10; ++i) {
      for (const FlowSpec& one : incast(3, 60_KB, at(20_us * static_cast<std::int64_t>(i)), i % (4 * kRack))) {
        flows.push_back(one);
      }
    }
    offer(settings, flows);
    const RunRecord record = Simulation(settings).run();
    expect_rest(record);
    EXPECT_EQ(completed(record), flows.size());
    EXPECT_GT(most(record, "voqs"), 1);
  }
}

// A failed link leaves the destination reachable by the other spine: it moves to another port of each ToR, and back.
TEST(Floodgate, FollowsADestinationThatMoves) {
  for (const std::string pipeline : {"egress", "port"}) {
    Topology topology = leaf_spine();
    LinkId to_spine;
    for (std::size_t link = 0; link < topology.links().size(); ++link) {
      const Link& ends = topology.link(LinkId(link));
      if (ends.a == topology.node_of(SwitchId(0)) && ends.b == topology.node_of(SwitchId(4))) to_spine = LinkId(link);
    }
    ASSERT_TRUE(to_spine.exists());
    Settings settings = with_floodgate(std::move(topology), {{"pipeline", pipeline}}, 20_ms);
    settings.hosts.loss_recovery = choose("irn");
    settings.network.failures.push_back({.link = to_spine, .down = at(60_us), .up = at(200_us)});
    settings.network.failure_detection = 20_us;
    offer(settings, incast(8));
    const RunRecord record = Simulation(settings).run();
    expect_rest(record);
    EXPECT_EQ(completed(record), record.flows.size());
  }
}

// dstPause keeps an incast in its hosts: their ToRs hold little.
TEST(Floodgate, PausesHostsForTheDestinationOnly) {
  std::vector<FlowSpec> flows = incast(20);
  for (std::size_t from = kRack; from < 2 * kRack; ++from) flows.push_back(flow(from, 3 * kRack, 200_KB, at(100_us)));
  double buffer[2];
  Duration bystander[2];
  for (const bool pauses : {false, true}) {
    Settings settings =
        with_floodgate(leaf_spine(), {{"variant", std::string("ideal")}, {"pause_destinations", pauses}}, 10_ms);
    offer(settings, flows);
    Simulation simulation(settings);
    const RunRecord record = simulation.run();
    expect_rest(record);
    EXPECT_EQ(completed(record), flows.size());
    EXPECT_EQ(total(record, "dst_pauses") > 0, pauses);
    EXPECT_EQ(total(record, "pauses_expired"), 0);
    buffer[pauses ? 1 : 0] = static_cast<double>(simulation.fabric().switch_by(SwitchId(1)).buffer().maximum);
    for (const FlowRecord& one : record.flows) {
      if (one.destination == HostId(3 * kRack)) {
        bystander[pauses ? 1 : 0] = std::max(bystander[pauses ? 1 : 0], one.sender_completion);
      }
    }
  }
  EXPECT_LT(buffer[1], buffer[0] / 3);
  // Nobody who sends to another destination is held.
  EXPECT_LE(bystander[1], bystander[0]);
}

// The links of hosts lose every tenth dstResume: a host goes on by itself.
TEST(Floodgate, ReleasesAHostThoughItsResumeIsLost) {
  Settings settings =
      with_floodgate(leaf_spine(0, 0.1), {{"variant", std::string("ideal")}, {"pause_destinations", true}}, 100_ms);
  settings.hosts.loss_recovery = choose("irn");
  offer(settings, incast(20));
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(completed(record), record.flows.size());
  EXPECT_GT(total(record, "pauses_expired"), 0);
}

/// Figure 4: two pods of two ToRs of eight hosts, a leaf (aggregation) switch in each, one core. All hosts of each pod
/// send to one of the other.
Settings two_pods(std::int64_t queues, std::int64_t groups, const std::string& variant) {
  ClosSettings clos;
  clos.pods = 2;
  clos.tors_per_pod = 2;
  clos.hosts_per_tor = 8;
  clos.aggs_per_pod = 1;
  clos.cores = 1;
  clos.wiring = CoreWiring::full;
  clos.host_link = {k100G, 600_ns};
  clos.tor_agg_link = clos.agg_core_link = {k400G, 600_ns};
  Settings settings = with_floodgate(shape::built(build_clos(clos)),
                                     {{"queues", queues}, {"groups", groups}, {"variant", variant}}, 20_ms);
  settings.run.drain = true;
  std::vector<FlowSpec> flows;
  for (std::size_t repeat = 0; repeat < 4; ++repeat) {
    for (std::size_t host = 0; host < 16; ++host) {
      flows.push_back(flow(host, 16, 50_KB));
      flows.push_back(flow(16 + host == 16 ? 17 : 16 + host, 0, 50_KB));
    }
  }
  offer(settings, flows);
  return settings;
}

TEST(Floodgate, DeadlocksWhereBothDirectionsShareAVoq) {
  for (const std::string variant : {"practical", "ideal"}) {
    const RunRecord record = Simulation(two_pods(1, 1, variant)).run();
    EXPECT_THAT(record.failure, HasSubstr("deadlock: "));
    EXPECT_THAT(record.failure, HasSubstr("credit for host 0"));
    EXPECT_THAT(record.failure, HasSubstr("credit for host 16"));
    EXPECT_TRUE(record.deadlock);
    EXPECT_LT(completed(record), record.flows.size());
  }
}

TEST(Floodgate, DoesNotDeadlockWithAGroupForEachDirection) {
  for (const std::string variant : {"practical", "ideal"}) {
    const RunRecord record = Simulation(two_pods(2, 2, variant)).run();
    EXPECT_EQ(record.failure, "");
    EXPECT_EQ(completed(record), record.flows.size());
  }
}

// In a hashed table of one entry all destinations share a window in each direction.
TEST(Floodgate, DoesNotDeadlockWhereDestinationsShareAnEntry) {
  const Values hashed = {{"table", std::string("hashed")}, {"table_entries", std::int64_t{1}}};
  Settings pods = two_pods(2, 2, "practical");
  for (const auto& [name, value] : hashed) ASSERT_TRUE(pods.switches.flow_control.front().parameters.set(name, value));
  Settings racks = with_floodgate(leaf_spine(), hashed, 20_ms);
  std::vector<FlowSpec> flows = incast(20);
  for (const FlowSpec& back : incast(20, 60_KB, Time(), kRack)) flows.push_back(back);
  offer(racks, flows);
  for (const Settings& settings : {pods, racks}) {
    const RunRecord record = Simulation(settings).run();
    EXPECT_EQ(record.failure, "");
    EXPECT_EQ(completed(record), record.flows.size());
  }
}

// An ideal VOQ for each destination needs no groups.
TEST(Floodgate, DoesNotDeadlockWithAVoqForEachDestination) {
  const RunRecord record = Simulation(two_pods(100, 1, "practical")).run();
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(completed(record), record.flows.size());
}

// Pauses by destination: the incast waits for them, and others pass it.
TEST(Floodgate, PausesDestinationsBySwitchesWithTags) {
  std::vector<FlowSpec> flows = incast(20);
  for (std::size_t from = kRack; from < 2 * kRack; ++from)
    flows.push_back(flow(from, from - kRack + 1, 100_KB, at(100_us)));
  Duration bystander[2];
  double buffer[2];
  for (const bool tags : {false, true}) {
    Settings settings = with_floodgate(leaf_spine(), {{"variant", std::string("tag")}}, 20_ms);
    if (!tags) settings.switches.flow_control = {choose("pfc")};
    offer(settings, flows);
    Simulation simulation(settings);
    const RunRecord record = simulation.run();
    EXPECT_EQ(record.failure, "");
    EXPECT_EQ(completed(record), flows.size());
    EXPECT_EQ(total(record, "dst_pauses") > 0, tags);
    EXPECT_EQ(total(record, "voqs"), 0);
    EXPECT_EQ(total(record, "voq_bytes"), 0);
    for (std::size_t host = 0; host < simulation.fabric().hosts(); ++host) {
      EXPECT_EQ(simulation.fabric().nic(HostId(host)).out_of_order(), 0u);
    }
    for (const FlowRecord& one : record.flows) {
      if (one.destination != HostId(0)) {
        bystander[tags ? 1 : 0] = std::max(bystander[tags ? 1 : 0], one.sender_completion);
      }
    }
    buffer[tags ? 1 : 0] = static_cast<double>(simulation.fabric().switch_by(SwitchId(0)).buffer().maximum);
  }
  EXPECT_LT(bystander[1], bystander[0]);
  EXPECT_LT(buffer[1], buffer[0] / 2);
}

// PFC below: with little buffer it pauses, and nothing is lost.
TEST(Floodgate, LosesNothingAbovePfc) {
  Settings settings = with_floodgate(leaf_spine(), {}, 10_ms);
  settings.switches.buffer = 2_MB;
  offer(settings, incast(20));
  Simulation simulation(settings);
  const LosslessDrops drops(simulation.fabric());
  const RunRecord record = simulation.run();
  expect_rest(record);
  EXPECT_EQ(drops.count(), 0u);
  EXPECT_EQ(completed(record), record.flows.size());
}

// ---- under both drivers ----

class FloodgateDrivers : public shape::BothDrivers {};
WEIR_BOTH_DRIVERS(FloodgateDrivers);

TEST_P(FloodgateDrivers, DeliversAnIncastAndIsReplayed) {
  for (const std::string pipeline : {"egress", "port"}) {
    Settings settings = with_floodgate(leaf_spine(), {{"pipeline", pipeline}, {"pause_destinations", true}}, 50_ms);
    settings.run.drain = true;
    const std::vector<FlowSpec> flows = incast(6);
    offer(settings, flows);
    shape::Lab lab(settings, GetParam());
    for (std::size_t i = 0; i < 6; ++i) lab.record(SwitchId(i));
    lab.record(HostId(kRack));
    shape::expect_clean(lab.run(), flows.size());
    EXPECT_EQ(lab.closed_gates(), 0u);
    EXPECT_THAT(lab.replay_differences(), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace weir::whole::floodgate_test
