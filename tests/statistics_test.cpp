// SPDX-License-Identifier: Apache-2.0
// Optional rows of a run: frames by kind at egresses, bytes at each hop, counts of policies. Computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "credit_scheme.h"
#include "sim/hop_statistics.h"
#include "whole_network.h"

namespace weir::whole::statistics_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
/// A packet of 1,000 bytes: 1,066 in a buffer, 1,086 on the wire, 86.88 ns at 100 Gbit/s.
constexpr std::int64_t kFrame = 1'066;
constexpr std::int64_t kWire = 86'880;  // ps

// ---- frames by kind ----

const EgressKindRecord* sent(const RunRecord& record, const std::string& from, const std::string& to,
                             const std::string& kind) {
  for (const EgressKindRecord& row : record.statistics.egress_kinds) {
    if (row.from == from && row.to == to && row.kind == kind) return &row;
  }
  return nullptr;
}

TEST(EgressKinds, AreWhatEachPortSent) {
  Settings settings = lossless_network(star(2, kLink), 100_us);
  settings.measurement.egress_kinds = true;
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.statistics.egress_kinds, SizeIs(4));
  for (const auto& [from, to] : {std::pair("h0", "s0"), {"s0", "h1"}}) {
    const EgressKindRecord* row = sent(record, from, to, "data");
    ASSERT_NE(row, nullptr) << from;
    EXPECT_EQ(row->frames, 10);
    EXPECT_EQ(row->bytes, 10 * kFrame);
  }
  for (const auto& [from, to] : {std::pair("h1", "s0"), {"s0", "h0"}}) {
    const EgressKindRecord* row = sent(record, from, to, "ack");
    ASSERT_NE(row, nullptr) << from;
    EXPECT_EQ(row->frames, 10);
    EXPECT_EQ(row->bytes, 10 * Framing::rocev2().acknowledge());
    EXPECT_EQ(row->from_tier, std::string(from) == "h1" ? 0 : 1);
    EXPECT_EQ(row->to_tier, std::string(from) == "h1" ? 1 : 0);
  }
}

/// Frames lost by a failing link count as sent.
TEST(EgressKinds, CountWhatWasLostOnTheWay) {
  Settings settings = lossless_network(star(2, kLink), 20_us);
  settings.measurement.egress_kinds = true;
  settings.network.failures = {{LinkId(0), at(500_ns), Time::never()}};
  offer(settings, {flow(0, 1, kLongRunning)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(sent(record, "h0", "s0", "data")->frames, 6) << "the sixth begins at 434.4 ns";
  EXPECT_EQ(sent(record, "s0", "h1", "data"), nullptr);
}

TEST(EgressKinds, AreNoneIfNobodyAsks) {
  Settings settings = lossless_network(star(2, kLink), 100_us);
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.statistics.egress_kinds, IsEmpty());
  EXPECT_THAT(record.statistics.hops, IsEmpty());
  EXPECT_THAT(record.statistics.policies, IsEmpty());
}

// ---- hops ----

const HopRecord* hop(const RunRecord& record, const std::string& flow_class, int hop, const std::string& direction,
                     int tier = 1) {
  for (const HopRecord& row : record.statistics.hops) {
    if (row.flow_class == flow_class && row.hop == hop && row.direction == direction && row.tier == tier) return &row;
  }
  return nullptr;
}

/// Hosts 0 and 1 send ten packets each to host 2 from 0 on. Two arrive at the switch every 86.88 ns, first at 1,086.88
/// ns, and one departs. Of pair k one waits k, the other k + 1 times 86.88 ns: 100 times in all.
TEST(Hops, AreComputedByHand) {
  Settings settings = lossless_network(star(3, kLink), 10_us);
  settings.measurement.hops = true;
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  for (const char* flow_class : {"background", "not incast", "all"}) {
    for (const int number : {0, 1}) {
      const HopRecord* row = hop(record, flow_class, number, "down");
      ASSERT_NE(row, nullptr) << flow_class << number;
      EXPECT_EQ(row->port_most, 11 * kFrame);
      EXPECT_EQ(row->switch_most, 11 * kFrame);
      EXPECT_EQ(row->delay.count(), 20u);
      EXPECT_EQ(row->delay.maximum(), 10 * kWire);
      EXPECT_DOUBLE_EQ(row->delay.mean(), 5 * kWire);
      EXPECT_DOUBLE_EQ(row->mean, 100.0 * kWire * kFrame / 10e6);
    }
  }
  EXPECT_EQ(hop(record, "incast", 0, "down"), nullptr);
  EXPECT_EQ(hop(record, "all", 2, "down"), nullptr);
  EXPECT_EQ(hop(record, "all", 1, "up"), nullptr);
  // Acknowledgements pass at once: each is there for no time.
  const HopRecord* control = hop(record, "control", 1, "down");
  ASSERT_NE(control, nullptr);
  EXPECT_EQ(control->port_most, Framing::rocev2().acknowledge());
  EXPECT_EQ(control->delay.count(), 20u);
  EXPECT_EQ(control->delay.maximum(), 0);
  EXPECT_EQ(control->mean, 0);
  EXPECT_EQ(hop(record, "everything", 0, "down")->delay.count(), 40u);
}

/// Frames still there at the end count until then, and have no delay yet.
TEST(Hops, CountUntilTheEnd) {
  Settings settings = lossless_network(star(3, kLink), Duration::picoseconds(1'086'880 + 3 * kWire));
  settings.measurement.hops = true;
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  const HopRecord* row = hop(record, "all", 1, "down");
  ASSERT_NE(row, nullptr);
  // Four pairs have arrived; the fourth frame departs as the fourth pair arrives. Frames depart after 0, 1, 1, 2 times;
  // pairs 2 and 3 have been there for 1 and 0 times; of pair 2 none has departed.
  EXPECT_EQ(row->delay.count(), 4u);
  EXPECT_DOUBLE_EQ(row->mean * static_cast<double>(record.simulated.picoseconds()),
                   static_cast<double>(kFrame) * kWire * (0 + 1 + 1 + 2 + 1 + 1));
}

/// Racks below a spine: hosts 0 and 1 send to host 2 at another switch.
Settings three_hops() {
  Topology topology;
  const NodeId tors[] = {topology.add_switch("tor0", 1, 0, 0), topology.add_switch("tor1", 1, 0, 1)};
  const NodeId spine = topology.add_switch("spine", 2, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, static_cast<int>(i / 2)), tors[i / 2], kLink);
  }
  for (const NodeId tor : tors) topology.connect(tor, spine, kLink);
  Settings settings = lossless_network(std::move(topology), 20_us);
  settings.measurement.hops = true;
  offer(settings, {flow(0, 2, 10_KB), flow(1, 3, 10_KB)});
  return settings;
}

TEST(Hops, AreNumberedOnTheWay) {
  const RunRecord record = Simulation(three_hops()).run();
  struct {
    int hop;
    int tier;
    const char* direction;
    Duration longest;
  } const ways[] = {
      {1, 1, "up", Duration::picoseconds(10 * kWire)}, {2, 2, "down", Duration()}, {3, 1, "down", Duration()}};
  for (const auto& way : ways) {
    const HopRecord* row = hop(record, "all", way.hop, way.direction, way.tier);
    ASSERT_NE(row, nullptr) << way.hop;
    EXPECT_EQ(row->delay.count(), 20u) << way.hop;
    EXPECT_EQ(row->delay.maximum(), way.longest.picoseconds()) << way.hop;
    EXPECT_EQ(row->port_most, (way.hop == 1 ? 11 : 1) * kFrame) << way.hop;
    const HopRecord* acks = hop(record, "control", way.hop, way.direction, way.tier);
    ASSERT_NE(acks, nullptr) << way.hop;
    EXPECT_EQ(acks->delay.count(), 20u);
  }
  EXPECT_EQ(hop(record, "all", 1, "down"), nullptr);
  EXPECT_EQ(hop(record, "all", 4, "down"), nullptr);
}

/// Two ports that lead down have their own maxima; the switch counts both together.
TEST(Hops, TellPortsFromTheSwitch) {
  Settings settings = lossless_network(star(6, kLink), 20_us);
  settings.measurement.hops = true;
  offer(settings, {flow(0, 4, 10_KB), flow(1, 4, 10_KB), flow(2, 5, 10_KB), flow(3, 5, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  const HopRecord* row = hop(record, "all", 1, "down");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->port_most, 11 * kFrame);
  EXPECT_GE(row->switch_most, 21 * kFrame);
  EXPECT_LE(row->switch_most, 22 * kFrame);
}

TEST(Hops, TellClassesApart) {
  Settings settings = lossless_network(star(6, kLink), 100_us);
  settings.measurement.hops = true;
  std::vector<FlowSpec> flows{flow(0, 5, 10_KB), flow(1, 2, 10_KB, at(50_us))};
  for (std::size_t source = 3; source < 5; ++source) {
    flows.push_back(flow(source, 2, 20_KB, at(40_us)));
    flows.back().incast = true;
  }
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(hop(record, "incast", 1, "down")->delay.count(), 40u);
  EXPECT_EQ(hop(record, "victim", 1, "down"), nullptr) << "the incast is over by then";
  EXPECT_EQ(hop(record, "background", 1, "down")->delay.count(), 20u);
  EXPECT_EQ(hop(record, "not incast", 1, "down")->delay.count(), 20u);
  EXPECT_EQ(hop(record, "all", 1, "down")->delay.count(), 60u);
  EXPECT_EQ(hop(record, "incast", 1, "down")->port_most, 21 * kFrame);
}

/// A window of one frame, so that almost all frames wait in the queue of the whole switch for the port up, where they
/// count.
TEST(Hops, HaveWhatWaitsInQueuesOfTheWholeSwitchAtItsEgress) {
  Settings settings = three_hops();
  settings.switches.flow_control = {choose_credit(1)};
  settings.measurement.timeline = true;
  settings.measurement.watched_port = std::pair(SwitchId(0), PortId(2));
  settings.measurement.sample_interval = 100_ns;
  offer(settings, {flow(0, 2, 10_KB)});
  settings.run.stop = at(100_us);
  const RunRecord record = Simulation(settings).run();
  ASSERT_EQ(record.failure, "");
  const HopRecord* row = hop(record, "all", 1, "up");
  ASSERT_NE(row, nullptr);
  // The first departs at once; its credit returns after more than two links, when all others have arrived.
  EXPECT_EQ(row->port_most, 9 * kFrame);
  EXPECT_EQ(row->delay.count(), 10u);
  const auto watched = std::find_if(record.series.begin(), record.series.end(),
                                    [](const Series& series) { return series.name == "port.queued bytes"; });
  ASSERT_NE(watched, record.series.end());
  EXPECT_EQ(*std::max_element(watched->values.begin(), watched->values.end()), 9 * kFrame);
  const auto& queued = record.timeline.queued;
  EXPECT_EQ(*std::max_element(queued.begin(), queued.end()), 9 * kFrame);
}

/// Frames lost with a link are no longer counted as queued.
TEST(Hops, ForgetWhatIsDropped) {
  Settings settings = lossless_network(star(3, kLink), 100_us);
  settings.measurement.hops = true;
  settings.network.failures = {{LinkId(2), at(2_us), Time::never()}};
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  ASSERT_GT(record.switches.front().drops[static_cast<std::size_t>(DropReason::link_down)], 5u);
  const HopRecord* row = hop(record, "all", 1, "down");
  ASSERT_NE(row, nullptr);
  EXPECT_LT(row->mean, 0.03 * 9 * kFrame) << "2 us of 100 at most";
}

/// Frames lost while the link was down do not count in addition to their retransmissions.
TEST(Hops, CountWhatIsSentAgainAnew) {
  Settings settings = lossless_network(star(3, kLink), 1_ms);
  settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 50_us}});
  settings.measurement.hops = true;
  settings.network.failures = {{LinkId(2), at(2_us), at(5_us)}};
  settings.network.failure_detection = 1_us;
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  for (const FlowRecord& each : record.flows) ASSERT_TRUE(each.completed());
  ASSERT_GT(record.switches.front().drops[static_cast<std::size_t>(DropReason::link_down)], 5u);
  EXPECT_EQ(hop(record, "all", 1, "down")->port_most, 11 * kFrame);
}

/// The second switch notifies the sender of each data frame that departs there.
class Telling final : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    if (frame.kind != FrameKind::data || !context.port(frame.egress).peer.is_host()) return;
    const FrameId id = context.frames().allocate();
    Frame& told = context.frames()[id];
    told.kind = FrameKind::host_control;
    told.frame_bytes = 100;
    told.source = frame.destination;
    told.destination = frame.source;
    context.send_to_host(id);
  }
};

const Scheme kTelling = {
    .name = "telling",
    .summary = "tells senders",
    .traits = {},
    .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<Telling>();
    },
};

/// The first hop of a frame that a switch makes is that switch.
TEST(Hops, OfFramesThatASwitchMakesBeginThere) {
  Settings settings = lossless_network(chain({kLink, kLink, kLink}), 100_us);
  settings.measurement.hops = true;
  settings.switches.congestion_point = {{&kTelling, Parameters(kTelling.parameters)}};
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(hop(record, "control", 1, "across")->delay.count(), 20u) << "ten of them acknowledgements";
  EXPECT_EQ(hop(record, "control", 2, "down")->delay.count(), 20u);
  EXPECT_EQ(hop(record, "control", 3, "down"), nullptr);
}

/// A frame in the reserve for control frames has no ingress: it counts at its next hop, and at its first one after a
/// path that has ended.
TEST(Hops, GoOnInTheReserve) {
  const Settings settings = lossless_network(star(2, kLink), 1_ms);
  Fabric fabric(settings);
  HopStatistics hops(fabric, [](HostId, QueuePairId) { return FlowClass::background; });
  const Switch& node = fabric.switch_by(SwitchId(0));
  Frame& frame = fabric.frames()[fabric.frames().allocate()];
  frame.kind = FrameKind::ack;
  frame.charged_bytes = 64;
  frame.ingress = PortId(0);
  frame.egress = PortId(1);
  hops.on_admit(node, frame);
  hops.on_depart(node, frame);
  frame.ingress = PortId::none();
  for (int i = 0; i < 2; ++i) {
    hops.on_admit(node, frame);
    hops.on_depart(node, frame);
  }
  const std::vector<HopRecord> rows = hops.finish(at(1_us));
  for (const HopRecord& row : rows) {
    EXPECT_LE(row.hop, 1);
    EXPECT_EQ(row.delay.count(), 3u);
  }
  EXPECT_THAT(rows, SizeIs(4)) << "control and everything, at any hop and at the first";
}

// ---- policies ----

/// Counts departures of the switch and of each port; its gauges are the queued frames, by port and by parity of the
/// frame's size.
class Counting final : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = true;
    hooks.depart = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    ports_.resize(context.ports());
    groups_.resize(2 * context.ports());
  }
  void on_enter(SwitchContext&, QueueId, Frame& frame) override {
    ports_[frame.egress.index()].add(1);
    groups_[2 * frame.egress.index() + frame.frame_bytes % 2].add(frame.frame_bytes);
  }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override {
    ++departed_;
    ports_[frame.egress.index()].add(-1);
    groups_[2 * frame.egress.index() + frame.frame_bytes % 2].add(-frame.frame_bytes);
  }
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kSpecs; }
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override {
    if (which == 0) return Statistic::of_counter(departed_);
    return which == 1 ? ports_[port.index()].statistic() : groups_[2 * port.index() + group].statistic();
  }

 private:
  static constexpr StatisticSpec kSpecs[] = {{.name = "counting.departed", .unit = "frames"},
                                             {.name = "counting.queued",
                                              .unit = "frames",
                                              .kind = StatisticSpec::Kind::gauge,
                                              .scope = StatisticSpec::Scope::port},
                                             {.name = "counting.bytes",
                                              .unit = "bytes",
                                              .kind = StatisticSpec::Kind::gauge,
                                              .scope = StatisticSpec::Scope::queue_group,
                                              .groups = 2}};
  std::uint64_t departed_ = 0;
  std::vector<Gauge> ports_;
  std::vector<Gauge> groups_;
};

/// For a NIC: queue pairs that were opened.
class CountingNic final : public NicFlowControl {
 public:
  GateId gate_of(NicContext&, SendState&) override {
    ++opened_;
    return GateId::none();
  }
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kSpecs; }
  [[nodiscard]] Statistic statistic(std::size_t, std::size_t) const override { return Statistic::of_counter(opened_); }

 private:
  static constexpr StatisticSpec kSpecs[] = {{.name = "counting.opened", .unit = ""}};
  std::uint64_t opened_ = 0;
};

const Scheme kCounting = {
    .name = "counting",
    .summary = "counts",
    .traits = {},
    .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<Counting>();
    },
};
class NoFlowControl final : public FlowControl {};
const Scheme kCountingNic = {
    .name = "counting_nic",
    .summary = "counts",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<NoFlowControl>(); },
    .nic_flow_control = [](const Parameters&) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<CountingNic>();
    },
};

const PolicyRecord* counted(const RunRecord& record, const std::string& name, const std::string& node,
                            std::int64_t port = PolicyRecord::kNone, std::int64_t group = PolicyRecord::kNone) {
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name == name && row.node == node && row.port == port && row.group == group) return &row;
  }
  return nullptr;
}

/// The maximum of frames waiting at the port of host 2 is never sampled: the run is shorter than the sample interval.
TEST(Policies, HaveFinalValuesAndExactMaxima) {
  Settings settings = lossless_network(star(4, kLink), 10_us);
  settings.measurement.policies = true;
  settings.switches.congestion_point = {{&kCounting, Parameters(kCounting.parameters)}};
  settings.switches.flow_control.push_back({&kCountingNic, Parameters(kCountingNic.parameters)});
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, 10_KB), flow(2, 0, 1_KB)});
  const RunRecord record = Simulation(settings).run();
  const PolicyRecord* departed = counted(record, "counting.departed", "s0");
  ASSERT_NE(departed, nullptr);
  EXPECT_EQ(departed->value, 42) << "of data and acknowledgements";
  EXPECT_EQ(departed->maximum, 42);
  EXPECT_EQ(departed->kind, "counter");
  EXPECT_EQ(departed->unit, "frames");
  EXPECT_EQ(departed->tier, 1);
  const PolicyRecord* queued = counted(record, "counting.queued", "s0", 2);
  ASSERT_NE(queued, nullptr);
  EXPECT_EQ(queued->value, 0);
  EXPECT_EQ(queued->maximum, 11);
  EXPECT_EQ(queued->kind, "gauge");
  const PolicyRecord* even = counted(record, "counting.bytes", "s0", 2, 0);
  ASSERT_NE(even, nullptr);
  EXPECT_EQ(even->maximum, 11 * kFrame);
  EXPECT_EQ(counted(record, "counting.bytes", "s0", 2, 1), nullptr) << "nothing was ever in it";
  EXPECT_NE(counted(record, "counting.bytes", "s0", 3, 0), nullptr)
      << "the first stands for the port, where nothing came";
  for (const auto& [host, opened] : {std::pair("h0", 1), {"h1", 1}, {"h2", 1}}) {
    const PolicyRecord* row = counted(record, "counting.opened", host);
    ASSERT_NE(row, nullptr) << host;
    EXPECT_EQ(row->value, opened);
    EXPECT_EQ(row->tier, 0);
  }
}

TEST(Gauges, KnowTheMostThatTheyWere) {
  Gauge gauge(3);
  EXPECT_EQ(gauge.maximum(), 3);
  gauge.set(7);
  gauge.add(-5);
  EXPECT_EQ(gauge.value(), 2);
  EXPECT_EQ(gauge.maximum(), 7);
  gauge.add(5);
  EXPECT_EQ(gauge.maximum(), 7);
}

// ---- statistics do not change results ----

TEST(Statistics, ChangeNoDigest) {
  for (const bool credit : {false, true}) {
    Settings settings = three_hops();
    if (credit) settings.switches.flow_control = {choose_credit(2)};
    settings.measurement.hops = false;
    const std::string without = Simulation(settings).run().digest;
    settings.measurement.hops = settings.measurement.egress_kinds = settings.measurement.policies = true;
    settings.measurement.slowdown_split = true;
    EXPECT_EQ(Simulation(settings).run().digest, without);
    EXPECT_EQ(run_by_instants(settings).digest, without);
  }
}

/// Nodes run one after the other for a link delay each.
TEST(Statistics, AreThoseOfTheOrderOfTime) {
  Settings settings = three_hops();
  settings.switches.flow_control = {choose_credit(2)};
  const RunRecord by_windows = Simulation(settings).run();
  const RunRecord by_instants = run_by_instants(settings);
  ASSERT_EQ(by_windows.statistics.hops.size(), by_instants.statistics.hops.size());
  for (std::size_t i = 0; i < by_windows.statistics.hops.size(); ++i) {
    const HopRecord& a = by_windows.statistics.hops[i];
    const HopRecord& b = by_instants.statistics.hops[i];
    EXPECT_EQ(a.port_most, b.port_most);
    EXPECT_EQ(a.switch_most, b.switch_most);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.delay, b.delay);
  }
}

// ---- slowdowns by cause ----

TEST(SlowdownSplit, OfAnIncastAddsUpAndHasItsPauses) {
  Settings settings = lossless_network(star(4, kLink), 1_ms);
  settings.measurement.slowdown_split = true;
  settings.switches.buffer = 1_MB;
  offer(settings, {flow(0, 3, 2_MB), flow(1, 3, 2_MB), flow(2, 3, 2_MB)});
  const RunRecord record = Simulation(settings).run();
  ASSERT_FALSE(record.statistics.slowdown_split.empty());
  const SlowdownSplitRecord& all = record.statistics.slowdown_split.back();
  EXPECT_EQ(all.flow_class, "all");
  EXPECT_EQ(all.flows, 3);
  // Three senders share a link; two thirds of the time each is paused or waits in the switch.
  EXPECT_NEAR(all.slowdown, 3, 0.2);
  EXPECT_NEAR(1 + all.queueing + all.pause + all.pacing + all.timeout, all.slowdown, 1e-9);
  EXPECT_GT(all.pause, 0.5);
  EXPECT_EQ(all.timeout, 0);
}

TEST(SlowdownSplit, IsNothingOfAFlowAlone) {
  Settings settings = lossless_network(star(2, kLink), 1_ms);
  settings.measurement.slowdown_split = true;
  offer(settings, {flow(0, 1, 100_KB)});
  const RunRecord record = Simulation(settings).run();
  const SlowdownSplitRecord& all = record.statistics.slowdown_split.back();
  EXPECT_NEAR(all.slowdown, 1, 1e-6);
  EXPECT_NEAR(all.queueing + all.pause + all.pacing + all.timeout, 0, 1e-6);
}

TEST(SlowdownSplit, IsNotThereUnlessItIsAskedFor) {
  Settings settings = lossless_network(star(2, kLink), 1_ms);
  offer(settings, {flow(0, 1, 100_KB)});
  EXPECT_THAT(Simulation(settings).run().statistics.slowdown_split, IsEmpty());
}

}  // namespace
}  // namespace weir::whole::statistics_test
