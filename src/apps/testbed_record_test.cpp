// SPDX-License-Identifier: Apache-2.0
#include "apps/testbed_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/check_record.h"

namespace weir::apps::testbed_record_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

LinkRecord link(const std::string& from, const std::string& to, std::uint64_t frames, std::uint64_t pauses) {
  LinkRecord out;
  out.from = from;
  out.to = to;
  out.frames = frames;
  out.bytes = static_cast<std::int64_t>(100 * frames);
  out.pauses = pauses;
  out.paused = static_cast<std::int64_t>(pauses) * 1_ms;
  out.rate = BitRate(1'000'000);
  return out;
}

/// tor0 and tor1, joined by a link, with one host each. Their clocks are ahead of the traffic by 20 and 40 ms.
class Joined : public ::testing::Test {
 protected:
  Joined() {
    switches[0].lead = 20_ms;
    RunRecord& first = switches[0].record;
    first.switches.resize(1);
    first.switches[0].name = "tor0";
    first.switches[0].id = SwitchId(0);
    first.links = {link("tor0", "h0", 5, 0), link("h0", "tor0", 7, 3), link("tor0", "tor1", 7, 0),
                   link("tor1", "tor0", 4, 2)};
    first.series = {{"queued.h0 bytes", 10_ms, {1, 2, 3, 4, 5, 6, 7}},
                    {"queued.tor1 bytes", 10_ms, {1, 2}},
                    {"rocc.fair_rate.h0 bit/s", 20_ms, {9, 8, 7, 6}}};
    first.timeline.interval = 10_ms;
    first.timeline.intervals = 6;
    first.timeline.carried.assign(4u * 6u, 1);
    first.timeline.queued.assign(4u * 6u, 0);
    for (std::uint32_t i = 0; i < 6; ++i) first.timeline.queued[2u * 6u + i] = 10 + i;  // towards tor1
    first.timeline.pauses = {{1, Time() + 5_ms, Time() + 10_ms}, {1, Time() + 15_ms, Time() + 30_ms}};
    switches[1].lead = 40_ms;
    RunRecord& second = switches[1].record;
    second.switches.resize(1);
    second.switches[0].name = "tor1";
    second.switches[0].id = SwitchId(1);
    second.links = {link("tor1", "h1", 7, 0), link("h1", "tor1", 4, 0), link("tor1", "tor0", 5, 0),
                    link("tor0", "tor1", 6, 1)};
    second.timeline.interval = 20_ms;
    second.timeline.intervals = 4;
    second.timeline.carried.assign(4u * 4u, 3);
    second.timeline.queued.assign(4u * 4u, 1);
    second.timeline.pauses = {{3, Time() + 41_ms, Time() + 45_ms}};
    nics.lead = 30_ms;
    nics.record.simulated = Time() + 70_ms;
    nics.record.flows.resize(1);
    nics.record.flows[0].start = Time() + 35_ms;
    nics.record.flows[0].size = 1_KB;
    nics.record.data_frames = 11;
    nics.record.retransmitted_frames = 2;
    nics.record.links = {link("h0", "tor0", 8, 0), link("tor0", "h0", 5, 0)};
  }
  [[nodiscard]] RunRecord record(const std::optional<WatchedPort>& watched = std::nullopt) const {
    return joined(switches, nics, watched);
  }

  std::vector<ProcessRecord> switches{2};
  ProcessRecord nics;
};

TEST_F(Joined, HasEachLinkOnce) {
  const RunRecord record = this->record();
  ASSERT_EQ(record.links.size(), 6u);
  EXPECT_EQ(record.links[1].from, "h0");
  EXPECT_EQ(record.links[1].frames, 8u) << "one was lost on its way from the NIC";
  EXPECT_EQ(record.links[1].pauses, 3u);
  EXPECT_EQ(record.links[2].to, "tor1");
  EXPECT_EQ(record.links[2].frames, 7u);
  EXPECT_EQ(record.links[2].bytes, 700);
  EXPECT_EQ(record.links[2].pauses, 1u) << "decided by tor1";
  EXPECT_EQ(record.links[3].frames, 5u);
  EXPECT_EQ(record.links[3].pauses, 2u);
  EXPECT_EQ(record.links[3].paused, 2_ms);
  EXPECT_EQ(record.packet_hops, 5u + 8 + 7 + 5 + 7 + 4);
  EXPECT_EQ(record.switches.size(), 2u);
  EXPECT_EQ(record.data_frames, 11u);
  EXPECT_EQ(record.retransmitted_frames, 2u);
  EXPECT_EQ(wrong_in(record), "");
}

TEST_F(Joined, ParallelLinksRemainApart) {
  RunRecord& first = switches[0].record;
  first.links.push_back(link("tor0", "tor1", 2, 0));
  first.links.push_back(link("tor1", "tor0", 1, 0));
  first.timeline = Timeline();
  const RunRecord record = this->record();
  ASSERT_EQ(record.links.size(), 8u);
  EXPECT_EQ(record.links[2].frames, 7u);
  EXPECT_EQ(record.links[4].frames, 2u);
}

TEST_F(Joined, TimeBeginsWithTheTraffic) {
  const RunRecord record = this->record();
  EXPECT_EQ(record.simulated, Time() + 40_ms);
  EXPECT_EQ(record.flows[0].start, Time() + 5_ms);
  const Timeline& timeline = record.timeline;
  EXPECT_EQ(timeline.interval, 20_ms);
  ASSERT_EQ(timeline.intervals, 2u);
  const auto row = [&](const std::vector<std::uint32_t>& values, std::size_t link) {
    return std::vector<std::uint32_t>(values.begin() + static_cast<std::ptrdiff_t>(2 * link),
                                      values.begin() + static_cast<std::ptrdiff_t>(2 * link + 2));
  };
  // Two intervals of tor0 are skipped; the next four are joined in pairs. Of tor1, two are skipped.
  EXPECT_THAT(row(timeline.queued, 2), ElementsAre(13, 15));
  EXPECT_THAT(row(timeline.carried, 0), ElementsAre(2, 2));
  EXPECT_THAT(row(timeline.carried, 2), ElementsAre(3, 3)) << "both ends count the same bytes";
  ASSERT_EQ(timeline.pauses.size(), 2u);
  EXPECT_EQ(timeline.pauses[0].link, 1u);
  EXPECT_EQ(timeline.pauses[0].begin, Time());
  EXPECT_EQ(timeline.pauses[0].end, Time() + 10_ms);
  EXPECT_EQ(timeline.pauses[1].link, 2u);
  EXPECT_EQ(timeline.pauses[1].begin, Time() + 1_ms);
}

TEST_F(Joined, KeepsTheSeriesOfTheWatchedPort) {
  EXPECT_THAT(record().series, IsEmpty());
  const std::vector<Series> series = record(WatchedPort{"tor0", "h0"}).series;
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].name, "port.queued bytes");
  EXPECT_EQ(series[0].interval, 10_ms);
  EXPECT_THAT(series[0].values, ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(series[1].name, "rocc.fair_rate bit/s");
  EXPECT_THAT(series[1].values, ElementsAre(8, 7));
  EXPECT_THAT(record(WatchedPort{"tor1", "h0"}).series, IsEmpty());
}

}  // namespace
}  // namespace weir::apps::testbed_record_test
