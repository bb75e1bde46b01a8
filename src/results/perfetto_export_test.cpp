// SPDX-License-Identifier: Apache-2.0
#include "results/perfetto_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "results/test_files.h"
#include "results/test_records.h"

namespace weir::perfetto_export_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Two links in four intervals of 10 us; the second is parallel to the first, is paused and has a queue.
RunRecord recorded() {
  RunRecord record;
  record.links = {link_of("tor \"0\"", 1, "spine0", 2, 0, 0), link_of("tor \"0\"", 1, "spine0", 2, 5, 1),
                  link_of("spine0", 2, "tor \"0\"", 1, 0, 0)};
  record.simulated = Time::picoseconds(40'000'000);
  record.timeline.interval = Duration::picoseconds(10'000'000);
  record.timeline.intervals = 4;
  record.timeline.carried.assign(12, 0);
  record.timeline.queued = {0, 0, 0, 0, 0, 3'000, 3'000, 0, 0, 0, 0, 0};
  record.timeline.pauses = {{.link = 1, .begin = Time::picoseconds(12'345'678), .end = Time::picoseconds(17'345'679)}};
  return record;
}

class PerfettoExport : public FilesTest {
 protected:
  nlohmann::json events_of(const RunRecord& record) {
    EXPECT_EQ(write_perfetto(record, directory_ / "trace.json"), std::nullopt);
    return nlohmann::json::parse(read("trace.json")).at("traceEvents");
  }
};

TEST_F(PerfettoExport, HasASliceForAPause) {
  std::vector<nlohmann::json> slices;
  for (const auto& event : events_of(recorded())) {
    if (event.at("ph") == "X") slices.push_back(event);
  }
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].at("name"), "paused by spine0");
  EXPECT_EQ(slices[0].at("tid"), 2);
  EXPECT_DOUBLE_EQ(slices[0].at("ts"), 12.345678);
  EXPECT_DOUBLE_EQ(slices[0].at("dur"), 5.000001);
}

TEST_F(PerfettoExport, HasACounterWhereAQueueChanges) {
  std::vector<std::pair<double, int>> values;
  for (const auto& event : events_of(recorded())) {
    if (event.at("ph") != "C") continue;
    EXPECT_EQ(event.at("name"), "queued to spine0 #2");
    values.emplace_back(event.at("ts"), event.at("args").at("bytes"));
  }
  EXPECT_EQ(values, (std::vector<std::pair<double, int>>{{10.0, 3'000}, {30.0, 0}}));
}

TEST_F(PerfettoExport, NamesNodesAndLinksWithSomethingToShow) {
  std::vector<std::string> names;
  for (const auto& event : events_of(recorded())) {
    if (event.at("ph") == "M") names.push_back(event.at("args").at("name"));
  }
  EXPECT_THAT(names, UnorderedElementsAre("tor \"0\"", "to spine0 #2"));
}

TEST_F(PerfettoExport, OfAQuietRunIsEmpty) {
  RunRecord record = recorded();
  record.timeline.queued.assign(12, 0);
  record.timeline.pauses.clear();
  EXPECT_TRUE(events_of(record).empty());
}

TEST_F(PerfettoExport, NeedsATimeline) {
  RunRecord record = recorded();
  record.timeline = Timeline();
  const auto error = write_perfetto(record, directory_ / "trace.json");
  ASSERT_TRUE(error);
  EXPECT_THAT(*error, HasSubstr("trace.json: the run did not record its timeline (measure.timeline = true does)"));
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace weir::perfetto_export_test
