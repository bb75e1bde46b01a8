// SPDX-License-Identifier: Apache-2.0
// Blocked links, and deadlocks, with queues of the whole switch that wait for credit and with NICs that pause queue
// pairs: computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "credit_scheme.h"
#include "whole_network.h"

namespace weir::whole::credit_holds_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
/// A packet of 1,000 bytes takes 86.88 ns on the wire, a frame of 64 bytes 6.72 ns.
constexpr Duration kWire = Duration::picoseconds(86'880);
constexpr Duration kCreditWire = Duration::picoseconds(6'720);

Duration held(const RunRecord& record, const std::string& from, const std::string& to) {
  for (const LinkRecord& link : record.links) {
    if (link.from == from && link.to == to) return link.held;
  }
  ADD_FAILURE() << from << " - " << to;
  return {};
}

// ---- blocked links ----

/// Host 0 sends ten packets over two switches, and one frame may be in flight between those: it departs from the second
/// when it has arrived, and its credit returns. The second packet arrives at 1,173.76 ns, and waits; from then on one
/// always waits, until the ninth credit has arrived.
TEST(HeldLinksOf, ThoseThatWaitForCreditStandStill) {
  Settings settings = lossless_network(chain({kLink, kLink, kLink}), 100_us);
  settings.switches.flow_control = {choose_credit(1)};
  settings.measurement.held_links = true;
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  ASSERT_TRUE(record.flows.front().completed());
  const Duration round = 2 * kLink.delay + kWire + kCreditWire;
  const Duration first = kLink.delay + kWire;
  EXPECT_EQ(held(record, "s0", "s1"), first + 9 * round - (first + kWire));
  for (const auto& [from, to] : {std::pair("h0", "s0"), {"s1", "h1"}, {"s1", "s0"}, {"h1", "s1"}}) {
    EXPECT_EQ(held(record, from, to), Duration()) << from;
  }
  EXPECT_EQ(record.links.front().paused, Duration());
}

/// A link whose frames only wait for their turn is not blocked: frames for another destination keep it busy.
TEST(HeldLinksOf, ThoseThatHaveSomethingElseToSendDoNot) {
  Topology topology;
  const NodeId left = topology.add_switch("s0", 1, 0, 0);
  const NodeId right = topology.add_switch("s1", 1, 0, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, 0), i < 2 ? left : right, kLink);
  }
  topology.connect(left, right, kLink);
  Settings settings = lossless_network(std::move(topology), 30_us);
  settings.switches.flow_control = {choose_credit(1)};
  settings.measurement.held_links = true;
  offer(settings, {flow(0, 2, kLongRunning)});
  const Duration alone = held(Simulation(settings).run(), "s0", "s1");
  // Acknowledgements of frames in the other direction need no credit.
  std::vector<FlowSpec> flows{flow(0, 2, kLongRunning), flow(2, 1, kLongRunning)};
  offer(settings, flows);
  const Duration both = held(Simulation(settings).run(), "s0", "s1");
  EXPECT_GT(alone, 20_us);
  EXPECT_LE(both, alone);
}

/// The gate of a priority blocks as usual: the upstream port of one that is paused permanently.
TEST(HeldLinksOf, ThoseWithAClosedPriorityStandStill) {
  Settings settings = lossless_network(star(4, kLink), 200_us);
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 19'000_B}});
  settings.measurement.held_links = true;
  offer(settings, {flow(0, 3, kLongRunning), flow(1, 3, kLongRunning), flow(2, 3, kLongRunning)});
  const RunRecord record = Simulation(settings).run();
  for (const LinkRecord& link : record.links) {
    if (link.from_tier != 0 || link.pauses == 0) continue;
    EXPECT_GT(link.held, 50_us) << link.from;
    // The link is blocked only after a frame on the wire has gone.
    EXPECT_LE(link.held, link.paused) << link.from;
    EXPECT_GE(link.held + static_cast<std::int64_t>(link.pauses) * kWire, link.paused) << link.from;
  }
}

/// Closes its gate at 10 us and opens it at 30 us; or blocks each queue pair individually.
class TimedNic : public NicFlowControl {
 public:
  explicit TimedNic(bool by_gate) : by_gate_(by_gate) {}
  void attach(NicContext& context) override {
    gate_ = context.new_gate();
    owner_ = context.new_gate_owner();
    timer_ = context.new_timer(*this);
  }
  GateId gate_of(NicContext& context, SendState&) override {
    context.arm(timer_, at(10_us));
    return by_gate_ ? gate_ : GateId::none();
  }
  void on_timer(NicContext& context, TimerId) override {
    const bool open = context.now() > at(10_us);
    if (!open) context.arm(timer_, at(30_us));
    if (by_gate_) return context.set_gate(gate_, open);
    struct Call {
      NicContext& context;
      GateOwner owner;
      bool open;
    } call{context, owner_, open};
    context.for_each_sender(
        [](void* data, SendState& sender) {
          const Call& is = *static_cast<Call*>(data);
          is.context.set_gate(sender, is.owner, is.open);
        },
        &call);
  }

 private:
  bool by_gate_;
  GateId gate_;
  GateOwner owner_ = 0;
  TimerId timer_;
};

class NoFlowControl final : public FlowControl {};

template <bool by_gate>
const Scheme& timed() {
  static const Scheme scheme = {
      .name = "timed",
      .summary = "holds from 10 to 30 us",
      .traits = {},
      .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> {
        return std::make_unique<NoFlowControl>();
      },
      .nic_flow_control = [](const Parameters&) -> std::unique_ptr<NicFlowControl> {
        return std::make_unique<TimedNic>(by_gate);
      },
  };
  return scheme;
}

/// The 116th packet is on the wire until 10,078.08 ns: from then on everything is blocked, and packets continue at 30
/// us. No packet is paused innocently, because there is no root.
TEST(HeldLinksOf, NicsThatHoldStandStill) {
  for (const Scheme* scheme : {&timed<true>(), &timed<false>()}) {
    Settings settings = lossless_network(star(2, kLink), 40_us);
    settings.switches.flow_control = {{scheme, Parameters(scheme->parameters)}};
    settings.measurement.held_links = true;
    settings.measurement.innocent_pause = true;
    offer(settings, {flow(0, 1, kLongRunning)});
    const RunRecord record = Simulation(settings).run();
    EXPECT_EQ(held(record, "h0", "s0"), 30_us - 116 * kWire);
    EXPECT_EQ(held(record, "s0", "h1"), Duration());
    const PauseHold& hold = record.pause_hold[static_cast<std::size_t>(FlowClass::background)];
    EXPECT_EQ(hold.packets, 1u);
    EXPECT_EQ(hold.innocent, Duration());
    EXPECT_GE(hold.held, 30_us - 116 * kWire);
    EXPECT_LE(hold.held, 20_us);
  }
}

// ---- deadlocks ----

/// Five switches of one tier in a ring, each with a host that sends to the one two positions further on.
Settings ring(std::int64_t queues) {
  Topology topology;
  std::vector<NodeId> hosts;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < 5; ++i) hosts.push_back(topology.add_host("h" + std::to_string(i), 0, 0));
  for (std::size_t i = 0; i < 5; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  for (std::size_t i = 0; i < 5; ++i) {
    topology.connect(hosts[i], switches[i], kLink);
    topology.connect(switches[i], switches[(i + 1) % 5], kLink);
  }
  Settings settings = lossless_network(std::move(topology), 20_ms);
  settings.run.drain = true;
  settings.switches.flow_control = {choose_credit(1, queues)};
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 5; ++i) flows.push_back(flow(i, (i + 2) % 5, 500_KB));
  offer(settings, flows);
  return settings;
}

/// A queue of the whole switch that destinations share: its head waits until the next switch forwards a frame that is
/// behind the head there, and so on in a cycle (floodgate figure 4).
TEST(CreditDeadlock, OfQueuesThatDestinationsShareIsFound) {
  const RunRecord record = Simulation(ring(1)).run();
  EXPECT_TRUE(record.deadlock);
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 queues are blocked forever; "));
  for (const char* part : {"s0 -> s1 (credit for host 2) waits for ", "s1 -> s2 (credit for host 3) waits for ",
                           "s4 -> s0 (credit for host 1) waits for "}) {
    EXPECT_THAT(record.failure, HasSubstr(part));
  }
  EXPECT_LT(record.simulated, at(1_ms));
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_THAT(record.findings.front().ports, SizeIs(5));
}

/// With one queue per destination the same switches wait for each other all the time, but all frames proceed.
TEST(CreditDeadlock, IsNoneWhereEachDestinationHasAQueue) {
  Settings settings = ring(5);
  settings.measurement.held_links = true;
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, IsEmpty());
  for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed());
  EXPECT_GT(held(record, "s0", "s1"), 100_us) << "it does wait";
}

/// Half of the ring waits for credit and half is paused by PFC: neither kind alone forms a cycle.
TEST(CreditDeadlock, WithPausesOfPrioritiesIsFound) {
  Settings settings = ring(1);
  settings.switches.buffer = 1_MB;
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 10'000_B}});
  settings.switches.flow_control = {choose("pfc")};
  SwitchGroup group;
  group.name = "credit";
  group.switches = {SwitchId(1), SwitchId(2), SwitchId(3)};
  group.flow_control = {choose_credit(1, 1), choose("pfc")};
  settings.switch_groups = {group};
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 5; ++i) flows.push_back(flow(i, (i + 2) % 5, 5_MB));
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_TRUE(record.deadlock);
  EXPECT_THAT(record.failure, HasSubstr("(credit for host "));
  EXPECT_THAT(record.failure, HasSubstr("(priority 3)"));
}

/// Credit that is collected for a while arrives although all remaining frames are in a cycle.
TEST(CreditDeadlock, IsNoneWhileCreditMayStillBeCollected) {
  for (const bool says : {true, false}) {
    Settings settings = ring(1);
    PolicyChoice& credit = settings.switches.flow_control.front();
    credit.parameters.set("window", std::int64_t{20});
    credit.parameters.set("interval", Duration(300_us));
    credit.parameters.set("says_interval", says);
    std::vector<FlowSpec> flows;
    for (std::size_t i = 0; i < 5; ++i) flows.push_back(flow(i, (i + 2) % 5, 30_KB));
    offer(settings, flows);
    const RunRecord record = Simulation(settings).run();
    EXPECT_EQ(record.deadlock, !says) << record.failure << " (what it does not say is taken for a deadlock)";
  }
}

/// A long incast: credit for one destination is scarce on the whole path.
TEST(CreditDeadlock, IsNoneInALongIncast) {
  Settings settings = ring(1);
  std::vector<FlowSpec> flows;
  for (const std::size_t source : {1u, 2u, 3u}) flows.push_back(flow(source, 0, 1_MB));
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, IsEmpty());
  for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed());
}

}  // namespace
}  // namespace weir::whole::credit_holds_test
