// SPDX-License-Identifier: Apache-2.0
#include "schemes/red/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "schemes/red/red.h"

namespace weir::red::advice_test {
namespace {

using namespace weir::literals;
using testing::Contains;
using testing::HasSubstr;

AdvisedFabric fabric_of(Bytes shared) {
  AdvisedFabric fabric;
  fabric.switches = {{"tor0", shared, 32, {40_Gbps}}};
  fabric.maximum_frame = 1066_B;
  fabric.longest_round_trip = 10_us;
  return fabric;
}

Bytes kmin_of(const AdvisedFabric& fabric) {
  return std::get<Bytes>(advise(fabric).parameters[0].value);
}

TEST(RedAdvice, TakesThePublishedThresholdWherePausesDoNotMatter) {
  EXPECT_EQ(kmin_of(fabric_of(12_MB)), 160'000_B);
}

// DCQCN 4: a Trident II of 12 MB, 32 ports of 40 Gbit/s, headroom of 22.4 KB for each of a port's 8 priorities; beta 8
// gives 21.75 KB.
TEST(RedAdvice, MarksBeforePausesAsDcqcnWorksItOut) {
  AdvisedFabric fabric = fabric_of(Bytes(12'000'000 - 8 * 32 * 22'400));
  fabric.lossless = 8;
  fabric.share_of_free = 1;
  EXPECT_NEAR(static_cast<double>(kmin_of(fabric).count()), 21'750, 1'500);
}

TEST(RedAdvice, HoldsTheFastestPortToTheBound) {
  AdvisedFabric fabric = fabric_of(1_MB);
  fabric.share_of_free = 1;
  fabric.switches[0].rates = {10_Gbps, 100_Gbps};
  // n t = 1 x (1 MB - n t) at 100 Gbit/s: t = 1 MB / 64 there, and a tenth at 10 Gbit/s.
  EXPECT_EQ(kmin_of(fabric), 1'562_B);
}

TEST(RedAdvice, SaysWhenALinkWouldIdle) {
  AdvisedFabric fabric = fabric_of(100_KB);
  fabric.share_of_free = 1;
  EXPECT_THAT(advise(fabric).consequences, Contains(HasSubstr("kmin is TOO SMALL")));
  EXPECT_THAT(advise(fabric_of(12_MB)).consequences, Contains(HasSubstr("kmin is large enough")));
}

TEST(RedAdvice, NamesParametersOfTheScheme) {
  Parameters parameters(scheme.parameters);
  for (const ParameterAdvice& one : advise(fabric_of(12_MB)).parameters)
    EXPECT_TRUE(parameters.set(one.parameter, one.value));
  EXPECT_TRUE(scheme.errors(parameters).empty());
}

}  // namespace
}  // namespace weir::red::advice_test
