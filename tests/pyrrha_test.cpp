// SPDX-License-Identifier: Apache-2.0
// Pyrrha in whole networks: theorem 3.1 over random topologies and traffic, and the course of single congestion trees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "random_network.h"
#include "schemes/pyrrha/hierarchical_switch.h"
#include "schemes/pyrrha/pyrrha.h"
#include "shape_isolation.h"
#include "shape_lab.h"

namespace weir::whole::pyrrha_test {
namespace {

using pyrrha::HierarchicalSwitch;
using pyrrha::Root;
using pyrrha::root_of;
using shape::Driver;
using shape::Made;
using shape::name_of;

/// A Pyrrha switch whose every step is compared with theorem 3.1, by paths that the test computes itself.
class Watched : public HierarchicalSwitch {
 public:
  explicit Watched(const Parameters& parameters)
      : HierarchicalSwitch(pyrrha::Settings(parameters)), last_hop_(settings_.last_hop_only) {}

  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    HierarchicalSwitch::on_enter(context, queue, frame);
    if (frame.kind != FrameKind::data || frame.priority != 3) return;
    if (queue == context.default_queue(frame.egress, 3)) return;
    // The first half: a packet waits only for roots that it meets.
    ++isolated;
    const std::set<Root> met = met_by(context, frame);
    const auto waits_for = [&](Root root) { return queue_of(frame.egress, root) == queue; };
    if (std::none_of(met.begin(), met.end(), waits_for)) note("a packet waits for a root that is not on its path");
    if (isolated % 16 == 1) check_queues(context, frame.egress);
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    const QueueId queue = HierarchicalSwitch::classify(context, frame);
    const bool is_free = queue == context.default_queue(frame.egress, frame.priority);
    if (frame.kind == FrameKind::data && frame.priority == 3 && is_free != met_by(context, frame).empty()) {
      note("a packet is isolated that meets no root, or passes one that it meets");
    }
    return queue;
  }

  std::uint64_t isolated = 0;
  std::uint64_t most_queues = 0;
  std::string wrong;  ///< the first violation

 private:
  /// The known roots on the path of a packet.
  [[nodiscard]] std::set<Root> met_by(const SwitchContext& context, const Frame& frame) const {
    std::array<Hop, kMaximumHops> hops;
    std::size_t count = context.paths()->beyond(context.id(), frame.egress, FlowKey::of(frame), hops);
    if (last_hop_) {
      // The port to the destination, which follows from the destination alone. At that port itself nothing is met.
      count = context.port(frame.egress).peer.is_host()
                  ? 0
                  : context.paths()->from_host(frame.destination, FlowKey::of(frame), std::span(hops).first(1));
    }
    std::set<Root> met;
    for (std::size_t i = 0; i < count; ++i) {
      if (state_of(frame.egress, root_of(hops[i]))) met.insert(root_of(hops[i]));
    }
    return met;
  }
  /// The second half: no more queues hold packets than there are roots that these packets meet.
  void check_queues(const SwitchContext& context, PortId port) {
    std::size_t used = 0;
    std::set<Root> met;
    for (std::uint32_t number = 0; number < queues().size(); ++number) {
      const QueueState& queue = context.queue(queues()[number].queue);
      if (queues()[number].port != port || queue.empty()) continue;
      ++used;
      FrameId id = queue.head;
      for (std::uint32_t i = 0; i < queue.frames; ++i, id = context.frames()[id].next) {
        met.merge(met_by(context, context.frames()[id]));
      }
    }
    most_queues = std::max<std::uint64_t>(most_queues, used);
    if (used > met.size()) note("more queues than roots");
    if (const std::string mistake = audit(context); !mistake.empty()) note(mistake);
  }
  void note(const std::string& what) {
    if (wrong.empty()) wrong = what;
  }

  bool last_hop_;
};

const Scheme& watched() {
  static const Scheme scheme = [] {
    Scheme copy = pyrrha::scheme;
    copy.name = "watched";
    copy.flow_control = shape::make<FlowControl, Watched>;
    return copy;
  }();
  return scheme;
}

struct Totals {
  std::uint64_t networks = 0;
  std::uint64_t isolated = 0;  ///< entries into isolation queues
  std::uint64_t most_queues = 0;
  std::string wrong;  ///< what does not hold; empty: nothing
};

/// Runs a network of watched switches. All must hold while it runs, and all be forgotten at the end.
Totals run_watched(const Settings& settings, Driver driver, bool in_order = true) {
  shape::Lab lab(settings, driver);
  const shape::Outcome outcome = lab.run();
  Totals totals;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds && totals.wrong.empty()) totals.wrong = what;
  };
  expect(outcome.failure.empty(), outcome.failure);
  expect(outcome.drops == 0, "drops");
  if (in_order) expect(outcome.retransmitted == 0 && outcome.out_of_order == 0, "packets out of order");
  expect(outcome.started > 0 && outcome.flows.size() == outcome.started, "flows that do not complete");
  expect(lab.closed_gates() == 0, "gates that stay closed");
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    const Watched& node = Made<Watched>::at(i);
    const std::string name = " at switch " + std::to_string(i);
    expect(node.wrong.empty(), node.wrong + name);
    expect(node.known_roots() == 0, "a root is not forgotten" + name);
    for (std::size_t port = 0; port < lab.fabric().switch_by(SwitchId(i)).ports(); ++port) {
      expect(node.queues().in_use(PortId(port)) == 0, "a queue stays assigned" + name);
      expect(!node.is_root(PortId(port)), "a port stays a root" + name);
    }
    totals.isolated += node.isolated;
    totals.most_queues = std::max(totals.most_queues, node.most_queues);
  }
  return totals;
}

Settings random_settings(RandomNetwork n, double pause_factor) {
  n.forwarding %= 3;  // no spraying: paths follow from configuration
  n.acknowledge_priority = 0;
  Settings settings = settings_of(n, nullptr);
  settings.switches.buffer = 200_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold");
  settings.switches.flow_control = {{&watched(), [&] {
                                       Parameters parameters(watched().parameters);
                                       EXPECT_TRUE(parameters.set("pause_factor", pause_factor));
                                       EXPECT_TRUE(parameters.set("resume_factor", pause_factor / 2));
                                       return parameters;
                                     }()}};
  return settings;
}

/// Over all networks of a property.
void add(Totals& all, const Totals& one) {
  ++all.networks;
  all.isolated += one.isolated;
  all.most_queues = std::max(all.most_queues, one.most_queues);
}
Totals& all_networks() {
  static Totals totals;
  return totals;
}
Totals& all_spreading_networks() {
  static Totals totals;
  return totals;
}

RC_GTEST_PROP(PyrrhaTheorem, HoldsInAnyNetwork, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const double pause_factor = *rc::gen::element(0.1, 0.5, 2.0);
  const Totals totals = run_watched(random_settings(n, pause_factor), Driver::event_loop);
  add(all_networks(), totals);
  if (!totals.wrong.empty()) RC_FAIL(totals.wrong);
}

/// 4.2: with forwarding that depends on dynamic state, of last hops only; IRN takes the packets in any order.
RC_GTEST_PROP(PyrrhaTheorem, HoldsOfLastHopsInAnyNetworkThatSpreadsPackets, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const double pause_factor = *rc::gen::element(0.1, 0.5, 2.0);
  Settings settings = random_settings(n, pause_factor);
  EXPECT_TRUE(settings.switches.flow_control.front().parameters.set("roots", "last_hop"));
  settings.switches.forwarding = choose(*rc::gen::element("spray", "drill"));
  settings.hosts.loss_recovery = choose("irn", {{"low_timeout", 20_ms}, {"high_timeout", 20_ms}});
  const Totals totals = run_watched(settings, Driver::event_loop, false);
  add(all_spreading_networks(), totals);
  if (!totals.wrong.empty()) RC_FAIL(totals.wrong);
}

TEST(PyrrhaTheoremOfThoseNetworks, IsOfPacketsThatWait) {
  if (all_networks().networks == 0 || all_spreading_networks().networks == 0)
    GTEST_SKIP() << "needs the properties in the same process";
  EXPECT_GT(all_networks().isolated, 1'000u) << "or the property shows nothing";
  EXPECT_GT(all_spreading_networks().isolated, 1'000u);
}

// ---- a congestion tree whose root moves from a spine to the last hop ----

class PyrrhaIncast : public shape::BothDrivers {};
WEIR_BOTH_DRIVERS(PyrrhaIncast);

TEST_P(PyrrhaIncast, HoldsItsOwnPacketsAndNoOthers) {
  Settings settings = shape::root_incast();
  settings.switches.flow_control = {shape::choose(watched())};
  settings.measurement.policies = true;
  shape::Lab lab(settings, GetParam());
  for (std::size_t i = 0; i <= shape::kRacks; ++i) lab.record(SwitchId(i));
  lab.record(HostId(0));
  const shape::Outcome outcome = lab.run();
  shape::expect_clean(outcome, shape::kFlows);
  EXPECT_LT(outcome.completion(shape::kVictim), 80_us) << "42 us at line rate, half of its host's link at times";
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_THAT(lab.replay_differences(), testing::IsEmpty());
  std::uint64_t isolated = 0;
  for (std::size_t i = 0; i <= shape::kRacks; ++i) {
    EXPECT_EQ(Made<Watched>::at(i).wrong, "") << "switch " << i;
    EXPECT_EQ(Made<Watched>::at(i).known_roots(), 0u) << "switch " << i;
    isolated += Made<Watched>::at(i).isolated;
  }
  EXPECT_GT(isolated, 100u);
}

/// Two incasts at once: the ports of the other racks hold packets of two roots, so theorem 3.1 is of more than one
/// queue.
TEST_P(PyrrhaIncast, OfTwoTargetsUsesTwoQueuesPerPort) {
  Settings settings = shape::root_incast();
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < shape::kSources; ++source) {
    flows.push_back(shape::flow(source, shape::kIncastTarget, 500_KB));
    flows.push_back(shape::flow(source, shape::kVictimTarget, 500_KB));
  }
  flows.push_back(shape::flow(4, 5, 1_KB, at(4_ms)));  // by then the network is idle again
  shape::offer(settings, flows);
  settings.switches.flow_control = {shape::choose(watched())};
  const Totals totals = run_watched(settings, GetParam());
  EXPECT_EQ(totals.wrong, "");
  EXPECT_GE(totals.most_queues, 2u);
}

double total(const RunRecord& record, std::string_view name) {
  double sum = 0;
  for (const PolicyRecord& row : record.statistics.policies) sum += row.name == name ? row.value : 0;
  return sum;
}

TEST(PyrrhaIncastMeasured, PausesNobodyInnocently) {
  Settings settings = shape::root_incast();
  settings.switches.flow_control = {choose("pyrrha")};
  settings.measurement.policies = true;
  settings.measurement.innocent_pause = true;
  settings.measurement.sample_interval = 1_us;
  const RunRecord record = Simulation(settings).run();
  Duration held;
  Duration innocent;
  for (const PauseHold& hold : record.pause_hold) {
    held += hold.held;
    innocent += hold.innocent;
  }
  EXPECT_GT(held, 100_us);
  EXPECT_EQ(innocent, Duration());
  EXPECT_GT(total(record, "pyrrha.given_up"), 0) << "the spine's downlink was a root at first";
  EXPECT_GT(total(record, "pyrrha.merges"), 0);
  EXPECT_GT(total(record, "pyrrha.pauses_obeyed"), 0);
  EXPECT_EQ(total(record, "pyrrha.roots"), 0);
  EXPECT_EQ(total(record, "pyrrha.queues"), 0);
}

}  // namespace
}  // namespace weir::whole::pyrrha_test
