// SPDX-License-Identifier: Apache-2.0
#include "results/statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/labels.h"
#include "results/test_records.h"

namespace weir::statements_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> statements_on_records(const std::vector<RunRecord>& records) {
  std::vector<RunSummary> runs;
  for (const RunRecord& record : records) runs.push_back(summarise(record));
  return statements_on(runs);
}

TEST(Statements, SayHowTwoRunsDiffer) {
  RunRecord pfc = record_of("pfc", 401, 12);
  RunRecord bfc = record_of("bfc", 15, 0);
  bfc.switches[0].buffer_maximum = 4'600'000;
  EXPECT_THAT(
      statements_on_records({pfc, bfc}),
      ElementsAre("Victims' p99 slowdown is lowest with bfc: 1.80; with pfc it is 22.4 times that (40.4).",
                  "Background p99 slowdown is the same with pfc and bfc: 2.00.",
                  "Incast p99 slowdown is the same with pfc and bfc: 46.0.",
                  "The maximum buffer use of a ToR switch is lowest with bfc: 4.60 MB; with pfc it is 2.00 times that "
                  "(9.20 MB).",
                  "The maximum buffer use of a core switch is the same with pfc and bfc: 1.25 MB.",
                  "Pauses were sent with pfc (18); none with bfc.", "Switches dropped no frame with pfc and bfc."));
}

TEST(Statements, OnOneRunThereAreNone) {
  EXPECT_THAT(statements_on_records({record_of("pfc", 401, 12)}), IsEmpty());
  EXPECT_THAT(statements_on({}), IsEmpty());
}

TEST(Statements, TellEveryOneOfFourAndTheExtremesOfMore) {
  std::vector<RunRecord> records{record_of("a", 37, 0), record_of("b", 17, 0), record_of("c", 97, 0),
                                 record_of("d", 17, 0)};
  EXPECT_EQ(statements_on_records(records)[0],
            "Victims' p99 slowdown is lowest with b and d: 2.00; with a it is 2.00 times that (4.00) and with c 5.00 "
            "times that (10.0).");
  records.push_back(record_of("e", 57, 0));
  EXPECT_EQ(statements_on_records(records)[0],
            "Victims' p99 slowdown is lowest with b and d: 2.00; with c it is 5.00 times that (10.0).");
}

TEST(Statements, CallFivePercentNoDifference) {
  EXPECT_EQ(statements_on_records({record_of("a", 97, 0), record_of("b", 101, 0)})[0],
            "Victims' p99 slowdown differs by less than 5 % between a and b: 10.0 to 10.4.");
  EXPECT_THAT(statements_on_records({record_of("a", 97, 0), record_of("b", 103, 0)})[0], HasSubstr("1.06 times"));
}

TEST(Statements, NeverDivideByZero) {
  RunRecord empty = record_of("a", 97, 0);
  empty.switches[2].buffer_maximum = 0;
  EXPECT_THAT(statements_on_records({empty, record_of("b", 97, 0)}),
              Contains("The maximum buffer use of a core switch is lowest with a: 0 MB; with b it is 1.25 MB."));
}

TEST(Statements, SayOfWhichFlowsAQuantileIs) {
  RunRecord stuck = record_of("stuck", 17, 0);
  for (const std::size_t flow : {0U, 1U}) stuck.flows[flow].sender_completion = Duration();
  const auto sentences = statements_on_records({stuck, record_of("b", 37, 0)});
  EXPECT_EQ(sentences[0],
            "Victims' p99 slowdown is lowest with stuck (of 3 of 4 flows): 2.00; with b it is 2.00 times that (4.00).");
  EXPECT_EQ(sentences.back(), "With stuck, 2 of 12 flows had not completed at the end; its times refer to the others.");
  for (FlowRecord& flow : stuck.flows) flow.sender_completion = Duration();
  EXPECT_THAT(statements_on_records({stuck, record_of("b", 37, 0)}), Contains("No victim flow completed with stuck."));
}

TEST(Statements, FlowsThatWereStoppedAreNotMissed) {
  RunRecord record = record_of("a", 17, 0);
  record.flows[1].sender_completion = Duration();
  record.flows[1].stopped = true;
  EXPECT_THAT(statements_on_records({record, record_of("b", 17, 0)}), Not(Contains(HasSubstr("not completed"))));
}

TEST(Statements, LeaveOutRunsThatDidNotRunToTheirEnd) {
  RunRecord failed = record_of("failed", 11, 99);
  failed.failure = "frames are not conserved";
  RunRecord interrupted = record_of("interrupted", 11, 99);
  interrupted.interrupted = true;
  const auto sentences = statements_on_records({failed, interrupted, record_of("a", 17, 0), record_of("b", 37, 0)});
  EXPECT_EQ(sentences[0], "Failed and therefore not compared: failed.");
  EXPECT_EQ(sentences[1], "Interrupted and therefore not compared: interrupted.");
  for (std::size_t i = 2; i < sentences.size(); ++i) {
    EXPECT_THAT(sentences[i], Not(HasSubstr("failed")));
    EXPECT_THAT(sentences[i], Not(HasSubstr("interrupted")));
  }
  EXPECT_THAT(statements_on_records({failed, interrupted, record_of("a", 17, 0)}),
              ElementsAre(sentences[0], sentences[1]));
}

TEST(Statements, NameDropsByReasonAndInnocentPause) {
  RunRecord drops = record_of("a", 17, 0);
  drops.switches[0].drops[1] = 3;
  drops.switches[1].drops[5] = 2;
  drops.switches[1].drops[kDroppedOnPurpose] = 7;
  RunRecord held = record_of("b", 17, 0);
  held.pause_hold[1] = {Duration::picoseconds(900'000'000), Duration::picoseconds(720'000'000), 300};
  const auto sentences = statements_on_records({drops, held});
  EXPECT_THAT(sentences, Contains("Switches dropped frames with a (3 buffer full and 2 link down); none with b."));
  EXPECT_THAT(sentences, Contains("For flows outside an incast, pause-induced waiting came from congestion that is not "
                                  "on the path for 80.0 % with b (a mean of 2.40 µs per blocked packet)."));
}

TEST(Statements, SayThatTrafficDiffered) {
  RunRecord fewer = record_of("a", 17, 0);
  fewer.flows.pop_back();
  EXPECT_THAT(statements_on_records({fewer, record_of("b", 17, 0)}),
              Contains("The runs had different numbers of flows: from 11 with a to 12 with b."));
}

TEST(RunLabels, SayWhatDiffers) {
  RunSummary a;
  a.scenario = "incast";
  a.variant = "pfc";
  RunSummary b = a;
  b.variant = "bfc\n";
  EXPECT_THAT(run_labels({a, b}), ElementsAre("pfc", "bfc?"));
  b.seed = 2;
  EXPECT_THAT(run_labels({a, b}), ElementsAre("pfc seed 0", "bfc? seed 2"));
  b = a;
  b.scenario = "other";
  EXPECT_THAT(run_labels({a, b}), ElementsAre("incast/pfc", "other/pfc"));
  a.variant = "";
  EXPECT_THAT(run_labels({a}), ElementsAre("incast"));
  EXPECT_THAT(run_labels({}), IsEmpty());
}

}  // namespace
}  // namespace weir::statements_test
