// SPDX-License-Identifier: Apache-2.0
// Parameters whose defaults come from the offered traffic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/scalar.h"
#include "policy/scheme.h"
#include "scenario/network_defaults.h"
#include "scenario/reference.h"
#include "scenario/test_scenario.h"
#include "scenario/traffic_defaults.h"
#include "traffic/built_in_sizes.h"

namespace weir::traffic_defaults_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::kGood;
using testing_scenario::only;

class Sized final : public CongestionPoint {};

double mean_of(std::span<const SizeSegment> sizes) {
  double mean = 0;
  for (const SizeSegment& segment : sizes) mean += segment.share * 0.5 * (segment.low + segment.high);
  return mean;
}

const Scheme kSized = {
    .name = "sized",
    .summary = "knows the sizes of flows",
    .traits = {},
    .parameters =
        {
            {.name = "mean",
             .default_value = Bytes(3),
             .meaning = "of the sizes",
             .source = "this test",
             .from_traffic = true},
            {.name = "twice",
             .default_value = Bytes(6),
             .meaning = "the same twice",
             .source = "this test",
             .from_traffic = true},
        },
    .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> { return std::make_unique<Sized>(); },
    .from_traffic = [](const Parameters& parameters,
                       std::span<const SizeSegment> sizes) -> std::vector<std::pair<std::string_view, ParameterValue>> {
      Bytes mean(static_cast<std::int64_t>(mean_of(sizes) + 0.5));
      if (parameters.of_traffic().front() != "mean") mean = parameters.get<Bytes>("mean");
      return {{"mean", mean}, {"twice", 2 * mean}};
    },
    .errors = [](const Parameters& parameters) -> std::vector<std::string> {
      if (parameters.get<Bytes>("mean") < parameters.get<Bytes>("twice")) return {};
      return {"mean is not below twice"};
    },
};

class RegisterSized : public testing::Environment {
 public:
  void SetUp() override { register_scheme(kSized); }
};
const auto* const kRegistered = testing::AddGlobalTestEnvironment(new RegisterSized);

/// The scheme's table is in line 15.
std::string with(const std::string& parameters, const std::string& scenario = kGood) {
  return changed("flow_control = [\"pfc\"]",
                 "flow_control = [\"pfc\"]\ncongestion_point = [{ scheme = \"sized\"" + parameters + " }]", scenario);
}
const Parameters& parameters_of(const ScenarioVariant& variant) {
  return variant.settings.switches.congestion_point.front().parameters;
}
Bytes mean_in(const std::string& scenario) {
  return parameters_of(only(with("", scenario))).get<Bytes>("mean");
}
const std::string kMore = "\n[[traffic]]\nname = \"more\"\n";
std::string with_traffic(const std::string& lines) {
  return changed("\n[run]", kMore + lines + "\n\n[run]");
}

TEST(TrafficDefaults, FollowTheOfferedFlows) {
  const ScenarioVariant variant = only(with(""));
  EXPECT_EQ(parameters_of(variant).get<Bytes>("mean"), Bytes(64'000));
  EXPECT_EQ(parameters_of(variant).get<Bytes>("twice"), Bytes(128'000));
  EXPECT_THAT(parameters_of(variant).of_traffic(), IsEmpty());
}

TEST(TrafficDefaults, GiveWayToWhatIsSet) {
  const ScenarioVariant variant = only(with(", mean = \"5 KB\""));
  EXPECT_EQ(parameters_of(variant).get<Bytes>("mean"), Bytes(5'000));
  EXPECT_EQ(parameters_of(variant).get<Bytes>("twice"), Bytes(10'000)) << "of what is set";
}

TEST(TrafficDefaults, AreShownWithWhereTheyAreFrom) {
  const ScenarioVariant variant = only(with(", mean = \"5 KB\""));
  EXPECT_THAT(to_toml(variant.effective, Annotation::origins, "s.toml"),
              testing::ContainsRegex("twice = \"10 KB\" +# from the traffic\n"));
  EXPECT_THAT(network_default_lines(variant.effective),
              ElementsAre("switch.congestion_point.0.twice = \"10 KB\" (from the traffic)"));
  const ScenarioVariant again = only(variant.settings.effective_configuration);
  EXPECT_EQ(parameters_of(again).values(), parameters_of(variant).values());
}

TEST(TrafficDefaults, AreSeenByTheErrorsOfTheScheme) {
  EXPECT_THAT(
      errors(with(", twice = \"6 KB\"")),
      ElementsAre(testing::MatchesRegex("s.toml:15:[0-9]+: switch.congestion_point.0: mean is not below twice")));
}

TEST(TrafficDefaults, StayIfThereAreNoFlows) {
  EXPECT_EQ(mean_in(changed("load = 0.5", "load = 0.5\nenabled = false")), Bytes(3));
}

TEST(OfferedSizes, CountEachSourceByItsFlowsPerSecond) {
  // Two hosts' worth of load in 64 KB, and as much again in flows of 1 KB: 64 for each of the others.
  const std::string both = with_traffic("kind = \"poisson\"\nsize = \"1 KB\"\nload = 0.5");
  EXPECT_EQ(mean_in(both), Bytes((64'000 + 64 * 1'000) / 65));
  // One incast has no rate, and does not count beside others.
  const std::string incast =
      "kind = \"incast\"\nsources = \"h0..h2\"\ndestinations = \"h3\"\ndegree = 3\nsize = \"1 KB\"\nevent_limit = 1";
  EXPECT_EQ(mean_in(with_traffic(incast)), Bytes(64'000));
  EXPECT_EQ(mean_in(changed("load = 0.5", "load = 0.5\nenabled = false", with_traffic(incast))), Bytes(1'000));
}

TEST(OfferedSizes, CountListedFlowsAlike) {
  const std::string list =
      "kind = \"flows\"\n[[traffic.flow]]\nsource = \"h0\"\ndestination = \"h1\"\nsize = \"2 "
      "KB\"\n[[traffic.flow]]\nsource = "
      "\"h0\"\ndestination = \"h2\"\nsize = \"10 KB\"";
  EXPECT_EQ(mean_in(changed("load = 0.5", "load = 0.5\nenabled = false", with_traffic(list))), Bytes(6'000));
}

TEST(OfferedSizes, HaveTheMeanOfTheDistribution) {
  for (const BuiltInSizes& table : built_in_sizes()) {
    const auto sizes = built_in_size_table(table.name);
    double shares = 0;
    for (const SizeSegment& segment : sizes->segments()) shares += segment.share;
    EXPECT_NEAR(shares, 1, 1e-12) << table.name;
    EXPECT_NEAR(mean_of(sizes->segments()), sizes->mean(), 1e-9 * sizes->mean()) << table.name;
  }
  EXPECT_THAT(FlowSize::multiples(30, 40, Bytes(1'000)).segments(), testing::SizeIs(11));
  EXPECT_DOUBLE_EQ(mean_of(FlowSize::multiples(30, 40, Bytes(1'000)).segments()), 35'000);
  EXPECT_DOUBLE_EQ(mean_of(FlowSize::multiples(1, 999, Bytes(1)).segments()), 500);
  const SizeTable steps("steps", {{1'000, 0.6}, {2'000, 0.9}, {6'000, 1}}, SizeTable::Form::steps);
  EXPECT_DOUBLE_EQ(mean_of(steps.segments()), 1'800);
}

TEST(TrafficDefaults, NeedAFunctionOfTheScheme) {
  Scheme without = kSized;
  without.name = "without";
  without.from_traffic = nullptr;
  EXPECT_THAT(mistakes_in(without), testing::Contains(HasSubstr("computes nothing from the traffic")));
  EXPECT_THAT(mistakes_in(kSized), IsEmpty());
  Scheme both = kSized;
  both.parameters[0].from_network = {NetworkFigure::bandwidth_delay_product};
  EXPECT_THAT(mistakes_in(both), ElementsAre(HasSubstr("both of the network and of the traffic")));
}

}  // namespace
}  // namespace weir::traffic_defaults_test
