// SPDX-License-Identifier: Apache-2.0
// What a scenario can say of Floodgate.
#include "schemes/floodgate/floodgate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

const Scheme kPausing = {.name = "pausing", .summary = "sends PFC", .traits = {.pfc = true}};

/// Two kinds of switches, joined by links of 100 Gbit/s and 1 us, with lossless data of priority 3 and PFC.
class Surroundings {
 public:
  explicit Surroundings(const Values& values, const Values& other = {})
      : of_first(parameters_with(values)), of_second(other.empty() ? of_first : parameters_with(other)) {
    around.network.maximum_frame = 1066;
    around.hosts.offered = {kPriority};
    around.switches.resize(2);
    around.switches[0].flow_control = {{&scheme, &of_first}, {&kPausing, &none_}};
    around.switches[1].flow_control = {{&scheme, &of_second}, {&kPausing, &none_}};
    for (SwitchView& view : around.switches) view.lossless[kPriority] = true;
    around.links = {{0, 1, BitRate(100'000'000'000), us(1)}, {1, 0, BitRate(100'000'000'000), us(1)}};
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  /// At the first kind of switches.
  std::vector<std::string> warnings() {
    around.at_switch = around.switches[0];
    return scheme.warnings(of_first, around);
  }
  std::vector<DerivedValue> derived() {
    around.at_switch = around.switches[0];
    return scheme.derived(of_first, around);
  }

  Parameters of_first;
  Parameters of_second;
  SchemeSurroundings around;

 private:
  Parameters none_;
};

std::vector<std::string> warnings(const Values& values, const Values& other = {}, bool damages = false) {
  Surroundings in(values, other);
  in.around.network.damages = damages;
  return in.warnings();
}

std::vector<std::string> idle(const Values& values) {
  return idle_warnings(scheme, parameters_with(values));
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
    EXPECT_THAT(warnings({}, {{name, value}}),
                ElementsAre(HasSubstr("differ in " + std::string(name) + ":"), HasSubstr("has no effect")));
  }
  EXPECT_THAT(warnings({}, {{"table", std::string("hashed")}, {"table_entries", std::int64_t{8}}}),
              ElementsAre(HasSubstr("differ in table and table_entries:"), HasSubstr("has no effect")));
  EXPECT_THAT(warnings({}, {}, true), IsEmpty());
  EXPECT_THAT(warnings({{"recovery", false}}), IsEmpty());
  EXPECT_THAT(warnings({{"recovery", false}}, {}, true), ElementsAre(HasSubstr("expected recovery = true")));
  EXPECT_THAT(warnings({{"variant", std::string("tag")}}, {}, true), IsEmpty());
}

// [FLOODGATE-IN-3]
TEST(FloodgateParameters, AreWarnedOfWhenTheyHaveNoEffect) {
  const std::pair<std::string_view, ParameterValue> ideal = {"variant", std::string("ideal")};
  EXPECT_THAT(idle({{"tag_threshold", Bytes(9)}}),
              ElementsAre("tag_threshold has no effect with variant = \"practical\""));
  EXPECT_THAT(idle({ideal, {"credit_timer", us(20)}, {"credit_threshold", Bytes(9)}, {"delay_credit", false}}),
              ElementsAre("credit_timer, delay_credit and credit_threshold have no effect with variant = \"ideal\""));
  EXPECT_THAT(idle({{"credit_timer", us(20)}, {"credit_threshold", Bytes(9)}}), IsEmpty());
  EXPECT_THAT(idle({{"variant", std::string("tag")}, {"credit_threshold", Bytes(9)}}),
              ElementsAre("credit_threshold has no effect with variant = \"tag\""));
  EXPECT_THAT(idle({{"delay_credit", false}, {"credit_threshold", Bytes(9)}}), ElementsAre(HasSubstr("delay_cr")));
  EXPECT_THAT(idle({{"window", Bytes(9)}, {"window_factor", 2.0}}), ElementsAre(HasSubstr("with window")));
  EXPECT_THAT(idle({{"groups", std::int64_t{1}}, {"pipeline", std::string("port")}}),
              ElementsAre(HasSubstr("groups has no effect")));
  EXPECT_THAT(idle({{"recovery", false}, {"syn_timeout", us(9)}}), ElementsAre(HasSubstr("recovery = false")));
  EXPECT_THAT(idle({{"pause_threshold", Bytes(9)}, {"pause_timeout", us(9)}}),
              ElementsAre("pause_threshold and pause_timeout have no effect with pause_destinations = false"));
  EXPECT_THAT(idle({{"pause_threshold", Bytes(9)}, {"pause_destinations", true}}), IsEmpty());
  EXPECT_THAT(idle({{"variant", std::string("tag")}, {"tag_threshold", Bytes(9)}, {"pause_timeout", us(9)}}),
              IsEmpty());
  EXPECT_THAT(idle({{"variant", std::string("tag")}, {"queues", std::int64_t{9}}}), IsEmpty());
  const std::vector<IdleParameter> of_tags = scheme.idle(parameters_with({{"variant", std::string("tag")}}));
  const auto is_idle = [&](std::string_view name) {
    return std::ranges::count(of_tags, name, &IdleParameter::parameter) == 1;
  };
  EXPECT_TRUE(is_idle("credit_threshold") && is_idle("unit") && is_idle("syn_timeout"));
  EXPECT_FALSE(is_idle("tag_threshold") || is_idle("queues") || is_idle("pause_timeout"));
}

TEST(FloodgateParameters, OfTheNetworkAreNotThoseOfTheScenario) {
  Parameters parameters = parameters_with({{"variant", std::string("tag")}});
  ASSERT_TRUE(parameters.set_default("credit_threshold", Bytes(1'000)));
  EXPECT_THAT(scheme.errors(parameters), IsEmpty());
}

// [FLOODGATE-IN-2] Only switches that exchange credits have windows.
TEST(FloodgateParameters, AreWarnedOfWhenNothingCanBeHeldBack) {
  const std::string expected =
      "it has no effect: no link joins two switches that exchange its credits; expected it in neighbouring switches, "
      "such as those of two tiers";
  Surroundings one_tier({});
  one_tier.around.switches[1].flow_control = {};
  EXPECT_THAT(one_tier.warnings(), ElementsAre(expected));
  one_tier.around.links.push_back({0, 0, BitRate(100'000'000'000), us(1)});
  EXPECT_THAT(one_tier.warnings(), IsEmpty()) << "of the same kind, directly joined";
  Surroundings one_switch({{"pause_destinations", true}});
  one_switch.around.links.clear();
  EXPECT_THAT(one_switch.warnings(), ElementsAre(expected));
  Surroundings tags({{"variant", std::string("tag")}});
  tags.around.links.clear();
  EXPECT_THAT(tags.warnings(), ElementsAre(HasSubstr("exchange its pauses")));
  Surroundings pausing_hosts({{"variant", std::string("tag")}, {"pause_destinations", true}});
  pausing_hosts.around.links.clear();
  EXPECT_THAT(pausing_hosts.warnings(), IsEmpty()) << "its hosts obey";
}

// [FLOODGATE-P-1]
TEST(FloodgateParameters, AreWarnedOfWithoutPfcBeneath) {
  for (const char* variant : {"practical", "ideal", "tag"}) {
    Surroundings in({{"variant", std::string(variant)}});
    in.around.switches[0].flow_control.pop_back();
    EXPECT_THAT(in.warnings(),
                ElementsAre("switches that run it have no PFC beneath it: if a buffer is full, frames are dropped; "
                            "expected PFC beside it in switch.flow_control"))
        << variant;
    in.around.switches[0].lossless[kPriority] = false;
    EXPECT_THAT(in.warnings(), ElementsAre(HasSubstr("switch.flow_control and 3 in switch.lossless"))) << variant;
  }
  Surroundings lossy({});
  lossy.around.switches[0].lossless[kPriority] = false;
  EXPECT_THAT(
      lossy.warnings(),
      ElementsAre("its priority (3) is lossy in switches that run it, so PFC does not act: if a buffer is full, "
                  "frames are dropped; expected 3 in switch.lossless"));
  Surroundings vanishing({{"recovery", false}});
  vanishing.around.switches[0].lossless[kPriority] = false;
  EXPECT_THAT(vanishing.warnings(), ElementsAre(HasSubstr("each one reduces a window for the rest of the run")));
}

// [FLOODGATE-IN-2] BDP_nextHop is 25 KB.
TEST(FloodgateParameters, AreWarnedOfAWindowThatCannotFillALink) {
  EXPECT_THAT(
      warnings({{"window", Bytes(24'999)}}),
      ElementsAre("window = 24999 B is below BDP_nextHop (25000 B) of a link between switches, so packets of one "
                  "destination cannot fill it; expected at least that"));
  EXPECT_THAT(warnings({{"window", Bytes(25'000)}}), IsEmpty());
  EXPECT_THAT(warnings({{"variant", std::string("ideal")}, {"window_factor", 0.9}}),
              ElementsAre(HasSubstr("window_factor gives a window below BDP_nextHop (25000 B)")));
  EXPECT_THAT(warnings({{"window_factor", 0.1}}), IsEmpty()) << "C_out x T is 125 KB";
  Surroundings other({{"window", Bytes(24'999)}});
  other.around.links[0].delay = us(0);
  EXPECT_THAT(other.warnings(), IsEmpty()) << "the other links are of other switches";
}

// [FLOODGATE-IN-4]
TEST(FloodgateParameters, GiveWindowsThatAreShown) {
  const auto texts = [](const Values& values) {
    std::vector<std::string> out;
    for (const DerivedValue& value : Surroundings(values).derived()) {
      EXPECT_EQ(value.name, "window per destination");
      EXPECT_EQ(value.rate, BitRate(100'000'000'000));
      EXPECT_EQ(value.delay, us(1));
      out.push_back(value.text);
    }
    return out;
  };
  EXPECT_THAT(texts({}),
              ElementsAre("139 packets (150954 B with preamble and gap), from BDP_nextHop of 25000 B + C_out "
                          "x T of 125000 B"));
  EXPECT_THAT(texts({{"variant", std::string("ideal")}}),
              ElementsAre("35 packets (38010 B with preamble and gap), from 1.5 x BDP_nextHop of 25000 B"));
  EXPECT_THAT(texts({{"unit", std::string("bytes")}}),
              ElementsAre("150000 B, from BDP_nextHop of 25000 B + C_out x T of 125000 B"));
  EXPECT_THAT(texts({{"window", Bytes(500)}}),
              ElementsAre("1 packet (1086 B with preamble and gap), from window = 500 B"));
  EXPECT_THAT(texts({{"variant", std::string("tag")}}), IsEmpty());
  const auto name = [](const Values& values) { return Surroundings(values).derived().front().name; };
  EXPECT_EQ(name({{"window_of", std::string("port")}}), "window per destination and egress port");
  EXPECT_EQ(name({{"table", std::string("hashed")}, {"table_entries", std::int64_t{8}}}),
            "window per entry of the table");
  Surroundings alone({});
  alone.around.switches[1].flow_control = {};
  EXPECT_TRUE(alone.derived().empty()) << "no window towards a switch without Floodgate";
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
