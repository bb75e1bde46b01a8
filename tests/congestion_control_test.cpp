// SPDX-License-Identifier: Apache-2.0
// Congestion controls in a whole network: flows converge to equal rates, and the queue to its target length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "whole_network.h"

namespace weir::whole::congestion_control_test {
namespace {

/// Queue length at a port of a switch, sampled at the departures from a given time on.
class QueueAtDeparture final : public SwitchObserver {
 public:
  QueueAtDeparture(PortId port, Time from) : port_(port), from_(from) {}
  [[nodiscard]] bool watches_frames() const override { return true; }
  void on_depart(const SwitchContext& context, QueueId, const Frame& frame) override {
    if (frame.egress != port_ || context.now() < from_) return;
    const std::int64_t queued = context.port(port_).queued_bytes;
    sum_ += static_cast<double>(queued);
    least_ = std::min(least_, queued);
    most_ = std::max(most_, queued);
    ++frames_;
    bytes_[frame.source.index()] += frame.frame_bytes + context.framing().wire_overhead;
  }
  [[nodiscard]] double mean() const { return sum_ / static_cast<double>(frames_); }
  [[nodiscard]] std::int64_t least() const { return least_; }
  [[nodiscard]] std::int64_t most() const { return most_; }
  /// On the wire, by source.
  [[nodiscard]] const std::vector<std::int64_t>& bytes() const { return bytes_; }

 private:
  PortId port_;
  Time from_;
  double sum_ = 0;
  std::uint64_t frames_ = 0;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_ = 0;
  std::vector<std::int64_t> bytes_ = std::vector<std::int64_t>(64);
};

/// Long-running flows from hosts 0.. to one more; the departures to it in the second half of a run.
QueueAtDeparture watched(Settings settings, std::size_t senders, Duration length) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, kLongRunning));
  offer(settings, flows);
  settings.run.stop = at(length);
  QueueAtDeparture observer(PortId(senders), at(length / 2));
  Simulation simulation(settings);
  simulation.fabric().switch_by(SwitchId(0)).observe(&observer);
  EXPECT_EQ(simulation.run().failure, "");
  return observer;
}

double utilisation(const QueueAtDeparture& course, BitRate rate, Duration time) {
  const std::int64_t sum = std::accumulate(course.bytes().begin(), course.bytes().end(), std::int64_t{0});
  return static_cast<double>(sum) * 8 / (static_cast<double>(rate.bits_per_second()) * time.seconds());
}

/// The smallest share of the first senders divided by the largest.
double evenness(const QueueAtDeparture& course, std::size_t senders) {
  const auto [least, most] =
      std::minmax_element(course.bytes().begin(), course.bytes().begin() + static_cast<std::ptrdiff_t>(senders));
  return static_cast<double>(*least) / static_cast<double>(*most);
}

constexpr LinkSpec link_of(std::int64_t gigabits, Duration delay) {
  return {BitRate(gigabits * 1'000'000'000), delay};
}

/// If no sender needs acknowledgements, one in this many suffices: they would be half of all events.
constexpr std::uint32_t kSeldom = 16;

/// QCN at the rate for which it was designed: the queue near the set point, the link full. At any one time its rates
/// differ widely, as is known (Zhang and Ansari, FQCN, 2013), but equal senders get equal shares in the long run.
/// Additive increase changes a rate by a share in 120 ms (2.5 Gbit/s by 5 Mbit/s per 75 KB), so that 0.8 s contain n =
/// 6.7 independent values, and the mean of n such rates, each with a deviation equal to its mean, deviates by 1 /
/// sqrt(n).
TEST(CongestionControl, QcnHoldsTheQueueNearItsSetPoint) {
  constexpr LinkSpec kLink{BitRate(10'000'000'000), Duration::picoseconds(1'000'000)};
  constexpr std::size_t kSenders = 4;
  Settings settings = lossless_network(star(kSenders + 1, kLink), 1_ms);
  settings.switches.congestion_point = {choose("qcn")};
  settings.hosts.congestion_control = choose("qcn");
  settings.hosts.acknowledge_every = kSeldom;
  const QueueAtDeparture course = watched(settings, kSenders, 1'600_ms);
  EXPECT_GT(course.mean(), 10e3);
  EXPECT_LT(course.mean(), 52e3);
  EXPECT_GT(utilisation(course, kLink.rate, 800_ms), 0.95);
  constexpr double kShare = 10e9 / kSenders;
  constexpr double kToMoveByAShare = kShare / 5e6 * (75e3 * 8 / kShare);
  const double deviation = std::sqrt(kToMoveByAShare / 0.8);
  EXPECT_GT(evenness(course, kSenders), (1 - deviation) / (1 + deviation));
}

Settings hpcc_network(Topology topology, const Values& values) {
  Settings settings = lossless_network(std::move(topology), 1_ms);
  settings.switches.congestion_point = {choose("hpcc")};
  settings.hosts.congestion_control = choose("hpcc", values);
  return settings;
}

constexpr LinkSpec kHpccLink = link_of(100, 1_us);
constexpr double kHpccFrame = 1'066 + 42;  // with its space for telemetry

/// Senders under HPCC with its defaults for 10 ms; shared by two tests.
const QueueAtDeparture& of_hpcc_defaults(std::size_t senders) {
  static std::map<std::size_t, QueueAtDeparture> known;
  const auto found = known.find(senders);
  if (found != known.end()) return found->second;
  return known.emplace(senders, watched(hpcc_network(star(senders + 1, kHpccLink), {}), senders, 10_ms)).first->second;
}

constexpr double kRoundTrip = 4.2e-6;  // four link delays, two transmissions each of packet and acknowledgement
constexpr double kProduct = 100e9 / 8 * kRoundTrip;
constexpr double kEta = 0.95;

/// The mean queue, in frames, of `senders` equally paced, independent senders that together use the fraction `part` of
/// a link: for N periodic streams P(Q > x) = exp(-2 x (x / N + 1 - part)) in heavy traffic (Roberts, Mocci, Virtamo:
/// Broadband Network Teletraffic, 1996, on N D/D/1: the excess of N streams over their mean is a Brownian bridge). The
/// approximation is for many streams: of two, at most one frame waits.
double periodic_queue(std::size_t senders, double part) {
  constexpr double kStep = 0.01;
  double sum = 0;
  for (double x = kStep / 2; x < 100; x += kStep) {
    sum += kStep * std::exp(-2 * x * (x / static_cast<double>(senders) + 1 - part));
  }
  return sum;
}

/// HPCC 3.2, equation 4: at rest W (1 - eta / U) = W_AI for each of N windows, which together are the link's share of B
/// T: U = eta + s with s = N W_AI / (B T), up to a part of s that is as small as the queue is compared with B T. U is
/// (link load + reported queue) over B T; the reported queue is the lesser of two lengths, so at most the mean. The
/// link therefore carries at most eta + s, and at least eta + s - q / (B T). A sender counts whole frames between two
/// of its own, with an error of up to one in either direction; as algorithm 1 divides by U only if U is at least eta,
/// it subtracts an apparent excess at once but returns an apparent deficit later: up to one frame over B T less is
/// carried. The queue is at most that of independent paced flows.
TEST(CongestionControl, HpccKeepsALinkJustBelowFull) {
  for (const std::size_t senders : {2u, 8u, 24u}) {
    const QueueAtDeparture& course = of_hpcc_defaults(senders);
    const double carried = utilisation(course, kHpccLink.rate, 5_ms);
    const double most = kEta + static_cast<double>(senders) * 50e6 / 100e9;
    EXPECT_LE(carried, most) << senders;
    EXPECT_GE(carried, most - (course.mean() + kHpccFrame + 20) / kProduct) << senders;
    EXPECT_LE(course.mean(), periodic_queue(senders, carried) * kHpccFrame) << senders;
  }
}

// At rest a rate is proportional to W_AI / (1 - eta / U), and U exceeds eta by the sum of all W_AI over B T. Two
// senders observe one queue differently: the slower a paced flow, the more often it meets others, and it never meets
// itself. Their U differ by no more than the mean queue over B T, which changes the ratio of their rates by no more
// than the mean queue over the sum of all W_AI. (With a window that ignores queues the shares of the mixed network
// below are 2.46 to 2.51.)
TEST(CongestionControl, HpccIsAsFairAsItsAdditiveIncreaseOutweighsTheQueue) {
  for (const std::size_t senders : {8u, 24u}) {
    const auto count = static_cast<double>(senders);
    const QueueAtDeparture& of_default = of_hpcc_defaults(senders);
    const double all_increases = count * 50e6 / 8 * kRoundTrip;
    EXPECT_GT(evenness(of_default, senders), 1 / (1 + of_default.mean() / all_increases)) << senders;
    // HPCC 3.2: W_AI for the actual number of flows.
    const Values values = {{"concurrent_flows", static_cast<std::int64_t>(senders)}};
    const QueueAtDeparture shared_out = watched(hpcc_network(star(senders + 1, kHpccLink), values), senders, 10_ms);
    EXPECT_GT(evenness(shared_out, senders), 1 / (1 + shared_out.mean() / ((1 - kEta) * kProduct))) << senders;
    EXPECT_GT(evenness(shared_out, senders), evenness(of_default, senders)) << senders;
  }
}

struct MixedShares {
  double ratio;  ///< of a sender of 100 Gbit/s to one of 40
  double queue;  ///< the mean in bytes
};

/// HPCC: windows start in proportion to the senders' links; in the long run W_AI determines the shares.
MixedShares mixed_senders(const Values& values) {
  Topology topology;
  const NodeId middle = topology.add_switch("s0", 1, 0, 0);
  for (const std::int64_t gigabits : {40, 40, 100, 100, 100}) {
    topology.connect(topology.add_host("h" + std::to_string(topology.hosts()), 0, 0), middle, link_of(gigabits, 1_us));
  }
  const QueueAtDeparture course = watched(hpcc_network(topology, values), 4, 20_ms);
  const auto& bytes = course.bytes();
  return {static_cast<double>(bytes[2] + bytes[3]) / static_cast<double>(bytes[0] + bytes[1]), course.mean()};
}

TEST(CongestionControl, HpccSharesAreAsTheAdditiveIncreases) {
  // At equal rates all observe the same queue; base round trips, and with them the weight of a queued byte, differ by 3
  // %.
  EXPECT_NEAR(mixed_senders({{"additive_increase", 500_Mbps}}).ratio, 1, 0.03);
  for (const std::int64_t flows : {4, 8, 16}) {  // [HPCC-W-6]
    const MixedShares found = mixed_senders({{"concurrent_flows", flows}});
    const double all_increases = (1 - kEta) / static_cast<double>(flows) * (2 + 2 * 0.4) * kProduct;
    EXPECT_GE(found.ratio, 2.5) << flows;
    EXPECT_LE(found.ratio, 2.5 * (1 + found.queue / all_increases)) << flows;
  }
}

/// DCTCP 3.3: N flows cause a queue of at most K + N packets, and at least that less the amplitude of the sawtooth,
/// sqrt(2 N (C RTT + K)) / 2 packets.
///
/// A window is W* = (C RTT + K) / N packets, alpha = sqrt(2 / W*), a cut removes D = W* alpha / 2 = sqrt(2 W*) / 2 of
/// it, and cuts occur every T_C = D round trips. If all are in step, each flow is cut each time; at worst each misses a
/// cut by chance, half of the time. Then the difference of two windows changes with a deviation of D / sqrt(2) each T_C
/// and shrinks by alpha / 2, so that over a time T its mean deviates by D / sqrt(2) / (alpha / 2) / sqrt(T / T_C) = W*
/// sqrt(T_C / (2 T)). Shares of W* (1 - x) and W* (1 + x) are 2 x apart: three deviations for one pair; four for the
/// outer ones of four.
TEST(CongestionControl, DctcpHoldsTheQueueNearK) {
  constexpr LinkSpec kLink = link_of(10, 10_us);
  constexpr double kPacket = 1'066;
  constexpr std::int64_t kThreshold = 65'000;
  constexpr double kInFlight = 10e9 / 8 * 45e-6;  // C RTT
  for (const std::size_t senders : {2u, 4u}) {
    Settings settings = lossless_network(star(senders + 1, kLink), 1_ms);
    settings.switches.congestion_point = {choose(
        "red", {{"kmin", Bytes(kThreshold)}, {"kmax", Bytes(kThreshold)}, {"pmax", 1.0}, {"scale_with_rate", false}})};
    settings.hosts.congestion_control = choose("dctcp");
    const QueueAtDeparture course = watched(settings, senders, 100_ms);
    const double sawtooth =
        std::sqrt(2 * static_cast<double>(senders) * (kInFlight + kThreshold) / kPacket) / 2 * kPacket;
    const double highest = kThreshold + static_cast<double>(senders) * kPacket;
    EXPECT_GT(utilisation(course, kLink.rate, 50_ms), 0.999) << senders;
    EXPECT_LE(static_cast<double>(course.most()), highest + 2 * kPacket) << senders;
    EXPECT_GT(static_cast<double>(course.least()), highest - 2 * sawtooth) << senders;
    EXPECT_NEAR(course.mean(), highest - sawtooth / 2, sawtooth) << senders;
    const double window = (kInFlight + kThreshold) / kPacket / static_cast<double>(senders);
    const double round_trip = (kInFlight + kThreshold) * 8 / 10e9;
    const double between_cuts = std::sqrt(2 * window) / 2 * round_trip;
    const double apart = (senders == 2 ? 3 : 4) * std::sqrt(between_cuts / (2 * 50e-3)) / 2;
    EXPECT_GT(evenness(course, senders), (1 - apart) / (1 + apart)) << senders;
  }
}

/// Zhu 2016, equation 31: N flows under patched TIMELY rest at equal rates, at the round trip RTT_ref (1 + N delta /
/// (beta C)). The queue in this formula and the queue seen by departing frames differ by less than the departing frame
/// and the next one.
///
/// Near that point (a weight of 1/2, an error of N delta / (beta C)) each completion multiplies the difference of two
/// rates by 1 - N delta / (2 C), and a flow completes C / (N Seg) segments per second: the difference decays at delta /
/// (2 Seg), 39 per second. It was at most N - 1 shares at the start, with one flow having all; its mean from 150 to 300
/// ms is tested.
TEST(CongestionControl, PatchedTimelyComesToItsFixedPoint) {
  constexpr LinkSpec kLink = link_of(10, 1_us);
  constexpr double kReference = 50e-6;
  constexpr double kEmpty = 5.1e-6;  // four link delays, one packet and two acknowledgement transmissions
  for (const std::size_t senders : {2u, 4u}) {
    Settings settings = lossless_network(star(senders + 1, kLink), 1_ms);
    settings.hosts.congestion_control = choose("timely", {{"variant", std::string("patched")}});
    const QueueAtDeparture course = watched(settings, senders, 300_ms);
    const double round_trip = kReference * (1 + static_cast<double>(senders) * 10e6 / (0.008 * 10e9));
    const double queue =
        (round_trip - kEmpty) * 10e9 / 8 * 1'074 / 1'094;  // frames of 1,074 bytes, and 20 more in between
    EXPECT_NEAR(course.mean(), queue, 2 * 1'074) << senders;
    EXPECT_GT(utilisation(course, kLink.rate, 150_ms), 0.999) << senders;
    constexpr double kDecay = 10e6 / (2 * 16e3 * 8);
    const double apart =
        static_cast<double>(senders - 1) * (std::exp(-kDecay * 0.15) - std::exp(-kDecay * 0.3)) / (kDecay * 0.15);
    EXPECT_GT(evenness(course, senders), (1 - apart) / (1 + apart)) << senders;
  }
}

/// DCQCN+PI: whatever the queue does, the integral of its distance from the reference is the change of the probability
/// over K_I. Ten flows are at rest at 0.65 %, about which the probability may swing, down to zero: over 200 ms the mean
/// is therefore off by at most twice that over K_I x 200 ms. The gains leave almost no phase margin (see pi.md), and
/// the queue swings between zero and three times the reference. Nothing here predicts how long the link is idle; a
/// utilisation of 97 % only shows that the controller does not starve it.
TEST(CongestionControl, PiHoldsTheMeanQueueOfDcqcnAtItsReference) {
  constexpr LinkSpec kLink = link_of(40, 1'500_ns);
  constexpr std::size_t kSenders = 10;
  constexpr double kIntegral = 3.55e-6;  // per byte and second
  Settings settings = lossless_network(star(kSenders + 1, kLink), 1_ms);
  settings.switches.congestion_point = {choose("pi", {{"reference", Bytes(100'000)}, {"integral", kIntegral * 1e3}})};
  settings.hosts.congestion_control = choose("dcqcn");
  settings.hosts.acknowledge_every = kSeldom;
  const QueueAtDeparture course = watched(settings, kSenders, 400_ms);
  EXPECT_NEAR(course.mean(), 100e3, 2 * 0.0065 / (kIntegral * 0.2));
  EXPECT_GT(utilisation(course, kLink.rate, 200_ms), 0.97);
}

}  // namespace
}  // namespace weir::whole::congestion_control_test
