// SPDX-License-Identifier: Apache-2.0
// The counts of a run over all nodes, its treatment of flows that are still open, and the failures that end it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "whole_network.h"

namespace weir::whole::run_record_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr std::int64_t kFrame = 1'066;

// ---- counts ----

TEST(RunCounts, HaveTheFlowsThatAreOpenAtTheEnd) {
  Settings settings = lossless_network(star(3, kLink), 100_us);
  offer(settings, {flow(0, 2, 10_KB), flow(1, 2, kLongRunning)});
  const RunRecord record = Simulation(settings).run();
  ASSERT_THAT(record.flows, SizeIs(2));
  for (const FlowRecord& each : record.flows) {
    EXPECT_EQ(each.completed(), each.source == HostId(0));
    EXPECT_EQ(each.receiver_completion > Duration(), each.source == HostId(0));
  }
}

/// A frame takes 86.88 ns, so the 24th is on the wire from 1,998.24 ns on; none has reached host 1 by then.
TEST(RunCounts, AreOfDataFramesSent) {
  Settings settings = lossless_network(chain({kLink, kLink}), 2_us);
  offer(settings, {flow(0, 1, kLongRunning)});
  EXPECT_EQ(Simulation(settings).run().data_frames, 24u);
}

TEST(RunCounts, AreOfBytesByKindOnEachLink) {
  Settings settings = lossless_network(star(2, kLink), 100_us);
  offer(settings, {flow(0, 1, 10_KB)});
  const RunRecord record = Simulation(settings).run();
  const auto bytes = [&record](FrameKind kind) { return record.bytes_by_kind[static_cast<std::size_t>(kind)]; };
  EXPECT_EQ(bytes(FrameKind::data), 2 * 10 * kFrame);
  EXPECT_EQ(bytes(FrameKind::ack), 2 * 10 * Framing::rocev2().acknowledge());
  EXPECT_EQ(bytes(FrameKind::pfc), 0);
}

/// The path over one spine is 10 us longer: frames over it arrive after frames sent later.
TEST(RunCounts, AreOfFramesOutOfOrderAtAllHosts) {
  Topology topology;
  const NodeId tors[] = {topology.add_switch("tor0", 1, 0, 0), topology.add_switch("tor1", 1, 0, 1)};
  for (std::size_t i = 0; i < 4; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, static_cast<int>(i / 2)), tors[i / 2], kLink);
  }
  for (const Duration delay : {1_us, 11_us}) {
    const NodeId spine = topology.add_switch(delay == 1_us ? "near" : "far", 2, 0);
    for (const NodeId tor : tors) topology.connect(tor, spine, {kLink.rate, delay, 0});
  }
  Settings settings = lossless_network(std::move(topology), 1_ms);
  settings.switches.forwarding = choose("spray");
  settings.hosts.loss_recovery = choose("irn");
  offer(settings, {flow(0, 2, 100_KB), flow(1, 3, 100_KB)});
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  const std::uint64_t at_two = simulation.fabric().nic(HostId(2)).out_of_order();
  const std::uint64_t at_three = simulation.fabric().nic(HostId(3)).out_of_order();
  EXPECT_GT(at_two, 0u);
  EXPECT_GT(at_three, 0u);
  EXPECT_EQ(record.out_of_order_frames, at_two + at_three);
}

// ---- failures ----

/// Takes a frame of the pool at the tenth departure and forgets it.
class Leak final : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }
  void on_depart(SwitchContext& context, QueueId, Frame&) override {
    if (++departed_ == 10) context.frames().allocate();
  }

 private:
  int departed_ = 0;
};

const Scheme kLeak = {
    .name = "leak",
    .summary = "loses a frame",
    .traits = {},
    .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> { return std::make_unique<Leak>(); },
};

TEST(RunFailures, AreFramesThatAreNotConserved) {
  Settings settings = lossless_network(star(2, kLink), 2_ms);
  settings.switches.congestion_point = {{&kLeak, Parameters(kLeak.parameters)}};
  offer(settings, {flow(0, 1, 20_KB)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, HasSubstr("frames are not conserved: 1 in use, 0 in queues and on links (seed "));
  EXPECT_FALSE(record.deadlock);
  EXPECT_LE(record.simulated, at(1_ms)) << "it ends where that is found";
}

/// Reports that it pauses its neighbours, but sends no pause.
class PausesOnPaper final : public FlowControl {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = true;
    return hooks;
  }
  void on_enter(SwitchContext& context, QueueId, Frame& frame) override {
    context.note_pause(frame.ingress, frame.ingress_priority, true);
  }
};

const Scheme kOnPaper = {
    .name = "on_paper",
    .summary = "pauses nobody, but says so",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<PausesOnPaper>(); },
};

/// Three hosts send to a fourth. The switch has less buffer than they send.
RunRecord run_paused_on_paper(bool lossless) {
  Settings settings = lossless_network(star(4, kLink), 1_ms);
  settings.switches.flow_control = {{&kOnPaper, Parameters(kOnPaper.parameters)}};
  settings.switches.lossless[3] = lossless;
  settings.switches.buffer = 400_KB;
  // The egress limits exceed the buffer, so that the buffer refuses frames.
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 40'000_B}, {"egress_limit", 1_MB}});
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 1_MB), flow(2, 3, 1_MB)});
  return Simulation(settings).run();
}

TEST(RunFailures, AreLosslessDropsOfPausedPortsWhoseHeadroomIsComputed) {
  const RunRecord record = run_paused_on_paper(true);
  EXPECT_THAT(record.failure, HasSubstr("switch s0 dropped a frame of lossless priority 3 from port "));
  EXPECT_THAT(record.failure, HasSubstr(" although it had paused it and its headroom is computed (seed "));
  EXPECT_GT(record.switches.front().drops[static_cast<std::size_t>(DropReason::buffer_full)], 0u);
}

TEST(RunFailures, AreNoDropsOfLossyPriorities) {
  const RunRecord record = run_paused_on_paper(false);
  EXPECT_EQ(record.failure, "");
  EXPECT_GT(record.switches.front().drops[static_cast<std::size_t>(DropReason::buffer_full)], 0u);
}

}  // namespace
}  // namespace weir::whole::run_record_test
