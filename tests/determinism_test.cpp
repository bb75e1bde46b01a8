// SPDX-License-Identifier: Apache-2.0
// A run is a function of its settings: measurements, observers, and other activity of the process change no bit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "random_network.h"

namespace weir::whole::determinism_test {
namespace {

/// Many features at once: DCQCN with marks and notifications, spraying, lossy and lossless priorities, an outage,
/// damaged frames.
RandomNetwork eventful() {
  RandomNetwork n;
  n.shape = 2;
  n.hosts = 8;
  n.wide = 1;
  n.fabric_rate = 4;
  n.shared = 1;
  n.two_lossless = true;
  n.lossy = true;
  n.marking = 2;
  n.forwarding = 3;
  n.congestion_control = 1;
  n.offers = {Offer{.kind = 1, .priority = 0, .size = 4, .degree = 8},
              Offer{.kind = 2, .priority = 2, .size = 3, .degree = 6}, Offer{.kind = 0, .priority = 1, .size = 4}};
  n.outages = {Outage{.link = 10, .down = 10, .lasts = 30}};
  return n;
}

Settings eventful_settings(std::uint64_t seed = 1, const PollOptions* options = nullptr) {
  Settings settings = settings_of(eventful(), options);
  settings.run.seed = seed;
  settings.run.stop = at(5_ms);
  const Topology plain = std::move(settings.network.topology);
  Topology damaging;
  for (const Node& node : plain.nodes()) {
    if (node.is_host()) {
      damaging.add_host(node.name, node.pod, node.rack);
    } else {
      damaging.add_switch(node.name, node.tier, node.pod, node.rack);
    }
  }
  for (const Link& link : plain.links()) damaging.connect(link.a, link.b, {link.rate, link.delay, 1e-3});
  settings.network.topology = std::move(damaging);
  return settings;
}

void measure_all(MeasurementSettings& measurement, Duration interval) {
  measurement = {.occupancy = true,
                 .sample_interval = interval,
                 .throughput = true,
                 .queueing = true,
                 .innocent_pause = true,
                 .active = true,
                 .sender_rates = true,
                 .timeline = true,
                 .watched_port = std::pair(SwitchId(0), PortId(0))};
}
void measure_nothing(MeasurementSettings& measurement) {
  measurement = {};
  measurement.occupancy = false;
  measurement.sample_interval = 100_ms;
}

std::string digest(const Settings& settings, Progress* progress = nullptr) {
  Simulation simulation(settings);
  const RunRecord record = simulation.run(progress);
  EXPECT_EQ(record.failure, "");
  EXPECT_GT(record.packet_hops, 1'000u);
  return record.digest;
}

TEST(Determinism, SameSettingsSameDigest) {
  const Settings settings = eventful_settings();
  Simulation first(settings);
  Simulation second(settings);
  const RunRecord a = first.run();
  const RunRecord b = second.run();
  EXPECT_GT(a.retransmitted_frames, 0u);  // these events did occur
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.packet_hops, b.packet_hops);
  ASSERT_EQ(a.flows.size(), b.flows.size());
  for (std::size_t i = 0; i < a.flows.size(); ++i) {
    EXPECT_EQ(a.flows[i].sender_completion, b.flows[i].sender_completion) << i;
  }
}

TEST(Determinism, OtherSeedOtherDigest) {
  std::set<std::string> digests;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) digests.insert(digest(eventful_settings(seed)));
  EXPECT_EQ(digests.size(), 8u);
}

TEST(Determinism, APollLoopRepeatsItself) {
  const PollOptions options{.limit = at(5_ms)};
  std::set<std::uint64_t> digests;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Settings settings = eventful_settings(seed, &options);
    const std::uint64_t once = PollNetwork(settings, options).run().digest;
    EXPECT_EQ(PollNetwork(settings, options).run().digest, once);
    digests.insert(once);
  }
  EXPECT_EQ(digests.size(), 3u);
}

/// Runs share no state: networks may be built before, between and during them.
TEST(Determinism, OrderOfConstructionDoesNotMatter) {
  const std::string alone[] = {digest(eventful_settings(1)), digest(eventful_settings(2))};
  auto second = std::make_unique<Simulation>(eventful_settings(2));
  auto first = std::make_unique<Simulation>(eventful_settings(1));
  auto third = std::make_unique<Simulation>(eventful_settings(3));
  EXPECT_EQ(first->run().digest, alone[0]);
  third.reset();
  EXPECT_EQ(second->run().digest, alone[1]);
}

TEST(Determinism, RunsInThreadsDoNotDisturbEachOther) {
  const std::string alone = digest(eventful_settings(1));
  std::string beside[2];
  std::thread other([&] { beside[0] = digest(eventful_settings(1)); });
  beside[1] = digest(eventful_settings(1));
  other.join();
  EXPECT_EQ(beside[0], alone);
  EXPECT_EQ(beside[1], alone);
}

TEST(Determinism, AWatcherDoesNotMatter) {
  const std::string unwatched = digest(eventful_settings());
  Progress progress;
  std::atomic<bool> done = false;
  std::int64_t seen = 0;
  std::thread watcher([&] {
    while (!done) seen = std::max(seen, progress.simulated_picoseconds.load());
  });
  const std::string watched = digest(eventful_settings(), &progress);
  done = true;
  watcher.join();
  EXPECT_EQ(watched, unwatched);
  EXPECT_EQ(progress.simulated_picoseconds.load(), at(5_ms).picoseconds());
  EXPECT_GT(progress.packet_hops.load(), 0u);
}

TEST(Determinism, AnInterruptedRunSaysSo) {
  Progress progress;
  progress.stop = true;
  Simulation simulation(eventful_settings());
  const RunRecord record = simulation.run(&progress);
  EXPECT_TRUE(record.interrupted);
  EXPECT_LT(record.simulated, at(5_ms));
}

RC_GTEST_PROP(Determinism, WhatIsMeasuredDoesNotMatter, ()) {
  Settings settings = settings_of(*any_network({.losses = true}), nullptr);
  settings.run.stop = at(2_ms);
  measure_nothing(settings.measurement);
  const std::string dark = Simulation(settings).run().digest;
  measure_all(settings.measurement, 10_us);
  RC_ASSERT(Simulation(settings).run().digest == dark);
  measure_all(settings.measurement, 777_ns);
  RC_ASSERT(Simulation(settings).run().digest == dark);
}

}  // namespace
}  // namespace weir::whole::determinism_test
