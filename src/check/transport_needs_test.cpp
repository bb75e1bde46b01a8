// SPDX-License-Identifier: Apache-2.0
#include "check/transport_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.h"
#include "check/check_errors.h"
#include "scenario/test_scenario.h"

namespace weir::transport_needs_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_scenario::changed;
using testing_scenario::kGood;
using testing_scenario::read;

constexpr const char* kSymmetric =
    "\nforwarding = { scheme = \"ecmp\", hash = \"symmetric\", seed_per_switch = false }";

/// The small network with the transport, `forwarding` in [switch], and `topology` in place of its spines.
std::string with_transport(const std::string& forwarding, const std::string& topology = "spines = 2") {
  const std::string hosts = changed("payload = 1000", "payload = 1000\ntransport = \"expresspass\"");
  const std::string wired = changed("spines = 2", topology, hosts);
  return changed("flow_control = [\"pfc\"]", "flow_control = [\"expresspass\"]\nlossless = []" + forwarding, wired);
}

struct Found {
  std::vector<std::string> errors;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};
Found check(const std::string& text) {
  const Scenario scenario = read(text);
  EXPECT_TRUE(scenario.ok()) << scenario.errors.front();
  const ScenarioVariant& variant = scenario.variants.front();
  const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
  CheckedVariant of_run;
  of_run.errors = ErrorCheck().of(variant);
  EXPECT_EQ(check_errors(scenario, {of_run}), check_errors(scenario, {checked})) << "refused before a run, too";
  return {check_errors(scenario, {checked}), checked.notes, checked.warnings};
}

TEST(SymmetricPaths, AreWhatATransportMayNeed) {
  const Found found = check(with_transport(kSymmetric));
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(
      found.notes,
      Contains("expresspass needs both directions of a flow to take the same links; they do for 1000 flows between "
               "hosts of each pair of 2 edge switches"));
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(SymmetricPaths, AreRequiredWithTheLineOfTheTransport) {
  const Found found = check(with_transport(""));
  ASSERT_THAT(found.errors, ElementsAre(AllOf(StartsWith("s.toml:19:13: host.transport: "),
                                              HasSubstr("a flow between h0 and h2 takes tor0 spine"),
                                              HasSubstr("hash = \"symmetric\""))));
  EXPECT_THAT(found.notes, Not(Contains(HasSubstr("same links"))));
}

TEST(SymmetricPaths, AreNotThoseOfSpraying) {
  EXPECT_THAT(check(with_transport("\nforwarding = \"spray\"")).errors,
              ElementsAre(HasSubstr("packets of a flow between h0 and h2 have no one path")));
}

TEST(SymmetricPaths, AreThereWithoutAChoice) {
  EXPECT_THAT(check(with_transport("", "spines = 1")).errors, IsEmpty());
  EXPECT_THAT(check(with_transport("\nforwarding = \"spray\"", "spines = 1")).errors, IsEmpty());
}

// The hash of a tier chooses a parallel link upwards, and that of the other tier another one downwards.
TEST(SymmetricPaths, AreNotThoseOfParallelLinks) {
  EXPECT_THAT(check(with_transport(kSymmetric, "spines = 2\nparallel_links = 4")).errors,
              ElementsAre(AllOf(HasSubstr(" of 4) spine"), HasSubstr(" of 4) tor"),
                                HasSubstr("expected a network without parallel links, and a forwarding that is "
                                          "symmetric in this network"))));
}

TEST(SymmetricPaths, AreNotThoseOfWeights) {
  const std::string weight = "\n[[weight]]\nnode = \"tor0\"\ntowards = \"spine0\"\nweight = 3\n";
  EXPECT_THAT(check(with_transport(kSymmetric) + weight).errors,
              ElementsAre(HasSubstr("expected a network without weights, and a forwarding")));
}

// With seeds of their own, two switches choose alike for half of all flows.
TEST(SymmetricPaths, AreNotThereByChance) {
  for (int seed = 1; seed <= 30; ++seed) {
    const std::string text = changed("seed = 7", "seed = " + std::to_string(seed), with_transport(""));
    EXPECT_THAT(check(text).errors, Not(IsEmpty())) << seed;
  }
}

TEST(SymmetricPaths, AreCheckedAfterFailures) {
  const std::string failure = "\n[[failure]]\nbetween = [\"tor0\", \"spine0\"]\ndown = \"100 us\"\n";
  EXPECT_THAT(check(with_transport(kSymmetric, "spines = 4") + failure).errors, IsEmpty());
}

TEST(SymmetricPaths, AreOfNoConcernToOthers) {
  EXPECT_THAT(check(kGood).notes, Not(Contains(HasSubstr("same links"))));
}

TEST(MissingParts, OfATransportAreWarnedOf) {
  const std::string text = with_transport(kSymmetric);
  EXPECT_THAT(check(changed("flow_control = [\"expresspass\"]", "flow_control = []", text)).warnings,
              Contains(HasSubstr("expresspass: switches lack its part; expected switch.flow_control = "
                                 "[\"expresspass\"]")));
  EXPECT_THAT(check(changed("\ntransport = \"expresspass\"", "", text)).warnings,
              Contains(HasSubstr("expresspass: no host has its transport; expected host.transport = \"expresspass\"")));
}

}  // namespace
}  // namespace weir::transport_needs_test
