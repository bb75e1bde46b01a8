// SPDX-License-Identifier: Apache-2.0
// A switch between packet ports does what it did in the simulator: the recorded calls at its boundary are replayed with
// each frame as the bytes of a packet, and every packet sent is the frame that the switch sent there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "candidates.h"
#include "fabric/hop_protocols.h"
#include "policy/boundary_trace.h"
#include "ports/packet_switch.h"
#include "ports/testing/memory_ports.h"
#include "traffic/incast.h"
#include "wire/emit.h"
#include "wire/parse.h"

namespace weir::whole::equivalence_test {
namespace {

using ByteString = std::vector<std::byte>;
using Trace = BoundaryTrace<Switch>;

/// An incast to host 0 and crossing flows, at least one of them through every port of the first switch.
Settings incast_in(const Candidate& candidate) {
  Settings settings = calm_leaf_spine(candidate);
  settings.run.frame_capacity = std::size_t{1} << 15;
  std::vector<FlowSpec> flows;
  for (std::size_t source = 1; source < 8; ++source) flows.push_back(flow(source, 0, 60_KB));
  flows.push_back(flow(1, 5, 40_KB, at(2_us)));
  flows.push_back(flow(6, 2, 40_KB, at(3_us)));
  for (FlowSpec& one : flows) one.priority = 3;
  offer(settings, flows);
  return settings;
}

Trace trace_of(const Settings& settings) {
  Trace trace;
  Simulation simulation(settings);
  simulation.fabric().switch_by(SwitchId(0)).record(&trace);
  EXPECT_EQ(simulation.run().failure, "");
  return trace;
}

/// The message bytes of a packet: which, depends on the packet.
std::byte filling(const Frame& frame) {
  return static_cast<std::byte>(frame.sequence * 31 + frame.source.value);
}

/// A frame as a neighbour would put it on the wire; nothing if it has no bytes.
std::optional<ByteString> bytes_of(const FramePool& frames, const Frame& frame) {
  ByteString bytes(2'000);
  const ByteString payload(frame.payload_bytes, filling(frame));
  Frame sent = frame;
  sent.set_retransmitted(false);
  const auto length = emit(frames, sent, default_envelope(frame), payload, Fcs::absent, bytes);
  if (!length) return std::nullopt;
  bytes.resize(*length);
  return bytes;
}

/// What a receiver of bytes knows of the frame. Also checks the ICRC, and the message.
std::string described(FramePool& frames, std::span<const std::byte> bytes, FrameCopy& out) {
  const auto parsed = parse(frames, bytes, Fcs::absent, IcrcCheck::verify);
  if (!parsed) return std::string(to_string(parsed.error()));
  const Frame& frame = frames[parsed->id];
  out = FrameCopy::of(frames, frame);
  std::string wrong;
  for (const std::byte byte : parsed->payload) {
    if (byte != filling(frame)) wrong = "another message";
  }
  frames.release(parsed->id);
  return wrong;
}

class Equivalence : public ::testing::TestWithParam<Candidate> {};
INSTANTIATE_TEST_SUITE_P(Schemes, Equivalence, ::testing::ValuesIn(candidates()), name_of);

/// Two switches like the recorded one: one receives frames, as they arrive from a wire, and the other one packets.
class Pair {
 public:
  Pair(const Settings& settings, const Trace& trace)
      : trace_(trace),
        plain_(settings),
        real_(settings),
        neighbours_(real_.topology().hosts()),
        packets_(std::size_t{1} << 16),
        switch_(std::make_unique<PacketSwitch>(real_.switch_by(SwitchId(0)), real_.frames(), packets_, neighbours_,
                                               std::vector<PortAddresses>(real_.switch_by(SwitchId(0)).ports()))) {
    const HostControlProtocols to_hosts = host_control_of(settings);
    for (std::size_t port = 0; port < switch_->node().ports(); ++port) {
      const bool is_host = switch_->node().port(PortId(port)).peer.is_host();
      switch_->set_rules(PortId(port), {.to_hosts = is_host ? to_hosts.from_hosts : to_hosts.all});
    }
  }

  /// Nothing, or the first difference.
  std::string replay() {
    for (const Trace::Call& call : trace_.calls) {
      std::string wrong;
      switch (call.kind) {
        case Trace::Kind::receive:
          wrong = receive(call);
          break;
        case Trace::Kind::transmit:
          wrong = transmit(call);
          break;
        case Trace::Kind::advance:
          plain().advance(call.now);
          switch_->node().advance(call.now);
          break;
        default:
          wrong = "a call that has no packets";
      }
      if (!wrong.empty()) return wrong + " at " + std::to_string(call.now.picoseconds()) + " ps";
    }
    return {};
  }

  [[nodiscard]] std::size_t sent() const { return sent_; }
  /// Whether every frame had the same size on the wire as in the simulator, so that the simulator's actions apply too.
  [[nodiscard]] bool same_sizes() const { return same_sizes_; }
  [[nodiscard]] std::size_t as_simulated() const { return as_simulated_; }
  /// Packets that nothing accounts for, when the switch is gone.
  std::size_t left_behind() {
    switch_.reset();
    return packets_.in_use();
  }
  [[nodiscard]] PacketSwitch& packet_switch() { return *switch_; }

 private:
  Switch& plain() { return plain_.switch_by(SwitchId(0)); }

  std::string receive(const Trace::Call& call) {
    const FrameId recorded = call.frame.make(scratch_);
    const std::optional<ByteString> bytes = bytes_of(scratch_, scratch_[recorded]);
    const std::uint16_t simulated_bytes = scratch_[recorded].frame_bytes;
    scratch_.release(recorded);
    if (!bytes) return "a frame without bytes";
    if (bytes->size() + kFcsBytes != simulated_bytes) same_sizes_ = false;
    const auto parsed = parse(plain_.frames(), *bytes, Fcs::absent);
    if (!parsed) return std::string(to_string(parsed.error()));
    plain().receive(call.now, call.port, parsed->id);
    const Packet packet = packets_.make(*bytes);
    switch_->receive(call.now, call.port, std::span(&packet, 1));
    return switch_->counters(call.port).refused_frames() == 0 ? "" : "a refused packet";
  }

  std::string transmit(const Trace::Call& call) {
    const FrameId expected = plain().transmit(call.now, call.port);
    const std::optional<ModelledWire::Sent> sent = switch_->transmit(call.now, call.port);
    if (expected.exists() != sent.has_value()) return sent ? "a packet too many" : "no packet";
    if (!sent) return !same_sizes_ || !call.gave ? "" : "no packet, unlike in the simulator";
    ++sent_;
    const std::optional<ByteString> bytes = bytes_of(plain_.frames(), plain_.frames()[expected]);
    plain_.frames().release(expected);
    FrameCopy of_expected;
    FrameCopy of_sent;
    std::string wrong = bytes ? described(scratch_, *bytes, of_expected) : "a frame without bytes";
    if (wrong.empty()) wrong = described(scratch_, sent->packet.span(), of_sent);
    packets_.release(sent->packet);
    if (wrong.empty() && !of_sent.same_on_wire(of_expected)) wrong = "another packet";
    if (wrong.empty() && same_sizes_) wrong = unlike_the_simulator(call, of_sent);
    return wrong;
  }

  std::string unlike_the_simulator(const Trace::Call& call, const FrameCopy& sent) {
    if (!call.gave) return "a packet that the simulator did not send";
    const FrameId recorded = call.frame.make(scratch_);
    const std::optional<ByteString> bytes = bytes_of(scratch_, scratch_[recorded]);
    scratch_.release(recorded);
    FrameCopy expected;
    std::string wrong = bytes ? described(scratch_, *bytes, expected) : "a frame without bytes";
    if (wrong.empty() && !sent.same_on_wire(expected)) wrong = "another packet than in the simulator";
    ++as_simulated_;
    return wrong;
  }

  const Trace& trace_;
  FramePool scratch_{16};
  Fabric plain_;
  Fabric real_;
  Neighbours neighbours_;
  weir::testing::MemoryPool packets_;
  std::unique_ptr<PacketSwitch> switch_;
  bool same_sizes_ = true;
  std::size_t sent_ = 0;
  std::size_t as_simulated_ = 0;
};

TEST_P(Equivalence, OfPacketsAndFrames) {
  if (GetParam().scheme->traits.ideal) GTEST_SKIP() << "no real switch has what an ideal scheme needs";
  const Settings settings = incast_in(GetParam());
  const Trace trace = trace_of(settings);
  Pair pair(settings, trace);
  EXPECT_EQ(pair.replay(), "");
  EXPECT_GT(pair.sent(), 500u);
  EXPECT_EQ(pair.left_behind(), 0u);
}

TEST(EquivalenceWithTheSimulator, HoldsForFramesOfEqualSize) {
  std::size_t exact = 0;
  for (const Candidate& candidate : candidates()) {
    if (candidate.scheme->traits.ideal) continue;
    const Settings settings = incast_in(candidate);
    const Trace trace = trace_of(settings);
    Pair pair(settings, trace);
    EXPECT_EQ(pair.replay(), "") << candidate.scheme->name;
    if (!pair.same_sizes()) continue;
    ++exact;
    EXPECT_EQ(pair.as_simulated(), pair.sent()) << candidate.scheme->name;
  }
  EXPECT_GE(exact, 10u);  // the others have headers of schemes, which take more bytes on the wire
}

TEST(EquivalenceWithTheSimulator, AnotherPacketIsNoticed) {
  const Settings settings = incast_in({find_scheme("pfc"), Slot::flow_control});
  Trace trace = trace_of(settings);
  const auto call = std::find_if(trace.calls.begin(), trace.calls.end(), [](const Trace::Call& one) {
    return one.kind == Trace::Kind::receive && one.frame.header.kind == FrameKind::data;
  });
  ASSERT_NE(call, trace.calls.end());
  trace.calls.erase(call);
  EXPECT_NE(Pair(settings, trace).replay(), "");
}

}  // namespace
}  // namespace weir::whole::equivalence_test
