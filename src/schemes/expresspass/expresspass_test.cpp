// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/expresspass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemes/expresspass/expresspass_transport.h"
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
  EXPECT_THAT(errors({{"initial_weight", 0.6}}),
              ElementsAre("initial_weight is 0.6, expected at most maximum_weight, which is 0.5"));
  EXPECT_THAT(errors({{"initial_weight", 0.005}}),
              ElementsAre("initial_weight is 0.005, expected at least minimum_weight, which is 0.01"));
  EXPECT_THAT(errors({{"maximum_weight", 0.05}}), ElementsAre(HasSubstr("maximum_weight")));
  EXPECT_THAT(errors({{"initial_weight", 1.0}, {"maximum_weight", 1.0}}), IsEmpty());
  EXPECT_FALSE(is_in_range(spec("initial_weight"), 1.01));
  EXPECT_FALSE(is_in_range(spec("alpha"), 1.01));
  EXPECT_FALSE(is_in_range(spec("alpha"), 0.0));
  EXPECT_FALSE(is_in_range(spec("credit_buffer"), std::int64_t{0}));
  EXPECT_TRUE(is_in_range(spec("credit_buffer"), std::int64_t{16}));
}

TEST(ExpressPassScheme, WarnsOfATimeoutBelowTheRoundTrip) {
  const Parameters parameters = with(scheme, {{"initial_round_trip", Duration::picoseconds(200'000'000)}});
  SchemeSurroundings around;
  around.network.longest_round_trip = Duration::picoseconds(100'000'000);
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty());
  around.network.longest_round_trip = Duration::picoseconds(100'000'001);
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre(HasSubstr("timeout is less than a round trip")));  // [XPASS-S-3]
  around.at_switch.emplace();
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "switches have no timeout";
}

TEST(ExpressPassScheme, WarnsOfAnInitialRoundTripBelowTheRoundTrip) {
  SchemeSurroundings around;
  around.network.longest_round_trip = Duration::picoseconds(8'000'000);
  EXPECT_THAT(scheme.warnings(with(scheme, {}), around), IsEmpty());
  const Parameters hasty = with(scheme, {{"initial_round_trip", Duration::picoseconds(7'999'999)}});
  EXPECT_THAT(scheme.warnings(hasty, around),
              ElementsAre(HasSubstr("initial_round_trip is less than a round trip, so that receivers may slow down")));
}

// [XPASS-P-2]
TEST(ExpressPassScheme, WarnsOfPausesBesideIt) {
  const Scheme pausing = {
      .name = "pausing", .summary = "", .traits = {.pfc = true}, .flow_control = [](const Parameters&) {
        return std::unique_ptr<FlowControl>();
      }};
  SchemeSurroundings around;
  around.hosts.offered = {3};
  around.at_switch.emplace();
  around.at_switch->flow_control = {{&scheme, nullptr}, {&pausing, nullptr}};
  around.at_switch->lossless[2] = true;
  const Parameters parameters = with(scheme, {});
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "of no priority that it uses";
  around.at_switch->lossless[3] = true;
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre("\"pausing\" pauses priority 3, although credits keep queues short; a pause holds up what "
                          "other receivers have granted; expected switch.lossless without it, or switch.flow_control "
                          "without \"pausing\""));
  around.at_switch->lossless = {};
  around.at_switch->lossless[kCreditPriority] = true;
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("pauses priority 7")));
  around.at_switch->flow_control.pop_back();
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty());
}

// [XPASS-S-1] [XPASS-S-4] [XPASS-R-3]
TEST(ExpressPassScheme, NeedsRoomForACreditPerPacket) {
  const ExpressPassTransport transport(with(scheme, {}));
  const ControlCost cost = transport.control_cost(Framing::rocev2(), 1'000);
  EXPECT_TRUE(transport.has_control_cost());
  EXPECT_EQ(cost.by_sender, 168) << "a request and a stop";
  EXPECT_EQ(cost.per_packet, 84);
  EXPECT_EQ(cost.per_message, 90) << "an acknowledgement";
  EXPECT_EQ(cost.per_late_packet, 0);
  EXPECT_DOUBLE_EQ(cost.per_packet_share, 84 / (84 + 1'092.0));  // [XPASS-Q-1]
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
