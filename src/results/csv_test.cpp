// SPDX-License-Identifier: Apache-2.0
#include "results/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "results/csv_field.h"
#include "results/test_files.h"
#include "results/test_records.h"

namespace weir::csv_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

RunRecord small_record() {
  RunRecord record = record_of("pfc, \"static\"", 401, 2);
  record.flows.resize(2);
  record.flows[0].start = Time::picoseconds(1'234'567);
  record.flows[0].retransmitted = 3;
  record.flows[0].label = 1;
  record.flows[1].sender_completion = Duration();
  record.switches.resize(1);
  record.switches[0].id = SwitchId(7);
  record.switches[0].occupancy.add(100, 99);
  record.switches[0].occupancy.add(1'000);
  record.switches[0].drops[1] = 4;
  record.links.resize(2);
  record.links[1].frames = 10;
  record.links[1].bytes = 10'480;
  record.links[1].lost = 6;
  record.series = {{"throughput.victim bit/s", Duration::picoseconds(10'000'000), {1.5e9, 0}}};
  return record;
}

class Csv : public FilesTest {};

TEST_F(Csv, Flows) {
  ASSERT_THAT(write_csv(small_record(), directory_), IsEmpty());
  EXPECT_EQ(
      read("flows.csv"),
      "flow,class,label,source,destination,size_bytes,start_ps,stopped,completed,fct_ps,receiver_fct_ps,ideal_fct_ps,"
      "slowdown,retransmitted_packets,out_of_order_packets\n"
      "0,incast,1,1,2,50000,1234567,0,1,400000000,399000000,10000000,40,3,0\n"
      "1,victim,0,1,2,2000,0,0,0,,400000000,10000000,,0,0\n");
}

TEST_F(Csv, FlowsHaveTheirLabelByName) {
  RunRecord record = small_record();
  record.labels = {"plain", "storage, hot"};
  ASSERT_THAT(write_csv(record, directory_), IsEmpty());
  EXPECT_THAT(read("flows.csv"), HasSubstr("\n0,incast,\"storage, hot\",1,2,"));
  EXPECT_THAT(read("flows.csv"), HasSubstr("\n1,victim,plain,1,2,"));
  EXPECT_THAT(read("summary.csv"), HasSubstr(",\"label storage, hot\",,started,flows,1\n"));
}

TEST_F(Csv, SummaryHasAllThatWasAskedFor) {
  RunRecord record = small_record();
  record.queueing_by_tier[1].add(2'000'000, 10);
  record.active_flows.add(3, 10);
  record.active_queues.add(2, 10);
  record.packet_hops = 99;
  record.bytes_by_kind = {1'000, 200};
  ASSERT_THAT(write_csv(record, directory_), IsEmpty());
  const std::string text = read("summary.csv");
  for (const char* row :
       {"ToR,,queueing.mean,us,2\n", "ToR,,queueing.p99,us,2\n", "port,,active_flows.p50,flows,3\n",
        "port,,active_queues.maximum,queues,2\n", "run,,packet_hops,frames,99\n", "run,,sent.data,bytes,1000\n",
        "run,,sent.acknowledge,bytes,200\n", "run,,throughput.victim.mean,bit/s,750000000\n",
        "run,,throughput.victim.maximum,bit/s,1500000000\n"}) {
    EXPECT_THAT(text, HasSubstr(std::string("1,") + row));
  }
}

TEST_F(Csv, StatisticsAreAFileEach) {
  RunRecord record = small_record();
  record.statistics.egress_kinds = {{"tor0", "core, 1", 1, 2, "data", 3, 3'198}};
  HopRecord hop{"not incast", 0, 1, "up", 2'132, 4'264, 0.5, {}};
  hop.delay.add(1'500'000, 4);
  record.statistics.hops = {hop};
  record.statistics.policies = {{"scheme.pauses", "", "counter", "tor0", 1, 3, PolicyRecord::kNone, 7, 7}};
  ASSERT_THAT(write_csv(record, directory_), IsEmpty());
  EXPECT_EQ(read("egress_kinds.csv"),
            "from_name,to_name,from_tier,to_tier,kind,sent_frames,sent_bytes\n"
            "tor0,\"core, 1\",1,2,data,3,3198\n");
  EXPECT_EQ(read("hops.csv"),
            "class,hop,tier,direction,port_maximum_bytes,switch_maximum_bytes,mean_bytes,delay_frames,delay_mean_ps,"
            "delay_p99_ps,delay_maximum_ps\n"
            "not incast,0,1,up,2132,4264,0.5,4,1500000,1500000,1500000\n");
  EXPECT_EQ(read("policies.csv"),
            "name,unit,kind,node,tier,port,queue_group,value,maximum\n"
            "scheme.pauses,,counter,tor0,1,3,,7,7\n");
}

TEST_F(Csv, StatisticsOfWhichThereAreNoneHaveNoFile) {
  ASSERT_THAT(write_csv(small_record(), directory_), IsEmpty());
  for (const char* name : {"egress_kinds.csv", "hops.csv", "policies.csv"}) {
    EXPECT_FALSE(std::filesystem::exists(directory_ / name)) << name;
  }
}

TEST_F(Csv, Switches) {
  ASSERT_THAT(write_csv(small_record(), directory_), IsEmpty());
  EXPECT_EQ(read("switches.csv"),
            "switch,name,tier,buffer_maximum_bytes,occupancy_samples,occupancy_mean_bytes,occupancy_p50_bytes,"
            "occupancy_p95_bytes,occupancy_p99_bytes,occupancy_maximum_bytes,occupancy_at_pause_samples,"
            "occupancy_at_pause_mean_bytes,occupancy_at_pause_p50_bytes,occupancy_at_pause_p95_bytes,"
            "occupancy_at_pause_p99_bytes,occupancy_at_pause_maximum_bytes,pauses_sent,trimmed_frames,returned_frames,"
            "dropped_no_route_frames,"
            "dropped_buffer_full_frames,dropped_egress_threshold_frames,dropped_policy_frames,dropped_corrupt_frames,"
            "dropped_link_down_frames,dropped_no_frame_frames,dropped_watchdog_frames,dropped_other_frames,"
            "dropped_on_purpose_frames\n"
            "7,tor0,1,9200000,100,109,100,100,100,1000,0,,,,,,2,0,0,0,4,0,0,0,0,0,0,0,0\n");
}

TEST_F(Csv, Links) {
  ASSERT_THAT(write_csv(small_record(), directory_), IsEmpty());
  EXPECT_EQ(read("links.csv"),
            "from,to,from_tier,to_tier,rate_bits_per_second,frames,bytes,lost_frames,pauses,held_at_pauses_bytes,"
            "paused_ps,held_ps,paused_share\n"
            "host1,tor0,0,1,100000000000,0,0,0,0,0,0,0,0\n"
            "core0,tor0,2,1,100000000000,10,10480,6,2,0,200000000,0,0.2\n");
}

TEST_F(Csv, Series) {
  ASSERT_THAT(write_csv(small_record(), directory_), IsEmpty());
  EXPECT_EQ(read("series.csv"),
            "series,unit,time_ps,value\n"
            "throughput.victim,bit/s,10000000,1500000000\n"
            "throughput.victim,bit/s,20000000,0\n");
}

TEST_F(Csv, Summary) {
  ASSERT_THAT(write_csv(small_record(), directory_), IsEmpty());
  const std::string text = read("summary.csv");
  EXPECT_THAT(text, StartsWith("scenario,variant,seed,of,size,quantity,unit,value\n"
                               "incast,\"pfc, \"\"static\"\"\",1,run,,version,,0.1.0\n"));
  for (const char* row :
       {"run,,failure,,\n", "run,,lost_on_links,frames,6\n", "run,,simulated,us,1000.000000\n",
        "run,,dropped.buffer_full,frames,4\n", "ToR,,buffer_maximum,bytes,9200000\n", "ToR,,occupancy.p99,bytes,100\n",
        "core paused by ToR,,paused_share,,0.2\n", "victim,,completed,flows,0\n", "incast,,slowdown.p99,,40\n",
        "incast,,fct.mean,us,400\n", "incast,10-100 KB,started,flows,1\n"}) {
    EXPECT_THAT(text, HasSubstr(std::string("1,") + row));
  }
  EXPECT_EQ(text.find("victim,,slowdown.p99"), std::string::npos);
}

TEST_F(Csv, EveryRowHasAFieldForEachColumn) {
  RunRecord record = small_record();
  record.variant = "pfc";  // without the commas in quotes
  ASSERT_THAT(write_csv(record, directory_), IsEmpty());
  for (const char* name : {"flows.csv", "switches.csv", "links.csv", "series.csv", "summary.csv"}) {
    std::istringstream lines(read(name));
    std::string line;
    std::getline(lines, line);
    const auto commas = std::count(line.begin(), line.end(), ',');
    while (std::getline(lines, line)) EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << name << line;
  }
}

TEST_F(Csv, MakesTheDirectoryAndLeavesNothingElseInIt) {
  ASSERT_THAT(write_csv(small_record(), directory_ / "deep/er"), IsEmpty());
  EXPECT_THAT(names("deep/er"),
              UnorderedElementsAre("flows.csv", "switches.csv", "links.csv", "series.csv", "summary.csv"));
}

TEST_F(Csv, SaysWhichFileWentWrongAndWhy) {
  std::filesystem::create_directory(directory_ / "links.csv");
  EXPECT_THAT(write_csv(small_record(), directory_),
              ElementsAre((directory_ / "links.csv").string() + ": Is a directory"));
  EXPECT_THAT(names(), UnorderedElementsAre("flows.csv", "switches.csv", "links.csv", "series.csv", "summary.csv"));
  const std::filesystem::path file = directory_ / "flows.csv";
  EXPECT_THAT(write_csv(small_record(), file), ElementsAre(file.string() + ": Not a directory"));
}

TEST_F(Csv, FieldsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST_F(Csv, FieldsAreNoFormulas) {
  EXPECT_EQ(csv_field("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(csv_field("+1"), "\"'+1\"");
  EXPECT_EQ(csv_field("-a"), "\"'-a\"");
  EXPECT_EQ(csv_field("@SUM(\"a\")"), "\"'@SUM(\"\"a\"\")\"");
  EXPECT_EQ(csv_field("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(csv_field("a=1"), "a=1");
  EXPECT_EQ(csv_field("-"), "-");
  RunRecord record = small_record();
  record.variant = "=cmd|' /C calc'!A0";
  record.labels = {"@label", "plain"};
  EXPECT_THAT(write_csv(record, directory_), IsEmpty());
  EXPECT_THAT(read("summary.csv"), HasSubstr(",\"'=cmd|' /C calc'!A0\","));
  EXPECT_THAT(read("summary.csv"), Not(HasSubstr(",=")));
  EXPECT_THAT(read("flows.csv"), AllOf(HasSubstr(",\"'@label\","), Not(HasSubstr(",@"))));
}

}  // namespace
}  // namespace weir::csv_test
