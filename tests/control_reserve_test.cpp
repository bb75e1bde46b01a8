// SPDX-License-Identifier: Apache-2.0
// Control frames pass a switch with a full buffer, under every buffer policy.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole::control_reserve_test {
namespace {

/// Hosts 0 to 2 at 100 Gbit/s and host 3 at 25 Gbit/s, at one switch.
Topology uneven_star() {
  Topology topology;
  const NodeId middle = topology.add_switch("s0", 1, 0, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    const BitRate rate(i < 3 ? 100'000'000'000 : 25'000'000'000);
    topology.connect(topology.add_host("h" + std::to_string(i), 0, 0), middle, {rate, Duration(1_us)});
  }
  return topology;
}

/// Sixteen flows of host 0 congest host 3; the port of host 0 may fill the whole pool, whose size is a whole number of
/// largest frames: then no byte is left.
Settings full_pool() {
  Settings settings = lossless_network(uneven_star(), 2_ms);
  settings.switches.buffer = 800_KB;
  settings.switches.buffer_policy = choose("spfc", {{"always_victim", std::int64_t{0}}});
  settings.switches.congestion_point = {choose("red")};
  settings.hosts.congestion_control = choose("dcqcn");
  const std::int64_t pool = 660 * maximum_frame_bytes(settings);
  settings.switches.buffer += Bytes(pool - plan_buffer(settings, SwitchId(0)).shared);
  offer(settings, std::vector<FlowSpec>(16, flow(0, 3, 10_MB)));
  return settings;
}

std::uint64_t drops_of(const RunRecord& record) {
  const auto& drops = record.switches.at(0).drops;
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

TEST(ControlReserve, LetsNotificationsThroughAPoolThatDataHasFilled) {
  const Settings settings = full_pool();
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(drops_of(record), 0u);

  Settings without = settings;
  without.switches.control_reserve = Bytes(0);
  EXPECT_GT(drops_of(Simulation(without).run()), 0u) << "the pool is never full: the test shows nothing";
}

/// Every buffer policy, and SPFC with one port that may fill the pool.
std::vector<PolicyChoice> buffer_policies() {
  std::vector<PolicyChoice> out = {choose("spfc", {{"always_victim", std::int64_t{0}}})};
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->buffer != nullptr) out.push_back({scheme, Parameters(scheme->parameters)});
  }
  return out;
}

FrameId frame_of(Fabric& fabric, FrameKind kind, std::size_t to, Priority priority, std::uint16_t bytes) {
  const FrameId id = fabric.frames().allocate();
  Frame& frame = fabric.frames()[id];
  frame.kind = kind;
  frame.frame_bytes = bytes;
  frame.priority = priority;
  frame.source = HostId(0);
  frame.destination = HostId(to);
  return id;
}

// The ports send nothing, so all frames stay. Hosts fill the buffer with data of both kinds, as far as the policy
// permits; then a control frame of each kind and priority arrives for each host.
TEST(ControlReserve, IsThereUnderEveryBufferPolicy) {
  for (const PolicyChoice& policy : buffer_policies()) {
    for (const Priority of_data : {Priority{0}, Priority{3}}) {
      SCOPED_TRACE(std::string(policy.scheme->name) + ", data of priority " + std::to_string(of_data));
      Settings settings = full_pool();
      settings.switches.buffer_policy = policy;
      Fabric fabric(settings);
      Switch& at = fabric.switch_by(SwitchId(0));
      const auto dropped = [&] { return at.drops(DropReason::buffer_full) + at.drops(DropReason::egress_threshold); };
      for (std::size_t port = 0; port < at.ports(); ++port) {
        for (int i = 0; i < 2'000; ++i)
          at.receive(Time(), PortId(port), frame_of(fabric, FrameKind::data, 3, of_data, 1066));
      }
      ASSERT_GT(dropped(), 0u) << "the data has not filled what it may";
      const std::uint64_t before = dropped();
      for (std::size_t host = 0; host < fabric.hosts(); ++host) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
          for (const FrameKind kind : {FrameKind::ack, FrameKind::nack, FrameKind::cnp, FrameKind::host_control}) {
            at.receive(Time(), PortId(0), frame_of(fabric, kind, host, priority, 82));
          }
        }
      }
      EXPECT_EQ(dropped(), before);
      EXPECT_EQ(at.broken_invariant(), "");
      EXPECT_LE(at.buffer().used, at.buffer().size);
    }
  }
}

}  // namespace
}  // namespace weir::whole::control_reserve_test
