// SPDX-License-Identifier: Apache-2.0
#include "traffic/incast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "traffic/built_in_sizes.h"
#include "traffic/load.h"
#include "traffic/source_testing.h"

namespace weir::incast_test {
namespace {

using namespace literals;

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Racks kRacks = Racks::of_equal_size(10, 16);

/// Floodgate's and Pyrrha's: 720 flows of 30..40 packets, sources outside the destination's rack, rotating over racks.
IncastSettings incast_mix() {
  IncastSettings settings;
  settings.flows.label = FlowLabel::incast;
  settings.sources = HostSet::range(0, 160);
  settings.degree = 720;
  settings.with_replacement = true;
  settings.destinations = kRacks.first_hosts();
  settings.scope = PairScope::inter_rack;
  settings.racks = kRacks;
  settings.size = FlowSize::multiples(30, 40, Bytes(1460));
  settings.mean_interval_picoseconds = mean_interval(720 * settings.size.mean(), BitRate(50'000'000'000));
  settings.jitter = Duration::picoseconds(100'000);
  return settings;
}

/// BFC's: 100 sources, 20 MB in total, every 500 us to a random destination.
IncastSettings bfc() {
  IncastSettings settings;
  settings.sources = HostSet::range(0, 128);
  settings.degree = 100;
  settings.destinations = HostSet::range(0, 128).hosts();
  settings.destination_choice = DestinationChoice::random_by_event;
  settings.size = FlowSize::fixed(Bytes(200'000));
  settings.mean_interval_picoseconds = 500e6;
  return settings;
}

TEST(Incast, IsOneWhateverItsLabel) {
  IncastSettings settings = incast_mix();
  settings.flows.label = static_cast<FlowLabel>(9);
  const FlowSpec flow = IncastSource(settings, 1).take();
  EXPECT_EQ(flow.label, static_cast<FlowLabel>(9));
  EXPECT_TRUE(flow.incast);
}

TEST(Incast, RotatesOverTheRacks) {
  IncastSource source(incast_mix(), 1);
  const auto flows = take(source, 720 * 23);
  ASSERT_EQ(flows.size(), 720u * 23u);
  EXPECT_TRUE(in_order(flows));
  double bytes = 0.0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::size_t event = i / 720;
    EXPECT_EQ(flows[i].destination, HostId(event % 10 * 16));
    EXPECT_FALSE(kRacks.same(flows[i].source, flows[i].destination));
    const double offset = static_cast<double>(flows[i].start.picoseconds()) -
                          static_cast<double>(event) * incast_mix().mean_interval_picoseconds;
    EXPECT_GE(offset, -1.0);
    EXPECT_LE(offset, 100'000.0);
    EXPECT_TRUE(flows[i].synchronous);
    EXPECT_EQ(flows[i].label, FlowLabel::incast);
    EXPECT_TRUE(flows[i].incast);
    bytes += static_cast<double>(flows[i].size.count());
  }
  EXPECT_NEAR(bytes / static_cast<double>(flows.size()), 35 * 1460.0, 0.01 * 35 * 1460);
}

TEST(Incast, DistinctSourcesAreDistinct) {
  IncastSource source(bfc(), 1);
  std::map<HostId, int> destinations;
  for (int event = 0; event < 400; ++event) {
    const auto flows = take(source, 100);
    std::set<HostId> sources;
    for (const FlowSpec& flow : flows) {
      EXPECT_EQ(flow.start, Time::picoseconds(event * 500'000'000ll));
      EXPECT_EQ(flow.destination, flows.front().destination);
      EXPECT_NE(flow.source, flow.destination);
      sources.insert(flow.source);
    }
    EXPECT_EQ(sources.size(), 100u);
    ++destinations[flows.front().destination];
  }
  EXPECT_GT(destinations.size(), 115u);  // of 128; 400 draws omit 5.6 on average
}

TEST(Incast, ADegreeBeyondTheHostsNeedsReplacement) {
  IncastSettings settings = bfc();
  settings.degree = 2000;
  EXPECT_EQ(problems(settings).size(), 128u);
  EXPECT_EQ(problems(settings).front(), "2000 distinct sources are required, but only 127 may send to host 0");
  settings.with_replacement = true;
  EXPECT_THAT(problems(settings), IsEmpty());
  IncastSource source(settings, 1);
  const auto flows = take(source, 2000);
  std::set<HostId> sources;
  for (const FlowSpec& flow : flows) sources.insert(flow.source);
  EXPECT_EQ(sources.size(), 127u);
  EXPECT_EQ(flows.front().start, flows.back().start);
}

TEST(Incast, SuccessiveEventsAtOnce) {
  // floodgate fig. 15: each host sends to one destination and then to another.
  IncastSettings settings = bfc();
  settings.degree = 127;
  settings.destination_choice = DestinationChoice::rotating;
  settings.mean_interval_picoseconds = 0.0;
  settings.event_limit = 12;
  EXPECT_THAT(problems(settings), IsEmpty());
  IncastSource source(settings, 1);
  const auto flows = take(source, 1'000'000);
  ASSERT_EQ(flows.size(), 12u * 127u);
  for (std::size_t i = 0; i < flows.size(); ++i) EXPECT_EQ(flows[i].destination, HostId(i / 127));
  EXPECT_EQ(flows.back().start, Time());
}

TEST(Incast, JitterMayOverlapEvents) {
  IncastSettings settings = bfc();
  settings.jitter = Duration::picoseconds(2'000'000'000);  // four intervals
  settings.event_limit = 50;
  IncastSource source(settings, 1);
  const auto flows = take(source, 1'000'000);
  EXPECT_EQ(flows.size(), 5000u);
  EXPECT_TRUE(in_order(flows));
  // In some places flows of different events alternate.
  std::size_t changes = 0;
  for (std::size_t i = 1; i < flows.size(); ++i) changes += flows[i].destination != flows[i - 1].destination ? 1 : 0;
  EXPECT_GT(changes, 1000u);
}

TEST(Incast, SynchronousGenerators) {
  // spfc VII.C: H1-H29 start web search flows at the same exponential instants, with a total load of 0.2 of a 100 G
  // link.
  IncastSettings settings;
  settings.sources = HostSet::range(1, 29);
  settings.degree = 29;
  settings.destinations = {HostId(31)};
  settings.size = FlowSize::of(built_in_size_table("websearch"));
  settings.events = {ArrivalShape::Kind::exponential};
  settings.mean_interval_picoseconds = mean_interval(29 * settings.size.mean(), BitRate(20'000'000'000));
  settings.one_size_an_event = true;
  EXPECT_THAT(problems(settings), IsEmpty());
  IncastSource source(settings, 1);
  const auto flows = take(source, 29 * 20'000);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowSpec& first = flows[i - i % 29];
    EXPECT_EQ(flows[i].start, first.start);
    EXPECT_EQ(flows[i].size, first.size);
  }
  EXPECT_GT(flows.front().start, Time());
  EXPECT_NEAR(realised(flows), 20e9, 0.06 * 20e9);
  EXPECT_NEAR(total(offered(source)), 20e9, 1.0);
  EXPECT_EQ(offered(source).size(), 29u);
}

TEST(Incast, DestinationsOfEachFlowItsOwn) {
  IncastSettings settings = bfc();
  settings.destination_choice = DestinationChoice::random_by_flow;
  settings.destinations = {HostId(0), HostId(1), HostId(2), HostId(3)};
  settings.degree = 128;
  settings.scope = PairScope::inter_rack;
  settings.racks = Racks::of_equal_size(64, 2);
  EXPECT_THAT(problems(settings), IsEmpty());
  IncastSource source(settings, 1);
  std::map<HostId, int> received;
  for (const FlowSpec& flow : take(source, 128 * 100)) {
    EXPECT_FALSE(settings.racks.same(flow.source, flow.destination));
    ++received[flow.destination];
  }
  ASSERT_EQ(received.size(), 4u);
  for (const auto& [host, count] : received) EXPECT_NEAR(count, 3200, 300) << host.index();
  EXPECT_NEAR(total(offered(source)), 128 * 200'000 * 8 / 500e-6, 1e3);
}

TEST(Incast, OfferedIsWhatIsRealised) {
  for (const IncastSettings& settings : {incast_mix(), bfc()}) {
    IncastSource source(settings, 1);
    const double said = total(offered(source));
    const std::size_t events = 200;
    const auto flows = take(source, settings.degree * events + 1);
    double bytes = 0.0;
    for (std::size_t i = 0; i + 1 < flows.size(); ++i) bytes += static_cast<double>(flows[i].size.count());
    EXPECT_NEAR(bytes * 8.0 / flows.back().start.seconds(), said, 0.01 * said);
  }
  // One tenth to the first host of each of ten racks.
  IncastSource source(incast_mix(), 1);
  std::map<HostId, double> received;
  for (const auto& [pair, rate] : offered(source)) received[pair.destination] += rate;
  ASSERT_EQ(received.size(), 10u);
  for (const auto& [host, rate] : received) EXPECT_NEAR(rate, 5e9, 1e3) << host.index();
}

TEST(Incast, ASingleEventOffersNoRate) {
  IncastSettings settings = incast_mix();
  settings.event_limit = 1;
  IncastSource source(settings, 1);
  EXPECT_THAT(offered(source), IsEmpty());
  EXPECT_EQ(take(source, 10'000).size(), 720u);
}

TEST(Incast, LimitsHold) {
  IncastSettings settings = bfc();
  settings.flows.start = Time::picoseconds(1'000'000);
  settings.flows.stop = Time::picoseconds(1'001'000'000);  // the event at this time no longer occurs
  IncastSource source(settings, 1);
  const auto flows = take(source, 10'000);
  EXPECT_EQ(flows.size(), 200u);
  EXPECT_EQ(flows.front().start, settings.flows.start);
  settings.flows.flow_limit = 130;
  IncastSource limited(settings, 1);
  EXPECT_EQ(take(limited, 10'000).size(), 130u);
  settings.event_limit = 0;
  IncastSource none(settings, 1);
  EXPECT_EQ(none.next_start(), Time::never());
}

TEST(Incast, StartsNothingWhenSendersHaveStopped) {
  IncastSettings settings = bfc();
  settings.jitter = 100_us;
  settings.flows.end_flows = Time() + 50_us;
  IncastSource source(settings, 1);
  const auto flows = take(source, 10'000);
  EXPECT_GT(flows.size(), 10u);
  EXPECT_LT(flows.size(), 90u);  // half of those of the single event
  for (const FlowSpec& flow : flows) EXPECT_LT(flow.start, settings.flows.end_flows);
}

TEST(Incast, IsDeterministic) {
  IncastSource mix_source(incast_mix(), 1);
  IncastSource bfc_source(bfc(), 1);
  IncastSource other(bfc(), 2);
  EXPECT_EQ(digest(take(mix_source, 1000)), std::uint64_t{0xeba57139ec25815b});
  const std::uint64_t expected = digest(take(bfc_source, 1000));
  EXPECT_EQ(expected, std::uint64_t{0x3d57221e83e382c3});
  EXPECT_NE(digest(take(other, 1000)), expected);
}

TEST(Incast, ProblemsAreFound) {
  EXPECT_THAT(
      problems(IncastSettings()),
      ElementsAre("the degree is 0, expected at least one flow per event", "no destination, expected at least one",
                  "endless events without an interval, expected an interval or a limit of events"));
  IncastSettings settings = bfc();
  settings.sources = HostSet::range(5, 1);
  settings.degree = 1;
  settings.destinations = {HostId(5)};
  EXPECT_THAT(problems(settings), ElementsAre("no source may send to host 5"));
  settings.destination_choice = DestinationChoice::random_by_flow;
  EXPECT_THAT(problems(settings), ElementsAre("host 5 may send to no destination"));
}

}  // namespace
}  // namespace weir::incast_test
