// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "schemes/homa/division.h"
#include "schemes/homa/homa_transport.h"
#include "schemes/homa/settings.h"
#include "schemes/test_parameters.h"

namespace weir::homa::homa_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scheme::with;

Parameters with_levels(const std::vector<Bytes>& cutoffs, std::int64_t scheduled) {
  return with(scheme, {{"cutoffs", cutoffs}, {"scheduled_priorities", scheduled}});
}

TEST(Homa, GivesUnscheduledPacketsThePriorityOfTheirMessagesSize) {
  const Settings settings(with_levels({Bytes(1'000), Bytes(2'000)}, 5));
  EXPECT_EQ(settings.unscheduled_priority(Bytes(1)), 7);
  EXPECT_EQ(settings.unscheduled_priority(Bytes(1'000)), 7);
  EXPECT_EQ(settings.unscheduled_priority(Bytes(1'001)), 6);
  EXPECT_EQ(settings.unscheduled_priority(Bytes(2'000)), 6);
  EXPECT_EQ(settings.unscheduled_priority(Bytes(2'001)), 5);  // [HOMA-PRIO-1]
}

TEST(Homa, UsesTheLowestScheduledPrioritiesFirst) {
  const Settings settings(with_levels({Bytes(1'000), Bytes(2'000)}, 5));  // priorities 4 to 0
  EXPECT_EQ(settings.scheduled_priority(0, 1), 0) << "[HOMA-PRIO-2] alone";
  EXPECT_EQ(settings.scheduled_priority(0, 3), 2);
  EXPECT_EQ(settings.scheduled_priority(1, 3), 1);
  EXPECT_EQ(settings.scheduled_priority(2, 3), 0);
  EXPECT_EQ(settings.scheduled_priority(0, 9), 4);
  EXPECT_EQ(settings.scheduled_priority(8, 9), 0) << "[HOMA-PRIO-2] those beyond share the lowest";
  const Settings few(with_levels({}, 2));
  EXPECT_EQ(few.lowest(), 5);
  EXPECT_EQ(few.scheduled_priority(0, 1), 5);
}

/// Six of ten messages have 1,000 bytes, three 2,000, one 6,000: each carries 600 bytes of the mean.
const std::vector<SizeSegment> kThree = {{1'000, 1'000, 0.6}, {2'000, 2'000, 0.3}, {6'000, 6'000, 0.1}};

TEST(HomaDivision, GivesEachUnscheduledLevelTheSameBytes) {
  EXPECT_THAT(cutoffs_for(kThree, 10'000_B, 3), ElementsAre(1'000_B, 2'000_B));  // [HOMA-PRIO-3]
  EXPECT_THAT(cutoffs_for(kThree, 10'000_B, 1), IsEmpty());
  // Of the messages of 6,000 bytes, 3,000 are unscheduled: 600 + 600 + 300, of which half is 750.
  EXPECT_THAT(cutoffs_for(kThree, 3'000_B, 2), ElementsAre(2'000_B)) << "[HOMA-PRIO-3] of the unscheduled bytes";
  // Uniform from 0 to 8,000: half of the bytes are in those up to 8,000 / sqrt(2).
  EXPECT_THAT(cutoffs_for(std::vector<SizeSegment>{{0, 8'000, 1}}, 10'000_B, 2), ElementsAre(5'657_B));
  // With 4,000 unscheduled: s^2 / 2 up to 4,000, which is 8,000,000 of 24,000,000; 4,000 for each larger one.
  EXPECT_THAT(cutoffs_for(std::vector<SizeSegment>{{0, 8'000, 1}}, 4'000_B, 3), ElementsAre(4'000_B, 6'000_B));
}

TEST(HomaDivision, NeedsFewerLevelsForFewSizes) {
  EXPECT_THAT(cutoffs_for(std::vector<SizeSegment>{{5'000, 5'000, 1}}, 10'000_B, 4), IsEmpty());
  EXPECT_THAT(cutoffs_for(kThree, 10'000_B, 7), ElementsAre(1'000_B, 2'000_B));
}

TEST(HomaDivision, DividesLevelsInProportionToTheBytes) {
  EXPECT_DOUBLE_EQ(unscheduled_share(kThree, 10'000_B), 1);
  EXPECT_DOUBLE_EQ(unscheduled_share(kThree, 3'000_B), 1'500.0 / 1'800);
  EXPECT_DOUBLE_EQ(unscheduled_share(kThree, 600_B), 600.0 / 1'800);
  EXPECT_DOUBLE_EQ(unscheduled_share(std::vector<SizeSegment>{{0, 8'000, 1}}, 4'000_B), 0.75);
  EXPECT_EQ(unscheduled_levels(kThree, 10'000_B, 8), 7u) << "[HOMA-PRIO-4] one is left";
  EXPECT_EQ(unscheduled_levels(kThree, 600_B, 8), 3u) << "[HOMA-PRIO-4] 8 / 3";
  EXPECT_EQ(unscheduled_levels(kThree, 20_B, 8), 1u) << "[HOMA-PRIO-4] there is one";
}

std::map<std::string_view, ParameterValue> of_traffic(const Parameters& parameters) {
  const auto values = scheme.from_traffic(parameters, kThree);
  return {values.begin(), values.end()};
}

TEST(Homa, DividesItsPrioritiesByTheTraffic) {
  auto values = of_traffic(with(scheme, {{"round_trip_bytes", Bytes(600)}}));
  EXPECT_THAT(std::get<std::vector<Bytes>>(values["cutoffs"]), ElementsAre(1'000_B, 2'000_B))
      << "360, 180 and 60 bytes are unscheduled, a third of all";
  EXPECT_EQ(std::get<std::int64_t>(values["scheduled_priorities"]), 5);  // [HOMA-PRIO-4]
  EXPECT_EQ(std::get<std::int64_t>(values["overcommitment"]), 5);

  values = of_traffic(with(scheme, {{"round_trip_bytes", Bytes(10'000)}, {"scheduled_priorities", std::int64_t{5}}}));
  EXPECT_THAT(std::get<std::vector<Bytes>>(values["cutoffs"]), ElementsAre(1'000_B, 2'000_B)) << "three are left";
  EXPECT_EQ(std::get<std::int64_t>(values["overcommitment"]), 5);

  values = of_traffic(with(scheme, {{"cutoffs", std::vector<Bytes>{Bytes(7)}}}));
  EXPECT_EQ(std::get<std::int64_t>(values["scheduled_priorities"]), 6) << "two are taken";
}

TEST(Homa, RefusesCutoffsThatDoNotIncreaseAndTooManyPriorities) {
  EXPECT_THAT(scheme.errors(with_levels({Bytes(1'000), Bytes(2'000)}, 5)), IsEmpty());
  EXPECT_THAT(scheme.errors(with_levels({Bytes(2'000), Bytes(2'000)}, 5)),
              ElementsAre("cutoffs: 2000 B after 2000 B, expected increasing sizes"));  // [HOMA-PRIO-5]
  EXPECT_THAT(
      scheme.errors(with_levels({Bytes(1'000), Bytes(2'000)}, 6)),
      ElementsAre("cutoffs and scheduled_priorities: 3 unscheduled and 6 scheduled priorities, expected at most "
                  "8 in all"));  // [HOMA-PRIO-5]
}

SchemeSurroundings network() {
  SchemeSurroundings around;
  around.network.links = {{BitRate(100'000'000'000)}};
  around.network.longest_round_trip = 8_us;
  around.switches.emplace_back();
  around.switches.front().level_of_priority = {7, 6, 5, 4, 3, 2, 1, 0};
  return around;
}

class Pausing final : public FlowControl {};
Scheme pausing_flow_control() {
  return {
      .name = "pausing",
      .summary = "",
      .traits = {.pfc = true},
      .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<Pausing>(); }};
}

TEST(Homa, WarnsOfANetworkThatLacksWhatItNeeds) {
  const Parameters parameters = with_levels({Bytes(1'000)}, 2);  // priorities 4 to 7
  EXPECT_THAT(scheme.warnings(parameters, network()), IsEmpty());
  SchemeSurroundings around = network();
  around.switches.front().level_of_priority[4] = 2;
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre(HasSubstr("do not serve priority 5 strictly before priority 4")));  // [HOMA-NET-1]
  around = network();
  around.switches.front().level_of_priority[1] = 6;
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "[HOMA-NET-1] not among its four";
  around.switches.front().lossless[3] = true;
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "[HOMA-NET-2] not among its four";
  around.switches.front().lossless[5] = true;
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "[HOMA-NET-2] nothing pauses it";
  const Scheme pausing = pausing_flow_control();
  around.switches.front().flow_control = {{&pausing, nullptr}};
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("priority 5 is lossless")));  // [HOMA-NET-2]
  around.switches.push_back(around.switches.front());
  around.switches.back().lossless[7] = true;
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("priorities 5 and 7 are lossless")));
  around = network();
  around.switches.front().level_of_priority = {};
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre(HasSubstr("do not serve priorities 5, 6 and 7 strictly before the next lower ones")));
  around = network();
  around.network.longest_round_trip = 9_us;
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre(HasSubstr("less than a bandwidth-delay product, so that a message alone cannot fill its "
                                    "link; expected at least 112500 B")));  // [HOMA-NET-3]
  around = network();
  Parameters hasty(scheme.parameters);
  hasty.set("resend_after", Duration(7_us));
  EXPECT_THAT(scheme.warnings(hasty, around),
              ElementsAre(HasSubstr("resend_after is less than a round trip")));  // [HOMA-NET-4]
}

HomaTransport transport(const std::vector<Bytes>& cutoffs, std::int64_t scheduled, Bytes round_trip = 10_KB) {
  return HomaTransport(Settings(
      with(scheme, {{"cutoffs", cutoffs}, {"scheduled_priorities", scheduled}, {"round_trip_bytes", round_trip}})));
}

TEST(HomaNeeds, SaysWhichPrioritiesAreInEffect) {
  EXPECT_THAT(
      transport({Bytes(1'000), Bytes(2'000)}, 5).notes({}),
      ElementsAre("priorities in effect, 7 is the highest: unscheduled packets have 7 in messages of up to 1000 "
                  "B, 6 in messages of up to 2000 B, 5 in larger ones; granted packets have 4 to 0"));
  EXPECT_THAT(
      transport({}, 1).notes({}),
      ElementsAre("priorities in effect, 7 is the highest: unscheduled packets have 7 in messages of every size; "
                  "granted packets have 6"));
  EXPECT_TRUE(transport({}, 1).chooses_priorities());
}

// [HOMA-SND-1] [HOMA-END-2] 70 bytes and 20 of preamble and gap.
TEST(HomaNeeds, RoomForAGrantPerScheduledPacket) {
  const ControlCost cost = transport({}, 7, Bytes(9'001)).control_cost(Framing::rocev2(), 1'000);
  EXPECT_TRUE(transport({}, 7).has_control_cost());
  EXPECT_EQ(cost.per_message, 90);
  EXPECT_EQ(cost.per_late_packet, 90);
  EXPECT_EQ(cost.early_packets, 10);
  EXPECT_EQ(cost.per_packet + cost.by_sender, 0);
}

// [HOMA-NET-5] [HOMA-NET-6]
TEST(HomaNeeds, AForwardingThatSpreadsPacketsAndAWindowWithinItsLimit) {
  const Scheme spreads = {.name = "spreads", .summary = "", .traits = {.spreads_packets = true}};
  const Scheme hashes = {.name = "hashes", .summary = "", .traits = {}};
  PartPlace place;
  place.forwardings = {&spreads};
  EXPECT_THAT(transport({}, 7, 2'048_KB).warnings(place), IsEmpty());
  EXPECT_THAT(transport({}, 7, 2'049_KB).warnings(place), ElementsAre(HasSubstr("has at most 2048 in flight")));
  place.forwardings = {&hashes};
  EXPECT_THAT(transport({}, 7).warnings(place),
              ElementsAre("\"hashes\" does not spread the packets of a flow evenly, so that short messages wait behind "
                          "long ones on the same path; expected switch.forwarding = \"spray\""));
}

}  // namespace
}  // namespace weir::homa::homa_test
