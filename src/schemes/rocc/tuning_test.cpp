// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "schemes/rocc/rocc.h"
#include "schemes/test_parameters.h"

namespace weir::rocc::tuning_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parameters defaults() {
  return Parameters(scheme.parameters);
}

SchemeSurroundings around(BitRate rate, Duration round_trip = 10_us) {
  return {.network = {.links = {{rate}}, .longest_round_trip = round_trip}, .at_switch = SwitchView()};
}

TEST(RoccTuning, HasThePapersValuesAtBothRates) {  // [ROCC-CP-10]
  const Tuning tuning(defaults());
  EXPECT_EQ(tuning.at(40_Gbps), (LoopSettings{250, 500, 600, 10, 4000, 19'661, 98'304}));
  EXPECT_EQ(tuning.at(100_Gbps), (LoopSettings{500, 1000, 1100, 10, 10'000, 29'491, 147'456}));
}

TEST(RoccTuning, GoesWithThePortsRate) {  // [ROCC-CP-10]
  const Tuning tuning(defaults());
  const LoopSettings slow = tuning.at(10_Gbps);
  EXPECT_EQ(slow.q_reference, 62);  // 37.5 KB
  EXPECT_EQ(slow.f_maximum, 1000);
  EXPECT_DOUBLE_EQ(tuning.alpha_at(10_Gbps), 0.075);
  EXPECT_EQ(tuning.at(70_Gbps).q_reference, 375);  // halfway between: 225 KB
  const LoopSettings fast = tuning.at(400_Gbps);
  EXPECT_EQ(fast.q_reference, 2000);
  EXPECT_EQ(fast.alpha, tuning.at(100_Gbps).alpha);
}

TEST(RoccTuning, TakesWhatIsGiven) {  // [ROCC-CP-10]
  Parameters parameters = defaults();
  parameters.set("q_reference", 75_KB);
  parameters.set("alpha", 0.5);
  parameters.set("maximum_rate", std::int64_t{3000});
  const LoopSettings settings = Tuning(parameters).at(100_Gbps);
  EXPECT_EQ(settings.q_reference, 125);
  EXPECT_EQ(settings.alpha, 32'768);
  EXPECT_EQ(settings.f_maximum, 3000);
}

TEST(RoccTuning, StaysValidAtAnyRate) {  // [ROCC-CP-10]
  for (const BitRate rate : {1_Kbps, 1_Gbps, 100'000_Gbps}) EXPECT_TRUE(Tuning(defaults()).at(rate).valid());
}

TEST(RoccTuning, RefusesThresholdsOutOfOrder) {  // [ROCC-CP-9]
  EXPECT_THAT(errors(defaults()), IsEmpty());
  Parameters parameters = defaults();
  parameters.set("q_reference", 350_KB);
  EXPECT_THAT(errors(parameters), IsEmpty()) << "right at 100 Gbit/s, where Q_mid is 600 KB";
  parameters.set("q_middle", 350_KB);
  EXPECT_THAT(errors(parameters), ElementsAre("q_reference is not below q_middle"));
  parameters.set("q_middle", 400_KB);
  parameters.set("q_maximum", 400_KB);
  EXPECT_THAT(errors(parameters), ElementsAre("q_middle is not below q_maximum"));
  parameters.set("maximum_rate", std::int64_t{5});
  EXPECT_THAT(errors(parameters), testing::Contains("minimum_rate is above maximum_rate"));
}

TEST(RoccTuning, RefusesByTheRatesOfPorts) {  // [ROCC-CP-9]
  const std::vector<BitRate> both = {40_Gbps, 100_Gbps};
  EXPECT_THAT(testing_scheme::texts_of(refusals(defaults(), both)), IsEmpty());
  Parameters parameters = defaults();
  parameters.set("q_reference", 350_KB);
  EXPECT_THAT(testing_scheme::texts_of(refusals(parameters, {100_Gbps})), IsEmpty());
  EXPECT_THAT(testing_scheme::texts_of(refusals(parameters, both)),
              ElementsAre("q_reference, 349.8 KB at ports of 40 Gbit/s, is not below "
                          "q_middle, 300 KB there"));
  parameters = defaults();
  parameters.set("q_middle", 250_KB);
  EXPECT_THAT(testing_scheme::texts_of(refusals(parameters, both)),
              ElementsAre("q_reference, 300 KB at ports of 100 Gbit/s, is not below "
                          "q_middle, 249.6 KB there"));
  parameters = defaults();
  parameters.set("q_maximum", 400_KB);
  EXPECT_THAT(testing_scheme::texts_of(refusals(parameters, both)),
              ElementsAre(HasSubstr("q_middle, 600 KB at ports of 100 Gbit/s")));
  parameters = defaults();
  parameters.set("minimum_rate", std::int64_t{5'000});
  EXPECT_THAT(testing_scheme::texts_of(refusals(parameters, both)),
              ElementsAre("minimum_rate, 50 Gbit/s, is above the greatest rate at ports of 40 Gbit/s, 40 Gbit/s"));
}

TEST(RoccTuning, WarnsOfALoopThatWillNotSettle) {  // [ROCC-CP-12]
  EXPECT_THAT(warnings(defaults(), around(40_Gbps)), IsEmpty());
  EXPECT_THAT(warnings(defaults(), around(100_Gbps)), IsEmpty());
  Parameters parameters = defaults();
  parameters.set("beta", 15.0);
  EXPECT_THAT(warnings(parameters, around(40_Gbps)),
              ElementsAre(HasSubstr("alpha 0.3 and beta 15 at 40 Gbit/s give the control loop a phase margin of -")));
}

/// The gains of the paper at the 300 flows of its section 6.3.
TEST(RoccTuning, WarnsOfMoreFlowsThanTheLoopIsStableFor) {  // [ROCC-CP-12]
  SchemeSurroundings large = around(100_Gbps);
  large.network.links = {{40_Gbps, 30}, {100_Gbps, 200}};
  EXPECT_THAT(warnings(defaults(), large), IsEmpty());
  large.network.links.back().pairs = 300;
  EXPECT_THAT(warnings(defaults(), large),
              ElementsAre("up to 300 pairs of hosts share a link of 100 Gbit/s: while all of them send at once, the "
                          "control loop has a phase margin of -27 degrees, and the fair rate oscillates"));
}

TEST(RoccTuning, WarnsOfHostsThatDiffer) {  // [ROCC-CP-12]
  Parameters hosts = defaults();
  Parameters switches = defaults();
  SchemeSurroundings near = around(40_Gbps);
  near.hosts.congestion_control = {&scheme, &hosts};
  EXPECT_THAT(warnings(switches, near), IsEmpty());
  switches.set("rate_step", 20_Mbps);
  EXPECT_THAT(
      warnings(switches, near),
      ElementsAre("rate_step is 0.02 Gbit/s at switches and 0.01 Gbit/s at hosts: hosts would misinterpret each rate"));
  // The other fields matter only to a registry, and a given value may equal the default.
  switches = defaults();
  switches.set("q_reference", 100_KB);
  EXPECT_THAT(warnings(switches, near), IsEmpty());
  switches.set("computed_at", std::string("host"));
  EXPECT_THAT(warnings(switches, near), IsEmpty());
  switches.set("feedback", std::string("registry"));
  EXPECT_THAT(warnings(switches, near), ElementsAre(HasSubstr("at ports of 40 Gbit/s differ between switches and")));
  switches.set("q_reference", 150_KB);
  EXPECT_THAT(warnings(switches, near), IsEmpty());
  switches.set("queue_step", 500_B);
  EXPECT_THAT(warnings(switches, near), ElementsAre(HasSubstr("queue_step is 0.5 KB at switches and 0.6 KB at hosts")));
}

TEST(RoccTuning, WarnsOfUpdatesFasterThanTheReaction) {  // [ROCC-CP-12]
  const Parameters hosts = defaults();
  SchemeSurroundings slow = around(40_Gbps, 30_us);
  EXPECT_THAT(warnings(defaults(), slow), IsEmpty());
  slow.hosts.congestion_control = {&scheme, &hosts};
  EXPECT_THAT(warnings(defaults(), slow),
              ElementsAre(HasSubstr("update_interval is 40 us, below the longest round trip of 30 us and the reaction "
                                    "delay of 15 us: the rate")));
  slow.at_switch.reset();
  EXPECT_THAT(warnings(defaults(), slow), IsEmpty()) << "the hosts' update_interval means nothing";
}

TEST(RoccTuning, WarnsOfUpdatesFasterThanARoundTrip) {  // [ROCC-CP-12]
  EXPECT_THAT(warnings(defaults(), around(40_Gbps, 50_us)),
              ElementsAre(HasSubstr("update_interval is 40 us, below the longest round trip of 50 us")));
}

}  // namespace
}  // namespace weir::rocc::tuning_test
