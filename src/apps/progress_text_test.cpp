// SPDX-License-Identifier: Apache-2.0
#include "apps/progress_text.h"

#include <gtest/gtest.h>

namespace weir::apps::progress_text_test {
namespace {

using namespace weir::literals;

RunProgress half_way() {
  return {.name = "pfc",
          .simulated = 5_ms,
          .stop = Time() + 10_ms,
          .packet_hops = 24'200'000,
          .flows_started = 400,
          .flows_completed = 340,
          .wall_seconds = 2};
}

TEST(ProgressText, SaysHowFarARunIs) {
  EXPECT_EQ(progress_of(half_way()), "pfc: 5 of 10 ms, 340 of 400 flows, 12.1 M hops/s, 2 s left");
}

TEST(ProgressText, GuessesNothingAtTheStartAndAfterTheStop) {
  RunProgress run = half_way();
  run.simulated = 10_us;
  EXPECT_EQ(progress_of(run), "pfc: 0.01 of 10 ms, 340 of 400 flows, 12.1 M hops/s");
  run.simulated = 11_ms;
  EXPECT_EQ(progress_of(run), "pfc: 11 ms, draining, 340 of 400 flows, 12.1 M hops/s");
  run.stop = Time::never();
  run.name = "";
  run.wall_seconds = 0;
  EXPECT_EQ(progress_of(run), "11 ms, 340 of 400 flows, 0.0 M hops/s");
}

TEST(ProgressText, TellsLongWaitsInMinutesAndHours) {
  RunProgress run = half_way();
  run.wall_seconds = 120;
  EXPECT_TRUE(progress_of(run).ends_with(", 2 min left")) << progress_of(run);
  run.wall_seconds = 5400;
  EXPECT_TRUE(progress_of(run).ends_with(", 1.5 h left")) << progress_of(run);
}

TEST(ProgressText, FitsTheTerminal) {
  EXPECT_EQ(progress_line(1, 3, {half_way()}, 200),
            "1 of 3 done | pfc: 5 of 10 ms, 340 of 400 flows, 12.1 M hops/s, 2 s left");
  EXPECT_EQ(progress_line(1, 3, {half_way()}, 40), "1 of 3 done | pfc 50 %, 2 s left");
  EXPECT_EQ(progress_line(1, 3, {half_way()}, 20), "1 of 3 done | pfc...");
  RunProgress named = half_way();
  named.name = "\xC3\xA4\xC3\xA4";  // two letters of two bytes
  EXPECT_EQ(progress_line(0, 1, {named}, 6), "\xC3\xA4...");
}

TEST(ProgressText, TellsTheTimeLeftForAll) {
  // Half of a run, one of 4, after 10 s.
  EXPECT_EQ(seconds_left(0, 4, {half_way()}, 10), 70);
  EXPECT_EQ(seconds_left(3, 4, {half_way()}, 70), 10);
  EXPECT_EQ(seconds_left(0, 4, {}, 10), std::nullopt);
  EXPECT_EQ(done_text(3, 80, 125.0), "3 of 80 done, 2 min left");
  EXPECT_EQ(done_text(0, 80, std::nullopt), "0 of 80 done");
  EXPECT_EQ(progress_line(1, 3, {half_way()}, 40, 7.0), "1 of 3 done, 7 s left | pfc 50 %, 2 s...");
}

}  // namespace
}  // namespace weir::apps::progress_text_test
