#include "schemes/rocc/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/rocc/rocc.h"

namespace weir::rocc {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parameters defaults() {
  return Parameters(scheme.parameters);
}

SchemeSurroundings around(BitRate rate, Duration round_trip = 10_us) {
  return {round_trip, rate, rate};
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
  EXPECT_EQ(tuning.at(70_Gbps).q_reference, 375);  // halfway: 225 KB
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
  EXPECT_THAT(complaints(defaults()), IsEmpty());
  Parameters parameters = defaults();
  parameters.set("q_reference", 300_KB);
  EXPECT_THAT(complaints(parameters), ElementsAre("q_reference is not below q_middle"));
  parameters.set("q_middle", 400_KB);
  EXPECT_THAT(complaints(parameters), ElementsAre("q_middle is not below q_maximum"));
  parameters.set("maximum_rate", std::int64_t{5});
  EXPECT_THAT(complaints(parameters), testing::Contains("minimum_rate is above maximum_rate"));
}

TEST(RoccTuning, WarnsOfALoopThatWillNotSettle) {  // [ROCC-CP-12]
  EXPECT_THAT(warnings(defaults(), around(40_Gbps)), IsEmpty());
  EXPECT_THAT(warnings(defaults(), around(100_Gbps)), IsEmpty());
  Parameters parameters = defaults();
  parameters.set("beta", 15.0);
  EXPECT_THAT(warnings(parameters, around(40_Gbps)),
              ElementsAre(HasSubstr("alpha 0.3 and beta 15 at 40 Gbit/s leave the loop a phase margin of -")));
}

TEST(RoccTuning, WarnsOfUpdatesFasterThanARoundTrip) {  // [ROCC-CP-12]
  EXPECT_THAT(warnings(defaults(), around(40_Gbps, 50_us)),
              ElementsAre(HasSubstr("update_interval is 40 us, below the longest round trip of 50 us")));
}

}  // namespace
}  // namespace weir::rocc
