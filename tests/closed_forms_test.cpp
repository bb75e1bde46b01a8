// SPDX-License-Identifier: Apache-2.0
// Networks so simple that their behaviour can be computed by hand.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "fabric/ideal_fct.h"
#include "whole_network.h"

namespace weir::whole::closed_forms_test {
namespace {

using testing::TestWithParam;
using testing::Values;

constexpr LinkSpec k100G{BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};

/// Frame bytes that each direction of a link had carried by the end, by the names of its nodes.
std::int64_t carried(const RunRecord& record, const std::string& from, const std::string& to) {
  for (const LinkRecord& link : record.links) {
    if (link.from == from && link.to == to) return link.bytes;
  }
  throw std::invalid_argument(from + " to " + to);
}

RunRecord run(const Settings& settings) {
  Simulation simulation(settings);
  RunRecord record = simulation.run();
  EXPECT_EQ(record.failure, "");
  return record;
}

// ---- times ----

/// Picoseconds on the wire, at a rate at which a byte takes a whole number of picoseconds.
std::int64_t wire_time(std::int64_t frame_bytes, std::int64_t gigabits_per_second) {
  return (frame_bytes + 20) * 8'000 / gigabits_per_second;
}

TEST(ClosedForm, OnePacketOverManyHops) {
  const std::vector<std::int64_t> rates{25, 100, 400, 10, 40, 100};
  std::vector<LinkSpec> links;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    links.push_back({BitRate(rates[i] * 1'000'000'000), Duration::picoseconds(1'000 * (100 + 777 * std::int64_t(i)))});
    if (links.size() < 2) continue;
    Settings settings = lossless_network(chain(links), 1_ms);
    offer(settings, {flow(0, 1, 700_B, at(3_us))});
    const RunRecord record = run(settings);
    std::int64_t there = 0;
    std::int64_t back = 0;
    for (std::size_t hop = 0; hop < links.size(); ++hop) {
      const std::int64_t delay = links[hop].delay.picoseconds();
      there += wire_time(700 + 66, rates[hop]) + delay;  // Ethernet to FCS: 66 bytes besides the payload
      back += wire_time(70, rates[hop]) + delay;
    }
    ASSERT_EQ(record.flows.size(), 1u);
    EXPECT_EQ(record.flows[0].receiver_completion.picoseconds(), there) << links.size();
    EXPECT_EQ(record.flows[0].sender_completion.picoseconds(), there + back) << links.size();
    EXPECT_EQ(record.flows[0].ideal_fct.picoseconds(), there + back) << links.size();
  }
}

/// Does nothing: the NIC adds the bytes that its scheme declares.
class Lengthens final : public CongestionControl {};

/// Adds bytes to data frames at each switch.
class LengthensAtSwitches final : public CongestionPoint {
 public:
  explicit LengthensAtSwitches(const Parameters& parameters) : bytes_(parameters.get<std::int64_t>("at_switch")) {}
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override {
    if (frame.kind == FrameKind::data) frame.frame_bytes = static_cast<std::uint16_t>(frame.frame_bytes + bytes_);
  }

 private:
  std::int64_t bytes_;
};

const Scheme& lengthens() {
  static const Scheme scheme = {
      .name = "lengthens",
      .summary = "",
      .traits = {},
      .parameters = {{"at_source", std::int64_t{0}, "", ""}, {"at_switch", std::int64_t{0}, "", ""}},
      .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
        return std::make_unique<LengthensAtSwitches>(parameters);
      },
      .congestion_control = [](const Parameters&) -> std::unique_ptr<CongestionControl> {
        return std::make_unique<Lengthens>();
      },
      .header_bytes =
          [](const Parameters& parameters) {
            return HeaderBytes{.at_source = static_cast<std::uint16_t>(parameters.get<std::int64_t>("at_source")),
                               .at_switch = static_cast<std::uint16_t>(parameters.get<std::int64_t>("at_switch")),
                               .switches = 100,
                               .echoed = true};
          },
  };
  return scheme;
}

/// On any path, with any framing, headers and rate limit, the ideal FCT is the time that a flow takes alone.
RC_GTEST_PROP(ClosedForm, AFlowAloneTakesWhatWasForetold, ()) {
  const auto pick = [](auto... choices) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::element<std::int64_t>(choices...));
  };
  std::vector<LinkSpec> links;
  std::vector<PathLink> path;
  const int hops = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(2, 7));
  for (int i = 0; i < hops; ++i) {
    const BitRate rate = BitRate(pick(100, 10, 25, 40, 200, 400) * 1'000'000'000);
    const Duration delay = Duration::picoseconds(pick(1'000'000, 0, 100'000, 5'000'000));
    links.push_back({rate, delay});
    path.push_back({rate, delay});
  }
  Settings settings = lossless_network(chain(links), 1_s);
  settings.run.drain = true;
  settings.hosts.payload = pick(1'000, 256, 1'460, 4'096, 48, 3, 1);
  settings.hosts.acknowledge_every = static_cast<std::uint32_t>(pick(1, 1, 2, 16));
  settings.network.framing =
      *rc::gen::element(Framing::rocev2(), Framing::hpcc_simulator(), Framing::pyrrha_simulator());
  // Nothing blocks the flow: it may fill the buffer before a slow link.
  settings.switches.buffer = 1'000_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold", {{"alpha", 1'000.0}});
  const std::int64_t largest = std::min<std::int64_t>(300'000, settings.hosts.payload * 1'000);
  FlowSpec spec = flow(0, 1, Bytes(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(1, largest))));
  spec.rate_limit = BitRate(pick(0, 0, 7, 33) * 1'000'000'000);
  offer(settings, {spec});
  PolicyChoice headers{&lengthens(), Parameters(lengthens().parameters)};
  headers.parameters.set("at_source", pick(0, 0, 8, 42));
  headers.parameters.set("at_switch", pick(0, 0, 8, 24));
  settings.hosts.congestion_control = headers;
  settings.switches.congestion_point = {headers};

  const IdealFct ideal = ideal_fct(path, spec.size, settings.hosts.payload, settings.network.framing, spec.rate_limit,
                                   settings.hosts.acknowledge_every, AddedHeaders(settings));
  const RunRecord record = run(settings);
  RC_ASSERT(record.flows.size() == 1u);
  RC_ASSERT(record.flows[0].receiver_completion == ideal.receiver);
  RC_ASSERT(record.flows[0].sender_completion == ideal.sender);
  RC_ASSERT(record.flows[0].ideal_fct == ideal.sender);
}

/// The base round trip of a queue pair is that of its first packet and acknowledgement, including schemes' headers.
TEST(ClosedForm, TheBaseRoundTripCountsHeaders) {
  Settings settings = lossless_network(chain({k100G, k100G, k100G}), 1_ms);
  PolicyChoice headers{&lengthens(), Parameters(lengthens().parameters)};
  headers.parameters.set("at_source", std::int64_t{10});
  headers.parameters.set("at_switch", std::int64_t{8});
  settings.hosts.congestion_control = headers;
  settings.switches.congestion_point = {headers};
  offer(settings, {flow(0, 1, 1'000_B)});
  const std::int64_t there = wire_time(1'076, 100) + wire_time(1'084, 100) + wire_time(1'092, 100);
  const std::int64_t back = 3 * wire_time(70 + 26, 100);
  const RunRecord record = run(settings);
  EXPECT_EQ(record.flows.at(0).sender_completion.picoseconds(), there + back + 6'000'000);
  EXPECT_EQ(record.flows.at(0).ideal_fct, record.flows.at(0).sender_completion);
  EXPECT_EQ(maximum_frame_bytes(settings), 1'066 + 10 + 100 * 8);
  const std::vector<PathLink> path(3, {k100G.rate, k100G.delay});
  EXPECT_EQ(base_round_trip(path, 1'000, settings.network.framing, AddedHeaders(settings)),
            record.flows.at(0).sender_completion);
}

/// A flow with a rate limit starts a packet whenever the wire bytes of the previous one have passed at that rate.
TEST(ClosedForm, ALimitedFlowIsPacedExactly) {
  for (const std::int64_t megabits : {1'000, 7'000, 33'333, 99'999}) {
    Settings settings = lossless_network(star(2, k100G), 20_ms);
    constexpr std::int64_t kPackets = 2'000;
    FlowSpec spec = flow(0, 1, 1'000_B * kPackets);
    spec.rate_limit = BitRate(megabits * 1'000'000);
    offer(settings, {spec});
    const RunRecord record = run(settings);
    ASSERT_EQ(record.flows.size(), 1u);
    const std::int64_t bits = 1'086 * 8;
    const std::int64_t gap = (bits * 1'000'000 + megabits - 1) / megabits;  // ps, rounded up
    const std::int64_t last = 2 * (wire_time(1'066, 100) + 1'000'000);
    EXPECT_EQ(record.flows[0].receiver_completion.picoseconds(), (kPackets - 1) * gap + last) << megabits;
    const double rate = static_cast<double>(kPackets * bits) / static_cast<double>((kPackets - 1) * gap + bits * 10);
    EXPECT_NEAR(rate * 1e6, static_cast<double>(megabits), static_cast<double>(megabits) * 1e-3);
  }
}

// ---- dynamic thresholds ----

/// Bytes of the pool in use at the end of a run.
std::int64_t pool_used(const Settings& settings, Priority priority) {
  Simulation simulation(settings);
  EXPECT_EQ(simulation.run().failure, "");
  return simulation.fabric().switch_by(SwitchId(0)).pool_of(priority).used;
}
std::int64_t pool_size(const Settings& settings) {
  return plan_buffer(settings, SwitchId(0)).shared;
}

/// With `n` users of a pool, each at its threshold alpha x free, used = n alpha / (1 + n alpha) of it (Choudhury and
/// Hahne 1998); for n = 1 and alpha 2 that is two thirds (SPFC section II.D, figure 2).
double dynamic_share(double alpha, int users) {
  return users * alpha / (1 + users * alpha);
}

class DynamicThreshold : public TestWithParam<std::tuple<double, int>> {};

TEST_P(DynamicThreshold, LossyEgressesSettleAtTheirShare) {
  const auto [alpha, egresses] = GetParam();
  const auto ports = static_cast<std::size_t>(egresses);
  Settings settings = lossless_network(star(4 * ports, k100G), 4_ms);
  settings.switches.lossless = {};
  settings.switches.flow_control = {};
  settings.switches.buffer = 4_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold", {{"egress_alpha", alpha}});
  // Without a reaction to losses: each egress is offered three times its rate.
  settings.hosts.loss_recovery = choose("go_back_n", {{"nack_interval", 1_s}, {"timeout", Duration()}});
  std::vector<FlowSpec> flows;
  for (std::size_t egress = 0; egress < ports; ++egress) {
    for (std::size_t i = 0; i < 3; ++i) flows.push_back(flow(ports + 3 * egress + i, egress, kLongRunning));
  }
  offer(settings, flows);
  const double share = static_cast<double>(pool_used(settings, 3)) / static_cast<double>(pool_size(settings));
  EXPECT_NEAR(share, dynamic_share(alpha, egresses), 0.02 * dynamic_share(alpha, egresses));
}

TEST_P(DynamicThreshold, LosslessIngressesSettleAtTheirShare) {
  const auto [alpha, ingresses] = GetParam();
  const auto ports = static_cast<std::size_t>(ingresses);
  // Each ingress receives ten times the rate of the one egress that all share.
  Topology topology = star(ports, k100G);
  const NodeId sink = topology.add_host("sink", 0, 0);
  topology.connect(sink, topology.find("s0"), {10_Gbps, 1_us});
  Settings settings = lossless_network(std::move(topology), 6_ms);
  settings.switches.buffer = 16_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold", {{"alpha", alpha}, {"scale_alpha_with_rate", false}});
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < ports; ++i) flows.push_back(flow(i, ports, kLongRunning));
  offer(settings, flows);
  const double share = static_cast<double>(pool_used(settings, 3)) / static_cast<double>(pool_size(settings));
  EXPECT_NEAR(share, dynamic_share(alpha, ingresses), 0.02 * dynamic_share(alpha, ingresses));
}

INSTANTIATE_TEST_SUITE_P(AlphaAndUsers, DynamicThreshold,
                         Values(std::tuple(2.0, 1), std::tuple(0.5, 1), std::tuple(0.5, 3), std::tuple(0.125, 4)));

// ---- headroom ----

/// An incast of `degree` flows at line rate, which arrive in both directions of the links at once; returns the number
/// of frames of the lossless priority that were dropped.
std::uint64_t lost_in_an_incast(int degree, const LinkSpec& link, std::int64_t payload, const HeadroomRule& rule) {
  const auto senders = static_cast<std::size_t>(degree);
  Settings settings = lossless_network(star(senders + 1, link), 1_ms);
  settings.hosts.payload = payload;
  settings.switches.headroom = rule;
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}});
  settings.switches.buffer = 100_MB;
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < senders; ++i) {
    flows.push_back(flow(i, senders, 200_KB));
    // When the port must send PAUSE, it is sending a frame of another flow.
    FlowSpec other = flow(i, (i + 1) % senders, 20_KB, at(1_us));
    other.rate_limit = link.rate / 10;
    flows.push_back(other);
  }
  offer(settings, flows);
  Simulation simulation(settings);
  const LosslessDrops drops(simulation.fabric());
  const RunRecord record = simulation.run();
  EXPECT_GT(record.packet_hops, 20u * senders);
  return drops.count();
}

RC_GTEST_PROP(Headroom, IsNeverOverrunWhenComputed, ()) {
  const int degree = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(2, 65));
  const auto pick = [](auto... choices) { return *rc::gen::element<std::int64_t>(choices...); };
  const LinkSpec link{BitRate(pick(100, 10, 25, 40, 400) * 1'000'000'000), pick(1'000, 100, 600, 5'000) * 1_ns};
  RC_ASSERT(lost_in_an_incast(degree, link, pick(1'000, 256, 4'096), {}) == 0u);
}

/// With less headroom, frames are lost; otherwise the test above would prove nothing. While a PAUSE is in flight, an
/// ingress of an incast of n fills at 1 - 1/n of the arrival rate.
TEST(Headroom, IsOverrunWhenItIsCut) {
  const Settings settings = lossless_network(star(2, k100G), 1_ms);
  const std::int64_t computed = headroom_bytes({}, settings.network.topology.links().front(), settings.network.framing,
                                               maximum_frame_bytes(settings), Duration());
  for (const auto& [degree, percent] : {std::pair(4, 60), std::pair(8, 60), std::pair(64, 60), std::pair(64, 85)}) {
    HeadroomRule cut;
    cut.kind = HeadroomRule::Kind::bytes;
    cut.bytes = Bytes(computed * percent / 100);
    EXPECT_GT(lost_in_an_incast(degree, k100G, 1'000, cut), 0u) << degree << " " << percent;
    cut.bytes = Bytes(computed);
    EXPECT_EQ(lost_in_an_incast(degree, k100G, 1'000, cut), 0u) << degree;
  }
}

// ---- shares ----

/// Under PFC, all ingresses that wait for a port get equal shares of it.
TEST(Shares, AreEqualBehindOnePausedPort) {
  for (const std::size_t senders : {2u, 3u, 7u, 16u}) {
    Settings settings = lossless_network(star(senders + 1, k100G), 10_ms);
    settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 60'000_B}});
    std::vector<FlowSpec> flows;
    for (std::size_t i = 0; i < senders; ++i) flows.push_back(flow(i, senders, kLongRunning));
    offer(settings, flows);
    const RunRecord record = run(settings);
    const std::string sink = "h" + std::to_string(senders);
    const double fair = static_cast<double>(carried(record, "s0", sink)) / static_cast<double>(senders);
    // The wire was never idle: the port sent at link rate except for the first round trip.
    EXPECT_NEAR(fair * static_cast<double>(senders), 1'066.0 / 1'086 * 12.5e9 * 10e-3, 1e-3 * 12.5e9 * 10e-3);
    for (std::size_t i = 0; i < senders; ++i) {
      const auto sent = static_cast<double>(carried(record, "h" + std::to_string(i), "s0"));
      EXPECT_NEAR(sent, fair, 0.02 * fair) << senders << " senders, host " << i;
    }
  }
}

/// A parking lot: a chain of switches to one destination, with a sender at each. PFC shares among ingresses, not flows:
/// the nearest sender gets half, the next a quarter, the last two an eighth each.
TEST(Shares, HalveFromSwitchToSwitchInAParkingLot) {
  Topology topology;
  const NodeId sink = topology.add_host("sink", 0, 0);
  NodeId before = sink;
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 3; ++i) {
    const NodeId node = topology.add_switch("s" + std::to_string(i), 1, 0, i);
    topology.connect(node, before, k100G);
    topology.connect(topology.add_host("h" + std::to_string(i), 0, i), node, k100G);
    before = node;
  }
  topology.connect(topology.add_host("h3", 0, 2), before, k100G);
  Settings settings = lossless_network(std::move(topology), 20_ms);
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 60'000_B}});
  for (std::size_t host = 1; host <= 4; ++host) flows.push_back(flow(host, 0, kLongRunning));
  offer(settings, flows);
  const RunRecord record = run(settings);
  const auto whole = static_cast<double>(carried(record, "s0", "sink"));
  constexpr std::array<double, 4> kShares{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 8};
  for (std::size_t host = 0; host < kShares.size(); ++host) {
    const std::string at_switch = "s" + std::to_string(std::min<std::size_t>(host, 2));
    const auto sent = static_cast<double>(carried(record, "h" + std::to_string(host), at_switch));
    EXPECT_NEAR(sent / whole, kShares[host], 0.02 * kShares[host]) << "host " << host;
  }
}

/// Two priorities of one level: one flow of long packets, one of messages of 300 bytes. Returns what each had sent. A
/// sender is ahead of its share by at most the threshold of 40 KB: 0.7 % of half of what the link carries in 1 ms.
std::pair<double, double> long_and_short(Discipline discipline) {
  Settings settings = lossless_network(star(3, k100G), 1_ms);
  settings.switches.lossless[4] = true;
  settings.switches.level_of_priority.fill(0);
  settings.switches.discipline_of_priority.fill(discipline);
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 40'000_B}});
  settings.hosts.payload = 4'000;
  settings.hosts.acknowledge_every = 16;
  std::vector<FlowSpec> flows{flow(0, 2, kLongRunning)};
  for (int i = 0; i < 20'000; ++i) {  // more than half of what the link sends in that time
    FlowSpec message = flow(1, 2, 300_B);
    message.priority = 4;
    message.connection = ConnectionId(0);
    flows.push_back(message);
  }
  offer(settings, flows);
  const RunRecord record = run(settings);
  return {static_cast<double>(carried(record, "h0", "s0")), static_cast<double>(carried(record, "h1", "s0"))};
}

TEST(Shares, AreEqualInBytesUnderDeficitRoundRobin) {
  const auto [of_long, of_short] = long_and_short(Discipline::deficit_round_robin);
  EXPECT_NEAR(of_short / of_long, 1, 0.02);
}

TEST(Shares, AreEqualInFramesUnderRoundRobin) {
  const auto [of_long, of_short] = long_and_short(Discipline::round_robin);
  EXPECT_NEAR(of_short / of_long, 366.0 / 4'066, 0.02);
}

/// DCQCN section 4.2 and figure 9: flows that start at different times converge to equal rates.
TEST(Shares, ConvergeUnderDcqcn) {
  constexpr LinkSpec kLink{BitRate(40'000'000'000), Duration::picoseconds(1'000'000)};
  Settings settings = lossless_network(star(3, kLink), 160_ms);
  settings.hosts.congestion_control = choose("dcqcn");
  settings.hosts.acknowledge_every = 16;
  settings.hosts.payload = 4'000;
  settings.switches.congestion_point = {
      choose("red", {{"kmin", 5'000_B}, {"kmax", 200'000_B}, {"pmax", 0.01}, {"scale_with_rate", false}})};
  offer(settings, {flow(0, 2, kLongRunning), flow(1, 2, kLongRunning, at(10_ms))});
  const RunRecord whole = run(settings);
  settings.run.stop = at(80_ms);
  const RunRecord half = run(settings);
  const auto in_the_second = [&](const std::string& host) {
    return static_cast<double>(carried(whole, host, "s0") - carried(half, host, "s0"));
  };
  const double first = in_the_second("h0");
  const double second = in_the_second("h1");
  EXPECT_NEAR(first / second, 1, 0.1);
  EXPECT_GT(first + second, 0.8 * 5e9 * 80e-3);
}

}  // namespace
}  // namespace weir::whole::closed_forms_test
