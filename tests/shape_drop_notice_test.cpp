// SPDX-License-Identifier: Apache-2.0
// The shape of a notice on drop: a switch that drops a lossy frame notifies the frame's source at once, which
// retransmits exactly that frame; there is no timer (as FastLane, Zats et al., SoCC 2015).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "shape_lab.h"
#include "shape_resequencing.h"

namespace weir::shape::shape_drop_notice_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::uint8_t kNoticeProtocol = 211;

class DropNotifier : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    return {.arrival = false, .enter = false, .depart = false, .drop = true};
  }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override {
    if (frame.kind != FrameKind::data) return;
    if (reason != DropReason::egress_threshold && reason != DropReason::buffer_full) return;
    const FrameId id = context.frames().allocate();
    if (!id.exists()) return;
    Frame& notice = context.frames()[id];
    notice.kind = FrameKind::host_control;
    notice.protocol = kNoticeProtocol;
    notice.priority = 6;
    notice.frame_bytes = 90;
    notice.destination = frame.source;
    notice.source = frame.destination;  // with the queue pair, identifies the flow at its source
    notice.queue_pair = frame.queue_pair;
    notice.sequence = frame.sequence;
    context.send_to_host(id);
    ++told;
  }
  std::uint64_t told = 0;
};

class NoticedRecovery : public Resequencing {
 public:
  bool on_feedback(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kNoticeProtocol) return false;
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (sender != nullptr && lose(*sender, frame.sequence)) ++repairs;
    return true;
  }
  std::uint64_t repairs = 0;
};

/// Sees each notice first and leaves it to the loss recovery.
class Halving : public CongestionControl {
 public:
  bool on_feedback(NicContext& context, const Frame& frame) override {
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (frame.protocol == kNoticeProtocol && sender != nullptr) {
      sender->rate = std::max(BitRate(1'000'000'000), sender->rate / 2);
      context.arm(*sender, context.now() + 50_us);
    }
    return false;
  }
  void on_sender_timer(NicContext& context, SendState& sender) override {
    sender.rate = std::min(sender.line_rate, sender.rate + BitRate(1'000'000'000));
    if (sender.rate < sender.line_rate) context.arm(sender, context.now() + 50_us);
  }
};

const Scheme drop_notice = {
    .name = "drop notice",
    .summary = "",
    .traits = {.protocol = kNoticeProtocol},
    .parameters = {},
    .congestion_point = make<CongestionPoint, DropNotifier>,
    .congestion_control = make<CongestionControl, Halving>,
    .loss_recovery = make<LossRecovery, NoticedRecovery>,
};

constexpr std::size_t kSenders = 8;

/// Eight hosts send to a ninth in a lossy priority, whose queue is limited to 100 KB.
Settings incast(bool halving) {
  Settings settings = bare(built(build_single_switch({{{kSenders + 1, {100_Gbps, 1_us}}}})));
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.buffer_policy.parameters.set("egress_limit", Bytes(100'000));
  settings.switches.congestion_point = {choose(drop_notice)};
  settings.hosts.loss_recovery = choose(drop_notice);
  if (halving) settings.hosts.congestion_control = choose(drop_notice);
  // Smaller than a burst of drops: losses fill it, and only retransmissions empty it.
  settings.hosts.window.kind = WindowSettings::Kind::fixed;
  settings.hosts.window.bytes = 50_KB;
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) {
    flows.push_back(flow(host, kSenders, 400_KB));
    flows.back().priority = 1;
  }
  offer(settings, flows);
  return settings;
}

class DropNotice : public BothDrivers {};
WEIR_BOTH_DRIVERS(DropNotice);

TEST_P(DropNotice, HasEachLostFrameSentAgainOnce) {
  std::uint64_t drops[2];
  for (const bool halving : {false, true}) {
    Lab lab(incast(halving), GetParam());
    lab.record(SwitchId(0));
    lab.record(HostId(0));
    const Outcome outcome = lab.run();
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.flows.size(), kSenders);
    EXPECT_GT(outcome.drops, 100u);
    EXPECT_EQ(Made<DropNotifier>::at(0).told, outcome.drops);
    std::uint64_t repairs = 0;
    for (std::size_t host = 0; host < kSenders; ++host) repairs += Made<NoticedRecovery>::at(host).repairs;
    EXPECT_EQ(repairs, outcome.drops);
    EXPECT_EQ(outcome.retransmitted, outcome.drops);
    drops[halving] = outcome.drops;
    EXPECT_THAT(lab.replay_differences(), IsEmpty());
  }
  EXPECT_LT(drops[true], drops[false] / 2);
}

}  // namespace
}  // namespace weir::shape::shape_drop_notice_test
