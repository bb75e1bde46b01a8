// SPDX-License-Identifier: Apache-2.0
// Pyrrha in whole networks: theorem 3.1 over random topologies and traffic, and the course of single congestion trees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "order_watch.h"
#include "random_network.h"
#include "schemes/pyrrha/hierarchical_switch.h"
#include "schemes/pyrrha/message.h"
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
    if (!settings_.manages(frame)) return;
    if (queue == context.default_queue(frame.egress, 3)) return;
    // The first half: a packet waits only for roots that it meets.
    ++isolated;
    const std::set<Root> met = met_by(context, frame);
    const auto waits_for = [&](Root root) { return queue_of(frame.egress, root) == queue; };
    const auto root = std::find_if(met.begin(), met.end(), waits_for);
    if (root == met.end()) {
      by_old_route("a packet waits for a root that is not on its path");
    } else {
      stays_[&frame] = {*root, ++clock_};
    }
    if (isolated % 16 == 1) check_queues(context, frame.egress);
  }
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override {
    // From its entry until now: the queue has been that of the same root alone, and the root is on its path.
    const auto stay = stays_.find(&frame);
    if (stay != stays_.end()) {
      const Root root = stay->second.root;
      if (queue_of(frame.egress, root) != queue) note("a queue with packets is given to another root");
      if (!met_by(context, frame).contains(root))
        by_old_route("a packet has waited for a root that is not on its path");
      if (queues()[queues().number_of(queue)].users != 1) note("a queue is shared");
      stays_.erase(stay);
      ++stays;
    }
    return HierarchicalSwitch::on_leave(context, queue, frame);
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    const QueueId queue = HierarchicalSwitch::classify(context, frame);
    if (!settings_.manages(frame)) return queue;
    order_watch_.arrived(frame);
    const bool is_free = queue == context.default_queue(frame.egress, frame.priority);
    if (is_free && !met_by(context, frame).empty()) note("a packet passes a root that it meets");
    if (!is_free && met_by(context, frame).empty()) by_old_route("a packet is isolated that meets no root");
    return queue;
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    HierarchicalSwitch::on_depart(context, queue, frame);
    if (order_watch_.departed(frame)) note("a packet has overtaken another of its flow");
  }
  void on_drop(SwitchContext& context, QueueId queue, const Frame& frame, DropReason reason) override {
    HierarchicalSwitch::on_drop(context, queue, frame, reason);
    stays_.erase(&frame);
    order_watch_.lost(frame);
  }
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override {
    const auto message = pyrrha::read_message(frame);
    const bool was_known = message && state_of(port, message->root);
    const bool taken = HierarchicalSwitch::on_control(context, port, frame);
    if (message && !was_known && state_of(port, message->root)) known_since_[{port, message->root}] = ++clock_;
    return taken;
  }

  std::uint64_t isolated = 0;
  std::uint64_t stays = 0;  ///< stays in isolation queues that have been checked from entry to exit
  std::uint64_t most_queues = 0;
  std::uint64_t equal = 0;    ///< instants with as many queues as roots
  std::uint64_t unequal = 0;  ///< other instants: those that check_queues() allows
  std::string wrong;          ///< the first violation
  /// The first violation that a change of routes excuses: packets then wait for roots of their old path.
  std::string not_on_path;

 private:
  /// The stay of a packet in an isolation queue.
  struct Stay {
    Root root = 0;
    std::uint64_t since = 0;
  };
  /// The known roots on the path of a packet.
  [[nodiscard]] std::set<Root> met_by(const SwitchContext& context, const Frame& frame) const {
    std::array<Hop, 4 * kMaximumHops> hops;
    std::size_t count = context.paths()->beyond(context.id(), frame.egress, FlowKey::of(frame), hops);
    if (last_hop_) {
      // The port to the destination, which follows from the destination alone. At that port itself nothing is met.
      count = context.port(frame.egress).peer.is_host()
                  ? 0
                  : context.paths()->from_host(frame.destination, FlowKey::of(frame), std::span(hops).first(1));
    }
    std::set<Root> met;
    for (std::size_t i = 0; i < count && hops[i].node != context.id(); ++i) {
      if (state_of(frame.egress, root_of(hops[i]))) met.insert(root_of(hops[i]));
    }
    return met;
  }
  /// The second half: each assigned queue is that of one of the roots that the waiting packets meet, and each of these
  /// roots has a queue, so there are as many queues as roots. Two exceptions: an empty queue of a root that is paused,
  /// or that waits until its children have deallocated; and a root of which no packet has arrived and none has moved on
  /// since its PAUSE, so no packet has needed its queue.
  void check_queues(const SwitchContext& context, PortId port) {
    std::map<Root, std::uint64_t> met;  // with the last entry of a packet that meets it
    std::size_t used = 0;
    for (std::uint32_t number = 0; number < queues().size(); ++number) {
      const QueueState& queue = context.queue(queues()[number].queue);
      if (queues()[number].port != port || queue.empty()) continue;
      ++used;
      FrameId id = queue.head;
      for (std::uint32_t i = 0; i < queue.frames; ++i, id = context.frames()[id].next) {
        const Frame& frame = context.frames()[id];
        const auto stay = stays_.find(&frame);
        for (const Root root : met_by(context, frame)) {
          std::uint64_t& last = met[root];
          if (stay != stays_.end()) last = std::max(last, stay->second.since);
        }
      }
    }
    most_queues = std::max<std::uint64_t>(most_queues, used);
    if (used > met.size()) by_old_route("more queues than roots");
    std::size_t assigned = 0;
    std::size_t unmet = 0;     // assigned queues of roots that no waiting packet meets
    std::size_t unneeded = 0;  // roots that waiting packets meet, without a queue
    std::set<QueueId> distinct;
    for (std::uint32_t number = 0; number < table_.size(); ++number) {
      const Record& record = table_[number];
      if (!record.in_use || record.key.port != port) continue;
      const bool has_queue = record.queue != kNone;
      const auto found = met.find(record.key.root);
      assigned += has_queue ? 1 : 0;
      if (has_queue) distinct.insert(queues()[record.queue].queue);
      if (has_queue && found == met.end()) {
        ++unmet;
        if (record.state != State::paused && !upstream_.has_children(anchor_of(number)))
          by_old_route("a queue stays for nothing");
      }
      if (!has_queue && found != met.end()) {
        ++unneeded;
        if (found->second > known_since_[{port, record.key.root}])
          by_old_route("a packet waits that meets a root without a queue");
      }
    }
    if (distinct.size() != assigned || queues().in_use(port) != assigned) note("queues and roots are not one to one");
    if (assigned - unmet != met.size() - unneeded) by_old_route("not as many queues as roots");
    ++(assigned == met.size() && unmet == 0 ? equal : unequal);
    if (const std::string mistake = audit(context); !mistake.empty()) note(mistake);
  }
  void note(const std::string& what) {
    if (wrong.empty()) wrong = what;
  }
  void by_old_route(const std::string& what) {
    if (not_on_path.empty()) not_on_path = what;
  }

  bool last_hop_;
  OrderWatch order_watch_;
  std::map<const Frame*, Stay> stays_;
  std::map<std::pair<PortId, Root>, std::uint64_t> known_since_;
  std::uint64_t clock_ = 0;
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
  std::uint64_t isolated = 0;  ///< entries into isolation queues
  std::uint64_t stays = 0;
  std::uint64_t most_queues = 0;
  std::uint64_t equal = 0;
  std::uint64_t unequal = 0;
  std::string wrong;  ///< what does not hold; empty: nothing
};

/// What a network need not keep.
struct Excuses {
  bool sent_again = false;  ///< packets that arrive out of order and are sent again
  bool losses = false;      ///< frames lost with a link; packets that wait for roots of an old route
};

/// Runs a network of watched switches. All must hold while it runs, and all be forgotten at the end.
Totals run_watched(const Settings& settings, Driver driver, const Excuses& excuses = {}) {
  shape::Lab lab(settings, driver);
  const shape::Outcome outcome = lab.run();
  Totals totals;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds && totals.wrong.empty()) totals.wrong = what;
  };
  expect(outcome.failure.empty(), outcome.failure);
  if (!excuses.losses) expect(outcome.drops == 0, "drops");
  if (!excuses.losses && !excuses.sent_again) {
    expect(outcome.retransmitted == 0 && outcome.out_of_order == 0, "packets out of order");
  }
  expect(outcome.started > 0 && outcome.flows.size() == outcome.started, "flows that do not complete");
  expect(lab.closed_gates() == 0, "gates that stay closed");
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    const Watched& node = Made<Watched>::at(i);
    const std::string name = " at switch " + std::to_string(i);
    expect(node.wrong.empty(), node.wrong + name);
    if (!excuses.losses) expect(node.not_on_path.empty(), node.not_on_path + name);
    expect(node.known_roots() == 0, "a root is not forgotten" + name);
    for (std::size_t port = 0; port < lab.fabric().switch_by(SwitchId(i)).ports(); ++port) {
      expect(node.queues().in_use(PortId(port)) == 0, "a queue stays assigned" + name);
      expect(!node.is_root(PortId(port)), "a port stays a root" + name);
    }
    totals.isolated += node.isolated;
    totals.stays += node.stays;
    totals.equal += node.equal;
    totals.unequal += node.unequal;
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

/// The same in a ring of switches, each with one host or two. Paths have up to `switches` / 2 + 1 hops.
Settings in_ring(const RandomNetwork& n, int switches, double pause_factor) {
  Settings settings = random_settings(n, pause_factor);
  const std::vector<Link> models = settings.network.topology.links();
  Topology ring;
  std::vector<NodeId> nodes;
  for (int i = 0; i < switches; ++i) nodes.push_back(ring.add_switch("s" + std::to_string(i), 1));
  for (int i = 0; i < switches; ++i) {
    for (int host = 0; host <= n.hosts % 2; ++host) {
      const NodeId node = ring.add_host("h" + std::to_string(ring.hosts()));
      ring.connect(node, nodes[static_cast<std::size_t>(i)], {models.front().rate, models.front().delay});
    }
  }
  for (int i = 0; i < switches; ++i) {
    const auto next = static_cast<std::size_t>((i + 1) % switches);
    ring.connect(nodes[static_cast<std::size_t>(i)], nodes[next], {models.back().rate, models.back().delay});
  }
  settings.network.topology = std::move(ring);
  settings.traffic = [n, hosts = settings.network.topology.hosts()](std::uint64_t seed) {
    return traffic_of(n, hosts, seed);
  };
  return settings;
}

void run_property(const Settings& settings, const Excuses& excuses = {}) {
  const Totals totals = run_watched(settings, Driver::event_loop, excuses);
  RC_CLASSIFY(totals.isolated > 0, "packets wait");
  if (!totals.wrong.empty()) RC_FAIL(totals.wrong);
}

RC_GTEST_PROP(PyrrhaTheorem, HoldsInAnyNetwork, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  run_property(random_settings(n, *rc::gen::element(0.1, 0.5, 2.0)));
}

/// With cycles of switches, and paths longer than a port has levels.
RC_GTEST_PROP(PyrrhaTheorem, HoldsInAnyRing, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const int switches = *rc::gen::element(3, 4, 7, 24);
  run_property(in_ring(n, switches, *rc::gen::element(0.1, 0.5)));
}

/// 4.2: with forwarding that depends on dynamic state, of last hops only; IRN takes the packets in any order.
RC_GTEST_PROP(PyrrhaTheorem, HoldsOfLastHopsInAnyNetworkThatSpreadsPackets, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const double pause_factor = *rc::gen::element(0.1, 0.5, 2.0);
  Settings settings = random_settings(n, pause_factor);
  EXPECT_TRUE(settings.switches.flow_control.front().parameters.set("roots", "last_hop"));
  settings.switches.forwarding = choose(*rc::gen::element("spray", "drill"));
  settings.hosts.loss_recovery = choose("irn", {{"low_timeout", 20_ms}, {"high_timeout", 20_ms}});
  run_property(settings, {.sent_again = true});
}

/// No switch reorders a flow though links fail and routes change, and all is forgotten.
RC_GTEST_PROP(PyrrhaOrder, IsKeptInAnyNetworkWhoseLinksFail, ()) {
  RandomNetwork n = *any_network({.losses = false});
  const int switches = *rc::gen::element(0, 4, 12);
  const double pause_factor = *rc::gen::element(0.1, 0.5);
  const auto outages = *rc::gen::container<std::vector<Outage>>(2, any_outage());
  Settings settings = switches == 0 ? random_settings(n, pause_factor) : in_ring(n, switches, pause_factor);
  fail_once(settings, outages);
  const auto known_roots = *rc::gen::element<std::int64_t>(1024, 2);  // 2: many pauses are ignored
  EXPECT_TRUE(settings.switches.flow_control.front().parameters.set("known_roots", known_roots));
  run_property(settings, {.losses = true});
}

/// When the link between two switches of a ring recovers, packets for hosts beyond it turn back where they are. Two
/// neighbours that hold such packets pause each other for one root.
TEST(PyrrhaRing, DoesNotBlockPacketsThatTurnBack) {
  RandomNetwork n;
  n.hosts = 3;
  n.fabric_rate = 3;
  n.one_level = true;
  n.seed = 3;
  n.offers = {{.kind = 0, .priority = 0, .size = 4}};
  Settings settings = in_ring(n, 12, 0.5);
  fail_once(settings, {{.link = 24, .down = 1, .lasts = 6}, {.link = 0, .down = 2, .lasts = 1}});
  const Totals totals = run_watched(settings, Driver::event_loop, {.losses = true});
  EXPECT_EQ(totals.wrong, "");  // [PYRRHA-PATH-4]
  EXPECT_GT(totals.isolated, 100u);
}

/// Links fail at two places, one after the other, so packets turn back at both, and what waits between them goes in
/// both directions.
TEST(PyrrhaRing, DoesNotBlockPacketsThatTurnBackTwice) {
  RandomNetwork n;
  n.hosts = 5;
  n.fabric_rate = 3;
  n.two_lossless = true;
  n.seed = 665;
  n.offers = {{.kind = 0}, {.kind = 1, .size = 5, .degree = 3}, {.kind = 0, .start = 20}};
  Settings settings = in_ring(n, 4, 0.5);
  fail_once(settings, {{.link = 0, .down = 0, .lasts = 1}, {.link = 35, .down = 13, .lasts = 8, .detection = 9}});
  const Totals totals = run_watched(settings, Driver::event_loop, {.losses = true});
  EXPECT_EQ(totals.wrong, "");  // [PYRRHA-PATH-5]
  EXPECT_GT(totals.isolated, 100u);
}

/// No two switches wait for the DEALLOCATE of each other.
TEST(PyrrhaRing, ForgetsTheRootsOfPacketsThatTurnBackTwice) {
  RandomNetwork n;
  n.hosts = 2;
  n.fabric_rate = 3;
  n.round_robin = true;
  n.response = 250;
  n.payload = 2;
  n.acknowledgements_ignore_pause = true;
  n.seed = 339;
  n.offers = {{.kind = 0, .limit = 1}, {.kind = 0, .start = 19}, {.kind = 1, .size = 4, .degree = 7, .start = 8}};
  Settings settings = in_ring(n, 12, 0.1);
  fail_once(settings, {{.link = 18, .down = 28, .lasts = 27}, {.link = 0, .down = 0, .lasts = 36, .detection = 31}});
  const Totals totals = run_watched(settings, Driver::event_loop, {.losses = true});
  EXPECT_EQ(totals.wrong, "");  // [PYRRHA-PATH-5]
  EXPECT_GT(totals.isolated, 100u);
}

/// The properties are of packets that wait, and queues and roots are compared. In a network chosen at random there may
/// be few such instants, or many excused ones, so a network with an incast shows it.
TEST(PyrrhaTheoremOfANetwork, IsOfPacketsThatWait) {
  RandomNetwork n;
  n.shape = 2;
  n.hosts = 12;
  n.fabric_rate = 1;
  n.seed = 1;
  n.offers = {{.kind = 1, .size = 5, .degree = 11}, {.kind = 0, .size = 5}};
  Settings spreads = random_settings(n, 0.5);
  EXPECT_TRUE(spreads.switches.flow_control.front().parameters.set("roots", "last_hop"));
  spreads.switches.forwarding = choose("spray");
  spreads.hosts.loss_recovery = choose("irn", {{"low_timeout", 20_ms}, {"high_timeout", 20_ms}});
  const std::pair<Settings, bool> kinds[] = {
      {random_settings(n, 0.5), false}, {in_ring(n, 7, 0.5), false}, {spreads, true}};
  for (const auto& [settings, out_of_order] : kinds) {
    const Totals totals = run_watched(settings, Driver::event_loop, {.sent_again = out_of_order});
    EXPECT_EQ(totals.wrong, "");
    EXPECT_GT(totals.isolated, 500u);
    EXPECT_EQ(totals.stays, totals.isolated);
    EXPECT_GT(totals.equal, 2 * totals.unequal);
    EXPECT_GT(totals.equal, 30u);
  }
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
    EXPECT_EQ(Made<Watched>::at(i).not_on_path, "") << "switch " << i;
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
