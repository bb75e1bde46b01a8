// SPDX-License-Identifier: Apache-2.0
#include "check/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/test_scenario.h"
#include "sim/simulation.h"

namespace weir::findings_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scenario::changed;
using testing_scenario::only;

/// spfc figure 17 (a): a pod of four ToRs, two of which have lost a link.
std::string pod() {
  return changed("tors = 2", "tors = 4") + R"(
[[failure]]
between = ["tor3", "spine0"]
down = "0 s"
[[failure]]
between = ["tor0", "spine1"]
down = "0 s"
[routing]
failure_detection = "0 s"
)";
}

std::vector<RunFinding> findings(const ScenarioVariant& variant) {
  return findings_of(check_variant(variant.settings, variant.traffic), variant.settings.network.topology);
}

TEST(Findings, HaveACycleAsTheLinksOfTheRecord) {
  ScenarioVariant variant = only(pod());
  const std::vector<RunFinding> found = findings(variant);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, FindingKind::cyclic_buffer_dependency);
  EXPECT_EQ(found[0].failed, "tor0 - spine1 and tor3 - spine0");
  EXPECT_EQ(found[0].text, "8 link directions lie on such cycles, where pauses can deadlock");
  variant.settings.run.stop = Time::picoseconds(1);
  variant.settings.run.drain = false;
  const RunRecord record = Simulation(variant.settings).run();
  std::vector<std::string> names;
  for (const FoundPort& port : found[0].ports) {
    names.push_back(record.links.at(port.link).from + " -> " + record.links.at(port.link).to);
    EXPECT_EQ(port.what, "");
  }
  EXPECT_THAT(names, ElementsAre("tor1 -> spine0", "spine0 -> tor2", "tor2 -> spine1", "spine1 -> tor1"));
}

TEST(Findings, AreNoneWhereThereIsNothingToSay) {
  EXPECT_THAT(findings(only(changed("tors = 2", "tors = 4"))), IsEmpty());
}

TEST(Findings, HaveWarningsBeforeNotes) {
  CheckedVariant checked;
  checked.notes = {"a small window"};
  checked.warnings = {"dcqcn: nothing slows it down"};
  const std::vector<RunFinding> found = findings_of(checked, Topology());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].kind, FindingKind::warning);
  EXPECT_EQ(found[0].text, checked.warnings[0]);
  EXPECT_EQ(found[1].kind, FindingKind::note);
  EXPECT_EQ(found[1].text, checked.notes[0]);
  EXPECT_THAT(found[1].ports, IsEmpty());
}

}  // namespace
}  // namespace weir::findings_test
