// SPDX-License-Identifier: Apache-2.0
// The shape of INT as used by HPCC: each switch adds a record when a data frame departs, the acknowledgement returns
// the records, and a window follows from them (Li et al., SIGCOMM 2019).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::shape_telemetry_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::size_t kMostHops = 5;
constexpr std::uint16_t kHeaderBytes = 2;  // number of records, and the path: from the host on
constexpr std::uint16_t kRecordBytes = 8;

/// A switch's record of a frame's egress port.
struct HopRecord {
  std::int64_t length = 0;    ///< bytes in units of 80: 16 bits
  std::int64_t sent = 0;      ///< bytes in units of 128: 20 bits
  std::int64_t time = 0;      ///< ns: 24 bits
  std::int64_t rate_25g = 0;  ///< units of 25 Gbit/s: 4 bits

  [[nodiscard]] std::uint64_t pack() const {
    const auto field = [](std::int64_t value, int bits) {
      return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
    };
    return field(length / 80, 16) | field(sent / 128, 20) << 16 | field(time, 24) << 36 | field(rate_25g, 4) << 60;
  }
  static HopRecord unpack(std::uint64_t word) {
    const auto field = [word](int shift, int bits) {
      return static_cast<std::int64_t>(word >> shift & ((std::uint64_t{1} << bits) - 1));
    };
    return {field(0, 16) * 80, field(16, 20) * 128, field(36, 24), field(60, 4)};
  }
};

/// Byte 0 of the extension counts the records, which begin at byte 8.
class TelemetryPoint : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    return {.arrival = false, .enter = false, .depart = true, .drop = false};
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (frame.kind != FrameKind::data) return;
    const std::span<std::byte> block = context.frames().extend(frame, 8 + kMostHops * kRecordBytes);
    if (block.empty()) return;
    const auto hops = std::to_integer<std::size_t>(block[0]);
    if (hops == kMostHops) return;
    const PortState& port = context.port(frame.egress);
    const HopRecord record = {.length = context.queue(queue).bytes,
                              .sent = port.bytes_sent,
                              .time = context.now().picoseconds() / 1'000,
                              .rate_25g = port.rate.bits_per_second() / 25'000'000'000};
    const std::uint64_t word = record.pack();
    std::memcpy(block.data() + 8 + hops * kRecordBytes, &word, kRecordBytes);
    block[0] = static_cast<std::byte>(hops + 1);
    frame.frame_bytes = static_cast<std::uint16_t>(frame.frame_bytes + kRecordBytes);
  }
};

/// HPCC's window without its additive stages: W = W / (U / 95 %) + a constant, once per round trip from a reference
/// window.
class TelemetryControl : public CongestionControl {
 public:
  [[nodiscard]] CongestionHooks hooks() const override {
    return {.sent = false, .ack = true, .data = true, .next_send = false};
  }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(State); }
  void open(NicContext&, SendState& sender) override {
    auto& state = sender.congestion.emplace<State>();
    state.reference = static_cast<double>(bytes_in(sender.base_round_trip, sender.line_rate).count());
    sender.window = static_cast<std::int64_t>(state.reference);
  }
  void on_data(NicContext&, ReceiveState&, Frame& data, Frame* reply) override {
    if (reply == nullptr || !data.extension.exists()) return;
    FramePool::move_extension(data, *reply);
  }
  void on_ack(NicContext& context, SendState& sender, const Acknowledgement& acknowledgement) override {
    const std::span<const std::byte> block = context.frames().extension(acknowledgement.frame);
    if (block.empty()) return;
    auto& state = sender.congestion.as<State>();
    const auto hops = std::to_integer<std::size_t>(block[0]);
    most_hops = std::max(most_hops, hops);
    const auto round_trip = static_cast<double>(sender.base_round_trip.picoseconds()) * 1e-3;  // ns
    double most = 0;
    for (std::size_t hop = 0; hop < hops; ++hop) {
      std::uint64_t word = 0;
      std::memcpy(&word, block.data() + 8 + hop * kRecordBytes, kRecordBytes);
      const HopRecord now = HopRecord::unpack(word);
      const HopRecord before = std::exchange(state.hops[hop], now);
      longest = std::max(longest, now.length);
      if (!state.known) continue;
      const auto elapsed = static_cast<double>((now.time - before.time) & 0xff'ffff);
      const auto sent = static_cast<double>((now.sent - before.sent) & (0xf'ffff * 128));
      const double line = static_cast<double>(now.rate_25g) * 25 / 8;  // bytes per ns
      const double share = elapsed > 0 ? sent / elapsed / line : 0;
      most = std::max(most, static_cast<double>(std::min(now.length, before.length)) / (line * round_trip) + share);
      state.interval = std::min(elapsed, round_trip);
    }
    if (state.known) state.load += (most - state.load) * state.interval / round_trip;
    state.known = true;
    const double window = state.reference / std::max(state.load / 0.95, 0.1) + 100;
    const auto most_bytes = static_cast<double>(4 * limit(sender));
    sender.window = window > 1 ? static_cast<std::int64_t>(std::min(window, most_bytes)) : 1;
    if (sender.acknowledged_bytes < state.update_at) return;
    state.reference = static_cast<double>(std::min(sender.window, limit(sender)));
    state.update_at = sender.next_bytes;
  }

  std::size_t most_hops = 0;
  std::int64_t longest = 0;

 private:
  static std::int64_t limit(const SendState& sender) {
    return bytes_in(sender.base_round_trip, sender.line_rate).count();
  }
  struct State {
    std::array<HopRecord, kMostHops> hops;
    double reference = 0;
    double load = 1;
    double interval = 0;
    std::int64_t update_at = 0;
    bool known = false;
  };
};

const Scheme telemetry_point = {
    .name = "telemetry point",
    .summary = "",
    .traits = {},
    .parameters = {},
    .congestion_point = make<CongestionPoint, TelemetryPoint>,
    .header_bytes =
        [](const Parameters&) { return HeaderBytes{.at_switch = kRecordBytes, .switches = kMostHops, .echoed = true}; },
};
const Scheme telemetry_control = {
    .name = "telemetry control",
    .summary = "",
    .traits = {},
    .parameters = {},
    .congestion_control = make<CongestionControl, TelemetryControl>,
    .header_bytes = [](const Parameters&) { return HeaderBytes{.at_source = kHeaderBytes, .echoed = true}; },
};

/// Two ToRs of eight hosts and one spine: three switches between hosts 0..7 and 8..15.
Settings two_racks() {
  LeafSpineSettings network;
  network.tors = 2;
  network.hosts_per_tor = 8;
  network.spines = 1;
  network.host_link = {100_Gbps, 1_us};
  network.fabric_link = {400_Gbps, 1_us};
  Settings settings = bare(built(build_leaf_spine(network)));
  settings.switches.flow_control = {choose("pfc")};
  settings.switches.congestion_point = {choose(telemetry_point)};
  settings.hosts.congestion_control = choose(telemetry_control);
  return settings;
}

/// The port of a switch to a host or switch.
PortId port_towards(const Switch& node, HostId host, SwitchId neighbour) {
  for (std::size_t port = 0; port < node.ports(); ++port) {
    const Peer& peer = node.port(PortId(port)).peer;
    if (host.exists() ? peer.host == host : peer.neighbour == neighbour) return PortId(port);
  }
  return PortId::none();
}

class Telemetry : public BothDrivers {};
WEIR_BOTH_DRIVERS(Telemetry);

TEST_P(Telemetry, LengthensFramesOnTheWireHopByHop) {
  Settings settings = two_racks();
  offer(settings, {flow(0, 8, 500_KB)});
  Lab lab(settings, GetParam());
  lab.record(SwitchId(0));
  lab.record(SwitchId(2));
  lab.record(HostId(0));
  lab.record(HostId(8));
  expect_clean(lab.run(), 1);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
  constexpr std::int64_t kPackets = 500;
  const auto sent_by = [&](std::size_t node, HostId host, SwitchId neighbour) {
    const Switch& at = lab.fabric().switch_by(SwitchId(node));
    return at.port(port_towards(at, host, neighbour)).bytes_sent;
  };
  const auto received_by = [&](std::size_t node, HostId host, SwitchId neighbour) {
    const Switch& at = lab.fabric().switch_by(SwitchId(node));
    return at.port(port_towards(at, host, neighbour)).bytes_received;
  };
  EXPECT_EQ(received_by(0, HostId(0), SwitchId()), kPackets * (1'066 + 2));
  EXPECT_EQ(sent_by(0, HostId(), SwitchId(2)), kPackets * (1'066 + 2 + 8));
  EXPECT_EQ(received_by(2, HostId(), SwitchId(0)), kPackets * (1'066 + 2 + 8));
  EXPECT_EQ(sent_by(2, HostId(), SwitchId(1)), kPackets * (1'066 + 2 + 16));
  EXPECT_EQ(sent_by(1, HostId(8), SwitchId()), kPackets * (1'066 + 2 + 24));
  EXPECT_EQ(received_by(1, HostId(8), SwitchId()), kPackets * (70 + 2 + 24));  // the records that acknowledgements echo
  EXPECT_EQ(sent_by(0, HostId(0), SwitchId()), kPackets * (70 + 2 + 24));
  EXPECT_EQ(Made<TelemetryControl>::at(0).most_hops, 3u);
  // Headroom uses the longest possible frame.
  EXPECT_EQ(lab.fabric().switch_by(SwitchId(0)).maximum_frame(), 1'066 + 2 + 40);
}

TEST_P(Telemetry, LetsWindowsHoldQueuesShort) {
  Settings settings = two_racks();
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 8; ++host) flows.push_back(flow(host, 8, 2_MB));
  offer(settings, flows);
  Lab with(settings, GetParam());
  with.record(SwitchId(1));
  expect_clean(with.run(), 8);
  EXPECT_THAT(with.replay_differences(), IsEmpty());
  EXPECT_GT(Made<TelemetryControl>::at(0).longest, 50'000);

  settings.switches.congestion_point.clear();
  settings.hosts.congestion_control = choose("line_rate");
  Lab without(settings, GetParam());
  expect_clean(without.run(), 8);
  const auto held = [](Lab& lab) { return lab.fabric().switch_by(SwitchId(1)).buffer().maximum; };
  EXPECT_LT(held(with), 800'000);  // the first windows: eight of 90 KB
  EXPECT_LT(held(with), held(without) / 2);
}

}  // namespace
}  // namespace weir::shape::shape_telemetry_test
