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
  explicit Script(const Settings& settings, std::size_t most = CongestionTrees::kMost)
      : fabric_(settings), trees_(fabric_, most) {}

  void pause(std::int64_t us, std::size_t node, std::size_t ingress, std::uint64_t root, bool paused = true) {
    at(us, node);
    trees_.on_hop_pause(node_of(SwitchId(node)), PortId(ingress), root, paused, Time() + us * 1_us);
  }
  /// A host pauses its switch, or resumes it.
  void pause_by_host(std::int64_t us, std::size_t host, std::uint64_t root, bool paused) {
    trees_.on_hop_pause(node_of(HostId(host)), PortId(0), root, paused, Time() + us * 1_us);
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
  /// The only tree at 100 us.
  [[nodiscard]] CongestionTreeRecord only_tree() const {
    const Statistics found = finish(100);
    EXPECT_THAT(found.congestion_trees, SizeIs(1));
    return found.congestion_trees.empty() ? CongestionTreeRecord() : found.congestion_trees.front();
  }
  [[nodiscard]] const CongestionTrees& trees() const { return trees_; }

 private:
  template <class Id>
  [[nodiscard]] NodeId node_of(Id id) const {
    return fabric_.topology().node_of(id);
  }
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
  EXPECT_EQ(script.only_tree().members, 3);
  EXPECT_EQ(script.only_tree().most, 2);
}

TEST(CongestionTrees, CountANodeOnceHoweverManyOfItsLinksArePaused) {
  Script script(pyrrha_network());
  script.pause(10, kTor2, 4, kLastHop);
  script.pause(11, kTor0, 4, kLastHop);  // spine0 again, by another link
  script.pause(12, kTor0, 4, kLastHop);  // a repeated pause
  script.resume(13, kTor0, 4, kLastHop);
  script.resume(14, kTor2, 4, kLastHop);
  EXPECT_EQ(script.only_tree().pauses, 2);
  EXPECT_EQ(script.only_tree().members, 1);
  EXPECT_EQ(script.only_tree().most, 1);
  EXPECT_EQ(script.only_tree().end_us, 14);
}

TEST(CongestionTrees, LastAsLongAsTheirLongestPause) {
  Script script(pyrrha_network());
  script.pause(10, kTor2, 4, kLastHop);
  script.pause(12, kTor2, 1, kLastHop);
  script.resume(15, kTor2, 1, kLastHop);
  script.pause(20, kTor2, 2, kLastHop);
  script.resume(25, kTor2, 2, kLastHop);
  script.resume(30, kTor2, 4, kLastHop);
  EXPECT_EQ(script.only_tree().pauses, 3);
  EXPECT_EQ(script.only_tree().end_us, 30);
}

TEST(CongestionTrees, HaveDepthOneWhereThePauseBeforeIsNotKnown) {
  Script script(pyrrha_network());
  script.pause(12, kSpine, 0, kLastHop);
  EXPECT_EQ(script.only_tree().depth, 1);
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
  EXPECT_EQ(script.only_tree().begin_us, 10);
  EXPECT_EQ(script.only_tree().end_us, 18);
  EXPECT_EQ(script.only_tree().depth, 2);
}

TEST(CongestionTrees, NameTheRootIntoWhichTheyMerge) {
  Script script(pyrrha_network());
  script.pause(10, kSpine, 0, kDownlink);
  script.pause(11, kTor2, 4, kLastHop);
  script.merge(12, kSpine, kDownlink, kLastHop);
  script.resume(12, kSpine, 0, kDownlink);
  script.pause(20, kSpine, 0, kDownlink);
  script.resume(21, kSpine, 0, kDownlink);
  script.merge(25, kSpine, kDownlink, kLastHop);  // when the tree has ended
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
  EXPECT_EQ(script.trees().pauses_left_out(), 1U);
  EXPECT_EQ(script.trees().merges_left_out(), 0U);
}

TEST(CongestionTrees, RecordMergesUpToALimitAndCountTheOthers) {
  Script script(pyrrha_network(), 2);
  script.pause(10, kSpine, 0, kDownlink);
  for (std::int64_t i = 0; i < 3; ++i)
    script.merge(11 + i, kSpine, kDownlink, root(kTor2, static_cast<std::uint64_t>(i)));
  EXPECT_EQ(script.only_tree().merged_into, "tor2:1") << "the last that was recorded";
  EXPECT_EQ(script.trees().merges_left_out(), 1U) << "merges count, not the roots that merge";
  EXPECT_EQ(script.trees().pauses_left_out(), 0U);
}

TEST(CongestionTrees, SayWhatIsLeftOut) {
  Script script(pyrrha_network(), 1);
  const auto pause = [&](std::size_t port) { script.pause(10, kTor2, port, kLastHop); };
  const auto merge = [&] { script.merge(11, kSpine, kDownlink, kLastHop); };
  pause(1);
  merge();
  EXPECT_EQ(script.trees().left_out_text(), "");
  pause(2);
  EXPECT_EQ(script.trees().left_out_text(), "congestion trees: pauses beyond the first 1 are left out: 1");
  pause(3);
  merge();
  EXPECT_EQ(script.trees().left_out_text(),
            "congestion trees: pauses and merges beyond the first 1 are left out: 2 pauses, 1 merges");
}

TEST(CongestionTrees, BeginAtHostsThatDrainSlowly) {
  Script script(pyrrha_network());
  const std::uint64_t host = root(std::uint64_t{1} << 31 | 8, 0);
  script.pause(8, kSpine, 0, kDownlink);
  script.pause_by_host(10, 8, host, true);
  script.pause(12, kTor2, 4, host);
  script.merge(13, kSpine, kDownlink, host);
  script.resume(13, kSpine, 0, kDownlink);
  script.pause_by_host(20, 8, host, false);
  script.resume(22, kTor2, 4, host);
  const Statistics found = script.finish(100);
  ASSERT_THAT(found.congestion_trees, SizeIs(2));
  EXPECT_EQ(found.congestion_trees[0].merged_into, "h8:0");
  const CongestionTreeRecord& tree = found.congestion_trees[1];
  EXPECT_EQ(tree.root, "h8");
  EXPECT_EQ(tree.root_to, "");
  EXPECT_EQ(tree.port, 0);
  EXPECT_EQ(tree.tier, 0);
  EXPECT_EQ(tree.begin_us, 10);
  EXPECT_EQ(tree.end_us, 22);
  EXPECT_EQ(tree.members, 2) << "tor2, spine0";
  EXPECT_EQ(tree.depth, 2);
  EXPECT_EQ(tree.pauses, 2);
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

/// Whether the rows have these fields equal.
template <class Row, class Key>
bool have_equal(const std::vector<Row>& a, const std::vector<Row>& b, Key key) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Row& x, const Row& y) { return key(x) == key(y); });
}

bool are_equal(const Statistics& a, const Statistics& b) {
  const auto key = [](const CongestionTreeRecord& t) {
    return std::tie(t.root, t.root_to, t.port, t.tier, t.begin_us, t.end_us, t.members, t.most, t.hosts, t.depth,
                    t.pauses, t.merged_into, t.merged_us);
  };
  const auto pause_key = [](const TreePauseRecord& p) {
    return std::tie(p.tree, p.paused, p.by, p.begin_us, p.end_us);
  };
  return have_equal(a.congestion_trees, b.congestion_trees, key) && have_equal(a.tree_pauses, b.tree_pauses, pause_key);
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
