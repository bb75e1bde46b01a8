// SPDX-License-Identifier: Apache-2.0
// The fixed point of a rate that a switch computes: long flows share the capacity that mice leave, and the queue stays
// at its reference (rocc 3.4, equation 1).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole::fair_rate_test {
namespace {

constexpr LinkSpec k40G{BitRate(40'000'000'000), Duration::picoseconds(1'500'000)};
constexpr std::size_t kElephants = 4;
constexpr std::size_t kMouse = kElephants;
constexpr std::size_t kReceiver = kElephants + 1;
constexpr Duration kSettled = Duration::picoseconds(10'000'000'000);  // the climb from F_min takes 6 ms
constexpr Duration kEnd = Duration::picoseconds(20'000'000'000);

Settings elephants_and_mice() {
  Settings settings = lossless_network(star(kReceiver + 1, k40G), kEnd);
  settings.switches.congestion_point = {choose("rocc")};
  settings.hosts.congestion_control = choose("rocc");
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kElephants; ++host) flows.push_back(flow(host, kReceiver, 200_MB));
  for (Duration start; start < kEnd; start += 4_us) flows.push_back(flow(kMouse, kReceiver, 2_KB, at(start)));
  offer(settings, flows);
  settings.measurement.sample_interval = 40_us;
  settings.measurement.watched_port = {SwitchId(0), PortId(kReceiver)};
  return settings;
}

RunRecord run(const Settings& settings) {
  RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  return record;
}

/// Frame bytes a link carried.
double carried(const RunRecord& record, const std::string& from, const std::string& to) {
  for (const LinkRecord& link : record.links) {
    if (link.from == from && link.to == to) return static_cast<double>(link.bytes);
  }
  throw std::invalid_argument(from + " to " + to);
}

/// A series from kSettled on.
std::vector<double> settled(const RunRecord& record, const std::string& name) {
  for (const Series& series : record.series) {
    if (series.name != name) continue;
    return {series.values.begin() + kSettled / series.interval, series.values.end()};
  }
  throw std::invalid_argument(name);
}

double settled_mean(const RunRecord& record, const std::string& name) {
  const std::vector<double> values = settled(record, name);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(FairRate, IsWhatMiceLeaveInEqualParts) {
  Settings settings = elephants_and_mice();
  const RunRecord whole = run(settings);
  settings.run.stop = at(kSettled);
  const RunRecord before = run(settings);
  const auto carried_since = [&](const std::string& from, const std::string& to) {
    return carried(whole, from, to) - carried(before, from, to);
  };
  const double mice = carried_since("h4", "s0");
  const double all = carried_since("s0", "h5");
  const double seconds = (kEnd - kSettled).seconds();
  EXPECT_GT(all * 8 / seconds, 0.96 * 40e9);  // preambles and gaps take the rest
  for (std::size_t host = 0; host < kElephants; ++host) {
    const double share = carried_since("h" + std::to_string(host), "s0");
    EXPECT_NEAR(share / ((all - mice) / kElephants), 1, 0.02) << host;
  }
  // A pacing rate counts preambles and gaps: 20 bytes of each frame of 1,000 bytes and its headers.
  EXPECT_NEAR(settled_mean(whole, "rocc.fair_rate bit/s") / ((40e9 - mice * 8 / seconds * 1.019) / kElephants), 1,
              0.03);
  EXPECT_NEAR(settled_mean(whole, "port.queued bytes") / 150e3, 1, 0.1);
}

/// A sender whose own link is faster than the bottleneck is limited to the bottleneck's rate, there F_max, while there
/// is a queue: arrivals equal departures, so that the queue stays constant up to one frame. If it received no CNPs at
/// F_max, it would double its rate every 200 us, and the queue would swing by 40 Gbit/s x 40 us.
TEST(FairRate, HoldsASenderOfAFasterLinkAtFMax) {
  Settings settings = lossless_network(chain({{100_Gbps, 1'500_ns}, k40G}), kEnd);
  settings.switches.congestion_point = {choose("rocc")};
  settings.hosts.congestion_control = choose("rocc");
  offer(settings, {flow(0, 1, 200_MB)});
  settings.measurement.sample_interval = 40_us;
  settings.measurement.watched_port = {SwitchId(0), PortId(1)};
  settings.measurement.sender_rates = true;
  const RunRecord record = run(settings);
  const std::vector<double> queue = settled(record, "port.queued bytes");
  const auto [least, most] = std::minmax_element(queue.begin(), queue.end());
  EXPECT_LE(*most - *least, 2 * 1'066);
  EXPECT_GT(*least, 0);
  EXPECT_DOUBLE_EQ(settled_mean(record, "rocc.fair_rate bit/s"), 40e9);
  EXPECT_DOUBLE_EQ(settled_mean(record, "senders.number queue_pairs"), 1);
  EXPECT_DOUBLE_EQ(settled_mean(record, "senders.rate bit/s"), 40e9);
  EXPECT_NEAR(settled_mean(record, "senders.rate_squared bit2/s2"), 1600e18, 1e9) << "a sum of rounded squares";
}

}  // namespace
}  // namespace weir::whole::fair_rate_test
