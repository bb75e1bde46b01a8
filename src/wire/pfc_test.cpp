// SPDX-License-Identifier: Apache-2.0
#include "wire/pfc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace weir::pfc_test {
namespace {

using literals::operator""_Gbps;
using literals::operator""_ps;

TEST(PauseOf, IsFiveHundredAndTwelveBitTimesAQuantum) {
  EXPECT_EQ(pause_of(1, 100_Gbps), 5'120_ps);
  EXPECT_EQ(pause_of(0, 100_Gbps), 0_ps);
  EXPECT_EQ(pause_of(kMaximumPauseQuanta, 100_Gbps), Duration::picoseconds(335'539'200));
  EXPECT_EQ(pause_of(kMaximumPauseQuanta, 1_Gbps), Duration::picoseconds(33'553'920'000));
}

TEST(PauseOf, RoundsUp) {
  EXPECT_EQ(pause_of(1, 3_Gbps), Duration::picoseconds(170'667));
}

TEST(PfcQuanta, NamesOnlyThePrioritiesThatWereSet) {
  PfcQuanta pfc;
  pfc.set(3, 100);
  pfc.set(5, 0);
  EXPECT_EQ(pfc.enabled, 0x28);
  EXPECT_TRUE(pfc.names(3));
  EXPECT_TRUE(pfc.names(5));
  EXPECT_FALSE(pfc.names(4));
  EXPECT_EQ(pfc.quanta[3], 100);
}

TEST(MakePfc, HasTheLengthOfItsFramingAndNoHosts) {
  FramePool pool(1);
  const FrameId id = make_pfc(pool, {}, Framing::hpcc_simulator());
  ASSERT_TRUE(id.exists());
  EXPECT_EQ(pool[id].frame_bytes, Framing::hpcc_simulator().pfc);
  EXPECT_TRUE(pool[id].is_hop_control());
  EXPECT_FALSE(pool[id].source.exists());
  EXPECT_FALSE(pool[id].destination.exists());
}

TEST(MakePfc, GivesNoneWhenThePoolIsEmpty) {
  FramePool pool(1);
  const FrameId last = make_pfc(pool, {}, Framing::rocev2());
  EXPECT_FALSE(make_pfc(pool, {}, Framing::rocev2()).exists());
  EXPECT_EQ(pool.in_use(), 1u);
  pool.release(last);
  EXPECT_TRUE(make_pfc(pool, {}, Framing::rocev2()).exists());
}

TEST(ReadPfc, OfAFrameWithoutQuantaNamesNoPriority) {
  FramePool pool(1);
  const FrameId id = pool.allocate();
  pool[id].kind = FrameKind::pfc;
  pool[id].tag = 0xff;
  EXPECT_EQ(read_pfc(pool, pool[id]), PfcQuanta{});
}

RC_GTEST_PROP(ReadPfc, GivesWhatWasMade, (std::uint8_t enabled)) {
  PfcQuanta pfc;
  pfc.enabled = enabled;
  for (std::uint16_t& quanta : pfc.quanta) quanta = *rc::gen::arbitrary<std::uint16_t>();
  FramePool pool(1);
  const FrameId id = make_pfc(pool, pfc, Framing::rocev2());
  RC_ASSERT(id.exists());
  RC_ASSERT(read_pfc(pool, pool[id]) == pfc);
}

}  // namespace
}  // namespace weir::pfc_test
