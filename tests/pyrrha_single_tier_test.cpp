// SPDX-License-Identifier: Apache-2.0
// Pyrrha with one tier of isolation queues in whole networks: theorem 3.1 over random topologies and traffic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "order_watch.h"
#include "random_network.h"
#include "schemes/pyrrha/pyrrha.h"
#include "schemes/pyrrha/single_tier_switch.h"
#include "shape_isolation.h"
#include "shape_lab.h"

namespace weir::whole::pyrrha_single_tier_test {
namespace {

using pyrrha::Root;
using pyrrha::root_of;
using pyrrha::SingleTierSwitch;
using shape::Driver;
using shape::Made;
using shape::name_of;

/// A switch whose every step is compared with theorem 3.1, by paths that the test computes itself.
class Watched : public SingleTierSwitch {
 public:
  explicit Watched(const Parameters& parameters)
      : SingleTierSwitch(pyrrha::Settings(parameters)), shares_(parameters.get<std::int64_t>("queues") < 100) {}

  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    SingleTierSwitch::on_enter(context, queue, frame);
    if (frame.kind != FrameKind::data || frame.priority != 3) return;
    if (queue == context.default_queue(frame.egress, 3)) return;
    ++isolated;
    if (queues().in_use(frame.egress) > 1) ++among_others;
    if (!shares_) check_holds(context, queue, frame);
    if (isolated % 128 == 1) check_queues(context, frame.egress);
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    const QueueId queue = SingleTierSwitch::classify(context, frame);
    if (frame.kind != FrameKind::data || frame.priority != 3) return queue;
    order_watch_.arrived(frame);
    const Met met = met_by(context, frame);
    QueueId expected = context.default_queue(frame.egress, 3);
    if (met.near && met.last) {
      expected = queue_of_both(frame.egress, *met.near, *met.last);
      ++of_two_roots;
    } else if (met.near || met.last) {
      expected = queue_of(frame.egress, met.near ? *met.near : *met.last);
    }
    if (queue != expected) misplaced("a packet is not in the queue of the roots that it meets");
    return queue;
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    SingleTierSwitch::on_depart(context, queue, frame);
    if (order_watch_.departed(frame)) note("a packet has overtaken another of its flow");
  }
  void on_drop(SwitchContext& context, QueueId queue, const Frame& frame, DropReason reason) override {
    SingleTierSwitch::on_drop(context, queue, frame, reason);
    order_watch_.lost(frame);
  }

  std::uint64_t isolated = 0;
  std::uint64_t among_others = 0;
  std::uint64_t of_two_roots = 0;
  std::string wrong;  ///< the first violation
  /// The first packet that is in a queue for other roots than those on its path. After a change of routes there are
  /// such packets.
  std::string in_other_queue;

 private:
  /// The known roots on the path of a packet: that of the last hop, and that before it.
  struct Met {
    std::optional<Root> near;
    std::optional<Root> last;
  };
  [[nodiscard]] Met met_by(const SwitchContext& context, const Frame& frame) const {
    std::array<Hop, kMaximumHops> hops;
    const std::size_t count = context.paths()->beyond(context.id(), frame.egress, FlowKey::of(frame), hops);
    const auto known = [&](std::size_t from_end) -> std::optional<Root> {
      if (count < from_end) return std::nullopt;
      const Root root = root_of(hops[count - from_end]);
      return state_of(frame.egress, root) ? std::optional(root) : std::nullopt;
    };
    return {known(2), known(1)};
  }
  /// The first half: a packet waits only for roots that it meets, unless an order marker stands behind it.
  void check_holds(const SwitchContext& context, QueueId queue, const Frame& frame) {
    if (has_marker(queue)) return;
    const Met met = met_by(context, frame);
    std::vector<HeldBy> held;
    held_by(context, queue, held);
    for (const HeldBy& reason : held) {
      if (!reason.port.exists()) continue;
      if (reason.name != met.near && reason.name != met.last)
        misplaced("a packet waits for a root that is not on its path");
    }
  }
  /// The second half: no more queues hold packets than there are sets of roots that these packets meet, or parts of
  /// such sets.
  void check_queues(const SwitchContext& context, PortId port) {
    std::size_t used = 0;
    std::set<std::set<Root>> sets;
    for (std::uint32_t number = 0; number < queues().size(); ++number) {
      const QueueState& queue = context.queue(queues()[number].queue);
      if (queues()[number].port != port || queue.empty()) continue;
      ++used;
      for (FrameId id = queue.head; id.exists(); id = id == queue.tail ? FrameId::none() : context.frames()[id].next) {
        if (context.frames()[id].kind == FrameKind::marker) continue;
        const Met met = met_by(context, context.frames()[id]);
        if (met.near) sets.insert({*met.near});
        if (met.last) sets.insert({*met.last});
        if (met.near && met.last) sets.insert({*met.near, *met.last});
      }
    }
    if (used > sets.size()) misplaced("more queues than sets of roots");
    if (const std::string mistake = audit(context); !mistake.empty()) note(mistake);
  }
  void note(const std::string& what) {
    if (wrong.empty()) wrong = what;
  }
  void misplaced(const std::string& what) {
    if (in_other_queue.empty()) in_other_queue = what;
  }
  OrderWatch order_watch_;
  bool shares_;  // whether queues may have to be shared: they are exempt from the theorem
};

const Scheme& watched() {
  static const Scheme scheme = [] {
    Scheme copy = pyrrha::scheme;
    copy.name = "watched_one_tier";
    copy.flow_control = shape::make<FlowControl, Watched>;
    return copy;
  }();
  return scheme;
}

struct Totals {
  std::uint64_t isolated = 0;  ///< entries into isolation queues
  std::uint64_t among_others = 0;
  std::uint64_t of_two_roots = 0;
  double markers = 0;
  double shared = 0;
  std::string wrong;  ///< what does not hold; empty: nothing
};

double statistic(const SwitchPolicy& policy, std::string_view name) {
  const auto all = policy.statistics();
  for (std::size_t which = 0; which < all.size(); ++which) {
    if (all[which].name == name) return policy.statistic(which, PortId(0), 0).value;
  }
  ADD_FAILURE() << name;
  return 0;
}

/// Runs a network of watched switches. All must hold while it runs, and all be forgotten at the end.
/// `losses`: links fail, so frames are lost, and packets may wait for roots of an old route.
Totals run_watched(const Settings& settings, Driver driver, bool losses = false) {
  shape::Lab lab(settings, driver);
  const shape::Outcome outcome = lab.run();
  Totals totals;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds && totals.wrong.empty()) totals.wrong = what;
  };
  expect(outcome.failure.empty(), outcome.failure);
  if (!losses) {
    expect(outcome.drops == 0, "drops");
    expect(outcome.retransmitted == 0 && outcome.out_of_order == 0, "packets out of order");
  }
  expect(outcome.started > 0 && outcome.flows.size() == outcome.started, "flows that do not complete");
  expect(lab.closed_gates() == 0, "gates that stay closed");
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    const Watched& node = Made<Watched>::at(i);
    const std::string name = " at switch " + std::to_string(i);
    expect(node.wrong.empty(), node.wrong + name);
    if (!losses) expect(node.in_other_queue.empty(), node.in_other_queue + name);
    expect(node.known_roots() == 0, "a root is not forgotten" + name);
    for (std::size_t port = 0; port < lab.fabric().switch_by(SwitchId(i)).ports(); ++port) {
      expect(node.queues().in_use(PortId(port)) == 0, "a queue stays assigned" + name);
      expect(!node.is_root(PortId(port)), "a port stays a root" + name);
    }
    totals.isolated += node.isolated;
    totals.among_others += node.among_others;
    totals.of_two_roots += node.of_two_roots;
    totals.markers += statistic(node, "pyrrha.order_markers");
    totals.shared += statistic(node, "pyrrha.shared");
  }
  return totals;
}

PolicyChoice one_tier(double pause_factor, std::int64_t queues) {
  PolicyChoice choice{&watched(), Parameters(watched().parameters)};
  EXPECT_TRUE(choice.parameters.set("tiers", std::int64_t{1}));
  EXPECT_TRUE(choice.parameters.set("queues", queues));
  EXPECT_TRUE(choice.parameters.set("pause_factor", pause_factor));
  EXPECT_TRUE(choice.parameters.set("resume_factor", pause_factor / 2));
  return choice;
}

Settings random_settings(RandomNetwork n, double pause_factor, std::int64_t queues) {
  n.forwarding %= 3;  // no spraying: paths follow from configuration
  n.acknowledge_priority = 0;
  Settings settings = settings_of(n, nullptr);
  settings.switches.buffer = 200_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold");
  settings.switches.flow_control = {one_tier(pause_factor, queues)};
  return settings;
}

RC_GTEST_PROP(PyrrhaOneTierTheorem, HoldsInAnyNetwork, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const double pause_factor = *rc::gen::element(0.1, 0.5, 2.0);
  const std::int64_t queues = *rc::gen::element<std::int64_t>(100, 8);
  const Totals totals = run_watched(random_settings(n, pause_factor, queues), Driver::event_loop);
  if (!totals.wrong.empty()) RC_FAIL(totals.wrong);
}

/// No switch reorders a flow though links fail and routes change, and all is forgotten.
RC_GTEST_PROP(PyrrhaOneTierOrder, IsKeptInAnyNetworkWhoseLinksFail, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const double pause_factor = *rc::gen::element(0.1, 0.5);
  const auto outages = *rc::gen::container<std::vector<Outage>>(2, any_outage());
  Settings settings = random_settings(n, pause_factor, 100);
  fail_once(settings, outages);
  const Totals totals = run_watched(settings, Driver::event_loop, true);
  if (!totals.wrong.empty()) RC_FAIL(totals.wrong);
}

/// One of two parallel links to a rack fails and recovers. Flows then pass the other one, which is a root for which
/// switches upstream have a queue already, while earlier packets are in their output queues. [PYRRHA-ONE-10]
TEST(PyrrhaOneTierReroute, KeepsTheOrderBehindTheOutputQueue) {
  using namespace literals;
  for (const std::uint64_t seed : {11, 18, 19, 31, 35, 37}) {
    LeafSpineSettings network;
    network.tors = 3;
    network.hosts_per_tor = 8;
    network.spines = 1;
    network.host_link = network.fabric_link = {100_Gbps, 1_us, 0};
    network.parallel_links = 2;
    Settings settings = shape::bare(shape::built(build_leaf_spine(network)));
    settings.switches.buffer = 200_MB;
    settings.switches.flow_control = {one_tier(0.5, 100)};
    settings.run.seed = seed;
    RandomStream random(seed, 0, 0);
    std::vector<FlowSpec> flows;
    for (int i = 0; i < 20; ++i) {
      const std::size_t source = random.below(16);
      const std::size_t destination = i % 2 == 0 ? (source + 8) % 16 : 16 + random.below(8);
      const auto start = Duration::picoseconds(static_cast<std::int64_t>(random.below(30)) * 1'000'000);
      flows.push_back(shape::flow(source, destination, 200_KB, shape::at(start)));
    }
    flows.push_back(shape::flow(0, 1, 1_KB, shape::at(10_ms)));  // by then the network is idle again
    shape::offer(settings, flows);
    const Topology& topology = settings.network.topology;
    const auto links = topology.links_between(topology.node_of(SwitchId(3)), topology.node_of(SwitchId(2)));
    ASSERT_EQ(links.size(), 2u);
    settings.network.failure_detection = 2_us;
    settings.network.failures.push_back({links[0], shape::at(40_us), shape::at(70_us)});
    settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 300_us}, {"nack_interval", 50_us}});
    EXPECT_EQ(run_watched(settings, Driver::event_loop, true).wrong, "") << "seed " << seed;
  }
}

/// Hosts of a fat-tree send to hosts of other pods, of which a few are the destination of many: roots at last hops and
/// at the hops before them, alone and on the same paths.
Settings tangled(std::uint64_t seed, std::int64_t queues) {
  using namespace literals;
  FatTreeSettings network;
  network.k = 4;
  network.host_link = {100_Gbps, 1_us, 0};
  network.edge_agg_link = network.agg_core_link = {100_Gbps, 1_us, 0};
  Settings settings = shape::bare(shape::built(build_fat_tree(network)));
  settings.switches.buffer = 200_MB;
  settings.switches.flow_control = {one_tier(0.5, queues)};
  RandomStream random(seed, 0, 0);
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 160; ++i) {
    const std::size_t source = 4 + random.below(12);
    const std::size_t destination = random.below(4);
    const auto start = Duration::picoseconds(static_cast<std::int64_t>(random.below(400)) * 1'000'000);
    flows.push_back(shape::flow(source, destination, 30_KB, shape::at(start)));
  }
  shape::offer(settings, flows);
  return settings;
}

TEST(PyrrhaOneTierTangle, KeepsTheTheoremAndTheOrder) {
  Totals sum;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const std::int64_t queues : {100, 8}) {
      const Totals totals = run_watched(tangled(seed, queues), Driver::event_loop);
      EXPECT_EQ(totals.wrong, "") << "seed " << seed << ", " << queues << " queues";
      sum.isolated += totals.isolated;
      sum.among_others += totals.among_others;
      sum.of_two_roots += totals.of_two_roots;
      sum.markers += totals.markers;
    }
  }
  EXPECT_GT(sum.isolated, 1'000u);
  EXPECT_GT(sum.among_others, 100u) << "a port has several queues";
  EXPECT_GT(sum.of_two_roots, 100u);
  EXPECT_GT(sum.markers, 10);
}

// ---- a congestion tree whose root moves from a spine to the last hop ----

class PyrrhaOneTierIncast : public shape::BothDrivers {};
WEIR_BOTH_DRIVERS(PyrrhaOneTierIncast);

TEST_P(PyrrhaOneTierIncast, HoldsItsOwnPacketsAndNoOthers) {
  Settings settings = shape::root_incast();
  settings.switches.flow_control = {one_tier(2, 100)};
  settings.measurement.policies = true;
  shape::Lab lab(settings, GetParam());
  for (std::size_t i = 0; i <= shape::kRacks; ++i) lab.record(SwitchId(i));
  lab.record(HostId(0));
  const shape::Outcome outcome = lab.run();
  shape::expect_clean(outcome, shape::kFlows);
  EXPECT_LT(outcome.completion(shape::kVictim), 200_us) << "it waits ahead of an order marker, for the last hop, too";
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_THAT(lab.replay_differences(), testing::IsEmpty());
  std::uint64_t isolated = 0;
  for (std::size_t i = 0; i <= shape::kRacks; ++i) {
    EXPECT_EQ(Made<Watched>::at(i).wrong, "") << "switch " << i;
    EXPECT_EQ(Made<Watched>::at(i).in_other_queue, "") << "switch " << i;
    EXPECT_EQ(Made<Watched>::at(i).known_roots(), 0u) << "switch " << i;
    isolated += Made<Watched>::at(i).isolated;
  }
  EXPECT_GT(isolated, 100u);
}

}  // namespace
}  // namespace weir::whole::pyrrha_single_tier_test
