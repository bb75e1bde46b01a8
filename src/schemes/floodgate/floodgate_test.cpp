// SPDX-License-Identifier: Apache-2.0
// What a scenario can say of Floodgate.
#include "schemes/floodgate/floodgate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/floodgate/test_network.h"

namespace weir::floodgate::floodgate_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// [FLOODGATE-IN-1]
TEST(FloodgateParameters, AreRefusedWhenTheyMakeNoSense) {
  EXPECT_THAT(scheme.errors(parameters_with({})), IsEmpty());
  EXPECT_THAT(scheme.errors(parameters_with({{"queues", std::int64_t{1}}})),
              ElementsAre("queues = 1 is not enough for groups = 2; expected a VOQ for each group, or groups = 1"));
  EXPECT_THAT(scheme.errors(parameters_with({{"queues", std::int64_t{1}}, {"pipeline", std::string("port")}})),
              IsEmpty());
  EXPECT_THAT(scheme.errors(parameters_with({{"queues", std::int64_t{1}}, {"groups", std::int64_t{1}}})), IsEmpty());
  EXPECT_THAT(scheme.errors(parameters_with({{"table", std::string("hashed")}})),
              ElementsAre(HasSubstr("table_entries")));
  EXPECT_THAT(scheme.errors(parameters_with({{"pause_threshold", Bytes(10)}, {"resume_threshold", Bytes(20)}})),
              ElementsAre(HasSubstr("resume_threshold")));
  EXPECT_THAT(scheme.errors(parameters_with({{"resume_threshold", Bytes(20)}})),
              ElementsAre(HasSubstr("pause_threshold is not")));
  EXPECT_THAT(scheme.errors(parameters_with({{"pause_threshold", Bytes(20)}, {"resume_threshold", Bytes(20)}})),
              IsEmpty());
}

// [FLOODGATE-IN-1]
TEST(FloodgateParameters, AreRefusedWhenPfcWithTagsHasNoUseForThem) {
  const std::pair<std::string_view, ParameterValue> tag = {"variant", std::string("tag")};
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"tag_threshold", Bytes(20)}, {"queues", std::int64_t{9}}})),
              IsEmpty());
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"unit", std::string("bytes")}, {"pipeline", std::string("port")}})),
              ElementsAre(HasSubstr("unit"), HasSubstr("pipeline")));
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"unit", std::string("packets")}})), IsEmpty());
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"recovery", false}, {"syn_timeout", us(10)}})),
              ElementsAre(HasSubstr("recovery"), HasSubstr("syn_timeout")));
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"signal", std::string("split")}})),
              ElementsAre(HasSubstr("signal")));
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"pause_threshold", Bytes(20)}, {"resume_threshold", Bytes(10)}})),
              ElementsAre(HasSubstr("pause_threshold has no effect"), HasSubstr("resume_threshold has no effect")));
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"groups", std::int64_t{1}}})), ElementsAre(HasSubstr("groups")));
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"queues", std::int64_t{1}}})), IsEmpty());
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"credit_threshold", Bytes(640'000)}})), IsEmpty())
      << "a configuration that a run has written can be run again";
}

/// One kind of switch, whose data has priority 3, and another kind with these values.
std::vector<std::string> warnings(const Values& values, const Values& other = {}, bool damages = false) {
  const Parameters parameters = parameters_with(values);
  const Parameters of_other = parameters_with(other);
  SchemeSurroundings around;
  around.network.damages = damages;
  around.hosts.offered = {kPriority};
  around.switches.resize(3);
  around.switches[0].flow_control = {{&scheme, &parameters}};
  around.switches[1].flow_control = {{&scheme, other.empty() ? &parameters : &of_other}};
  return scheme.warnings(parameters, around);
}

// [FLOODGATE-IN-2]
TEST(FloodgateParameters, AreWarnedOfWhatIsHardlyMeant) {
  EXPECT_THAT(warnings({}), IsEmpty());
  EXPECT_THAT(warnings({{"priority", std::int64_t{5}}}),
              ElementsAre("no data has its priority (5), so it has no effect: the data has 3; expected priority = 3"));
  EXPECT_THAT(warnings({}, {{"queues", std::int64_t{7}}}), IsEmpty());
  for (const auto& [name, value] : Values{{"unit", std::string("bytes")},
                                          {"recovery", false},
                                          {"priority", std::int64_t{4}},
                                          {"variant", std::string("tag")}}) {
    EXPECT_THAT(warnings({}, {{name, value}}), ElementsAre(HasSubstr("differ in " + std::string(name) + ":")));
  }
  EXPECT_THAT(warnings({}, {{"table", std::string("hashed")}, {"table_entries", std::int64_t{8}}}),
              ElementsAre(HasSubstr("differ in table and table_entries:")));
  EXPECT_THAT(warnings({}, {}, true), IsEmpty());
  EXPECT_THAT(warnings({{"recovery", false}}), IsEmpty());
  EXPECT_THAT(warnings({{"recovery", false}}, {}, true), ElementsAre(HasSubstr("expected recovery = true")));
  EXPECT_THAT(warnings({{"variant", std::string("tag")}}, {}, true), IsEmpty());
}

// [FLOODGATE-IN-2]
TEST(FloodgateParameters, AreWarnedOfWhenTheyHaveNoEffect) {
  const std::pair<std::string_view, ParameterValue> ideal = {"variant", std::string("ideal")};
  EXPECT_THAT(warnings({{"tag_threshold", Bytes(9)}}),
              ElementsAre("tag_threshold has no effect with variant = \"practical\""));
  EXPECT_THAT(warnings({ideal, {"credit_timer", us(20)}, {"credit_threshold", Bytes(9)}, {"delay_credit", false}}),
              ElementsAre("credit_timer, delay_credit and credit_threshold have no effect with variant = \"ideal\""));
  EXPECT_THAT(warnings({{"credit_timer", us(20)}, {"credit_threshold", Bytes(9)}}), IsEmpty());
  EXPECT_THAT(warnings({{"variant", std::string("tag")}, {"credit_threshold", Bytes(9)}}),
              ElementsAre("credit_threshold has no effect with variant = \"tag\""));
  EXPECT_THAT(warnings({{"delay_credit", false}, {"credit_threshold", Bytes(9)}}), ElementsAre(HasSubstr("delay_cr")));
  EXPECT_THAT(warnings({{"window", Bytes(9)}, {"window_factor", 2.0}}), ElementsAre(HasSubstr("with window")));
  EXPECT_THAT(warnings({{"groups", std::int64_t{1}}, {"pipeline", std::string("port")}}),
              ElementsAre(HasSubstr("groups has no effect")));
  EXPECT_THAT(warnings({{"recovery", false}, {"syn_timeout", us(9)}}), ElementsAre(HasSubstr("recovery = false")));
  EXPECT_THAT(warnings({{"pause_threshold", Bytes(9)}, {"pause_timeout", us(9)}}),
              ElementsAre("pause_threshold and pause_timeout have no effect with pause_destinations = false"));
  EXPECT_THAT(warnings({{"pause_threshold", Bytes(9)}, {"pause_destinations", true}}), IsEmpty());
  EXPECT_THAT(warnings({{"variant", std::string("tag")}, {"tag_threshold", Bytes(9)}, {"pause_timeout", us(9)}}),
              IsEmpty());
}

TEST(FloodgateParameters, OfTheNetworkAreNotThoseOfTheScenario) {
  Parameters parameters = parameters_with({{"variant", std::string("tag")}});
  ASSERT_TRUE(parameters.set_default("credit_threshold", Bytes(1'000)));
  EXPECT_THAT(scheme.errors(parameters), IsEmpty());
}

TEST(FloodgateParameters, SayWhatNeighboursMustShare) {
  const auto announced = [](const Values& values) { return scheme.announces(parameters_with(values), false); };
  const std::uint32_t plain = announced({});
  EXPECT_NE(plain, 0u);
  EXPECT_NE(plain, announced({{"unit", std::string("bytes")}}));
  EXPECT_NE(plain, announced({{"recovery", false}}));
  EXPECT_NE(plain, announced({{"priority", std::int64_t{4}}}));
  EXPECT_NE(plain, announced({{"table", std::string("hashed")}, {"table_entries", std::int64_t{64}}}));
  EXPECT_EQ(plain, announced({{"queues", std::int64_t{7}}}));
}

}  // namespace
}  // namespace weir::floodgate::floodgate_test
