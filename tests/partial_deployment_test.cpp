// SPDX-License-Identifier: Apache-2.0
// Networks in which only some switches run a flow control: each knows its neighbours, none pauses a neighbour that
// would not obey, and PFC below covers the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole::partial_deployment_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};
constexpr std::uint8_t kBfc = 6;  // Frame::protocol

/// Four hosts, a switch, another one, four hosts; `between`: with a third switch between the two.
Topology two_sides(bool between) {
  Topology topology;
  const NodeId left = topology.add_switch("left", 1, 0, 0);
  const NodeId right = topology.add_switch("right", 1, 0, 1);
  for (int i = 0; i < 8; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, i / 4), i < 4 ? left : right, kLink);
  }
  if (between) {
    const NodeId middle = topology.add_switch("middle", 2, 0, Node::kNowhere);
    topology.connect(left, middle, kLink);
    topology.connect(middle, right, kLink);
  } else {
    topology.connect(left, right, kLink);
  }
  return topology;
}

/// Incasts into a host of each side, from both sides, and flows that cross them: small buffers make the switches pause
/// each other. All have PFC; those of `with_bfc` have BFC above it.
Settings crossing(const std::vector<SwitchId>& with_bfc, const Values& values = {}, bool between = false) {
  Settings settings = lossless_network(two_sides(between), 20_ms);
  settings.switches.buffer = 1_MB;
  SwitchGroup group;
  group.name = "bfc";
  group.switches = with_bfc;
  group.flow_control = {choose("bfc", values), choose("pfc")};
  if (!with_bfc.empty()) settings.switch_groups = {group};
  std::vector<FlowSpec> flows;
  for (const std::size_t source : {0, 1, 2, 4, 5, 6}) {
    flows.push_back(flow(source, 7, 400_KB));
    flows.push_back(flow(source, 3, 400_KB, at(20_us)));
  }
  flows.push_back(flow(0, 4, 200_KB, at(30_us)));
  flows.push_back(flow(4, 0, 200_KB, at(30_us)));
  offer(settings, flows);
  return settings;
}

/// Pauses by a scheme's own IDs: the number that each switch sent to hosts and to switches, and those not yet resumed.
struct HopPausesSeen {
  std::array<std::uint64_t, 3> to_hosts{};
  std::array<std::uint64_t, 3> to_switches{};
  std::int64_t in_force = 0;
};

class HopPauses final : public SwitchObserver {
 public:
  explicit HopPauses(Fabric& fabric) : fabric_(fabric) { watch(this); }
  ~HopPauses() override { watch(nullptr); }
  void on_hop_pause(const SwitchContext& context, PortId ingress, std::uint64_t, bool paused) override {
    const Peer& peer = context.port(ingress).peer;
    (peer.is_host() ? seen_.to_hosts : seen_.to_switches)[context.id().index()] += paused ? 1 : 0;
    seen_.in_force += paused ? 1 : -1;
  }
  [[nodiscard]] const HopPausesSeen& seen() const { return seen_; }

 private:
  void watch(SwitchObserver* observer) {
    for (std::size_t i = 0; i < fabric_.switches(); ++i) fabric_.switch_by(SwitchId(i)).observe(observer);
  }
  Fabric& fabric_;
  HopPausesSeen seen_;
};

/// The result under one of the drivers.
struct Outcome {
  std::size_t completed = 0;
  std::uint64_t lossless_drops = 0;
  HopPausesSeen pauses;
  std::string failure;
  std::string left_behind;
};

Outcome run_events(const Settings& settings) {
  Outcome outcome;
  {
    Simulation simulation(settings);
    outcome.failure = simulation.run().failure;  // with its own observer, which checks drops against pauses
  }
  Simulation simulation(settings);
  HopPauses pauses(simulation.fabric());
  for (const FlowRecord& flow : simulation.run().flows) outcome.completed += flow.completed() ? 1 : 0;
  for (std::size_t i = 0; i < simulation.fabric().switches(); ++i) {
    outcome.lossless_drops += simulation.fabric().switch_by(SwitchId(i)).drops(DropReason::buffer_full);
  }
  outcome.pauses = pauses.seen();
  outcome.left_behind = left_behind(simulation.fabric());
  return outcome;
}

Outcome run_polls(const Settings& settings) {
  Outcome outcome;
  PollNetwork network(settings, PollOptions());
  HopPauses pauses(network.fabric());
  const PollReport report = network.run();
  outcome.failure = report.failure;
  outcome.completed = report.flows_completed;
  outcome.lossless_drops = report.lossless_drops;
  outcome.pauses = pauses.seen();
  outcome.left_behind = left_behind(network.fabric());
  return outcome;
}

constexpr std::size_t kFlows = 14;

class PartialDeployment : public testing::TestWithParam<Outcome (*)(const Settings&)> {
 protected:
  static Outcome expect_all_well(const Settings& settings) {
    const Outcome outcome = GetParam()(settings);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.completed, kFlows);
    EXPECT_EQ(outcome.lossless_drops, 0u);
    EXPECT_EQ(outcome.left_behind, "");
    EXPECT_EQ(outcome.pauses.in_force, 0) << "every pause of a queue has had its resume";
    return outcome;
  }
};
std::string driver_of(const testing::TestParamInfo<Outcome (*)(const Settings&)>& run) {
  return run.index == 0 ? "EventLoop" : "PollLoop";
}
INSTANTIATE_TEST_SUITE_P(Drivers, PartialDeployment, testing::Values(run_events, run_polls), driver_of);

TEST_P(PartialDeployment, PausesTheNeighbourWhereBothRunBfc) {
  const Outcome outcome = expect_all_well(crossing({SwitchId(0), SwitchId(1)}));
  for (const std::size_t i : {0, 1}) {
    EXPECT_GT(outcome.pauses.to_switches[i], 0u) << i;
    EXPECT_GT(outcome.pauses.to_hosts[i], 0u) << i;
  }
}

TEST_P(PartialDeployment, PausesOnlyItsOwnHostsWhereOneSwitchRunsBfc) {
  for (const std::size_t with : {0, 1}) {
    SCOPED_TRACE(with);
    const Outcome outcome = expect_all_well(crossing({SwitchId(with)}));
    EXPECT_GT(outcome.pauses.to_hosts[with], 0u);
    EXPECT_EQ(outcome.pauses.to_switches[with], 0u);
    EXPECT_EQ(outcome.pauses.to_hosts[1 - with], 0u);
    EXPECT_EQ(outcome.pauses.to_switches[1 - with], 0u);
  }
}

TEST_P(PartialDeployment, TakesNoQueueFromBeyondASwitchWithoutBfc) {
  // Frames arrive through the middle switch with the fields that the switch before it wrote.
  const Outcome outcome = expect_all_well(crossing({SwitchId(0), SwitchId(1)}, {}, true));
  for (const std::size_t i : {0, 1}) {
    EXPECT_GT(outcome.pauses.to_hosts[i], 0u) << i;
    EXPECT_EQ(outcome.pauses.to_switches[i], 0u) << i;
  }
  const Outcome middle = expect_all_well(crossing({SwitchId(2)}, {}, true));
  EXPECT_EQ(middle.pauses.to_switches[2], 0u);
}

TEST_P(PartialDeployment, HoldsForTheIdealThatPausesFlows) {
  for (const std::size_t with : {0, 1}) {
    SCOPED_TRACE(with);
    const Outcome outcome = expect_all_well(crossing({SwitchId(with)}, {{"pause", std::string("flow")}}));
    EXPECT_GT(outcome.pauses.to_hosts[with], 0u);
    EXPECT_EQ(outcome.pauses.to_switches[with], 0u);
  }
}

TEST_P(PartialDeployment, HoldsWhereTheOneHasMoreQueuesThanTheOther) {
  Settings settings = crossing({SwitchId(0)}, {{"queues", std::int64_t{32}}});
  settings.switches.flow_control = {choose("bfc", {{"queues", std::int64_t{2}}}), choose("pfc")};
  const Outcome outcome = expect_all_well(settings);
  EXPECT_GT(outcome.pauses.to_switches[0], 0u);
}

/// Completion times of these flows, in the order of their start.
std::vector<Duration> times(Settings settings, const std::vector<FlowSpec>& flows) {
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  std::vector<Duration> out;
  for (const FlowRecord& flow : record.flows) {
    EXPECT_TRUE(flow.completed());
    out.push_back(flow.sender_completion);
  }
  return out;
}

const Values kShortestFirst = {{"order", std::string("shortest_remaining")}};

/// A long flow and, after a while, short ones one after the other. The windows are those of A.8.
std::vector<Duration> short_ones_beside_a_long_one(const Values& values) {
  Settings settings = lossless_network(star(4, kLink), 20_ms);
  settings.switches.flow_control = {choose("bfc", values)};
  settings.hosts.window.kind = WindowSettings::Kind::fixed;
  std::vector<FlowSpec> flows = {flow(0, 3, 10_MB)};
  for (int i = 0; i < 10; ++i) flows.push_back(flow(1 + i % 2, 3, 20_KB, at(50_us + i * 30_us)));
  std::vector<Duration> all = times(settings, flows);
  all.erase(all.begin());
  return all;
}

TEST(ShortestRemaining, GoesFirstWhereNicsIgnorePausesToo) {
  Values ignoring_pauses = kShortestFirst;
  ignoring_pauses.emplace_back("nic_backpressure", false);
  const std::vector<Duration> with = short_ones_beside_a_long_one(kShortestFirst);
  const std::vector<Duration> without = short_ones_beside_a_long_one(ignoring_pauses);
  const std::vector<Duration> fair = short_ones_beside_a_long_one({{"nic_backpressure", false}});
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_LT(without[i], fair[i]) << i << " [BFC-V-6]";
    EXPECT_LT(without[i], with[i] + 1_us) << i << ": little but a frame of the other flow is ahead of it";
  }
}

/// Two switches without BFC, with hosts of their own, before one with it.
Settings behind_plain_switches() {
  Topology topology;
  const NodeId right = topology.add_switch("right", 1, 0, 2);
  for (const int rack : {0, 1}) {
    const NodeId left = topology.add_switch("left" + std::to_string(rack), 1, 0, rack);
    topology.connect(topology.add_host("h" + std::to_string(rack), 0, rack), left, kLink);
    topology.connect(left, right, kLink);
  }
  for (const char* name : {"h2", "h3"}) topology.connect(topology.add_host(name, 0, 2), right, kLink);
  Settings settings = lossless_network(std::move(topology), 20_ms);
  SwitchGroup group;
  group.name = "bfc";
  group.switches = {SwitchId(0)};
  group.flow_control = {choose("bfc", kShortestFirst), choose("pfc")};
  settings.switch_groups = {group};
  return settings;
}

TEST(ShortestRemaining, IsNotThatOfFlowsWhoseSizeIsNotKnown) {
  const Settings settings = behind_plain_switches();
  // Host 2 is at the switch with BFC, 0 at a switch without.
  const std::vector<Duration> known = times(settings, {flow(0, 3, 10_MB), flow(2, 3, 1_MB, at(20_us))});
  EXPECT_LT(known[1], 110_us) << "[BFC-D-4] 87 us and two hops";
}

TEST(ShortestRemaining, SharesAmongFlowsWhoseSizeIsNotKnown) {
  const Settings settings = behind_plain_switches();
  for (const std::size_t long_one : {0, 1}) {
    const std::vector<Duration> found =
        times(settings, {flow(long_one, 3, 10_MB), flow(1 - long_one, 3, 1_MB, at(20_us))});
    EXPECT_LT(found[1], 400_us) << "[BFC-D-4] twice the time it takes alone, behind what has come by then";
  }
}

/// The protocols of a switch's neighbours.
std::vector<bool> bfc_at_ports(Fabric& fabric, std::size_t of_switch) {
  const Switch& at = fabric.switch_by(SwitchId(of_switch));
  std::vector<bool> out;
  for (std::size_t port = 0; port < at.ports(); ++port) {
    out.push_back(at.port(PortId(port)).peer.protocols.has(kBfc));
  }
  return out;
}

TEST(Neighbours, AreKnownByLink) {
  Fabric fabric(crossing({SwitchId(0)}));
  EXPECT_THAT(bfc_at_ports(fabric, 0), testing::ElementsAre(true, true, true, true, false))
      << "its NICs run what it runs";
  EXPECT_THAT(bfc_at_ports(fabric, 1), testing::ElementsAre(false, false, false, false, true));
  EXPECT_TRUE(fabric.switch_by(SwitchId(1)).port(PortId(0)).peer.protocols.pfc);
}

TEST(Neighbours, WithoutPfcAreNotPaused) {
  Settings settings = crossing({});
  SwitchGroup group;
  group.switches = {SwitchId(0)};
  group.flow_control.emplace();  // none
  settings.switch_groups = {group};
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  EXPECT_EQ(record.failure, "") << "a drop is no surprise where nobody listens";
  EXPECT_FALSE(simulation.fabric().switch_by(SwitchId(1)).port(PortId(4)).peer.protocols.pfc);
  EXPECT_GT(simulation.fabric().switch_by(SwitchId(1)).pauses_sent(), 0u) << "its own hosts";
  EXPECT_GT(simulation.fabric().switch_by(SwitchId(1)).drops(DropReason::buffer_full), 0u);
}

TEST(Groups, OfOneSettingsChangeNothing) {
  const Settings plain = crossing({});
  Settings grouped = plain;
  SwitchGroup group;
  group.switches = {SwitchId(1)};
  group.flow_control = plain.switches.flow_control;
  group.buffer = plain.switches.buffer;
  grouped.switch_groups = {group};
  EXPECT_EQ(Simulation(grouped).run().digest, Simulation(plain).run().digest);
}

}  // namespace
}  // namespace weir::whole::partial_deployment_test
