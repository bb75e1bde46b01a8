// SPDX-License-Identifier: Apache-2.0
// Parameters that are lists, and parameters that come from the network: read, rejected, shown, passed to the policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "apps/commands.h"
#include "check/check.h"
#include "config/scalar.h"
#include "fabric/fabric.h"
#include "parameters/stairs.h"
#include "scenario/network_defaults.h"
#include "scenario/parameter_words.h"
#include "scenario/reference.h"
#include "scenario/test_scenario.h"
#include "sim/simulation.h"

namespace weir::parameters_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::only;
using testing_scenario::read;

class RegisterStairs : public testing::Environment {
 public:
  void SetUp() override { register_scheme(stairs::scheme); }
};
const auto* const kRegistered = testing::AddGlobalTestEnvironment(new RegisterStairs);

/// The valid scenario with the scheme; its table is in line 15.
std::string with(const std::string& parameters) {
  return changed("flow_control = [\"pfc\"]", "flow_control = [\"pfc\"]\ncongestion_point = [{ scheme = \"stairs\"" +
                                                 (parameters.empty() ? "" : ", " + parameters) + " }]");
}

const Parameters& parameters_of(const ScenarioVariant& variant) {
  return variant.settings.switches.congestion_point.front().parameters;
}

const ParameterSpec& spec(std::string_view name) {
  return *std::ranges::find(stairs::scheme.parameters, name, &ParameterSpec::name);
}

TEST(ListParameters, AreReadWithTheirUnits) {
  const ScenarioVariant variant =
      only(with("sizes = [\"1 KB\", \"20 KB\", \"300 KB\"], shares = [0, 0.25, 1], counts = [3, 2], times = [\"4 "
                "ns\"], rates = []"));
  const Parameters& parameters = parameters_of(variant);
  EXPECT_THAT(parameters.get<std::vector<Bytes>>("sizes"), ElementsAre(Bytes(1'000), Bytes(20'000), Bytes(300'000)));
  EXPECT_THAT(parameters.get<std::vector<double>>("shares"), ElementsAre(0, 0.25, 1));
  EXPECT_THAT(parameters.get<std::vector<std::int64_t>>("counts"), ElementsAre(3, 2));
  EXPECT_THAT(parameters.get<std::vector<Duration>>("times"), ElementsAre(Duration::picoseconds(4'000)));
  EXPECT_THAT(parameters.get<std::vector<BitRate>>("rates"), IsEmpty());
  EXPECT_THAT(variant.settings.effective_configuration,
              AllOf(HasSubstr("sizes = [\"1 KB\", \"20 KB\", \"300 KB\"]\n"), HasSubstr("counts = [3, 2]\n")));
}

TEST(ListParameters, HaveTheirDefaults) {
  EXPECT_THAT(parameters_of(only(with(""))).get<std::vector<Bytes>>("sizes"),
              ElementsAre(Bytes(30'000), Bytes(60'000)));
}

TEST(ListParameters, AreRefusedByElement) {
  EXPECT_THAT(
      errors(with("sizes = [\"1 KB\", \"0 B\", 3]")),
      ElementsAre("s.toml:15:59: switch.congestion_point.0.sizes.1: is \"0 B\", expected at least 1 B and at most "
                  "1 MB",
                  HasSubstr("s.toml:15:66: switch.congestion_point.0.sizes.2: is 3, expected a size")));
  EXPECT_THAT(errors(with("shares = [0.5, 1.5]")),
              ElementsAre("s.toml:15:57: switch.congestion_point.0.shares.1: is 1.5, expected at least 0.0 and at most "
                          "1.0"));
}

TEST(ListParameters, AreRefusedByLength) {
  EXPECT_THAT(errors(with("sizes = []")),
              ElementsAre("s.toml:15:50: switch.congestion_point.0.sizes: has 0 elements, expected 1 to 4"));
  EXPECT_THAT(errors(with("counts = [1, 2, 3, 4]")),
              ElementsAre("s.toml:15:51: switch.congestion_point.0.counts: has 4 elements, expected at most 3"));
  EXPECT_THAT(errors(with("times = [\"1 us\", \"2 us\"]")),
              ElementsAre("s.toml:15:50: switch.congestion_point.0.times: has 2 elements, expected 1"));
  EXPECT_THAT(errors(with("times = \"1 us\"")),
              ElementsAre(HasSubstr("times: is \"1 us\", expected a list of 1, each a duration")));
}

/// The effective values read back to the same ones, for any list.
RC_GTEST_PROP(ListParameters, ReadBackToTheSame, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(1, 5);
  const auto sizes =
      *rc::gen::container<std::vector<std::int64_t>>(length, rc::gen::inRange<std::int64_t>(1, 1'000'001));
  const auto rates =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
  std::vector<Bytes> as_sizes;
  for (const std::int64_t size : sizes) as_sizes.emplace_back(size);
  std::vector<BitRate> as_rates;
  for (const std::int64_t rate : rates) as_rates.emplace_back(rate);
  const ScenarioVariant first = only(with("sizes = " + written(as_sizes) + ", rates = " + written(as_rates)));
  RC_ASSERT(parameters_of(first).get<std::vector<Bytes>>("sizes") == as_sizes);
  RC_ASSERT(parameters_of(first).get<std::vector<BitRate>>("rates") == as_rates);
  const ScenarioVariant again = only(first.settings.effective_configuration);
  RC_ASSERT(parameters_of(again).values() == parameters_of(first).values());
  RC_ASSERT(again.settings.effective_configuration == first.settings.effective_configuration);
}

/// An element outside the bounds is rejected at any position, and no other is.
RC_GTEST_PROP(ListParameters, RefuseExactlyWhatIsOutOfBounds, ()) {
  const auto shares = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-5, 16));
  std::string text;
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double share = shares[i] / 10.0;
    text += (i == 0 ? "" : ", ") + written(share);
    if (share < 0 || share > 1) wrong.push_back("shares." + std::to_string(i) + ": ");
  }
  const std::vector<std::string> said = errors(with("shares = [" + text + "]"));
  RC_ASSERT(said.size() == wrong.size());
  for (std::size_t i = 0; i < said.size(); ++i) RC_ASSERT(said[i].find(wrong[i]) != std::string::npos);
}

/// Two racks of two hosts at 100 Gbit/s, links of 1 us: three links in each direction between racks.
TEST(NetworkDefaults, AreWhatCheckSaysOfTheNetwork) {
  const ScenarioVariant variant = only(with(""));
  const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
  const Parameters& parameters = parameters_of(variant);
  EXPECT_EQ(parameters.get<Duration>("interval"), checked.longest_round_trip);
  EXPECT_EQ(parameters.get<Duration>("long_interval").picoseconds(), checked.longest_round_trip.picoseconds() * 5 / 2);
  EXPECT_EQ(parameters.get<Bytes>("window"), checked.bandwidth_delay_product);
  EXPECT_EQ(parameters.get<BitRate>("slow"), BitRate(50'000'000'000));
  EXPECT_EQ(parameters.get<BitRate>("fast"), BitRate(100'000'000'000));
  EXPECT_THAT(parameters.of_network(), IsEmpty());
}

TEST(NetworkDefaults, FollowTheNetworkOfEachVariant) {
  const Scenario scenario =
      read(with("") + "\n[variants.near]\n[variants.far]\ntopology.fabric_link.delay = \"50 us\"\n");
  ASSERT_THAT(scenario.errors, IsEmpty());
  const Duration near = parameters_of(scenario.variants[0]).get<Duration>("interval");
  const Duration far = parameters_of(scenario.variants[1]).get<Duration>("interval");
  EXPECT_EQ((far - near).picoseconds(), 4 * 49'000'000) << "two links of the fabric there, two back";
}

TEST(NetworkDefaults, GiveWayToWhatIsSet) {
  const ScenarioVariant variant = only(with("interval = \"7 us\""));
  EXPECT_EQ(parameters_of(variant).get<Duration>("interval"), Duration::picoseconds(7'000'000));
  EXPECT_NE(parameters_of(variant).get<Duration>("long_interval"), Duration::picoseconds(7'000'000));
}

TEST(NetworkDefaults, AreShownWithTheirValueAndWhereItIsFrom) {
  const ScenarioVariant variant = only(with("fast = \"1 Gbit/s\""));
  const std::string shown = to_toml(variant.effective, Annotation::origins, "s.toml");
  const std::string value = written(parameters_of(variant).get<Duration>("interval"));
  EXPECT_THAT(shown, testing::ContainsRegex("interval = " + value + " +# from the network: one round-trip time\n"));
  EXPECT_THAT(shown, testing::ContainsRegex("# from the network: 2.5 round-trip times\n"));
  EXPECT_THAT(shown,
              testing::ContainsRegex("window = \"[0-9.]+ [KM]?B\" +# from the network: one bandwidth-delay product\n"));
  EXPECT_THAT(
      shown, testing::ContainsRegex("slow = \"50 Gbit/s\" +# from the network: 0.5 times the lowest rate of a host\n"));
  EXPECT_THAT(shown, testing::ContainsRegex("fast = \"1 Gbit/s\" +# s.toml:15\n"));
  const std::vector<std::string> lines = network_default_lines(variant.effective);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "switch.congestion_point.0.interval = " + value + " (from the network: one round-trip time)");
}

TEST(NetworkDefaults, AreWrittenAsValuesForOthersToRead) {
  const ScenarioVariant variant = only(with(""));
  EXPECT_THAT(variant.settings.effective_configuration, HasSubstr("slow = \"50 Gbit/s\"\n"));
  const ScenarioVariant again = only(variant.settings.effective_configuration);
  EXPECT_EQ(parameters_of(again).values(), parameters_of(variant).values());
}

TEST(NetworkDefaults, AreRefusedOutOfTheirRange) {
  const std::string far = changed("fabric_link = { rate = \"100 Gbit/s\", delay = \"1 us\" }",
                                  "fabric_link = { rate = \"100 Gbit/s\", delay = \"1 ms\" }", with(""));
  EXPECT_THAT(errors(far),
              ElementsAre(testing::MatchesRegex(
                  "s.toml:15:[0-9]+: switch.congestion_point.0.interval: defaults to one round-trip time of the "
                  "network, which is \".*\", expected at least 1 us and at most 1 ms: set it explicitly")));
}

TEST(NetworkDefaults, AreSeenByTheErrorsOfTheScheme) {
  EXPECT_THAT(
      errors(with("limit = \"2 us\"")),
      ElementsAre(testing::MatchesRegex("s.toml:15:[0-9]+: switch.congestion_point.0: interval is above limit")));
  EXPECT_THAT(errors(with("limit = \"2 us\", interval = \"1 us\"")), IsEmpty());
}

TEST(NetworkDefaults, AreThereInGroupsOfSwitches) {
  const ScenarioVariant variant = only(testing_scenario::with_groups(
      "[[switch.group]]\nname = \"edge\"\nswitches = [\"tor0\"]\ncongestion_point = [\"stairs\"]\n"));
  const PolicyChoice& choice = variant.settings.switch_groups.front().congestion_point->front();
  EXPECT_THAT(choice.parameters.of_network(), IsEmpty());
  EXPECT_EQ(choice.parameters.get<BitRate>("fast"), BitRate(100'000'000'000));
  EXPECT_THAT(
      network_default_lines(variant.effective),
      testing::Contains(HasSubstr("switch.group.0.congestion_point.0.fast = \"100 Gbit/s\" (from the network: ")));
}

/// Also for settings that were not read from a scenario.
TEST(NetworkDefaults, AreWorkedOutWhenTheNetworkIsBuilt) {
  const ScenarioVariant variant = only(with(""));
  Settings settings = variant.settings;
  settings.switches.congestion_point = {{&stairs::scheme, Parameters(stairs::scheme.parameters)}};
  EXPECT_EQ(settings.switches.congestion_point.front().parameters.of_network().size(), 5U);
  const Fabric fabric(settings);
  EXPECT_EQ(stairs::given().values(), parameters_of(variant).values());
  settings.network.topology = Topology();
}

TEST(NetworkDefaults, AreRefusedByTheNetworkOutOfTheirRange) {
  const ScenarioVariant variant =
      only(changed("fabric_link = { rate = \"100 Gbit/s\", delay = \"1 us\" }",
                   "fabric_link = { rate = \"100 Gbit/s\", delay = \"1 ms\" }", with("interval = \"5 us\"")));
  Settings settings = variant.settings;
  settings.switches.congestion_point = {{&stairs::scheme, Parameters(stairs::scheme.parameters)}};
  EXPECT_THROW(Fabric{settings}, std::invalid_argument);
}

/// The digest is that of the same values, set by hand.
RC_GTEST_PROP(NetworkDefaults, AreTheSameAsTheValuesSetByHand, ()) {
  const auto delay = *rc::gen::inRange(1, 40);
  const auto spines = *rc::gen::inRange(1, 4);
  const std::string text = changed(
      "spines = 2", "spines = " + std::to_string(spines),
      changed("fabric_link = { rate = \"100 Gbit/s\", delay = \"1 us\" }",
              "fabric_link = { rate = \"100 Gbit/s\", delay = \"" + std::to_string(delay) + " us\" }", with("")));
  const ScenarioVariant variant = only(text);
  const Parameters& parameters = parameters_of(variant);
  const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
  RC_ASSERT(parameters.get<Duration>("interval") == checked.longest_round_trip);
  RC_ASSERT(parameters.get<Bytes>("window") == checked.bandwidth_delay_product);
  RC_ASSERT(parameters_of(only(variant.settings.effective_configuration)).values() == parameters.values());
}

TEST(ParameterWords, SayWhatAParameterIs) {
  EXPECT_EQ(kind_noun(spec("sizes")), "list of 1 to 4 sizes");
  EXPECT_EQ(kind_phrase(spec("sizes")), "a list of 1 to 4 sizes");
  EXPECT_EQ(kind_noun(spec("times")), "list of 1 durations");
  EXPECT_EQ(kind_phrase(spec("interval")), "a duration");
  EXPECT_EQ(default_text(spec("sizes")), "[\"30 KB\", \"60 KB\"]");
  EXPECT_EQ(default_text(spec("interval")), "from the network: one round-trip time");
}

TEST(ParameterWords, StandInListsAndInTheReference) {
  EXPECT_THAT(reference_page(scenario_reference()),
              AllOf(HasSubstr("| `sizes` | a list of 1 to 4 sizes | `[\"30 KB\", \"60 KB\"]` | "),
                    HasSubstr("| `interval` | a duration | from the network: one round-trip time | ")));
  testing::internal::CaptureStdout();
  EXPECT_EQ(apps::list("stairs", false), apps::kDone);
  const std::string listed = testing::internal::GetCapturedStdout();
  EXPECT_THAT(listed, testing::ContainsRegex("sizes +list of 1 to 4 sizes +\\[\"30 KB\", \"60 KB\"\\] +of the queue"));
  EXPECT_THAT(listed, testing::ContainsRegex("fast +rate +from the network: the highest rate of a host +rate"));
}

TEST(ParameterWords, StandInWhatCheckShows) {
  const std::string path = testing::TempDir() + "weir_parameters.toml";
  std::ofstream(path) << with("");
  apps::ScenarioCommand command;
  command.file = path;
  testing::internal::CaptureStdout();
  EXPECT_EQ(apps::check(command, false, false), apps::kDone);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("\nswitch.congestion_point.0.slow = \"50 Gbit/s\" (from the network: 0.5 times the lowest rate "
                        "of a host)\n"));
  std::filesystem::remove(path);
}

TEST(MistakesInAScheme, AreSaidOfListsAndFigures) {
  const auto mistakes = [](const auto& change) {
    Scheme scheme = stairs::scheme;
    ParameterSpec wrong = {
        .name = "wrong", .default_value = std::vector<double>{}, .meaning = "none", .source = "this test"};
    change(wrong);
    scheme.parameters.push_back(std::move(wrong));
    return mistakes_in(scheme);
  };
  EXPECT_THAT(mistakes_in(stairs::scheme), IsEmpty());
  EXPECT_THAT(mistakes([](ParameterSpec& wrong) {
                wrong.default_value = std::vector<double>{0.5, 2};
                wrong.maximum = 1;
              }),
              ElementsAre("parameter \"wrong\": the default is out of its range"));
  EXPECT_THAT(mistakes([](ParameterSpec& wrong) { wrong.least_length = 1; }),
              ElementsAre("parameter \"wrong\": the default is out of its range"));
  EXPECT_THAT(mistakes([](ParameterSpec& wrong) {
                wrong.least_length = 3;
                wrong.most_length = 2;
              }),
              ElementsAre("parameter \"wrong\": no list is as long as it asks for"));
  EXPECT_THAT(mistakes([](ParameterSpec& wrong) { wrong.from_network = {NetworkFigure::round_trip}; }),
              ElementsAre("parameter \"wrong\": its default is of another kind than the figure of the network"));
  EXPECT_THAT(mistakes([](ParameterSpec& wrong) {
                wrong.default_value = Bytes(1);
                wrong.from_network = {NetworkFigure::bandwidth_delay_product, 0};
              }),
              ElementsAre("parameter \"wrong\": its default is not a positive multiple of the figure of the network"));
}

}  // namespace
}  // namespace weir::parameters_test
