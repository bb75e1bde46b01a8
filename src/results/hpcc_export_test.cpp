#include "results/hpcc_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/test_files.h"
#include "results/test_records.h"

namespace weir {
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
  record.flows[0].destination = HostId(2);
  record.flows.resize(55'537, record.flows[0]);
  EXPECT_EQ(write_hpcc_fct(record, path), path.string() + ": hosts 1 and 2 have more flows than source ports");
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace weir
