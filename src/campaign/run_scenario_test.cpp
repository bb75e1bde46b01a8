// SPDX-License-Identifier: Apache-2.0
#include "campaign/run_scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "scenario/test_scenario.h"
#include "sim/simulation.h"

namespace weir::run_scenario_test {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_scenario::changed;
using testing_scenario::read;

/// The exception text of run_scenario(); empty: none.
std::string refusal(const std::string& text) {
  try {
    run_scenario(read(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(RunScenario, GivesTheRecordOfEachVariantInOrder) {
  const std::string text = changed("stop = \"1 ms\"", "stop = \"20 us\"") +
                           "[variants.a]\n[variants.b]\nhost.congestion_control = \"dcqcn\"\n";
  const Scenario scenario = read(text);
  const std::vector<RunRecord> records = run_scenario(scenario);
  ASSERT_THAT(records, SizeIs(2));
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].variant, scenario.variants[i].name);
    EXPECT_EQ(records[i].digest, Simulation(scenario.variants[i].settings).run().digest);
    EXPECT_THAT(records[i].flows, Not(IsEmpty()));
  }
  // Congestion control without signals from switches: the warning of weir check is part of the record.
  ASSERT_THAT(records[1].findings, Not(IsEmpty()));
  EXPECT_EQ(records[1].findings.front().kind, FindingKind::warning);
}

TEST(RunScenario, RefusesAScenarioWithErrorsAndNamesThemAll) {
  const std::string text = changed("payload = 1000", "payload = -1\nspeed = 3");
  const std::vector<std::string> errors = read(text).errors;
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(refusal(text), errors[0] + "\n" + errors[1]);
}

TEST(RunScenario, RefusesWhatCheckRefuses) {
  const std::string text = changed("buffer = \"12 MB\"", "buffer = \"100 KB\"");
  EXPECT_THAT(read(text).errors, IsEmpty());
  EXPECT_THAT(refusal(text), StartsWith("s.toml:13:10: switch.buffer: "));
}

TEST(RunScenario, SaysThatAFileIsNotThere) {
  EXPECT_THROW(run_scenario("no_such_file.toml"), std::invalid_argument);
}

}  // namespace
}  // namespace weir::run_scenario_test
