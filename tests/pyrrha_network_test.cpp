// SPDX-License-Identifier: Apache-2.0
// Pyrrha in networks in which congestion trees overlap and move, links fail and control frames are unheard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "schemes/pyrrha/hierarchical_switch.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/pyrrha.h"
#include "shape_lab.h"

namespace weir::whole::pyrrha_network_test {
namespace {

using namespace literals;
using pyrrha::HierarchicalSwitch;
using pyrrha::Kind;
using pyrrha::Root;
using pyrrha::root_of;
using shape::at;
using shape::Driver;
using shape::flow;
using shape::Lab;
using shape::Made;
using shape::Outcome;

/// A control frame that a switch does not hear: the n-th of this kind, from 1 on.
struct Unheard {
  SwitchId at;
  Kind kind = Kind::pause;
  int number = 0;
};
Unheard unheard;

/// A switch that remembers what it did, and does not hear one control frame.
class Observed : public HierarchicalSwitch {
 public:
  explicit Observed(const Parameters& parameters) : HierarchicalSwitch(pyrrha::Settings(parameters)) {}

  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    HierarchicalSwitch::on_enter(context, queue, frame);
    if (is_root(frame.egress)) own_roots.insert(frame.egress);
  }
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override {
    const QueueId next = HierarchicalSwitch::on_leave(context, queue, frame);
    if (next != context.default_queue(frame.egress, frame.priority)) ++passed_two;
    return next;
  }
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override {
    const auto message = pyrrha::read_message(frame);
    if (message && context.id() == unheard.at && message->kind == unheard.kind && ++heard == unheard.number)
      return true;
    const bool again = message && message->kind == Kind::pause && is_root(port) && state_of(port, message->root);
    const bool known = HierarchicalSwitch::on_control(context, port, frame);
    if (again) ++(is_root(port) ? stayed_root : merged_again);
    return known;
  }
  [[nodiscard]] double count(std::string_view name) const {
    const auto all = statistics();
    for (std::size_t which = 0; which < all.size(); ++which) {
      if (all[which].name == name) return statistic(which, PortId(0), 0).value;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  std::set<PortId> own_roots;    ///< ports that have been a root
  std::uint64_t passed_two = 0;  ///< packets that left one isolation queue for another
  // PAUSEs for another root that is known already, heard at a port that is a root.
  std::uint64_t stayed_root = 0;   ///< it stayed one
  std::uint64_t merged_again = 0;  ///< it did not
  int heard = 0;                   ///< control frames of the kind of which one is not heard
};

const Scheme& observed() {
  static const Scheme scheme = [] {
    Scheme copy = pyrrha::scheme;
    copy.name = "observed";
    copy.flow_control = shape::make<FlowControl, Observed>;
    return copy;
  }();
  return scheme;
}
const Observed& node(std::size_t number) {
  return Made<Observed>::at(number);
}

class PyrrhaNetwork : public testing::Test {
 protected:
  void SetUp() override { unheard = {}; }
};

struct Fabric {
  int tors = 3;
  int hosts_per_tor = 4;
  int spines = 2;
  BitRate fabric_rate = 100_Gbps;
  Duration fabric_delay = 1_us;
};

/// Switches 0..tors-1 are ToRs, the spines follow. Hosts have 100 Gbit/s.
Settings leaf_spine(const Fabric& fabric) {
  LeafSpineSettings network;
  network.tors = fabric.tors;
  network.hosts_per_tor = fabric.hosts_per_tor;
  network.spines = fabric.spines;
  network.host_link = {100_Gbps, 1_us, 0};
  network.fabric_link = {fabric.fabric_rate, fabric.fabric_delay, 0};
  Settings settings = shape::bare(shape::built(build_leaf_spine(network)));
  settings.switches.buffer = 100_MB;
  settings.switches.flow_control = {shape::choose(observed())};
  return settings;
}

/// Nothing waits any more, and nothing is remembered.
void expect_forgotten(Lab& lab) {
  EXPECT_EQ(lab.closed_gates(), 0u);
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    EXPECT_EQ(node(i).known_roots(), 0u) << "switch " << i;
    EXPECT_EQ(node(i).audit(lab.fabric().switch_by(SwitchId(i))), "") << "switch " << i;
    for (std::size_t port = 0; port < lab.fabric().switch_by(SwitchId(i)).ports(); ++port) {
      EXPECT_EQ(node(i).queues().in_use(PortId(port)), 0u) << "switch " << i << ", port " << port;
      EXPECT_FALSE(node(i).is_root(PortId(port))) << "switch " << i << ", port " << port;
    }
  }
}

// Figure 5b: the downlinks of the spines to rack 2 are overloaded by flows to all its hosts, and the last hop to host 8
// by flows through both spines. A packet to host 8 meets both roots.
std::vector<FlowSpec> tangled_flows() {
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 8; ++source) {
    for (std::size_t i = 0; i < 6; ++i) {
      flows.push_back(flow(source, i < 4 ? 8 : 6 + i, 100_KB, at(static_cast<std::int64_t>(source + 3 * i) * 1_us)));
    }
  }
  flows.push_back(flow(0, 5, 200_KB, at(60_us)));  // meets none of these roots
  return flows;
}

TEST_F(PyrrhaNetwork, WithTangledTreesHoldsPacketsForBothRoots) {
  Settings settings = leaf_spine({});
  const std::vector<FlowSpec> flows = tangled_flows();
  shape::offer(settings, flows);
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  shape::expect_clean(outcome, flows.size());
  expect_forgotten(lab);
  std::set<std::size_t> with_roots;
  std::uint64_t passed_two = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    if (!node(i).own_roots.empty()) with_roots.insert(i);
    passed_two += node(i).passed_two;
  }
  EXPECT_TRUE(with_roots.contains(2)) << "the last hop";
  EXPECT_TRUE(with_roots.contains(3) || with_roots.contains(4)) << "a spine's downlink";
  EXPECT_GT(passed_two, 100u) << "from near to far";
}

TEST_F(PyrrhaNetwork, WithTwoRootsOnOnePathDoesNotMergeForEver) {
  Settings settings = leaf_spine({});
  shape::offer(settings, tangled_flows());
  Lab lab(settings, Driver::event_loop);
  lab.run();
  double given_up = 0;
  std::uint64_t stayed = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    given_up += node(i).count("pyrrha.given_up");
    stayed += node(i).stayed_root;
    EXPECT_EQ(node(i).merged_again, 0u) << "switch " << i;
  }
  EXPECT_GT(given_up, 0);
  EXPECT_GT(stayed, 0u) << "once for each further root that becomes known";
}

// The root is a spine's downlink at first, then the last hop when MERGE has been sent, and PAUSE and MERGE of several
// hops are on the wire at once if links are long.
TEST_F(PyrrhaNetwork, MergesThoughPausesAreOnTheWire) {
  for (const Duration delay : {100_ns, 1_us, 20_us}) {
    Settings settings =
        leaf_spine({.tors = 4, .hosts_per_tor = 4, .spines = 1, .fabric_rate = 400_Gbps, .fabric_delay = delay});
    std::vector<FlowSpec> flows;
    for (std::size_t source = 0; source < 12; ++source) flows.push_back(flow(source, 12, 300_KB));
    flows.push_back(flow(0, 13, 100_KB, at(30_us)));
    shape::offer(settings, flows);
    settings.switches.flow_control[0].parameters.set("pause_factor", 0.5);
    settings.switches.flow_control[0].parameters.set("resume_factor", 0.25);
    Lab lab(settings, Driver::event_loop);
    const Outcome outcome = lab.run();
    shape::expect_clean(outcome, flows.size());
    expect_forgotten(lab);
    EXPECT_GT(node(4).count("pyrrha.given_up"), 0) << delay.microseconds() << " us";
    EXPECT_GT(node(4).count("pyrrha.merges"), 0) << delay.microseconds() << " us";
  }
}

// An incast at host 8 of rack 2 ends, and flows to its neighbours overload the spines' downlinks; then the other way.
TEST_F(PyrrhaNetwork, FollowsARootThatMoves) {
  Settings settings = leaf_spine({.spines = 1, .fabric_rate = 200_Gbps});
  std::vector<FlowSpec> flows;
  const auto incast = [&](Duration start) {
    for (std::size_t source = 0; source < 6; ++source) flows.push_back(flow(source, 8, 100_KB, at(start)));
  };
  const auto spread = [&](Duration start) {
    for (std::size_t source = 0; source < 6; ++source) flows.push_back(flow(source, 9 + source % 3, 100_KB, at(start)));
  };
  spread(0_us);
  incast(30_us);
  spread(90_us);
  incast(150_us);
  shape::offer(settings, flows);
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  shape::expect_clean(outcome, flows.size());
  expect_forgotten(lab);
  EXPECT_FALSE(node(2).own_roots.empty()) << "the last hop";
  EXPECT_FALSE(node(3).own_roots.empty()) << "the spine's downlink";
}

// ---- failures ----

/// Links of a leaf-spine network are numbered in the order in which they were built.
LinkId link_between(const Settings& settings, NodeId a, NodeId b) {
  const std::vector<Link>& links = settings.network.topology.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if ((links[i].a == a && links[i].b == b) || (links[i].a == b && links[i].b == a)) return LinkId(i);
  }
  ADD_FAILURE() << "no such link";
  return LinkId(0);
}

Settings incast_of_eight(std::vector<FlowSpec>& flows) {
  Settings settings = leaf_spine({.spines = 1, .fabric_rate = 400_Gbps});
  for (std::size_t source = 0; source < 8; ++source) flows.push_back(flow(source, 8, 300_KB));
  flows.push_back(flow(0, 9, 200_KB, at(60_us)));
  flows.push_back(flow(4, 1, 200_KB, at(60_us)));
  shape::offer(settings, flows);
  settings.hosts.loss_recovery.parameters.set("timeout", 500_us);
  return settings;
}

TEST_F(PyrrhaNetwork, ResumesWhenThePortOfARootFails) {
  std::vector<FlowSpec> flows;
  Settings settings = incast_of_eight(flows);
  const auto& topology = settings.network.topology;
  settings.network.failure_detection = 5_us;
  const LinkId last_hop = link_between(settings, topology.node_of(HostId(8)), topology.node_of(SwitchId(2)));
  settings.network.failures.push_back({last_hop, at(100_us), at(400_us)});
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows.size());
  EXPECT_GT(outcome.drops, 0u) << "what the port held";
  EXPECT_LT(outcome.completion(8), 100_us) << "a flow to the neighbour does not wait for the failed port";
  EXPECT_LT(outcome.completion(9), 100_us);
  expect_forgotten(lab);
}

TEST_F(PyrrhaNetwork, ForgetsAllWhenALinkOnTheWayFails) {
  std::vector<FlowSpec> flows;
  Settings settings = incast_of_eight(flows);
  const auto& topology = settings.network.topology;
  settings.network.failure_detection = 5_us;
  const LinkId uplink = link_between(settings, topology.node_of(SwitchId(0)), topology.node_of(SwitchId(3)));
  settings.network.failures.push_back({uplink, at(100_us), at(300_us)});
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows.size());
  expect_forgotten(lab);
}

// ---- lost control frames ----

TEST_F(PyrrhaNetwork, NeedsNoPause) {
  for (int number = 1; number <= 3; ++number) {
    unheard = {SwitchId(3), Kind::pause, number};
    std::vector<FlowSpec> flows;
    const Settings settings = incast_of_eight(flows);
    Lab lab(settings, Driver::event_loop);
    shape::expect_clean(lab.run(), flows.size());
    expect_forgotten(lab);
    EXPECT_GE(node(3).heard, number);
  }
}

TEST_F(PyrrhaNetwork, KeepsAQueueOpenIfADeallocationIsLost) {
  std::vector<FlowSpec> flows;
  const Settings settings = incast_of_eight(flows);
  double all = 0;
  {
    Lab lab(settings, Driver::event_loop);
    lab.run();
    all = node(0).count("pyrrha.deallocations") + node(1).count("pyrrha.deallocations");
  }
  ASSERT_GT(all, 0);
  unheard = {SwitchId(3), Kind::deallocate, static_cast<int>(all)};
  Lab lab(settings, Driver::event_loop);
  shape::expect_clean(lab.run(), flows.size());
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_EQ(node(3).heard, static_cast<int>(all));
  EXPECT_EQ(node(3).queues().in_use(PortId(2)) + node(3).known_roots(), 2u) << "they wait for the child";
}

// ---- pauses that are ignored ----

TEST_F(PyrrhaNetwork, ForgetsAllThoughTablesOfRootsAreFull) {
  Settings settings = leaf_spine({});
  settings.switches.flow_control[0].parameters.set("known_roots", std::int64_t{1});
  settings.switches.flow_control[0].parameters.set("pause_factor", 0.5);
  settings.switches.flow_control[0].parameters.set("resume_factor", 0.25);
  const std::vector<FlowSpec> flows = tangled_flows();
  shape::offer(settings, flows);
  Lab lab(settings, Driver::event_loop);
  shape::expect_clean(lab.run(), flows.size());
  double unheeded = 0;
  for (std::size_t i = 0; i < 5; ++i) unheeded += node(i).count("pyrrha.unheeded");
  EXPECT_GT(unheeded, 0);
  expect_forgotten(lab);
}

// The last PAUSE that a switch is sent, so no later one makes up for it.
TEST_F(PyrrhaNetwork, ForgetsAllThoughTheLastPauseIsLost) {
  int last = 0;
  for (int number = 100; number > 0; number = number == 100 ? last : 0) {
    unheard = {SwitchId(0), Kind::pause, number};
    std::vector<FlowSpec> flows;
    const Settings settings = incast_of_eight(flows);
    Lab lab(settings, Driver::event_loop);
    shape::expect_clean(lab.run(), flows.size());
    expect_forgotten(lab);
    last = node(0).heard;
    ASSERT_GT(last, 0);
    ASSERT_LT(last, 100);
  }
}

// The spine does not hear the last RESUME of the last hop. What it holds for this root stays; the rest does not mind.
TEST_F(PyrrhaNetwork, HoldsPacketsOfTheRootOnlyIfAResumeIsLost) {
  std::vector<FlowSpec> flows;
  Settings settings = incast_of_eight(flows);
  settings.run.stop = at(3_ms);
  unheard = {SwitchId(3), Kind::resume, 4};
  {
    Lab lab(settings, Driver::event_loop);
    const Outcome outcome = lab.run();
    EXPECT_LT(outcome.flows.size(), flows.size()) << "packets of the incast wait for ever";
    EXPECT_LT(outcome.completion(8), 100_us) << "others pass";
    EXPECT_LT(outcome.completion(9), 100_us);
    EXPECT_GT(lab.closed_gates(), 0u);
    EXPECT_EQ(outcome.drops, 0u);
  }
  // The next change of the link ends it.
  settings.run.stop = at(50_ms);
  settings.network.failure_detection = 5_us;
  const auto& topology = settings.network.topology;
  const LinkId downlink = link_between(settings, topology.node_of(SwitchId(3)), topology.node_of(SwitchId(2)));
  settings.network.failures.push_back({downlink, at(2_ms), at(2'100_us)});
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.flows.size(), flows.size());
  expect_forgotten(lab);
}

// ToR 0 does not hear that the spine's downlink is no longer a root. It holds all that passes the downlink, for the
// last hop or not. ToRs 1 and 2 have heard it.
TEST_F(PyrrhaNetwork, HoldsPacketsOfTheOldRootIfAMergeIsLost) {
  Settings settings = leaf_spine({.tors = 4, .spines = 1, .fabric_rate = 400_Gbps});
  settings.switches.flow_control[0].parameters.set("pause_factor", 0.5);
  settings.switches.flow_control[0].parameters.set("resume_factor", 0.25);
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 12; ++source) flows.push_back(flow(source, 12, 300_KB));
  for (const std::size_t source : {0, 4, 8}) flows.push_back(flow(source, 13, 100_KB, at(30_us)));  // 12, 13, 14
  flows.push_back(flow(1, 5, 100_KB, at(30_us)));                                                   // 15
  shape::offer(settings, flows);
  settings.run.stop = at(3_ms);
  unheard = {SwitchId(0), Kind::merge, 1};
  {
    Lab lab(settings, Driver::event_loop);
    const Outcome outcome = lab.run();
    EXPECT_EQ(node(0).heard, 1) << "ToR 0 is sent one MERGE";
    EXPECT_EQ(node(0).state_of(PortId(4), root_of(SwitchId(4), PortId(3))), HierarchicalSwitch::State::paused);
    std::set<std::size_t> completed;
    for (const FlowRecord& done : outcome.flows) completed.insert(done.id.value);
    EXPECT_THAT(completed, testing::ElementsAre(4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15)) << "all but 0 to 3 and 12";
    EXPECT_EQ(outcome.drops, 0u);
  }
  // A change of the link ends it.
  settings.hosts.loss_recovery.parameters.set("timeout", 500_us);
  settings.run.stop = at(50_ms);
  settings.network.failure_detection = 5_us;
  const auto& topology = settings.network.topology;
  const LinkId uplink = link_between(settings, topology.node_of(SwitchId(0)), topology.node_of(SwitchId(4)));
  settings.network.failures.push_back({uplink, at(2_ms), at(2'100_us)});
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.flows.size(), flows.size());
  expect_forgotten(lab);
}

// ---- (k-1):1 at every port in turn (4.4) ----

Outcome every_port_in_turn(Bytes buffer) {
  constexpr std::size_t kHosts = 8;
  SingleSwitchSettings network;
  network.groups = {{static_cast<int>(kHosts), {100_Gbps, 1_us, 0}}};
  Settings settings = shape::bare(shape::built(build_single_switch(network)));
  settings.switches.lossless = {};
  settings.switches.buffer = buffer;
  settings.switches.buffer_policy = shape::choose("static_threshold");
  settings.switches.flow_control = {shape::choose(observed())};
  settings.hosts.loss_recovery = shape::choose("irn");
  std::vector<FlowSpec> flows;
  for (std::size_t port = 0; port < kHosts; ++port) {
    for (std::size_t source = 0; source < kHosts; ++source) {
      // One-hop round trip of each: 2 us at line rate.
      if (source != port) flows.push_back(flow(source, port, 25_KB, at(static_cast<std::int64_t>(port) * 2_us)));
    }
  }
  shape::offer(settings, flows);
  Lab lab(settings, Driver::event_loop);
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows.size());
  expect_forgotten(lab);
  return outcome;
}

TEST_F(PyrrhaNetwork, MayDropWhenEveryPortIsAVictimInTurn) {
  const Outcome roomy = every_port_in_turn(10_MB);
  EXPECT_EQ(roomy.drops, 0u);
  const Outcome tight = every_port_in_turn(300_KB);
  EXPECT_GT(tight.drops, 0u) << "Pyrrha does not guarantee losslessness";
  EXPECT_GT(tight.retransmitted, 0u) << "IRN sends them again";
}

}  // namespace
}  // namespace weir::whole::pyrrha_network_test
