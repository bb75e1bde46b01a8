// SPDX-License-Identifier: Apache-2.0
#include "results/hpcc_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "results/test_files.h"
#include "results/test_records.h"

namespace weir::hpcc_export_test {
namespace {

using ::testing::IsEmpty;

class HpccFct : public FilesTest {};

TEST_F(HpccFct, WritesCompletedFlowsInOrderOfCompletion) {
  RunRecord record;
  record.flows = {flow_of(FlowClass::victim, 2'000, 30), flow_of(FlowClass::incast, 50'000, 20),
                  flow_of(FlowClass::victim, 2'000, 0), flow_of(FlowClass::background, 2'000, 5)};
  record.flows[0].destination = HostId(300);
  record.flows[3].start = Time::picoseconds(1'000'999);
  EXPECT_EQ(write_hpcc_fct(record, directory_ / "fct.txt"), std::nullopt);
  EXPECT_EQ(read("fct.txt"),
            "0b000101 0b000201 10002 100 2000 1000 5000 10000\n"
            "0b000101 0b000201 10000 200 50000 0 20000 10000\n"
            "0b000101 0b012c01 10000 100 2000 0 30000 10000\n");
}

TEST_F(HpccFct, RefusesWhatTheFormatCannotHold) {
  RunRecord record;
  record.flows = {flow_of(FlowClass::victim, 2'000, 30)};
  record.flows[0].destination = HostId(65'536);
  const std::filesystem::path path = directory_ / "fct.txt";
  EXPECT_EQ(write_hpcc_fct(record, path),
            path.string() + ": host 65536 has no address in this format, which ends at 65535");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(HpccFct, UsesSourcePortsAgain) {
  RunRecord record;
  record.flows.resize(55'538, flow_of(FlowClass::background, 2'000, 5));
  EXPECT_EQ(write_hpcc_fct(record, directory_ / "fct.txt"), std::nullopt);
  std::istringstream lines(read("fct.txt"));
  std::vector<int> ports;
  for (std::string line; std::getline(lines, line);) ports.push_back(std::stoi(line.substr(18)));
  ASSERT_EQ(ports.size(), 55'538u);
  EXPECT_EQ(ports[0], 10'000);
  EXPECT_EQ(ports[55'535], 65'535);
  EXPECT_EQ(ports[55'536], 10'000);
  EXPECT_EQ(ports[55'537], 10'001);
}

class HpccPfc : public FilesTest {
 protected:
  /// Two hosts and two switches in mixed order; tor1 is the first switch.
  HpccPfc() {
    record_.simulated = Time::picoseconds(9'000'000);
    record_.links = {link_of("tor0", 1, "h0", 0, 0, 0),   link_of("tor0", 1, "tor1", 1, 0, 0),
                     link_of("h0", 0, "tor0", 1, 0, 0),   link_of("h1", 0, "tor1", 1, 0, 0),
                     link_of("tor1", 1, "tor0", 1, 0, 0), link_of("tor1", 1, "h1", 0, 0, 0)};
    record_.switches = {switch_of("tor1", 1, 0, 0), switch_of("tor0", 1, 0, 0)};
    record_.switches[0].id = SwitchId(0);
    record_.switches[1].id = SwitchId(1);
    record_.timeline.intervals = 1;
  }
  void pause(std::uint32_t link, std::int64_t begin, std::int64_t end) {
    record_.timeline.pauses.push_back({link, Time::picoseconds(begin), Time::picoseconds(end)});
  }
  RunRecord record_;
};

TEST_F(HpccPfc, WritesEveryChangeInOrderOfTime) {
  pause(1, 1'000'999, 5'000'000);  // tor0 by tor1
  pause(3, 2'000'000, 3'000'000);  // h1 by tor1
  pause(3, 3'000'000, 3'000'000);  // again, immediately, and with zero duration
  pause(4, 4'000'000, 9'000'000);  // tor1 by tor0, until the end
  EXPECT_EQ(write_hpcc_pfc(record_, directory_ / "pfc.txt"), std::nullopt);
  EXPECT_EQ(read("pfc.txt"),
            "1000 3 1 2 1\n"
            "2000 1 0 1 1\n"
            "3000 1 0 1 0\n"
            "3000 1 0 1 1\n"
            "3000 1 0 1 0\n"
            "4000 2 1 1 1\n"
            "5000 3 1 2 0\n");
}

TEST_F(HpccPfc, IsEmptyWhereNobodyPaused) {
  EXPECT_EQ(write_hpcc_pfc(record_, directory_ / "pfc.txt"), std::nullopt);
  EXPECT_EQ(read("pfc.txt"), "");
}

TEST_F(HpccPfc, WritesNothingWhenItDoesNotKnowAll) {
  const std::filesystem::path path = directory_ / "pfc.txt";
  pause(1, 1'000, 5'000);
  record_.timeline.pauses_left_out = 3;
  EXPECT_EQ(write_hpcc_pfc(record_, path),
            path.string() + ": the run recorded only its first 1 pauses and omitted 3 more");
  record_.timeline = Timeline();
  EXPECT_EQ(write_hpcc_pfc(record_, path),
            path.string() + ": the run did not record its pauses (measure.timeline = true does)");
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace weir::hpcc_export_test
