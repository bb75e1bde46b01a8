// SPDX-License-Identifier: Apache-2.0
// BFC's bound on the time for which a paused flow has no packets (bfc, appendix C), compared with two flows at a link.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "analysis/bfc_model.h"
#include "whole_network.h"

namespace weir::whole::idle_bound_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};
constexpr std::int64_t kFrame = 1'066;

/// The packets of two flows, from hosts 0 and 1, in a switch, after they have settled.
class QueuesOfTwoFlows final : public SwitchObserver {
 public:
  QueuesOfTwoFlows(Switch& at, Time from) : switch_(at), from_(from) { switch_.observe(this); }
  ~QueuesOfTwoFlows() override { switch_.observe(nullptr); }
  [[nodiscard]] bool watches_frames() const override { return true; }

  void on_admit(const SwitchContext& context, const Frame& frame) override {
    if (frame.kind != FrameKind::data) return;
    Flow& flow = flows_[frame.source.index()];
    const Time now = context.now();
    const Time empty_from = std::max(flow.empty_from, from_);
    if (flow.bytes == 0 && now > empty_from) flow.idle = flow.idle + (now - empty_from);
    flow.bytes += frame.charged_bytes;
    if (now >= from_) flow.peak = std::max(flow.peak, flow.bytes);
  }
  void on_depart(const SwitchContext& context, QueueId, const Frame& frame) override {
    if (frame.kind != FrameKind::data) return;
    Flow& flow = flows_[frame.source.index()];
    flow.bytes -= frame.charged_bytes;
    // Its last frame is a packet of the flow until it is sent.
    flow.empty_from = context.now() + time_to_send(Bytes(frame.frame_bytes + 20), kLink.rate);
  }
  void on_hop_pause(const SwitchContext&, PortId, std::uint64_t, bool paused) override { pauses_ += paused ? 1 : 0; }

  [[nodiscard]] double idle_share(std::size_t flow, Time end) const {
    return static_cast<double>(flows_[flow].idle.picoseconds()) / static_cast<double>((end - from_).picoseconds());
  }
  [[nodiscard]] std::int64_t peak(std::size_t flow) const { return flows_[flow].peak; }
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }

 private:
  struct Flow {
    std::int64_t bytes = 0;
    std::int64_t peak = 0;
    Time empty_from;
    Duration idle;
  };
  Switch& switch_;
  Time from_;
  std::array<Flow, 2> flows_;
  std::uint64_t pauses_ = 0;
};

/// Each arrives at the link's rate and departs at half of it: x = 2, for which the bound with a threshold of one
/// product, the paper's, is largest.
TEST(IdleBound, HoldsForTwoFlowsAtALink) {
  constexpr double kRatio = 2;
  const Time end = at(5_ms);
  for (const double threshold : {0.5, 1.0, 2.0, 4.0}) {
    SCOPED_TRACE(threshold);
    Settings settings = lossless_network(star(3, kLink), end - Time());
    const Duration round_trip = 2 * kLink.delay + 2 * time_to_send(Bytes(kFrame + 20), kLink.rate);
    const Duration pause_at =
        Duration::picoseconds(static_cast<std::int64_t>(threshold * static_cast<double>(round_trip.picoseconds())));
    settings.switches.lossless = {};
    settings.switches.flow_control = {choose("bfc", {{"threshold", pause_at}})};
    offer(settings, {flow(0, 2, kLongRunning), flow(1, 2, kLongRunning)});
    Simulation simulation(settings);
    QueuesOfTwoFlows queues(simulation.fabric().switch_by(SwitchId(0)), at(200_us));
    simulation.run();

    EXPECT_GT(queues.pauses(), 100u);
    const double product = static_cast<double>(bytes_in(round_trip, kLink.rate).count()) / 2;
    const double packet = kFrame / product;  // in products, corresponding to the bound's round trips
    const double bound = analysis::bfc_idle_share(kRatio, threshold);
    const double cycle = 1 / bound;  // in round trips: the flow has no packets for one of them
    for (const std::size_t of : {0, 1}) {
      const double share = queues.idle_share(of, end);
      EXPECT_LE(share, (1 + packet) / (cycle + packet)) << "the bound, and a packet a cycle";
      EXPECT_GT(share, bound / 4) << "it is held against something";
      const double longest = analysis::bfc_longest_queue(kRatio, threshold) * product;
      EXPECT_LE(static_cast<double>(queues.peak(of)), longest + kFrame) << "the bound, and a packet";
      EXPECT_GT(static_cast<double>(queues.peak(of)), longest / 2);
    }
  }
}

}  // namespace
}  // namespace weir::whole::idle_bound_test
