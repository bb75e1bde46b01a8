// SPDX-License-Identifier: Apache-2.0
// Hosts that drain slowly, in networks: flow controls that act on receive buffers lose nothing, others say what they
// lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "net/builders.h"
#include "whole_network.h"

namespace weir::whole::slow_host_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::size_t kSlow = 3;

/// Three hosts of a star send 1 MB each to a fourth, which drains at 40 of 100 Gbit/s. h0 also sends to h4.
Settings slow(std::initializer_list<std::string_view> flow_control, Bytes buffer = 100_KB) {
  Settings settings = lossless_network(star(5, {BitRate(100'000'000'000), Duration(1_us)}), 200_us);
  settings.switches.flow_control.clear();
  for (const std::string_view name : flow_control) settings.switches.flow_control.push_back(choose(name));
  HostSettingsGroup group;
  group.name = "slow";
  group.hosts = {HostId(kSlow)};
  group.receive_buffer = buffer;
  group.drain_rate = BitRate(40'000'000'000);
  settings.host_groups = {group};
  settings.run.stop = at(2_ms);
  offer(settings, {flow(0, kSlow, 1_MB), flow(1, kSlow, 1_MB), flow(2, kSlow, 1_MB), flow(0, 4, 1_MB)});
  return settings;
}

bool has_lossless_drops(const RunRecord& record) {
  return std::any_of(record.findings.begin(), record.findings.end(),
                     [](const RunFinding& finding) { return finding.kind == FindingKind::lossless_drops; });
}

/// The time that the flow from h0 to this host took.
Duration time_to(const RunRecord& record, std::size_t host) {
  for (const FlowRecord& flow : record.flows) {
    if (flow.source == HostId(0) && flow.destination == HostId(host)) return flow.receiver_completion;
  }
  ADD_FAILURE() << host;
  return {};
}

/// The packets held by pauses, of all flows.
PauseHold hold_of(const RunRecord& record) {
  PauseHold out;
  for (const PauseHold& each : record.pause_hold) {
    out.held += each.held;
    out.innocent += each.innocent;
    out.packets += each.packets;
  }
  return out;
}

std::uint64_t pauses(const RunRecord& record, std::string_view from, std::string_view to) {
  for (const LinkRecord& link : record.links) {
    if (link.from == from && link.to == to) return link.pauses;
  }
  ADD_FAILURE() << from << " " << to;
  return 0;
}

void expect_no_loss(const RunRecord& record) {
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(record.receive_overflows, 0u);
  EXPECT_EQ(record.retransmitted_frames, 0u);
  EXPECT_FALSE(has_lossless_drops(record));
  ASSERT_THAT(record.flows, SizeIs(4));
  // 3 MB of payload at 40 Gbit/s take at least 600 us.
  Duration longest;
  for (const FlowRecord& flow : record.flows) longest = std::max(longest, flow.receiver_completion);
  EXPECT_GT(longest, 600_us);
  EXPECT_LT(longest, 800_us);
}

TEST(SlowHost, LosesNothingUnderPfc) {
  const RunRecord record = Simulation(slow({"pfc"})).run();
  expect_no_loss(record);
  EXPECT_GT(pauses(record, "s0", "h3"), 0u) << "of the switch by the host";
}

TEST(SlowHost, LosesNothingUnderPyrrha) {
  const RunRecord record = Simulation(slow({"pyrrha"}, 300_KB)).run();
  expect_no_loss(record);
  EXPECT_GT(pauses(record, "s0", "h3"), 0u);
  EXPECT_GT(pauses(record, "h0", "s0"), 0u) << "the switch pauses the senders for the host";
}

TEST(SlowHost, LosesNothingUnderPyrrhaAndPfcWithASmallerBuffer) {
  expect_no_loss(Simulation(slow({"pyrrha", "pfc"})).run());
}

/// PFC holds whatever h0 sends; Pyrrha holds what it sends to the slow host.
TEST(SlowHost, HoldsOtherFlowsUnderPfcButNotUnderPyrrha) {
  Settings pfc = slow({"pfc"});
  Settings pyrrha = slow({"pyrrha"}, 300_KB);
  // The switch pauses the senders soon after the host pauses the switch.
  pfc.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 2'000_B}});
  pfc.measurement.innocent_pause = pyrrha.measurement.innocent_pause = true;
  const RunRecord by_priority = Simulation(pfc).run();
  const RunRecord by_root = Simulation(pyrrha).run();
  EXPECT_GT(time_to(by_priority, 4), 300_us);
  EXPECT_LT(time_to(by_root, 4), 200_us);
  const PauseHold held = hold_of(by_priority);
  EXPECT_GT(held.innocent, Duration());
  EXPECT_LT(held.innocent, held.held) << "the port to the slow host is a root";
  EXPECT_GT(hold_of(by_root).held, Duration());
  EXPECT_EQ(hold_of(by_root).innocent, Duration());
}

/// PFC pauses senders that do not obey Pyrrha, because of packets in the isolation queue for the host: the root is
/// still the port to the host.
TEST(SlowHost, IsTheRootOfPausesForWhatWaitsInAnIsolationQueue) {
  Settings settings = slow({"pyrrha", "pfc"}, 300_KB);
  settings.switches.flow_control.front() = choose("pyrrha", {{"pause_hosts", false}});
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 2'000_B}});
  settings.measurement.innocent_pause = true;
  // Distinguished as an incast: the flow to another host.
  FlowSpec other = flow(0, 4, 1_MB);
  other.incast = true;
  offer(settings, {flow(0, kSlow, 1_MB), flow(1, kSlow, 1_MB), flow(2, kSlow, 1_MB), other});
  const RunRecord record = Simulation(settings).run();
  const PauseHold& of_other = record.pause_hold[static_cast<std::size_t>(FlowClass::incast)];
  const PauseHold& to_slow = record.pause_hold[static_cast<std::size_t>(FlowClass::victim)];
  EXPECT_GT(of_other.held, 100_us);
  EXPECT_EQ(of_other.innocent, of_other.held);
  EXPECT_GT(to_slow.held, 100_us);
  EXPECT_EQ(to_slow.innocent, Duration());
}

TEST(SlowHost, IsTheRootOfACongestionTree) {
  Settings settings = slow({"pyrrha"}, 300_KB);
  settings.measurement.congestion_trees = true;
  const RunRecord record = Simulation(settings).run();
  const auto& trees = record.statistics.congestion_trees;
  const auto of_host = std::find_if(trees.begin(), trees.end(), [](const auto& tree) { return tree.root == "h3"; });
  ASSERT_NE(of_host, trees.end());
  EXPECT_EQ(of_host->members, 4) << "s0 and the three senders";
  EXPECT_EQ(of_host->depth, 2);
  EXPECT_TRUE(std::any_of(trees.begin(), trees.end(), [](const auto& tree) { return tree.merged_into == "h3:0"; }))
      << "the port to the host gives up being a root";
}

/// Two racks: what the spine's other links carry is not held.
TEST(SlowHost, IsARootForSwitchesFurtherUpstream) {
  LeafSpineSettings network;
  network.tors = 2;
  network.hosts_per_tor = 3;
  network.spines = 1;
  network.host_link = {100_Gbps, 1_us, 0};
  network.fabric_link = {100_Gbps, 1_us, 0};
  Settings settings = slow({"pyrrha"}, 300_KB);
  settings.network.topology = build_leaf_spine(network).topology;
  // From h1 and h2 of the other rack; h1 also sends to the neighbour of the slow host.
  offer(settings, {flow(1, kSlow, 1_MB), flow(2, kSlow, 1_MB), flow(0, 4, 1_MB)});
  settings.measurement.innocent_pause = settings.measurement.congestion_trees = true;
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.receive_overflows, 0u);
  EXPECT_LT(time_to(record, 4), 350_us);
  const auto& trees = record.statistics.congestion_trees;
  const auto deepest =
      std::max_element(trees.begin(), trees.end(), [](const auto& a, const auto& b) { return a.depth < b.depth; });
  ASSERT_NE(deepest, trees.end());
  EXPECT_EQ(deepest->root, "h3");
  EXPECT_EQ(deepest->depth, 4) << "tor1, spine0, tor0, the senders";
}

TEST(SlowHost, IsTheSameByWindowsAndByInstants) {
  for (const std::string_view flow_control : {"pfc", "pyrrha"}) {
    Settings settings = slow({flow_control}, 300_KB);
    settings.measurement.innocent_pause = true;
    EXPECT_EQ(Simulation(settings).run().digest, run_by_instants(settings).digest) << flow_control;
  }
}

TEST(SlowHost, ReportsWhatItDroppedWithoutFlowControl) {
  for (const std::initializer_list<std::string_view> flow_control :
       {std::initializer_list<std::string_view>{}, {"bfc"}, {"floodgate"}}) {
    const RunRecord record = Simulation(slow(flow_control)).run();
    EXPECT_GT(record.receive_overflows, 0u);
    const auto found = std::find_if(record.findings.begin(), record.findings.end(), [](const RunFinding& finding) {
      return finding.text.starts_with("hosts dropped ");
    });
    ASSERT_NE(found, record.findings.end());
    EXPECT_EQ(found->kind, FindingKind::lossless_drops);
    EXPECT_THAT(found->text, HasSubstr(std::to_string(record.receive_overflows) + " at h3"));
  }
}

}  // namespace
}  // namespace weir::whole::slow_host_test
