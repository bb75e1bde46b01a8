// SPDX-License-Identifier: Apache-2.0
#include "results/run_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/test_records.h"

namespace weir::run_text_test {
namespace {

using ::testing::StartsWith;

TEST(RunText, OfARunWithEverythingInIt) {
  RunRecord record = record_of("pfc", 401, 12);
  record.pause_hold[1] = {Duration::picoseconds(900'000'000), Duration::picoseconds(720'000'000), 300};
  record.switches[0].drops[1] = 3;
  record.switches[2].drops[5] = 1;
  record.switches[0].occupancy.add(1'000'000, 50);
  record.switches[0].occupancy_at_pause.add(2'000'000, 12);
  record.retransmitted_frames = 25;
  record.flows[1].sender_completion = Duration();
  record.flows[4].sender_completion = Duration();
  record.flows[4].stopped = true;
  EXPECT_EQ(format_run(summarise(record), 100), R"(incast, pfc, seed 1: 1.000 ms simulated, digest 0123456789abcdef.

                  flows                     FCT                         slowdown
class       started  completed   avg   p50   p90   p95   p99   avg   p50   p90   p95   p99
                                  µs    µs    µs    µs    µs
----------  -------  ---------  ----  ----  ----  ----  ----  ----  ----  ----  ----  ----
incast            4          4   430   420   460   460   460  43.0  42.0  46.0  46.0  46.0
victim            4          2   404   403   404   404   404  40.3  40.3  40.4  40.4  40.4
background        4          4  14.0  12.0  20.0  20.0  20.0  1.45  1.20  2.00  2.00  2.00
all              12         10   258   400   440   460   460  25.9  40.0  44.0  46.0  46.0

                 flows                     FCT                         slowdown
size       started  completed   avg   p50   p90   p95   p99   avg   p50   p90   p95   p99
                                 µs    µs    µs    µs    µs
---------  -------  ---------  ----  ----  ----  ----  ----  ----  ----  ----  ----  ----
< 3 KB           4          2   404   403   404   404   404  40.3  40.3  40.4  40.4  40.4
10-100 KB        4          4   430   420   460   460   460  43.0  42.0  46.0  46.0  46.0
> 3 MB           4          4  14.0  12.0  20.0  20.0  20.0  1.45  1.20  2.00  2.00  2.00

                    buffer        pauses           dropped frames
switches  number   max   p99  sent  at buffer  buffer full  link down
                    MB    MB               MB
--------  ------  ----  ----  ----  ---------  -----------  ---------
ToR            2  9.20  1.00    12       2.00            3          0
core           1  1.25     -     6          -            0          1

                         links     paused time
paused  by    pauses  all  paused   mean   max
                                       %     %
------  ----  ------  ---  ------  -----  ----
ToR     core       6    1       1   10.0  10.0
core    ToR       12    2       1   10.0  20.0

        held by pauses   innocently
class    packets  mean  mean  of held
                    µs    µs        %
------  --------  ----  ----  -------
victim       300  3.00  2.40     80.0

Retransmitted: 25 of 10000 data frames (0.25 %). 1 of 11 flows had not completed at the end; times
refer to the others. Flows stopped by their stop time: 1.
)");
}

TEST(RunText, ShowsAllThatWasAskedFor) {
  RunRecord record;
  record.flows = {flow_of(FlowClass::background, 2'000, 20), flow_of(FlowClass::background, 2'000, 30)};
  record.flows[1].label = 2;
  record.labels = {"plain", "incast", "storage"};
  record.switches = {switch_of("tor0", 1, 0, 0), switch_of("core0", 2, 0, 0)};
  record.queueing_by_tier[2].add(2'500'000, 100);
  record.active_flows.add(3, 99);
  record.active_flows.add(7);
  record.active_queues.add(1, 10);
  record.packet_hops = 1234;
  record.links.resize(1);
  record.links[0].lost = 7;
  record.bytes_by_kind = {7'500'000, 2'000'000, 0, 0, 500'000};
  record.series = {{"throughput.background bit/s", Duration::picoseconds(10'000'000), {20e9, 0, 10e9}},
                   {"buffer.total bytes", Duration::picoseconds(10'000'000), {}}};
  EXPECT_EQ(format_run(summarise(record), 0), R"(run, seed 0: 0.000 ms simulated, digest .

                  flows                     FCT                         slowdown
class       started  completed   avg   p50   p90   p95   p99   avg   p50   p90   p95   p99
                                  µs    µs    µs    µs    µs
----------  -------  ---------  ----  ----  ----  ----  ----  ----  ----  ----  ----  ----
background        2          2  25.0  20.0  30.0  30.0  30.0  2.50  2.00  3.00  3.00  3.00

               flows                     FCT                         slowdown
label    started  completed   avg   p50   p90   p95   p99   avg   p50   p90   p95   p99
                               µs    µs    µs    µs    µs
-------  -------  ---------  ----  ----  ----  ----  ----  ----  ----  ----  ----  ----
plain          1          1  20.0  20.0  20.0  20.0  20.0  2.00  2.00  2.00  2.00  2.00
storage        1          1  30.0  30.0  30.0  30.0  30.0  3.00  3.00  3.00  3.00  3.00

              flows                     FCT                         slowdown
size    started  completed   avg   p50   p90   p95   p99   avg   p50   p90   p95   p99
                              µs    µs    µs    µs    µs
------  -------  ---------  ----  ----  ----  ----  ----  ----  ----  ----  ----  ----
< 3 KB        2          2  25.0  20.0  30.0  30.0  30.0  2.50  2.00  3.00  3.00  3.00

                   buffer       pauses            data waited
switches  number  max  p99  sent  at buffer   avg   p50   p99   max  dropped
                   MB   MB               MB    µs    µs    µs    µs   frames
--------  ------  ---  ---  ----  ---------  ----  ----  ----  ----  -------
ToR            1    0    -     0          -     -     -     -     -        0
core           1    0    -     0          -  2.50  2.50  2.50  2.50        0

          a port of a switch
active   avg   p50   p99   max
------  ----  ----  ----  ----
flows   3.04  3.00  3.00  7.00
queues  1.00  1.00  1.00  1.00

             sent on links
frames       bytes  of all
                MB       %
-----------  -----  ------
data          7.50    75.0
acknowledge   2.00    20.0
PFC           0.50    5.00

over time              samples  mean   max  unit
---------------------  -------  ----  ----  ------
throughput.background        3  10.0  20.0  Gbit/s

Retransmitted: 0 of 0 data frames (0 %). Frames lost in flight on links that failed: 7. Packet-hops: 1234.
)");
}

TEST(RunText, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(format_run(summarise(RunRecord()), 0),
            "run, seed 0: 0.000 ms simulated, digest .\n\nRetransmitted: 0 of 0 data frames (0 %).\n");
}

TEST(RunText, SaysFirstThatARunFailed) {
  RunRecord record = record_of("pfc", 401, 12);
  record.failure = "frames are not conserved";
  record.interrupted = true;
  EXPECT_THAT(format_run(summarise(record), 0),
              StartsWith("incast, pfc, seed 1: 1.000 ms simulated, digest 0123456789abcdef. FAILED: frames are not "
                         "conserved. The following results are those until then.\n\n"));
  record.failure.clear();
  EXPECT_THAT(format_run(summarise(record), 0),
              StartsWith("incast, pfc, seed 1: 1.000 ms simulated, digest 0123456789abcdef. INTERRUPTED: the following "
                         "results are those until then.\n\n"));
}

}  // namespace
}  // namespace weir::run_text_test
