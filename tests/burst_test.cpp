// SPDX-License-Identifier: Apache-2.0
// A node behaves the same whether it receives frames in bursts or one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "poll/replay.h"
#include "random_network.h"
#include "switch/switch.h"

namespace weir::whole::burst_test {
namespace {

/// The recorded boundary of every node of a network under the poll loop, whose ports deliver bursts.
struct Recorded {
  std::map<std::size_t, BoundaryTrace<Switch>> switches;
  std::map<std::size_t, BoundaryTrace<Nic>> hosts;
  std::uint64_t largest_burst = 0;
  bool out_of_frames = false;
};

Recorded recorded(const Settings& settings, const PollOptions& options) {
  Recorded out;
  PollNetwork network(settings, options);
  Fabric& fabric = network.fabric();
  for (std::size_t i = 0; i < fabric.switches(); ++i) fabric.switch_by(SwitchId(i)).record(&out.switches[i]);
  for (std::size_t i = 0; i < fabric.hosts(); ++i) fabric.nic(HostId(i)).record(&out.hosts[i]);
  out.largest_burst = network.run().largest_burst;
  out.out_of_frames = fabric.frames().refused() > 0;
  return out;
}

/// The differences between the same nodes with bursts of these sizes; empty: none.
template <class Most>
std::string difference(const Recorded& recording, const Settings& built, const Most& most) {
  for (const auto& [number, trace] : recording.switches) {
    Fabric fresh(built);
    const Replay played = replay(trace, fresh.switch_by(SwitchId(number)), fresh.frames(), most);
    if (!played.difference.empty()) return "switch " + std::to_string(number) + ": " + played.difference;
  }
  for (const auto& [number, trace] : recording.hosts) {
    Fabric fresh(built);
    const Replay played = replay(trace, fresh.nic(HostId(number)), fresh.frames(), most);
    if (!played.difference.empty()) return "host " + std::to_string(number) + ": " + played.difference;
  }
  return {};
}

RC_GTEST_PROP(Bursts, AreTheSameAsFramesOneByOne, ()) {
  const RandomNetwork network = *any_network({.losses = false});
  // A loop slow enough for bursts of many frames.
  const PollOptions options = {.period = Duration::picoseconds(*rc::gen::element(500'000, 2'000'000))};
  Settings settings = settings_of(network, &options);
  settings.run.frame_capacity = std::size_t{1} << 14;
  const Settings built = for_poll_loop(settings, options);
  const Recorded recording = recorded(settings, options);
  // The nodes of a network share its frame pool, whereas a replayed node has it alone, and sends where the recorded one
  // could not.
  RC_PRE(!recording.out_of_frames);
  RC_ASSERT(difference(recording, built, [] { return std::size_t{1}; }) == "");
  RC_ASSERT(difference(recording, built, [] { return kBurst; }) == "");
  RandomStream random(static_cast<std::uint64_t>(network.seed), 0, 0);
  RC_ASSERT(difference(recording, built, [&random] { return std::size_t{1 + random.below(kBurst)}; }) == "");
}

/// The property is not vacuous.
TEST(Bursts, AreOfManyFramesUnderASlowLoop) {
  Settings settings = lossless_network(star(4, {100_Gbps, 1_us}), 100_us);
  settings.switches.buffer = 64_MB;
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 1_MB), flow(2, 3, 1_MB)});
  EXPECT_EQ(recorded(settings, {.period = 5_us}).largest_burst, kBurst);
}

/// A burst may also be one frame or none.
TEST(Bursts, MayBeEmpty) {
  const Settings settings = lossless_network(star(2, {100_Gbps, 1_us}), 100_us);
  Fabric fabric(settings);
  fabric.switch_by(SwitchId(0)).receive(Time(), PortId(0), std::span<const FrameId>());
  fabric.nic(HostId(0)).receive(Time(), std::span<const FrameId>());
  EXPECT_EQ(fabric.frames_held(), 0U);
  EXPECT_EQ(fabric.switch_by(SwitchId(0)).port(PortId(0)).frames_received, 0U);
}

}  // namespace
}  // namespace weir::whole::burst_test
