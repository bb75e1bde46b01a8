// SPDX-License-Identifier: Apache-2.0
// The counters and gauges of the tree's schemes (SwitchPolicy::statistics), compared with the core, other measurements
// and arithmetic for the same runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "candidates.h"

namespace weir::whole::scheme_statistics_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr std::size_t kSenders = 6;

/// Six hosts send to a seventh at once for 250 us; then the network is idle.
Settings incast(Bytes size = 500_KB) {
  Settings settings = lossless_network(star(kSenders + 1, kLink), 2_ms);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, size));
  offer(settings, flows);
  settings.measurement.policies = true;
  return settings;
}

/// A statistic's values over all nodes, ports and groups, of switches (tier above 0) or NICs.
struct Sum {
  double value = 0;
  double maximum = 0;  ///< the largest of them
  std::size_t rows = 0;
};
Sum sum(const RunRecord& record, const std::string& name, bool of_switches = true) {
  Sum out;
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name != name || (row.tier > 0) != of_switches) continue;
    out.value += row.value;
    out.maximum = std::max(out.maximum, row.maximum);
    ++out.rows;
  }
  return out;
}

double pauses_by_switches(const RunRecord& record) {
  double count = 0;
  for (const SwitchRecord& at : record.switches) count += static_cast<double>(at.pauses_sent);
  return count;
}

TEST(SchemeStatistics, PfcCountsPausesOfPriorities) {
  Settings settings = incast();
  settings.switches.buffer = 1_MB;
  const RunRecord record = Simulation(settings).run();
  const double pauses = pauses_by_switches(record);
  ASSERT_GT(pauses, 5);
  EXPECT_EQ(sum(record, "pfc.pauses_sent").value, pauses);
  EXPECT_EQ(sum(record, "pfc.resumes_sent").value, pauses) << "each pause has ended";
  EXPECT_EQ(sum(record, "pfc.pauses_obeyed", false).value, pauses) << "all of them went to hosts, none was repeated";
  EXPECT_EQ(sum(record, "pfc.pauses_obeyed").value, 0);
  EXPECT_EQ(sum(record, "pfc.pauses_repeated").value, 0);
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name == "pfc.pauses_sent" && row.port == kSenders) {
      EXPECT_EQ(row.value, 0) << "nothing comes from there";
    }
  }
}

TEST(SchemeStatistics, PfcCountsPausesThatItRepeats) {
  Settings settings = incast();
  settings.switches.buffer = 1_MB;
  settings.switches.flow_control = {choose("pfc", {{"quanta", std::int64_t{600}}})};
  const RunRecord record = Simulation(settings).run();
  const double repeated = sum(record, "pfc.pauses_repeated").value;
  EXPECT_GT(repeated, 10) << "600 quanta are 3 us";
  EXPECT_EQ(sum(record, "pfc.pauses_obeyed", false).value, sum(record, "pfc.pauses_sent").value + repeated);
}

TEST(SchemeStatistics, BfcCountsPausesAndQueues) {
  Settings settings = incast();
  settings.switches.flow_control = {choose("bfc"), choose("pfc")};
  const RunRecord record = Simulation(settings).run();
  ASSERT_THAT(record.flows, SizeIs(kSenders));
  const double pauses = sum(record, "bfc.pauses_sent").value;
  ASSERT_GT(pauses, 5);
  EXPECT_EQ(pauses + sum(record, "pfc.pauses_sent").value, pauses_by_switches(record));
  EXPECT_EQ(sum(record, "bfc.resumes_sent").value, pauses);
  const double obeyed = sum(record, "bfc.pauses_obeyed", false).value;
  EXPECT_GT(obeyed, 0);
  EXPECT_LE(obeyed, pauses) << "a resume may overtake the pause in the frame that says both";
  EXPECT_EQ(sum(record, "bfc.collisions").value, 0) << "with 32 queues for six flows";
  EXPECT_GE(sum(record, "bfc.queues_given").value, kSenders);
  EXPECT_EQ(sum(record, "bfc.flow_entries").value, kSenders) << "one each, or the hash has put two in one";
  EXPECT_EQ(sum(record, "bfc.queues_given", false).value, kSenders);
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name != "bfc.queues_in_use") continue;
    EXPECT_EQ(row.value, 0) << "all have drained";
    if (row.port == kSenders) {
      EXPECT_EQ(row.maximum, kSenders) << "one for each flow at the receiver's port";
    } else {
      EXPECT_EQ(row.maximum, 0) << "acknowledgements have a queue beside those";
    }
  }
}

TEST(SchemeStatistics, BfcCountsCollisionsWhereQueuesRunOut) {
  Settings settings = incast();
  settings.switches.flow_control = {choose("bfc", {{"queues", std::int64_t{2}}}), choose("pfc")};
  const RunRecord record = Simulation(settings).run();
  EXPECT_GE(sum(record, "bfc.collisions").value, kSenders - 2) << "six flows, two queues";
  EXPECT_EQ(sum(record, "bfc.queues_in_use").maximum, 2);
}

TEST(SchemeStatistics, BfcByFlowCountsFlows) {
  Settings settings = incast();
  settings.switches.flow_control = {choose("bfc", {{"pause", std::string("flow")}}), choose("pfc")};
  const RunRecord record = Simulation(settings).run();
  EXPECT_GT(sum(record, "bfc.pauses_sent").value, 0);
  EXPECT_GE(sum(record, "bfc.flows").maximum, kSenders);
  EXPECT_EQ(sum(record, "bfc.flows").value, 0);
  EXPECT_EQ(sum(record, "bfc.queues_in_use").value, 0);
  EXPECT_EQ(sum(record, "bfc.queues_in_use").maximum, kSenders);
}

TEST(SchemeStatistics, RoccTellsItsRateAndWhoIsToldOfIt) {
  Settings settings = incast(2_MB);
  settings.hosts.congestion_control = choose("rocc");
  settings.switches.congestion_point = {choose("rocc")};
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(sum(record, "rocc.flows_told").maximum, kSenders);
  EXPECT_EQ(sum(record, "rocc.flows_told").value, 0) << "nobody is left";
  const double notifications = sum(record, "rocc.notifications").value;
  EXPECT_GT(notifications, 2 * kSenders);
  EXPECT_LE(notifications, kSenders * sum(record, "rocc.updates_told").value);
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name != "rocc.fair_rate") continue;
    EXPECT_NEAR(row.maximum, 100e9, 1e9) << "before there was a queue";
  }
}

TEST(SchemeStatistics, SpfcCountsVictims) {
  Settings settings = incast(2_MB);
  settings.switches.buffer = 1_MB;
  settings.switches.buffer_policy = choose("spfc", {{"always_victim", std::int64_t{kSenders}}});
  const RunRecord record = Simulation(settings).run();
  EXPECT_GE(sum(record, "spfc.victim_ports").value, 1) << "the one that always is";
  EXPECT_LE(sum(record, "spfc.victim_ports").maximum, 1 + sum(record, "spfc.became_victim").value);
  settings.switches.buffer_policy = choose("spfc", {{"k", std::int64_t{100}}});
  const RunRecord easily = Simulation(settings).run();
  EXPECT_GT(sum(easily, "spfc.became_victim").value, 0) << "a hundredth of the rate leaves all of them";
  EXPECT_GT(sum(easily, "spfc.victim_ports").maximum, 0);
}

TEST(SchemeStatistics, QcnCountsSamples) {
  Settings settings = incast(2_MB);
  settings.hosts.congestion_control = choose("qcn");
  settings.switches.congestion_point = {choose("qcn")};
  settings.measurement.egress_kinds = true;
  const RunRecord record = Simulation(settings).run();
  const double notifications = sum(record, "qcn.notifications").value;
  EXPECT_GT(notifications, 10);
  EXPECT_GT(sum(record, "qcn.samples").value, notifications);
  std::int64_t frames = 0;
  for (const EgressKindRecord& row : record.statistics.egress_kinds) {
    if (row.kind == "host_control" && row.from == "s0") frames += row.frames;
  }
  EXPECT_EQ(static_cast<double>(frames), notifications);
  EXPECT_GT(sum(record, "qcn.feedback").maximum, 0);
  EXPECT_LE(sum(record, "qcn.feedback").maximum, 63);
}

TEST(SchemeStatistics, PiKnowsItsHighestProbability) {
  Settings settings = incast(2_MB);
  settings.hosts.congestion_control = choose("dcqcn");
  settings.switches.congestion_point = {choose("pi")};
  const Sum probability = sum(Simulation(settings).run(), "pi.probability");
  EXPECT_GT(probability.maximum, 0);
  EXPECT_LE(probability.maximum, 1);
  EXPECT_LT(probability.value, probability.maximum);
}

TEST(SchemeStatistics, LossRecoveriesCountWhatTheyDoAboutLosses) {
  LinkSpec damaging = kLink;
  damaging.error_rate = 1e-2;
  Settings settings = lossless_network(star(2, damaging), 2_ms);
  offer(settings, {flow(0, 1, 500_KB)});
  settings.measurement.policies = true;
  const RunRecord rewound = Simulation(settings).run();
  EXPECT_GT(sum(rewound, "go_back_n.rewinds", false).value, 0);
  settings.hosts.loss_recovery = choose("irn");
  const RunRecord recovered = Simulation(settings).run();
  EXPECT_GT(sum(recovered, "irn.recoveries", false).value, 0);
  EXPECT_EQ(sum(recovered, "irn.recoveries", false).rows, 2U) << "one for each NIC";
  settings.hosts.loss_recovery = choose("irn", {{"nack_threshold", std::int64_t{2'048}}});
  EXPECT_GT(sum(Simulation(settings).run(), "irn.timeouts", false).value, 0) << "NACKs alone begin nothing";
}

// ---- all of them ----

class StatisticsOf : public testing::TestWithParam<Candidate> {};
INSTANTIATE_TEST_SUITE_P(Schemes, StatisticsOf, testing::ValuesIn(candidates()), name_of);

/// Names begin with the scheme's name and are unique, and no result depends on whether statistics are kept.
TEST_P(StatisticsOf, AreNamedAfterTheSchemeAndChangeNothing) {
  Settings settings = calm_leaf_spine(GetParam());
  std::vector<FlowSpec> flows;
  for (std::size_t host = 1; host < 8; ++host) flows.push_back(flow(host, 0, 100_KB));
  offer(settings, flows);
  settings.run.stop = at(1_ms);
  const std::string without = Simulation(settings).run().digest;
  settings.measurement.policies = true;
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.digest, without);
  std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t>> seen;
  for (const PolicyRecord& row : record.statistics.policies) {
    EXPECT_TRUE(seen.emplace(row.name, row.node, row.port, row.group).second) << row.name << " at " << row.node;
    const std::string scheme = row.name.substr(0, row.name.find('.'));
    EXPECT_NE(find_scheme(scheme), nullptr) << row.name;
    EXPECT_GE(row.maximum, row.value) << row.name;
    EXPECT_GE(row.value, 0) << row.name;
    if (row.kind == "counter") {
      EXPECT_EQ(row.maximum, row.value) << row.name;
    }
  }
}

TEST(PolicyStatistics, ARunWithoutAnySaysSo) {
  Settings settings = incast();
  settings.switches.flow_control.clear();
  settings.hosts.loss_recovery = choose("perfect_retransmission");
  RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.statistics.policies, IsEmpty());
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, FindingKind::note);
  EXPECT_THAT(record.findings[0].text, StartsWith("measure.policies is true"));
  settings.measurement.policies = false;
  EXPECT_THAT(Simulation(settings).run().findings, IsEmpty());
}

}  // namespace
}  // namespace weir::whole::scheme_statistics_test
