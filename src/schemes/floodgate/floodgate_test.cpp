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
  EXPECT_THAT(scheme.errors(parameters_with({{"queues", std::int64_t{1}}})), ElementsAre(HasSubstr("groups")));
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
  EXPECT_THAT(scheme.errors(parameters_with({tag, {"credit_threshold", Bytes(640'000)}})),
              ElementsAre(HasSubstr("credit_threshold")));
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
  EXPECT_NE(plain, announced({{"table", std::string("hashed")}, {"table_entries", std::int64_t{64}}}));
  EXPECT_EQ(plain, announced({{"queues", std::int64_t{7}}}));
}

}  // namespace
}  // namespace weir::floodgate::floodgate_test
