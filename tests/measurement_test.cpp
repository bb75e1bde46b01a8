// SPDX-License-Identifier: Apache-2.0
// Measurements of a run, computed by hand: bytes delivered, waiting times, buffers, queues and links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "sim/measurement.h"
#include "whole_network.h"

namespace weir::whole::measurement_test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
/// A packet of 1,000 bytes: 1,066 in a buffer, 1,086 on the wire, 86.88 ns at 100 Gbit/s.
constexpr std::int64_t kFrame = 1'066;
constexpr Duration kWire = Duration::picoseconds(86'880);

const Series* find_series(const RunRecord& record, const std::string& name) {
  for (const Series& series : record.series) {
    if (series.name == name) return &series;
  }
  return nullptr;
}

/// The bytes of a series of a rate. All its intervals are complete.
double bytes_of(const RunRecord& record, const std::string& name) {
  const Series* series = find_series(record, name);
  if (series == nullptr) return 0;
  return std::accumulate(series->values.begin(), series->values.end(), 0.0) * series->interval.seconds() / 8;
}

double delivered(const RunRecord& record, const char* flow_class) {
  return bytes_of(record, std::string("throughput.") + flow_class + " bit/s");
}

// ---- delivered bytes ----

class Delivered : public testing::TestWithParam<const char*> {};

/// However often packets are damaged, lost, reordered and retransmitted, each byte is delivered once.
TEST_P(Delivered, IsWhatFlowsCarryHoweverOftenItIsSent) {
  LinkSpec bad = kLink;
  bad.error_rate = 0.01;
  Settings settings = lossless_network(star(3, bad), 100_ms);
  settings.hosts.loss_recovery = choose(GetParam());
  settings.measurement.throughput = true;
  offer(settings, {flow(0, 2, 1'000'000_B), flow(1, 2, 500'000_B), flow(2, 0, 77_B)});
  const RunRecord record = Simulation(settings).run();
  for (const FlowRecord& each : record.flows) ASSERT_TRUE(each.completed());
  ASSERT_GT(record.retransmitted_frames, 10u);
  EXPECT_EQ(record.data_frames - record.retransmitted_frames, 1'000u + 500u + 1u);
  EXPECT_NEAR(delivered(record, "background"), 1'500'077, 0.5);
  EXPECT_EQ(delivered(record, "incast"), 0);
  EXPECT_EQ(delivered(record, "victim"), 0);
}

INSTANTIATE_TEST_SUITE_P(LossRecovery, Delivered, testing::Values("go_back_n", "irn", "perfect_retransmission"),
                         [](const auto& each) { return std::string(each.param); });

/// An overflowing queue lets some packets pass after missing ones: go-back-N discards them.
TEST(DeliveredBytes, AreNotThoseThatAReceiverThrowsAway) {
  Settings settings = lossless_network(star(3, kLink), 20_ms);
  settings.switches.lossless = {};
  settings.switches.buffer = 30_KB;
  settings.measurement.throughput = true;
  offer(settings, {flow(0, 2, 300_KB), flow(1, 2, 300_KB)});
  settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 300_us}, {"nack_interval", 50_us}});
  const RunRecord record = Simulation(settings).run();
  for (const FlowRecord& each : record.flows) ASSERT_TRUE(each.completed());
  ASSERT_GT(record.switches.front().drops[static_cast<std::size_t>(DropReason::egress_threshold)], 10u);
  EXPECT_NEAR(delivered(record, "background"), 600'000, 0.5);
}

/// Bytes count for the class of their flow at that time: those of the first 100 us of flow 1 are background.
TEST(DeliveredBytes, AreOfTheClassOfTheirFlow) {
  Settings settings = lossless_network(star(6, kLink), 400_us);
  settings.measurement.throughput = true;
  settings.measurement.sample_interval = 10_us;
  std::vector<FlowSpec> flows{flow(0, 1, kLongRunning)};
  flows.front().rate_limit = 10_Gbps;
  for (std::size_t source = 3; source < 6; ++source) {
    flows.push_back(flow(source, 2, 100_KB, at(100_us)));
    flows.back().incast = true;
  }
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_NEAR(delivered(record, "incast"), 300'000, 0.5);
  // 1,000 of 1,086 bytes at 10 Gbit/s: 921 Mbyte/s. The first arrives after 2 us.
  EXPECT_NEAR(delivered(record, "background"), 98e-6 * 1e10 / 8 * 1'000 / 1'086, 2'000);
  EXPECT_NEAR(delivered(record, "victim"), 300e-6 * 1e10 / 8 * 1'000 / 1'086, 2'000);
  const Series* background = find_series(record, "throughput.background bit/s");
  ASSERT_NE(background, nullptr);
  EXPECT_EQ(background->interval, 10_us);
  EXPECT_EQ(background->values.size(), 40u);
  EXPECT_THAT(std::vector<double>(background->values.begin() + 11, background->values.end()), Each(0.0));
}

/// Acknowledgements cross as many links as data does, and both are counted at each.
TEST(LinkBytes, AreSeriesByKind) {
  Settings settings = lossless_network(chain({kLink, kLink, kLink}), 100_us);
  settings.measurement.throughput = true;
  settings.measurement.sample_interval = 10_us;
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_NEAR(bytes_of(record, "links.data bit/s"), 3 * 10 * kFrame, 0.5);
  EXPECT_NEAR(bytes_of(record, "links.acknowledge bit/s"), 3 * 10 * Framing::rocev2().acknowledge(), 0.5);
  EXPECT_EQ(find_series(record, "links.PFC bit/s"), nullptr) << "of what there was none there is no series";
}

// ---- queues ----

/// Hosts 0 and 1 send ten packets each to host 2 from 0 on. Two arrive at the switch every 86.88 ns, first at 1,086.88
/// ns, and one departs.
Settings two_to_one() {
  Settings settings = lossless_network(star(3, kLink), 10_us);
  settings.measurement.sample_interval = 1_us;
  settings.measurement.occupancy = true;
  settings.measurement.active = true;
  settings.measurement.queueing = true;
  settings.measurement.throughput = true;
  settings.measurement.watched_port = std::pair(SwitchId(0), PortId(2));
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB)});
  return settings;
}

/// At 2 us all twenty have arrived, the last at 1,868.8 ns, and the eleventh has departed at 1,955.68 ns: nine wait.
/// Before and after, at 1 us and at 3 us, none does.
TEST(Occupancy, IsWhatWaitsAtASample) {
  const RunRecord record = Simulation(two_to_one()).run();
  const SwitchRecord& node = record.switches.front();
  EXPECT_EQ(node.name, "s0");
  EXPECT_EQ(node.tier, 1);
  EXPECT_EQ(node.occupancy.count(), 10u);
  EXPECT_EQ(node.occupancy.maximum(), 9 * kFrame);
  EXPECT_DOUBLE_EQ(node.occupancy.mean(), 0.9 * kFrame);
  EXPECT_EQ(node.buffer_maximum, 11 * kFrame) << "when the last two have come, at whose instant the tenth leaves";
  for (const char* name : {"buffer.total bytes", "port.queued bytes"}) {
    const Series* series = find_series(record, name);
    ASSERT_NE(series, nullptr) << name;
    EXPECT_THAT(series->values, ElementsAre(0, 9 * kFrame, 0, 0, 0, 0, 0, 0, 0, 0)) << name;
  }
}

/// The occupancy of a run is that of all its switches.
TEST(Occupancy, OfAllSwitchesIsTheirSum) {
  Topology topology;
  for (int i = 0; i < 2; ++i) {
    const NodeId middle = topology.add_switch("s" + std::to_string(i), 1, 0, 0);
    for (int j = 0; j < 3; ++j) {
      topology.connect(topology.add_host("h" + std::to_string(topology.hosts()), 0, 0), middle, kLink);
    }
  }
  topology.connect(topology.find("s0"), topology.find("s1"), kLink);
  Settings settings = two_to_one();
  settings.network.topology = topology;
  settings.measurement.watched_port.reset();
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB), flow(3, 5, 10_KB), flow(4, 5, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  const Series* total = find_series(record, "buffer.total bytes");
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(total->values.at(1), 18 * kFrame);
  for (const SwitchRecord& node : record.switches) EXPECT_EQ(node.occupancy.maximum(), 9 * kFrame) << node.name;
  EXPECT_EQ(find_series(record, "port.queued bytes"), nullptr) << "no port is watched";
}

/// One queue of three ports is active at one of ten samples, with two flows in it.
TEST(ActiveQueues, AreCountedAtEachPortAndSample) {
  const RunRecord record = Simulation(two_to_one()).run();
  EXPECT_EQ(record.active_queues.count(), 30u);
  EXPECT_EQ(record.active_queues.maximum(), 1);
  EXPECT_DOUBLE_EQ(record.active_queues.mean(), 1.0 / 30);
  EXPECT_EQ(record.active_flows.count(), 30u);
  EXPECT_EQ(record.active_flows.maximum(), 2);
  EXPECT_DOUBLE_EQ(record.active_flows.mean(), 2.0 / 30);
}

/// The k-th frame to depart, from 0, arrives with the (k / 2)-th pair and departs k wire times after the first.
TEST(Queueing, IsHowLongEachFrameWaits) {
  const RunRecord record = Simulation(two_to_one()).run();
  const Histogram& waits = record.queueing_by_tier[1];
  EXPECT_EQ(waits.count(), 20u) << "of data, not of acknowledgements";
  std::int64_t sum = 0;
  for (int k = 0; k < 20; ++k) sum += k - k / 2;
  EXPECT_NEAR(waits.mean() * 20, static_cast<double>(sum * kWire.picoseconds()), 1);
  EXPECT_EQ(waits.maximum(), 10 * kWire.picoseconds());
  for (const std::size_t tier : {0u, 2u, 3u, 7u}) EXPECT_EQ(record.queueing_by_tier[tier].count(), 0u);
}

TEST(Measurement, OfWhatIsSwitchedOffIsNotThere) {
  Settings settings = two_to_one();
  settings.measurement = {};
  settings.measurement.occupancy = false;
  settings.measurement.throughput = false;
  settings.measurement.queueing = false;
  settings.measurement.active = false;
  settings.measurement.timeline = false;
  const RunRecord record = Simulation(settings).run();
  EXPECT_TRUE(record.series.empty());
  EXPECT_EQ(record.switches.front().occupancy.count(), 0u);
  EXPECT_EQ(record.queueing_by_tier[1].count(), 0u);
  EXPECT_EQ(record.active_queues.count(), 0u);
  EXPECT_FALSE(record.timeline.recorded());
}

// ---- links ----

/// 100 Gbit/s to the switch, 10 Gbit/s from it: ten frames and ten acknowledgements cross each link.
TEST(Links, HaveBothDirectionsOfEach) {
  Settings settings = lossless_network(chain({kLink, {10_Gbps, 2_us, 0}}), 1_ms);
  settings.measurement.timeline = true;
  settings.measurement.sample_interval = 5_us;
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  ASSERT_EQ(record.links.size(), 4u);
  const std::int64_t acknowledgement = Framing::rocev2().acknowledge();
  for (std::size_t i = 0; i < record.links.size(); ++i) {
    const LinkRecord& link = record.links[i];
    const bool near = link.from == "h0" || link.to == "h0";
    const bool forth = link.from == "h0" || link.to == "h1";
    EXPECT_EQ(link.from, near ? forth ? "h0" : "s0" : forth ? "s0" : "h1");
    EXPECT_EQ(link.from_tier, link.from == "s0" ? 1 : 0);
    EXPECT_EQ(link.to_tier, link.to == "s0" ? 1 : 0);
    EXPECT_EQ(link.rate, near ? 100_Gbps : 10_Gbps);
    EXPECT_EQ(link.frames, 10u);
    EXPECT_EQ(link.bytes, 10 * (forth ? kFrame : acknowledgement));
    EXPECT_EQ(link.lost, 0u);
    EXPECT_EQ(link.pauses, 0u);
    EXPECT_EQ(link.paused, Duration());
    // All frames have arrived at the switch by 1.9 us. One departs every 868.8 ns from 1,086.88 ns on: five by 5 us.
    ASSERT_EQ(record.timeline.intervals, 200u);
    const std::size_t first = i * record.timeline.intervals;
    EXPECT_EQ(record.timeline.queued[first], link.from == "s0" && forth ? 5 * kFrame : 0);
    if (forth && near) {
      EXPECT_EQ(record.timeline.carried[first], 10 * kFrame);
    }
    std::int64_t carried = 0;
    for (std::size_t k = 0; k < record.timeline.intervals; ++k) carried += record.timeline.carried[first + k];
    EXPECT_EQ(carried, link.bytes);
  }
}

/// Events since the last sample belong to the timeline, too.
TEST(Links, HaveATimelineUntilTheEndOfTheRun) {
  Settings settings = lossless_network(chain({kLink, kLink}), 12_us);
  settings.measurement.timeline = true;
  settings.measurement.sample_interval = 5_us;
  offer(settings, {flow(0, 1, kLongRunning)});
  const RunRecord record = Simulation(settings).run();
  ASSERT_EQ(record.timeline.intervals, 3u);
  for (std::size_t i = 0; i < record.links.size(); ++i) {
    const auto* carried = record.timeline.carried.data() + i * 3;
    EXPECT_EQ(carried[0] + carried[1] + carried[2], record.links[i].bytes);
    EXPECT_GT(carried[2], 0u);
  }
}

/// Each decision to pause counts once at its switch and once at the link that it pauses.
TEST(Pauses, AreCountedAtTheSwitchAndAtTheLink) {
  Settings settings = lossless_network(star(4, kLink), 1_ms);
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 10'000_B}});
  settings.measurement.timeline = true;
  settings.measurement.sample_interval = 1_us;
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 1_MB), flow(2, 3, 1_MB)});
  const RunRecord record = Simulation(settings).run();
  const SwitchRecord& node = record.switches.front();
  EXPECT_GT(node.pauses_sent, 30u);
  EXPECT_EQ(node.occupancy_at_pause.count(), node.pauses_sent);
  // At least 19 frames of the paused link; at most as much of the two others, and 2 us more of each.
  EXPECT_GE(node.occupancy_at_pause.quantile(0), 19 * kFrame);
  EXPECT_LE(node.occupancy_at_pause.maximum(), node.buffer_maximum);
  EXPECT_LT(node.occupancy_at_pause.mean(), 0.95 * static_cast<double>(node.buffer_maximum)) << "it fills up further";
  std::uint64_t pauses = 0;
  Duration spans;
  for (const PauseSpan& span : record.timeline.pauses) spans += span.end - span.begin;
  Duration paused;
  for (const LinkRecord& link : record.links) {
    pauses += link.pauses;
    paused += link.paused;
    if (link.from == "s0") {
      EXPECT_EQ(link.pauses, 0u);
    }
  }
  EXPECT_EQ(pauses, node.pauses_sent);
  EXPECT_EQ(record.timeline.pauses.size(), pauses) << "all of them were obeyed";
  EXPECT_EQ(spans, paused);
  EXPECT_GT(paused, 100_us);
}

/// A host counts as paused whichever of its priorities is paused.
TEST(Pauses, HoldAHostInAnyPriority) {
  for (const Priority priority : {Priority{0}, Priority{4}, Priority{7}}) {
    Settings settings = lossless_network(star(3, kLink), 1_ms);
    settings.switches.lossless[priority] = true;
    settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}});
    std::vector<FlowSpec> flows{flow(0, 2, 1_MB), flow(1, 2, 1_MB)};
    for (FlowSpec& each : flows) each.priority = priority;
    offer(settings, flows);
    Duration paused;
    for (const LinkRecord& link : Simulation(settings).run().links) paused += link.paused;
    EXPECT_GT(paused, 10_us) << int{priority};
  }
}

// ---- forbidden events ----

/// A switch that has paused host 0 drops one of its frames, of this priority.
std::string failure_at_a_drop(Settings settings, Priority priority = 3) {
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 5'000_B}});
  Fabric fabric(settings);
  Measurement measurement(fabric, settings);
  Switch& node = fabric.switch_by(SwitchId(0));
  const auto frame_from_0 = [&] {
    const FrameId id = fabric.frames().allocate();
    Frame& frame = fabric.frames()[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = kFrame;
    frame.priority = 3;
    frame.destination = HostId(1);
    return id;
  };
  while (!node.ingress(PortId(0), 3).paused) node.receive(at(1_us), PortId(0), frame_from_0());
  Frame& dropped = fabric.frames()[frame_from_0()];
  dropped.ingress = PortId(0);
  dropped.ingress_priority = priority;
  measurement.on_drop(node, dropped, DropReason::egress_threshold);
  EXPECT_EQ(measurement.failure(), "") << "only for lack of buffer";
  measurement.on_drop(node, dropped, DropReason::buffer_full);
  return measurement.failure();
}

/// What a switch drops of frames of a lossless priority that it refuses by policy.
RunRecord with_refused_frame(bool expendable, DropReason reason) {
  const Settings settings = lossless_network(star(2, kLink), 1_ms);
  Fabric fabric(settings);
  Measurement measurement(fabric, settings);
  Frame& frame = fabric.frames()[fabric.frames().allocate()];
  frame.kind = FrameKind::host_control;
  frame.ingress = PortId(0);
  frame.ingress_priority = 3;
  if (expendable) frame.set_expendable();
  measurement.on_drop(fabric.switch_by(SwitchId(0)), frame, reason);
  RunRecord record;
  measurement.finish(at(1_us), record);
  return record;
}

TEST(DropsOnPurpose, AreNoLosses) {
  const auto drops = [](const RunRecord& record) { return record.switches.front().drops; };
  const RunRecord signal = with_refused_frame(true, DropReason::policy);
  EXPECT_EQ(drops(signal)[kDroppedOnPurpose], 1u);
  EXPECT_EQ(drops(signal)[static_cast<std::size_t>(DropReason::policy)], 0u);
  EXPECT_THAT(signal.findings, testing::IsEmpty());
  const RunRecord lost = with_refused_frame(false, DropReason::policy);
  EXPECT_EQ(drops(lost)[kDroppedOnPurpose], 0u);
  EXPECT_EQ(drops(lost)[static_cast<std::size_t>(DropReason::policy)], 1u);
  EXPECT_THAT(lost.findings, testing::SizeIs(1));
  const RunRecord damaged = with_refused_frame(true, DropReason::corrupt);
  EXPECT_EQ(drops(damaged)[static_cast<std::size_t>(DropReason::corrupt)], 1u) << "not what the scheme does";
}

TEST(LosslessDrops, AreAFailureWhereHeadroomIsComputedAndLinksAreSound) {
  const Settings settings = lossless_network(star(2, kLink), 1_ms);
  EXPECT_EQ(failure_at_a_drop(settings),
            "switch s0 dropped a frame of lossless priority 3 from port 0 although it had paused it and its headroom "
            "is computed");
  EXPECT_EQ(failure_at_a_drop(settings, 1), "") << "not of a lossy one";
  Settings stated = settings;
  stated.switches.headroom.kind = HeadroomRule::Kind::bytes;
  stated.switches.headroom.bytes = 100_KB;
  EXPECT_EQ(failure_at_a_drop(stated), "") << "headroom may be stated too small";
  Settings failing = settings;
  failing.network.failures = {{LinkId(0), at(1_ms), Time::never()}};
  EXPECT_EQ(failure_at_a_drop(failing), "") << "frames of a link that failed may come late";
  LinkSpec bad = kLink;
  bad.error_rate = 1e-6;
  EXPECT_EQ(failure_at_a_drop(lossless_network(star(2, bad), 1_ms)), "") << "a PAUSE may be lost";
}

TEST(Frames, ThatARunHasTooFewOfAreAFailure) {
  Settings settings = two_to_one();
  settings.run.frame_capacity = 16;
  EXPECT_THAT(Simulation(settings).run().failure, testing::HasSubstr("run.frame_capacity = 16 is too small"));
}

}  // namespace
}  // namespace weir::whole::measurement_test
