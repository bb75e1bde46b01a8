// SPDX-License-Identifier: Apache-2.0
// Congestion trees over time: roots, members, who is paused by whom, merges.
#include "sim/congestion_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "net/builders.h"
#include "whole_network.h"

namespace weir::whole::congestion_trees_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Hosts 0 to 3 at tor0, 4 to 7 at tor1 and 8 to 11 at tor2, with one spine.
Settings pyrrha_network() {
  LeafSpineSettings network;
  network.tors = 3;
  network.hosts_per_tor = 4;
  network.spines = 1;
  network.host_link = {100_Gbps, 1_us, 0};
  network.fabric_link = {400_Gbps, 1_us, 0};
  Settings settings = lossless_network(build_leaf_spine(network).topology, 2_ms);
  settings.switches.buffer = 100_MB;
  settings.switches.flow_control = {choose("pyrrha")};
  settings.measurement.congestion_trees = true;
  return settings;
}

/// Switches of pyrrha_network().
constexpr std::size_t kTor0 = 0, kTor2 = 2, kSpine = 3;

/// The calls of switches, each at its time in microseconds.
class Script {
 public:
  explicit Script(const Settings& settings, std::size_t most = CongestionTrees::kPauses)
      : fabric_(settings), trees_(fabric_, most) {}

  void pause(std::int64_t us, std::size_t node, std::size_t ingress, std::uint64_t root, bool paused = true) {
    trees_.on_hop_pause(at(us, node), PortId(ingress), root, paused);
  }
  void resume(std::int64_t us, std::size_t node, std::size_t ingress, std::uint64_t root) {
    pause(us, node, ingress, root, false);
  }
  void merge(std::int64_t us, std::size_t node, std::uint64_t root, std::uint64_t successor) {
    trees_.on_merge(at(us, node), root, successor);
  }
  [[nodiscard]] Statistics finish(std::int64_t us) const {
    Statistics out;
    trees_.finish(Time() + us * 1_us, out);
    return out;
  }
  [[nodiscard]] const CongestionTrees& trees() const { return trees_; }

 private:
  SwitchContext& at(std::int64_t us, std::size_t node) {
    Switch& out = fabric_.switch_by(SwitchId(node));
    out.advance(Time() + us * 1_us);
    return out;
  }
  Fabric fabric_;
  CongestionTrees trees_;
};

/// As Pyrrha names a root.
constexpr std::uint64_t root(std::uint64_t node, std::uint64_t port) {
  return node << 16 | port;
}
/// Of pyrrha_network(): a ToR's ports 0 to 3 lead to its hosts, port 4 to the spine; the spine's port n to tor n.
constexpr std::uint64_t kLastHop = root(kTor2, 0);
constexpr std::uint64_t kDownlink = root(kSpine, 2);

TEST(CongestionTrees, HaveTheirMembersAndDepth) {
  Script script(pyrrha_network());
  script.pause(10, kTor2, 4, kLastHop);
  script.pause(12, kSpine, 0, kLastHop);
  script.pause(13, kSpine, 1, kLastHop);
  script.pause(14, kTor0, 2, kLastHop);
  script.resume(15, kSpine, 1, kLastHop);
  script.pause(16, kSpine, 1, kLastHop);  // tor1 again
  script.resume(20, kTor2, 4, kLastHop);
  script.resume(21, kSpine, 0, kLastHop);
  script.resume(22, kSpine, 1, kLastHop);
  script.resume(30, kTor0, 2, kLastHop);
  const Statistics found = script.finish(100);
  ASSERT_THAT(found.congestion_trees, SizeIs(1));
  const CongestionTreeRecord& tree = found.congestion_trees[0];
  EXPECT_EQ(tree.root, "tor2");
  EXPECT_EQ(tree.root_to, "h8");
  EXPECT_EQ(tree.port, 0);
  EXPECT_EQ(tree.tier, 1);
  EXPECT_EQ(tree.begin_us, 10);
  EXPECT_EQ(tree.end_us, 30);
  EXPECT_EQ(tree.members, 4) << "spine0, tor0, tor1, h2";
  EXPECT_EQ(tree.most, 4);
  EXPECT_EQ(tree.hosts, 1);
  EXPECT_EQ(tree.depth, 3);
  EXPECT_EQ(tree.pauses, 5);
  EXPECT_EQ(tree.merged_into, "");
  std::vector<std::tuple<std::string, std::string, double, double>> pauses;
  for (const TreePauseRecord& pause : found.tree_pauses) {
    EXPECT_EQ(pause.tree, 0);
    pauses.emplace_back(pause.paused, pause.by, pause.begin_us, pause.end_us);
  }
  EXPECT_THAT(pauses, ElementsAre(std::tuple("spine0", "tor2", 10, 20), std::tuple("tor0", "spine0", 12, 21),
                                  std::tuple("tor1", "spine0", 13, 15), std::tuple("h2", "tor0", 14, 30),
                                  std::tuple("tor1", "spine0", 16, 22)));
}

TEST(CongestionTrees, CountMembersPausedAtOnce) {
  Script script(pyrrha_network());
  script.pause(10, kTor2, 4, kLastHop);
  script.pause(11, kTor2, 1, kLastHop);
  script.resume(12, kTor2, 4, kLastHop);
  script.pause(12, kTor2, 2, kLastHop);  // at the instant at which another ends
  script.resume(13, kTor2, 1, kLastHop);
  script.resume(13, kTor2, 2, kLastHop);
  const Statistics found = script.finish(100);
  ASSERT_THAT(found.congestion_trees, SizeIs(1));
  EXPECT_EQ(found.congestion_trees[0].members, 3);
  EXPECT_EQ(found.congestion_trees[0].most, 2);
}

TEST(CongestionTrees, EndWhenNothingIsPaused) {
  Script script(pyrrha_network());
  script.pause(10, kTor2, 4, kLastHop);
  script.pause(12, kSpine, 0, kDownlink);
  script.resume(14, kTor2, 4, kLastHop);
  script.pause(14, kTor2, 4, kLastHop);  // the same tree
  script.resume(15, kTor2, 4, kLastHop);
  script.pause(17, kTor2, 4, kLastHop);  // another one
  const Statistics found = script.finish(50);
  ASSERT_THAT(found.congestion_trees, SizeIs(3));
  std::vector<std::tuple<std::string, double, double>> trees;
  for (const CongestionTreeRecord& tree : found.congestion_trees)
    trees.emplace_back(tree.root, tree.begin_us, tree.end_us);
  EXPECT_THAT(trees, ElementsAre(std::tuple("tor2", 10, 15), std::tuple("spine0", 12, 50), std::tuple("tor2", 17, 50)))
      << "pauses in force end with the run";
  EXPECT_EQ(found.tree_pauses.back().tree, 2);
}

// Switches are run one after the other within a link delay.
TEST(CongestionTrees, AreThoseOfTheOrderOfTime) {
  Script script(pyrrha_network());
  script.pause(12, kSpine, 0, kLastHop);
  script.resume(18, kSpine, 0, kLastHop);
  script.pause(10, kTor2, 4, kLastHop);
  script.resume(16, kTor2, 4, kLastHop);
  const Statistics found = script.finish(100);
  ASSERT_THAT(found.congestion_trees, SizeIs(1));
  EXPECT_EQ(found.congestion_trees[0].begin_us, 10);
  EXPECT_EQ(found.congestion_trees[0].end_us, 18);
  EXPECT_EQ(found.congestion_trees[0].depth, 2);
}

TEST(CongestionTrees, NameTheRootIntoWhichTheyMerge) {
  Script script(pyrrha_network());
  script.pause(10, kSpine, 0, kDownlink);
  script.pause(11, kTor2, 4, kLastHop);
  script.merge(12, kSpine, kDownlink, kLastHop);
  script.resume(12, kSpine, 0, kDownlink);
  script.pause(20, kSpine, 0, kDownlink);
  script.resume(21, kSpine, 0, kDownlink);
  const Statistics found = script.finish(100);
  ASSERT_THAT(found.congestion_trees, SizeIs(3));
  EXPECT_EQ(found.congestion_trees[0].merged_into, "tor2:0");
  EXPECT_EQ(found.congestion_trees[0].merged_us, 12);
  EXPECT_EQ(found.congestion_trees[1].merged_into, "");
  EXPECT_EQ(found.congestion_trees[2].merged_into, "") << "the root of later";
}

TEST(CongestionTrees, AreRecordedUpToALimit) {
  Script script(pyrrha_network(), 2);
  for (std::size_t port = 1; port < 4; ++port) script.pause(10, kTor2, port, kLastHop);
  for (std::size_t port = 1; port < 4; ++port) script.resume(11, kTor2, port, kLastHop);
  EXPECT_THAT(script.finish(100).tree_pauses, SizeIs(2));
  EXPECT_EQ(script.trees().left_out(), 1U);
}

TEST(CongestionTrees, NeedPausesThatNameRoots) {
  Settings settings = pyrrha_network();
  EXPECT_TRUE(Script(settings).trees().has_roots());
  settings.switches.flow_control = {choose("bfc")};
  Script script(settings);
  EXPECT_FALSE(script.trees().has_roots());
  script.pause(10, kTor2, 4, 7);
  script.merge(10, kTor2, 7, 8);
  EXPECT_THAT(script.finish(100).congestion_trees, IsEmpty());
}

// ---- whole runs ----

/// Seven senders to host 8, and two that overload the spine's downlink first.
Settings incast() {
  Settings settings = pyrrha_network();
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 7; ++source) {
    for (const std::size_t to : {9, 10, 11}) flows.push_back(flow(source, to, 100_KB));
    flows.push_back(flow(source, 8, 300_KB, at(20_us)));
  }
  offer(settings, flows);
  return settings;
}

bool are_equal(const Statistics& a, const Statistics& b) {
  const auto key = [](const CongestionTreeRecord& t) {
    return std::tie(t.root, t.root_to, t.port, t.tier, t.begin_us, t.end_us, t.members, t.most, t.hosts, t.depth,
                    t.pauses, t.merged_into, t.merged_us);
  };
  const auto pause_key = [](const TreePauseRecord& p) {
    return std::tie(p.tree, p.paused, p.by, p.begin_us, p.end_us);
  };
  return std::equal(a.congestion_trees.begin(), a.congestion_trees.end(), b.congestion_trees.begin(),
                    b.congestion_trees.end(), [&](const auto& x, const auto& y) { return key(x) == key(y); }) &&
         std::equal(a.tree_pauses.begin(), a.tree_pauses.end(), b.tree_pauses.begin(), b.tree_pauses.end(),
                    [&](const auto& x, const auto& y) { return pause_key(x) == pause_key(y); });
}

TEST(CongestionTreesOfARun, AreTheSameByWindowsAndByInstantsAndCostNothing) {
  Settings settings = incast();
  const RunRecord by_windows = Simulation(settings).run();
  const RunRecord by_instants = run_by_instants(settings);
  ASSERT_FALSE(by_windows.statistics.congestion_trees.empty());
  EXPECT_TRUE(are_equal(by_windows.statistics, by_instants.statistics));
  settings.measurement.congestion_trees = false;
  const RunRecord without = Simulation(settings).run();
  EXPECT_EQ(without.digest, by_windows.digest);
  EXPECT_THAT(without.statistics.congestion_trees, IsEmpty());
}

TEST(CongestionTreesOfARun, HaveAllPausesEachBetweenNeighbours) {
  const Settings settings = incast();
  const RunRecord record = Simulation(settings).run();
  std::uint64_t sent = 0;
  for (const SwitchRecord& at : record.switches) sent += at.pauses_sent;
  EXPECT_EQ(record.statistics.tree_pauses.size(), sent);
  std::set<std::pair<std::string, std::string>> links;
  for (const LinkRecord& link : record.links) links.emplace(link.from, link.to);
  std::map<std::int64_t, std::int64_t> pauses;
  for (const TreePauseRecord& pause : record.statistics.tree_pauses) {
    ++pauses[pause.tree];
    EXPECT_TRUE(links.contains({pause.paused, pause.by}));
    EXPECT_LE(pause.begin_us, pause.end_us);
  }
  std::set<std::string> roots;
  bool merged = false;
  for (std::size_t i = 0; i < record.statistics.congestion_trees.size(); ++i) {
    const CongestionTreeRecord& tree = record.statistics.congestion_trees[i];
    EXPECT_EQ(tree.pauses, pauses[static_cast<std::int64_t>(i)]);
    roots.insert(tree.root + " " + tree.root_to);
    merged = merged || tree.merged_into == "tor2:0";
  }
  EXPECT_TRUE(roots.contains("tor2 h8")) << "the incast";
  EXPECT_TRUE(roots.contains("spine0 tor2")) << "the overloaded downlink";
  EXPECT_TRUE(merged) << "the downlink gives up being a root when the last hop pauses it";
}

TEST(CongestionTreesOfARun, AreNotedIfNoFlowControlHasRoots) {
  Settings settings = incast();
  settings.switches.flow_control = {choose("pfc")};
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.statistics.congestion_trees, IsEmpty());
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_THAT(record.findings[0].text, testing::HasSubstr("congestion_trees"));
}

}  // namespace
}  // namespace weir::whole::congestion_trees_test
