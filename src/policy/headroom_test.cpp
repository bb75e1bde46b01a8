// SPDX-License-Identifier: Apache-2.0
#include "policy/headroom.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>

namespace weir::headroom_test {
namespace {

using namespace weir::literals;

TEST(Headroom, AddsTheTermsOfOneLink) {
  const Headroom headroom = headroom_of(
      {.rate = 100_Gbps, .delay = 1_us, .maximum_frame = 1066_B, .pause_response = 600_ns}, Framing::rocev2());
  EXPECT_EQ(headroom.crossing_frame, 1066_B);
  EXPECT_EQ(headroom.own_frame, 1086_B);    // with 20 B of preamble and gap
  EXPECT_EQ(headroom.pause_frame, 84_B);    // 64 and 20
  EXPECT_EQ(headroom.in_flight, 25'000_B);  // 2 us at 12.5 B per nanosecond
  EXPECT_EQ(headroom.response, 7'500_B);    // 600 ns
  EXPECT_EQ(headroom.neighbour_frame, 1066_B);
  EXPECT_EQ(headroom.total(), 35'802_B);
}

TEST(Headroom, RoundsABrokenByteUp) {
  const Headroom headroom =
      headroom_of({.rate = 1_Gbps, .delay = 1_ps, .maximum_frame = 64_B, .pause_response = 1_ps}, Framing::rocev2());
  EXPECT_EQ(headroom.in_flight, 1_B);
  EXPECT_EQ(headroom.response, 1_B);
}

TEST(Headroom, OfRateAndDelayIsThePublicSimulators) {
  EXPECT_EQ(rate_delay_headroom(100_Gbps, 1_us, 3), 37'500_B);    // HPCC
  EXPECT_EQ(rate_delay_headroom(100_Gbps, 600_ns, 8), 60'000_B);  // Floodgate
  EXPECT_EQ(rate_delay_headroom(400_Gbps, 600_ns, 8), 240'000_B);
  EXPECT_EQ(rate_delay_headroom(100_Gbps, 1_us, 0.5), 6'250_B);
  EXPECT_EQ(rate_delay_headroom(100_Gbps, 1_us, 0), 0_B);
}

/// Frame bytes charged to headroom if the neighbour sends frames of maximum size without a gap, one of them crosses the
/// threshold at time 0, and everything that can delay the PAUSE does so.
std::int64_t worst_case(const HeadroomLink& link, const Framing& framing) {
  const std::int64_t frame = link.maximum_frame.count();
  const auto lasts = [&](std::int64_t bytes) { return time_to_send(Bytes(bytes + framing.wire_overhead), link.rate); };
  const Duration effective = lasts(frame) + lasts(framing.pfc) + link.delay + link.pause_response;  // at the neighbour
  std::int64_t charged = frame;  // the frame that crosses the threshold
  // Frames follow each other without a gap, so transmission of the next one began one delay before time 0.
  for (Duration begin = -link.delay; begin < effective; begin += lasts(frame)) charged += frame;
  return charged;
}

RC_GTEST_PROP(Headroom, HoldsTheWorstCaseAndWastesLittle, ()) {
  const HeadroomLink link = {.rate = BitRate(*rc::gen::inRange<std::int64_t>(1, 800) * 1'000'000'000),
                             .delay = Duration::picoseconds(*rc::gen::inRange<std::int64_t>(0, 10'000'000)),
                             .maximum_frame = Bytes(*rc::gen::inRange<std::int64_t>(64, 9'000)),
                             .pause_response = Duration::picoseconds(*rc::gen::inRange<std::int64_t>(0, 5'000'000))};
  const Framing framing = *rc::gen::element(Framing::rocev2(), Framing::hpcc_simulator());
  const std::int64_t total = headroom_of(link, framing).total().count();
  const std::int64_t worst = worst_case(link, framing);
  RC_ASSERT(total >= worst);
  // Preambles and gaps are counted as data: a share of overhead / (frame + overhead); and the sum consists of whole
  // frames. Each frame of the worst case lasts up to a picosecond longer than at this rate, and fractions are rounded
  // to bytes.
  const std::int64_t frame = link.maximum_frame.count();
  const std::int64_t without_gaps = (total * frame) / (frame + framing.wire_overhead);
  const std::int64_t rounding = 8 + worst / frame * link.rate.bits_per_second() / 8'000'000'000'000;
  RC_ASSERT(without_gaps <= worst + 2 * frame + 2 * framing.wire_overhead + rounding);
}

}  // namespace
}  // namespace weir::headroom_test
