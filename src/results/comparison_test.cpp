// SPDX-License-Identifier: Apache-2.0
#include "results/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "results/test_records.h"
#include "results/text.h"

namespace weir::comparison_test {
namespace {

/// One run with pauses, one with a flow that does not complete, and one that fails.
std::vector<RunSummary> three_runs() {
  RunRecord pfc = record_of("pfc", 401, 12);
  pfc.pause_hold[1] = {Duration::picoseconds(900'000'000), Duration::picoseconds(720'000'000), 300};
  RunRecord bfc = record_of("bfc", 15, 0);
  bfc.flows[1].sender_completion = Duration();
  bfc.switches[0].buffer_maximum = 4'600'000;
  RunRecord broken = record_of("broken", 20, 0);
  broken.failure = "switch tor0: bytes are not conserved (seed 1, at 1000000000 ps)";
  return {summarise(pfc), summarise(bfc), summarise(broken)};
}

TEST(Comparison, OfThreeRuns) {
  EXPECT_EQ(
      format_comparison(three_runs(), 120),
      R"(                 victim slowdown  background slowdown  incast slowdown  max buffer    pauses    innocent pause
variant              avg     p99        avg       p99      avg     p99   ToR  core  sent  time   mean  of held   drops
                                                                          MB    MB           %     µs        %  frames
---------------  -------  ------  ---------  --------  -------  ------  ----  ----  ----  ----  -----  -------  ------
pfc                 40.2    40.4       1.45      2.00     43.0    46.0  9.20  1.25    18  7.50   2.40     80.0       0
bfc                 1.70    1.80       1.45      2.00     43.0    46.0  4.60  1.25     0     0      -        -       0
broken (FAILED)     2.15    2.30       1.45      2.00     43.0    46.0  9.20  1.25     0     0      -        -       0

variant          resent  completed
                      %      flows
---------------  ------  ---------
pfc                   0      12/12
bfc                   0      11/12
broken (FAILED)       0      12/12

broken FAILED: switch tor0: bytes are not conserved (seed 1, at 1000000000 ps). Its row shows the results until then,
1.000 ms.

Slowdown by flow size, victims and background:

               pfc                bfc          broken (FAILED)
size    flows   avg   p99  flows   avg   p99  flows   avg   p99
------  -----  ----  ----  -----  ----  ----  -----  ----  ----
< 3 KB      4  40.2  40.4      3  1.70  1.80      4  2.15  2.30
> 3 MB      4  1.45  2.00      4  1.45  2.00      4  1.45  2.00

Slowdown: completion time of a flow divided by its ideal FCT (without other traffic), never below 1; completed flows
only. The p99 of fewer than 100 flows is their maximum. Max buffer: maximum over all switches of the tier. Pauses: how
often switches, and hosts with a receive buffer, paused a neighbour, for a priority or for what a flow control pauses by
itself (a queue, flow, destination or congestion root); repetitions of a pause in force are not counted. Time:
percentage of time paused, mean over all link directions. Innocent pause: time for which pauses blocked packets of flows
outside an incast although the congestion was not on their path; mean per blocked packet, and percentage of all time
blocked.

Failed and therefore not compared: broken. Victims' p99 slowdown is lowest with bfc (of 3 of 4 flows): 1.80; with pfc it
is 22.4 times that (40.4). Background p99 slowdown is the same with pfc and bfc: 2.00. Incast p99 slowdown is the same
with pfc and bfc: 46.0. The maximum buffer use of a ToR switch is lowest with bfc: 4.60 MB; with pfc it is 2.00 times
that (9.20 MB). The maximum buffer use of a core switch is the same with pfc and bfc: 1.25 MB. Pauses were sent with pfc
(18); none with bfc. For flows outside an incast, pause-induced waiting came from congestion that is not on the path for
80.0 % with pfc (a mean of 2.40 µs per blocked packet). Switches dropped no frame with pfc and bfc. With bfc, 1 of 12
flows had not completed at the end; its times refer to the others.
)");
}

TEST(Comparison, OfOneInterruptedRunWithoutAnIncast) {
  RunRecord plain = record_of("plain", 20, 0);
  plain.interrupted = true;
  plain.flows.erase(std::remove_if(plain.flows.begin(), plain.flows.end(),
                                   [](const FlowRecord& flow) { return flow.flow_class != FlowClass::background; }),
                    plain.flows.end());
  EXPECT_EQ(format_comparison({summarise(plain)}, 80), R"(                     background slowdown  max buffer    pauses
variant                    avg       p99   ToR  core  sent  time   drops  resent
                                            MB    MB           %  frames       %
-------------------  ---------  --------  ----  ----  ----  ----  ------  ------
plain (INTERRUPTED)       1.45      2.00  9.20  1.25     0     0       0       0

variant              completed
                         flows
-------------------  ---------
plain (INTERRUPTED)        4/4

plain was INTERRUPTED at 1.000 ms. Its row shows the results until then.

Slowdown by flow size:

               plain (INTERRUPTED)
size    flows        avg       p99
------  -----  ---------  --------
> 3 MB      4       1.45      2.00

Slowdown: completion time of a flow divided by its ideal FCT (without other
traffic), never below 1; completed flows only. The p99 of fewer than 100 flows
is their maximum. Max buffer: maximum over all switches of the tier. Pauses: how
often switches, and hosts with a receive buffer, paused a neighbour, for a
priority or for what a flow control pauses by itself (a queue, flow, destination
or congestion root); repetitions of a pause in force are not counted. Time:
percentage of time paused, mean over all link directions.
)");
}

TEST(Comparison, FitsIntoEightyColumns) {
  std::istringstream lines(format_comparison(three_runs(), 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(Comparison, FlowsOfASizeAreCountedOnceWhenTheyAreTheSame) {
  const std::string text =
      format_comparison({summarise(record_of("pfc", 401, 12)), summarise(record_of("bfc", 15, 0))}, 0);
  EXPECT_NE(text.find("                  pfc         bfc\n"
                      "size    flows   avg   p99   avg   p99\n"
                      "------  -----  ----  ----  ----  ----\n"
                      "< 3 KB      4  40.2  40.4  1.65  1.80\n"),
            std::string::npos)
      << text;
}

TEST(Comparison, OfNothingIsNothing) {
  EXPECT_EQ(format_comparison({}, 80), "");
}

TEST(Comparison, OfAnEmptyRunHasNoNumbersToTell) {
  const std::string text = format_comparison({summarise(RunRecord())}, 80);
  EXPECT_NE(text.find("0/0"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

}  // namespace
}  // namespace weir::comparison_test
