// SPDX-License-Identifier: Apache-2.0
// The default window of a NIC is one bandwidth-delay product of the path.
#include <gtest/gtest.h>

#include "net/path_metrics.h"
#include "whole_network.h"

namespace weir::whole::default_window_test {
namespace {

/// From 100 Gbit/s to a host of 10 Gbit/s: the bandwidth-delay product of the path according to `weir check`.
TEST(DefaultWindow, IsTheRoundTripTimesTheLowestRateOfThePath) {
  const std::vector<LinkSpec> links{{100_Gbps, 1_us, 0}, {40_Gbps, 2_us, 0}, {10_Gbps, 1_us, 0}};
  Settings settings = lossless_network(chain(links), 1_s);
  settings.run.stop = Time::never();
  settings.run.drain = true;
  offer(settings, {flow(0, 1, 1_MB)});
  const Framing framing = settings.network.framing;
  const PathMetrics metrics(settings.network.topology, compute_routes(settings.network.topology, {}),
                            {Bytes(maximum_frame_bytes(settings) + framing.wire_overhead),
                             Bytes(framing.acknowledge() + framing.wire_overhead)});
  const std::int64_t product = metrics.largest_bandwidth_delay_product().count();
  ASSERT_EQ(product, bytes_in(metrics.longest_round_trip(), 10_Gbps).count());

  const auto completion = [&settings](WindowSettings::Kind kind, std::optional<Bytes> bytes) {
    settings.hosts.window = {.kind = kind, .bytes = bytes, .global_round_trip = false};
    return Simulation(settings).run().flows.front().sender_completion;
  };
  using enum WindowSettings::Kind;
  EXPECT_EQ(completion(fixed, std::nullopt), completion(fixed, Bytes(product)));
  // It is just enough for the path: a lower one is slower, and without one the buffer before the slow link fills.
  EXPECT_LT(completion(fixed, std::nullopt).picoseconds(), completion(none, std::nullopt).picoseconds() * 101 / 100);
  EXPECT_GT(completion(fixed, Bytes(product / 2)), completion(fixed, std::nullopt));
  settings.hosts.window = {.kind = fixed, .bytes = std::nullopt, .global_round_trip = false};
  for (const SwitchRecord& at : Simulation(settings).run().switches) EXPECT_LT(at.buffer_maximum, product);
}

}  // namespace
}  // namespace weir::whole::default_window_test
