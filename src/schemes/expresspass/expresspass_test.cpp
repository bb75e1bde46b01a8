// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/expresspass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "schemes/expresspass/message.h"
#include "schemes/test_parameters.h"

namespace weir::expresspass::expresspass_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scheme::Values;
using testing_scheme::with;

std::vector<std::string> errors(const Values& values) {
  return scheme.errors(with(scheme, values));
}

const ParameterSpec& spec(std::string_view name) {
  return *std::find_if(scheme.parameters.begin(), scheme.parameters.end(),
                       [name](const ParameterSpec& one) { return one.name == name; });
}

TEST(ExpressPassScheme, RefusesWeightsThatMakeNoSense) {
  EXPECT_THAT(errors({}), IsEmpty());
  // [XPASS-F-5]
  EXPECT_THAT(errors({{"initial_weight", 0.6}}), ElementsAre(HasSubstr("initial_weight")));
  EXPECT_THAT(errors({{"initial_weight", 0.005}}), ElementsAre(HasSubstr("minimum_weight")));
  EXPECT_THAT(errors({{"maximum_weight", 0.05}}), ElementsAre(HasSubstr("maximum_weight")));
  EXPECT_THAT(errors({{"initial_weight", 1.0}, {"maximum_weight", 1.0}}), IsEmpty());
  EXPECT_FALSE(is_in_range(spec("initial_weight"), 1.01));
  EXPECT_FALSE(is_in_range(spec("alpha"), 1.01));
  EXPECT_FALSE(is_in_range(spec("alpha"), 0.0));
  EXPECT_FALSE(is_in_range(spec("credit_buffer"), std::int64_t{0}));
  EXPECT_TRUE(is_in_range(spec("credit_buffer"), std::int64_t{16}));
}

TEST(ExpressPassScheme, WarnsOfATimeoutBelowTheRoundTrip) {
  SchemeSurroundings around;
  around.network.longest_round_trip = Duration::picoseconds(100'000'000);
  EXPECT_THAT(scheme.warnings(with(scheme, {}), around), IsEmpty());
  around.network.longest_round_trip = Duration::picoseconds(100'000'001);
  EXPECT_THAT(scheme.warnings(with(scheme, {}), around),
              ElementsAre(HasSubstr("timeout is less than a round trip")));  // [XPASS-S-3]
  around.at_switch.emplace();
  EXPECT_THAT(scheme.warnings(with(scheme, {}), around), IsEmpty()) << "switches have no timeout";
}

TEST(ExpressPassScheme, NeedsSymmetricPaths) {
  EXPECT_TRUE(scheme.traits.needs_symmetric_paths);  // [XPASS-P-1]
}

TEST(ExpressPassScheme, AddsToDataWhatDataCarry) {
  EXPECT_EQ(scheme.traits.header_bytes, kCreditNumber.bytes + kCreditTime.bytes);
}

TEST(Stamp, WrapsAfterFourSeconds) {
  const Time late = Time::picoseconds((std::int64_t{1} << 32) * 1'000 + 5'000'000);
  EXPECT_EQ(stamp_of(late), 5'000u);
  EXPECT_EQ(since(stamp_of(Time::picoseconds((std::int64_t{1} << 32) * 1'000 - 3'000'000)), late),
            Duration::picoseconds(8'000'000));
}

}  // namespace
}  // namespace weir::expresspass::expresspass_test
