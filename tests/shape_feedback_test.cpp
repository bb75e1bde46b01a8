// SPDX-License-Identifier: Apache-2.0
// The shape of RoCC: a congestion point that computes a fair rate on a timer and sends it to every flow in its queue,
// hundreds at one instant, in frames of its own to their hosts (rocc 3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::shape_feedback_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::uint8_t kFairRateProtocol = 210;  // carried by ICMP
constexpr Priority kDataPriority = 3;
constexpr std::int64_t kRateUnit = 10'000'000;  // bit/s
constexpr Duration kInterval = Duration::picoseconds(40'000'000);

class FairRatePoint : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.arrival = false, .enter = true, .depart = true, .drop = true}; }
  void attach(SwitchContext& context) override {
    ports_.resize(context.ports());
    for (Port& port : ports_) port.flows.resize(kFlows);
    timer_ = context.new_timer(*this);
    context.arm(timer_, Time() + kInterval);
  }

  // The table of the flows in the queue (rocc 3.4, the first kind); a frame stores its entry.
  void on_enter(SwitchContext&, QueueId, Frame& frame) override {
    if (frame.kind != FrameKind::data) return;
    std::vector<Flow>& flows = ports_[frame.egress.index()].flows;
    const std::uint64_t start = mix(frame.destination.value, frame.queue_pair.value);
    std::size_t free = kFlows;
    for (std::size_t i = 0; i < kProbes; ++i) {
      const std::size_t at = (start + i) % kFlows;
      Flow& flow = flows[at];
      if (flow.frames > 0 && flow.destination == frame.destination && flow.queue_pair == frame.queue_pair) {
        ++flow.frames;
        frame.own = at + 1;
        return;
      }
      if (flow.frames == 0 && free == kFlows) free = at;
    }
    if (free == kFlows) return;  // the table is full: this frame's flow gets no notifications
    flows[free] = {frame.source, frame.destination, frame.queue_pair, 1};
    frame.own = free + 1;
  }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override { forget(frame); }
  void on_drop(SwitchContext&, QueueId, const Frame& frame, DropReason) override { forget(frame); }

  void on_timer(SwitchContext& context, TimerId timer) override {
    context.arm(timer, context.now() + kInterval);
    for (std::size_t port = 0; port < ports_.size(); ++port) compute(context, port);
    at_once_ = 0;
    port_ = flow_ = 0;
    on_more(context);
  }
  // The only state between calls is the position in the table.
  void on_more(SwitchContext& context) override {
    ++calls;
    for (int sent = 0; port_ < ports_.size(); ++port_, flow_ = 0) {
      for (; flow_ < kFlows; ++flow_) {
        const Flow& flow = ports_[port_].flows[flow_];
        if (flow.frames == 0) continue;
        if (sent == kFramesACall) return context.more(*this);
        if (!tell(context, flow)) return context.more(*this);
        ++sent;
        most_at_once = std::max(most_at_once, ++at_once_);
      }
    }
  }

  std::uint64_t told = 0;
  std::uint64_t calls = 0;
  std::uint64_t most_at_once = 0;  ///< frames of one instant
  std::vector<std::int64_t> lengths;

 private:
  static constexpr std::size_t kFlows = 4096;
  static constexpr std::size_t kProbes = 64;
  static constexpr int kFramesACall = 32;
  static constexpr double kMinimum = 10;  // rates in units of 10 Mbit/s, lengths in units of 600 bytes (rocc 6)
  static constexpr double kMaximum = 10'000;
  static constexpr double kReference = 500;
  static constexpr double kGrowth = 1'000;
  static constexpr double kLimit = 1'100;

  struct Flow {
    HostId source;
    HostId destination;
    QueuePairId queue_pair;
    std::uint32_t frames = 0;
  };
  struct Port {
    double rate = kMaximum;
    double old_length = 0;
    std::vector<Flow> flows;
  };

  void forget(const Frame& frame) {
    if (frame.kind == FrameKind::data && frame.own != 0) --ports_[frame.egress.index()].flows[frame.own - 1].frames;
  }
  // Algorithm 1 of rocc.
  void compute(const SwitchContext& context, std::size_t number) {
    Port& port = ports_[number];
    const QueueId queue = context.default_queue(PortId(number), kDataPriority);
    const Frame* head = context.peek(queue);
    const std::int64_t bytes = head == nullptr ? 0 : context.signalled_length(queue, *head);
    const auto length = static_cast<double>(bytes / 600);
    if (length >= kLimit && port.rate > kMaximum / 8) {
      port.rate = kMinimum;
    } else if (length - port.old_length >= kGrowth && port.rate > kMaximum / 8) {
      port.rate /= 2;
    } else {
      double level = 2;
      while (port.rate < kMaximum / level && level < 64) level *= 2;
      const double ratio = level / 2;
      port.rate -= 0.45 / ratio * (length - kReference) + 2.25 / ratio * (length - port.old_length);
    }
    port.rate = std::clamp(port.rate, kMinimum, kMaximum);
    port.old_length = length;
    if (bytes > 0) lengths.push_back(bytes);
  }
  bool tell(SwitchContext& context, const Flow& flow) {
    const FrameId id = context.frames().allocate();
    if (!id.exists()) return false;
    Frame& frame = context.frames()[id];
    frame.kind = FrameKind::host_control;
    frame.protocol = kFairRateProtocol;
    frame.priority = 6;
    frame.frame_bytes = 90;
    frame.destination = flow.source;
    frame.source = flow.destination;  // with the queue pair, identifies the flow at its source
    frame.queue_pair = flow.queue_pair;
    frame.tag = static_cast<std::uint16_t>(context.id().value * 64 + port_);  // the congestion point
    frame.tag_value = static_cast<std::uint32_t>(ports_[port_].rate);
    context.send_to_host(id);
    ++told;
    return true;
  }

  std::vector<Port> ports_;
  TimerId timer_;
  std::uint64_t at_once_ = 0;
  std::size_t port_ = 0;
  std::size_t flow_ = 0;
};

// Algorithm 2 of rocc.
class FairRateControl : public CongestionControl {
 public:
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(State); }
  void open(NicContext&, SendState& sender) override { sender.congestion.emplace<State>(); }
  bool on_feedback(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kFairRateProtocol) return false;
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (sender == nullptr) {
      ++late;  // the flow has ended
      return true;
    }
    ++heard;
    auto& state = sender->congestion.as<State>();
    const auto rate = std::min(sender->line_rate, BitRate(frame.tag_value * kRateUnit));
    if (rate > sender->rate && !(state.limited && state.point == frame.tag)) return true;
    state = {true, frame.tag};
    sender->rate = rate;
    context.arm(*sender, context.now() + 100_us);
    return true;
  }
  void on_sender_timer(NicContext& context, SendState& sender) override {
    ++recoveries;
    sender.rate = std::min(sender.line_rate, sender.rate * 2);
    if (sender.rate == sender.line_rate) {
      sender.congestion.as<State>().limited = false;
    } else {
      context.arm(sender, context.now() + 100_us);
    }
  }

  std::uint64_t heard = 0;
  std::uint64_t late = 0;
  std::uint64_t recoveries = 0;

 private:
  struct State {
    bool limited = false;
    std::uint16_t point = 0;
  };
};

const Scheme fair_rate = {
    .name = "fair rate",
    .summary = "",
    .traits = {.ideal = false, .claims_own = true, .header_bytes = 0, .protocol = kFairRateProtocol},
    .parameters = {},
    .congestion_point = make<CongestionPoint, FairRatePoint>,
    .congestion_control = make<CongestionControl, FairRateControl>,
};

/// Hosts of one switch at 100 Gbit/s; the last receives.
Settings star(int hosts) {
  Settings settings = bare(built(build_single_switch({{{hosts, {100_Gbps, 1_us}}}})));
  settings.switches.buffer = 32_MB;
  settings.switches.flow_control = {choose("pfc")};
  settings.switches.congestion_point = {choose(fair_rate)};
  settings.hosts.congestion_control = choose(fair_rate);
  return settings;
}

class Feedback : public BothDrivers {};
WEIR_BOTH_DRIVERS(Feedback);

TEST_P(Feedback, ReachesThreeHundredFlowsOfOneInstant) {
  constexpr std::size_t kSenders = 30;
  constexpr std::size_t kFlows = 300;
  Settings settings = star(kSenders + 1);
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < kFlows; ++i) flows.push_back(flow(i % kSenders, kSenders, 150_KB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  lab.record(SwitchId(0));
  lab.record(HostId(3));
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);

  const FairRatePoint& point = Made<FairRatePoint>::at(0);
  EXPECT_GE(point.most_at_once, kFlows);
  EXPECT_GE(point.calls, point.told / 32);
  std::uint64_t heard = 0;
  std::uint64_t late = 0;
  for (std::size_t host = 0; host <= kSenders; ++host) {
    heard += Made<FairRateControl>::at(host).heard;
    late += Made<FairRateControl>::at(host).late;
  }
  EXPECT_GT(heard, 10 * kFlows);
  EXPECT_LE(heard + late, point.told);
  EXPECT_GT(heard + late, point.told - kFlows);  // all have arrived, except those of the last instant
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(Feedback, HoldsTheQueueNearItsReference) {
  constexpr std::size_t kFlows = 20;
  Settings settings = star(kFlows + 1);
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < kFlows; ++i) flows.push_back(flow(i, kFlows, 3_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);
  // The second half of the run: within half of the 300 KB that the controller targets.
  const std::vector<std::int64_t>& lengths = Made<FairRatePoint>::at(0).lengths;
  ASSERT_GT(lengths.size(), 60u);
  double sum = 0;
  for (std::size_t i = lengths.size() / 2; i < lengths.size() - 10; ++i) sum += static_cast<double>(lengths[i]);
  const double mean = sum / static_cast<double>(lengths.size() - 10 - lengths.size() / 2);
  EXPECT_GT(mean, 150e3);
  EXPECT_LT(mean, 450e3);
  // All received the same rate.
  std::vector<Duration> completions;
  for (std::size_t i = 0; i < kFlows; ++i) completions.push_back(outcome.completion(i));
  EXPECT_LT(*std::max_element(completions.begin(), completions.end()),
            *std::min_element(completions.begin(), completions.end()) * 12 / 10);
}

TEST_P(Feedback, EndsWithTheCongestion) {
  Settings settings = star(5);
  std::vector<FlowSpec> flows = {flow(0, 4, 40_MB)};
  for (std::size_t host = 1; host < 4; ++host) flows.push_back(flow(host, 4, 3_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_clean(outcome, 4);
  EXPECT_GT(Made<FairRateControl>::at(0).recoveries, 0u);
  // With a quarter of the link, its share while all four send, it would take 14 ms.
  EXPECT_LT(outcome.completion(0), 9_ms);
}

}  // namespace
}  // namespace weir::shape::shape_feedback_test
