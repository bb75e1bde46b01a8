#include "scenario/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/test_scenario.h"

namespace weir {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scenario::changed;
using testing_scenario::kGood;
using testing_scenario::only;

CheckedVariant checked(const std::string& text) {
  const ScenarioVariant variant = only(text);
  return check_variant(variant.settings, variant.traffic);
}

TEST(Check, WorksOutRoundTripsByHand) {
  const CheckedVariant result = checked(kGood);
  // A full packet is 1066 + 20 B on the wire: 86.88 ns at 100 Gbit/s; an acknowledgement 70 + 20 B: 7.2 ns.
  // Within a rack two links each way, between racks four.
  EXPECT_EQ(result.shortest_round_trip, 4_us + 2 * (86'880_ps + 7'200_ps));
  EXPECT_EQ(result.longest_round_trip, 8_us + 4 * (86'880_ps + 7'200_ps));
  EXPECT_EQ(result.bandwidth_delay_product, bytes_in(result.longest_round_trip, 100_Gbps));
}

TEST(Check, AddsUpTheBuffer) {
  const CheckedVariant result = checked(changed("buffer = \"12 MB\"", "buffer = \"12 MB\"\nreserve = \"4 KiB\""));
  ASSERT_THAT(result.switches, SizeIs(2));  // ToRs have four ports, spines two
  ASSERT_THAT(result.headroom, SizeIs(1));
  const Bytes port = result.headroom[0].headroom;
  EXPECT_EQ(port, 1066_B + 1086_B + 84_B + 25'000_B + 1066_B);
  EXPECT_EQ(result.headroom[0].ports, 12U);
  EXPECT_EQ(result.switches[0].headroom, 4 * port);
  EXPECT_EQ(result.switches[0].reserve, 4 * 4_KiB);
  EXPECT_EQ(result.switches[0].shared, 12_MB - 4 * port - 4 * 4_KiB);
  EXPECT_EQ(result.switches[1].headroom, 2 * port);
  EXPECT_THAT(result.errors, IsEmpty());
}

TEST(Check, CountsEveryLosslessPriority) {
  const CheckedVariant one = checked(kGood);
  const CheckedVariant two = checked(changed("buffer = \"12 MB\"", "lossless = [3, 4]"));
  EXPECT_EQ(two.switches[0].headroom, 2 * one.switches[0].headroom);
  EXPECT_THAT(checked(changed("buffer = \"12 MB\"", "lossless = []")).headroom, IsEmpty());
}

TEST(Check, RefusesABufferThatHeadroomFills) {
  const CheckedVariant result = checked(changed("buffer = \"12 MB\"", "buffer = \"100 KB\""));
  EXPECT_THAT(
      result.errors,
      ElementsAre("2 switches like tor0: headroom (113.208 KB) and reserve (0 B) of 4 ports leave nothing of the "
                  "buffer of 100 KB, expected a larger buffer, fewer lossless priorities or less headroom"));
}

TEST(Check, WorksOutTheOfferedLoad) {
  const CheckedVariant result = checked(kGood);
  ASSERT_THAT(result.links, SizeIs(16));
  // Each host offers half its rate of payload; a payload byte takes 1.086 on the wire.
  EXPECT_NEAR(result.links.front().fraction, 0.5 * 1.086, 1e-6);
  EXPECT_THAT(result.links.front().sources, ElementsAre("background"));
  // Two of three destinations are in the other rack: 2 hosts x 0.543 x 2/3 over two uplinks.
  EXPECT_NEAR(result.links.back().fraction, 2 * 0.5 * 1.086 * 2 / 3 / 2, 1e-6);
}

const std::string kIncast = R"(
[[traffic]]
name = "incast"
kind = "incast"
sources = ["h1", "h2", "h3"]
destinations = "h0"
degree = 3
size = "10 KB"
load = 0.9
)";

TEST(Check, RefusesOverload) {
  const CheckedVariant result = checked(kGood + kIncast);
  EXPECT_THAT(result.errors,
              ElementsAre("link tor0 -> h0: is offered 1.520 of its rate from 0 ps on, by background and "
                          "incast; expected at most 1, or overload = \"intended\""));
  EXPECT_THAT(checked(kGood + kIncast + "overload = \"intended\"\n").errors, IsEmpty());
}

TEST(Check, CountsTogetherOnlyWhatIsActiveTogether) {
  const std::string early = changed("load = 0.5", "load = 0.5\nstop = \"100 us\"");
  EXPECT_THAT(checked(early + kIncast + "start = \"100 us\"\n").errors, IsEmpty());
  EXPECT_THAT(checked(early + kIncast + "start = \"99 us\"\n").errors,
              ElementsAre(HasSubstr("is offered 1.520 of its rate from 99 us on")));
}

TEST(Check, ReportsForAPerson) {
  const ScenarioVariant variant = only(kGood);
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  EXPECT_EQ(check_report(result, variant.settings, false),
            R"(4 hosts, 4 switches, 8 links
base round trip 4188.16 ns to 8376.32 ns, bandwidth-delay product at most 104.704 KB

switches                ports  buffer  headroom  reserve  shared
                                   MB        MB       MB      MB
----------------------  -----  ------  --------  -------  ------
2 switches like tor0        4    12.0      0.11        0    11.9
2 switches like spine0      2    12.0     0.057        0    11.9
headroom of a port of 100 Gbit/s and 1 us: 28.302 KB for each lossless priority
    = 1066 crossing + 1086 own frame + 84 PFC frame + 25000 in flight + 0 response + 1066 neighbour's frame

                         offered
links        number     mean  highest  on              by
                     of rate  of rate
-----------  ------  -------  -------  --------------  ----------
host -> ToR       4    0.543    0.543  h0 -> tor0      background
ToR -> host       4    0.543    0.543  tor0 -> h0      background
ToR -> core       4    0.362    0.362  tor0 -> spine0  background
core -> ToR       4    0.362    0.362  spine0 -> tor0  background
)");
  EXPECT_THAT(check_report(result, variant.settings, true), HasSubstr("tor1 -> h3        0.543  0 ps  background\n"));
}

}  // namespace
}  // namespace weir
