// SPDX-License-Identifier: Apache-2.0
// Headroom for loops that are polled late: how late is measured before a switch starts (ports/loop_trial.h), and what
// this adds to the response to a pause makes the network lossless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "nic_path.h"
#include "poll/poll_network.h"
#include "ports/loop_trial.h"
#include "wire/parse.h"

namespace weir::whole::pause_response_test {
namespace {

using ::testing::IsEmpty;
using weir::testing::ipv4_packet;
using weir::testing::MemoryPool;
using weir::testing::MemoryPort;
using ByteString = std::vector<std::byte>;

constexpr BitRate kRate(1'000'000'000);

Settings network(std::size_t hosts) {
  Settings settings = lossless_network(star(hosts, {kRate, 5_us}), 1_s);
  settings.switches.buffer = 1_MB;
  settings.run.frame_capacity = std::size_t{1} << 13;
  return settings;
}

/// A switch between two hosts, for a trial.
class Trial : public ::testing::Test {
 protected:
  explicit Trial(std::string_view flow_control = "pfc") { build(flow_control); }

  void build(std::string_view flow_control) {
    node.reset();
    Settings settings = network(2);
    if (flow_control != "pfc")
      settings.switches.flow_control.insert(settings.switches.flow_control.begin(), choose(flow_control));
    fabric = std::make_unique<Fabric>(settings);
    node = std::make_unique<PacketSwitch>(fabric->switch_by(SwitchId(0)), fabric->frames(), packets, neighbours,
                                          std::vector<PortAddresses>(2));
  }
  /// The clock steps by 1 us, but once by 70 us.
  Duration run(Duration length) {
    const std::array<PacketPort*, 2> devices = {&ports[0], &ports[1]};
    return longest_gap(*node, devices, packets, shortest_frames(2, 3), length, [this] {
      ++readings;
      now += readings == 500 ? 70_us : 1_us;
      return now;
    });
  }

  Time now;
  int readings = 0;
  MemoryPool packets{1'000};
  Neighbours neighbours{2};
  std::array<MemoryPort, 2> ports = {MemoryPort(packets), MemoryPort(packets)};
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<PacketSwitch> node;
};

TEST_F(Trial, FindsTheLongestGapBetweenTwoPolls) {
  for (const std::string_view flow_control : {"pfc", "bfc", "floodgate", "pyrrha"}) {
    SCOPED_TRACE(flow_control);
    build(flow_control);
    now = Time();
    readings = 0;
    for (MemoryPort& port : ports) port.deliver(ByteString(60));
    EXPECT_EQ(run(1_ms), 70_us);
    EXPECT_GT(readings, 900);
    EXPECT_LT(readings, 1'000);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_THAT(ports[i].arriving, IsEmpty()) << "what arrives is dropped";
      EXPECT_THAT(ports[i].sent, IsEmpty()) << "nobody else sees the frames of the trial";
      // Full bursts in both directions.
      EXPECT_GT(node->counters(PortId(i)).received_frames, 900u * PortLoop::kBurst);
      EXPECT_GT(node->counters(PortId(i)).sent_frames, 800u * PortLoop::kBurst);
      EXPECT_EQ(node->counters(PortId(i)).refused_frames(), 0u);
    }
    node.reset();
    EXPECT_EQ(packets.in_use(), 0u);
  }
}

TEST_F(Trial, PollsNothingWithoutTime) {
  EXPECT_EQ(run(Duration()), Duration());
  EXPECT_EQ(node->counters(PortId(0)).received_frames, 0u);
}

TEST_F(Trial, APortReceivesItsFramesInTurnWhileThereAreBuffers) {
  ports[0].deliver(ByteString(60));
  TrialPort port(ports[0], packets, {ByteString(60, std::byte{1}), ByteString(61)});
  std::array<Packet, 32> burst;
  ASSERT_EQ(port.receive(burst), 32u);
  for (std::size_t i = 0; i < burst.size(); ++i) EXPECT_EQ(burst[i].length, 60 + i % 2);
  EXPECT_EQ(burst[0].bytes[59], std::byte{1});
  EXPECT_EQ(port.send(burst), 32u);
  EXPECT_EQ(packets.in_use(), 0u);
  packets.set_limit(3);
  ASSERT_EQ(port.receive(burst), 3u);
  EXPECT_EQ(port.send(std::span(burst).first(3)), 3u);
  EXPECT_THAT(ports[0].sent, IsEmpty());
  TrialPort silent(ports[0], packets, {});
  EXPECT_EQ(silent.receive(burst), 0u);
}

TEST(TrialFrames, AreTheShortestAndGoToEveryHost) {
  const std::vector<ByteString> frames = shortest_frames(3, 5);
  ASSERT_EQ(frames.size(), 3u);
  FramePool pool(1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(frames[i].size(), kMinimumEthernetBytes);
    const auto parsed = parse(pool, frames[i], Fcs::absent, IcrcCheck::verify);
    ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
    EXPECT_EQ(pool[parsed->id].destination, HostId(i));
    EXPECT_NE(pool[parsed->id].source, HostId(i));
    EXPECT_EQ(pool[parsed->id].priority, 5);
    pool.release(parsed->id);
  }
  EXPECT_EQ(shortest_frames(1'000, 3).size(), 64u);
  EXPECT_THAT(shortest_frames(1, 3), IsEmpty());
}

struct Overload {
  std::uint64_t lost = 0;
  std::uint64_t pauses = 0;
  std::size_t arrived = 0;
};

/// Three hosts offer three times what the fourth can take, for 100 ms, while no loop waits longer than `gap` for its
/// next poll.
Overload overload(const Settings& settings, Duration gap, std::uint32_t seed) {
  NicPath path(settings, {.has_host = true});
  std::mt19937 random(seed);
  std::vector<Time> next(5);
  const auto due = [&](std::size_t which) {
    if (path.now < next[which]) return false;
    next[which] = path.now + gap * static_cast<std::int64_t>(random() % 100 + 1) / 100;
    return true;
  };
  const Duration per_packet = time_to_send(Bytes(1'458), kRate);
  std::array<Time, 3> offered{};
  for (; path.now < Time() + 100_ms; path.now += NicPath::kPeriod) {
    for (std::size_t host = 0; host < 3; ++host) {
      for (; offered[host] <= path.now; offered[host] += per_packet) {
        path.host[host]->deliver(ipv4_packet({.protocol = 17,
                                              .type_of_service = 0x60,
                                              .source = 0x0a000000 + static_cast<std::uint32_t>(host),
                                              .destination = 0x0a000003,
                                              .ports = {5201, 40000},
                                              .payload = 1'400}));
      }
    }
    for (std::size_t host = 0; host < 4; ++host) {
      if (due(host)) path.loops[host]->poll(path.now);
    }
    if (due(4)) path.loop->poll(path.now);
  }
  const Switch& node = path.fabric->switch_by(SwitchId(0));
  return {node.drops(DropReason::buffer_full), node.pauses_sent(), path.host[3]->sent.size()};
}

TEST(PauseResponse, HeadroomForLateLoopsLosesNothing) {
  const Settings settings = network(4);
  constexpr Duration kGap = 100_us;
  const Settings late = for_poll_loop(settings, {.period = kGap, .transmit_depth = ModelledWire::kAhead});
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const Overload with = overload(late, kGap, seed);
    EXPECT_EQ(with.lost, 0u) << seed;
    EXPECT_GT(with.pauses, 10u);
    EXPECT_GT(with.arrived, 8'000u) << "of 8,573 in 100 ms";
    EXPECT_GT(overload(settings, kGap, seed).lost, 0u) << "the test would notice missing headroom";
  }
}

}  // namespace
}  // namespace weir::whole::pause_response_test
