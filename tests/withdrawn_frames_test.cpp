// SPDX-License-Identifier: Apache-2.0
// Schemes beside a policy that trims queued frames: what they count for a frame ends when it is withdrawn from its
// queue. After every step their counts are compared with the frames that are in the switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemes/bfc/bfc_switch.h"
#include "schemes/bfc/message.h"
#include "units/random.h"
#include "whole_network.h"

namespace weir::whole::withdrawn_frames_test {
namespace {

constexpr std::size_t kHosts = 4;
constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr Priority kData = 3;
constexpr Priority kHeaders = 2;
constexpr std::int64_t kFrame = 1'066;
constexpr std::int64_t kHeader = 64;

/// For each port, room for six data frames and four headers. If a data frame finds no room, it or the last queued one
/// is trimmed; a header that finds no room returns to its sender, or is dropped. Headers keep the priority of data if
/// `same_priority`.
class ShortQueues final : public BufferPolicy {
 public:
  static inline bool same_priority = false;

  [[nodiscard]] Hooks hooks() const override { return {.enter = true, .rescue = true}; }
  void attach(SwitchContext& context) override { last_.resize(context.ports(), QueueId::none()); }
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return 1 << 30; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return 1 << 30; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return 1 << 30; }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    if (frame.kind != FrameKind::data) return true;
    const std::int64_t room = !frame.trimmed() ? 6 * kFrame : same_priority ? 7 * kFrame : 4 * kHeader;
    return context.egress_bytes(frame.egress, frame.priority) + frame.frame_bytes <= room;
  }
  void on_enter(SwitchContext&, QueueId queue, Frame& frame) override {
    if (frame.kind == FrameKind::data && !frame.trimmed()) last_[frame.egress.index()] = queue;
  }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override {
    const Priority priority = same_priority ? kData : kHeaders;
    if (frame.trimmed()) {
      return {.kind = frame.returned() ? Rescue::Kind::none : Rescue::Kind::to_sender, .priority = priority};
    }
    const QueueId queue = last_[frame.egress.index()];
    const bool has_tail = queue.exists() && context.queue(queue).port == frame.egress && !context.queue(queue).empty();
    const Frame* tail = has_tail ? &context.frames()[context.queue(queue).tail] : nullptr;
    const bool can = tail != nullptr && tail->kind == FrameKind::data && !tail->trimmed();
    return {.kind = can && context.random().next() % 4 != 0 ? Rescue::Kind::trim_tail : Rescue::Kind::trim,
            .priority = priority,
            .bytes = kHeader,
            .queue = queue};
  }

 private:
  std::vector<QueueId> last_;  // by port: the queue that a data frame last entered
};

const Scheme kShortQueues = {
    .name = "short_queues",
    .summary = "trims",
    .traits = {},
    .buffer = [](const Parameters&) -> std::unique_ptr<BufferPolicy> { return std::make_unique<ShortQueues>(); },
};

Settings settings_with(std::vector<PolicyChoice> flow_control, std::vector<PolicyChoice> congestion_point) {
  Settings settings = lossless_network(star(kHosts, kLink), 1_ms);
  settings.switches.lossless = {};
  settings.switches.buffer_policy = {&kShortQueues, Parameters(kShortQueues.parameters)};
  settings.switches.flow_control = std::move(flow_control);
  settings.switches.congestion_point = std::move(congestion_point);
  offer(settings, {});
  return settings;
}

/// A switch to which hosts send random frames.
class LoadedSwitch {
 public:
  explicit LoadedSwitch(const Settings& settings) : settings_(settings), fabric_(settings_) {}

  [[nodiscard]] Switch& node() { return fabric_.switch_by(SwitchId(0)); }
  [[nodiscard]] FramePool& frames() { return fabric_.frames(); }

  /// A frame arrives, or one departs.
  template <class Prepare>
  void step(Prepare prepare) {
    advance();
    if (random_.below(3) == 0) {
      transmit(PortId(random_.below(kHosts)));
    } else {
      const std::size_t from = random_.below(kHosts);
      const FrameId id = frames().allocate();
      Frame& frame = frames()[id];
      frame.kind = FrameKind::data;
      frame.frame_bytes = kFrame;
      frame.payload_bytes = 1'000;
      frame.priority = kData;
      frame.source = HostId(from);
      frame.destination = HostId((from + 1 + random_.below(kHosts - 1)) % kHosts);
      frame.queue_pair = QueuePairId(random_.below(24));  // so many that they come and go
      frame.entropy = static_cast<std::uint16_t>(frame.queue_pair.value);
      prepare(frame);
      node().receive(now_, port_of(from), id);
    }
    node().clear_ready();
    EXPECT_EQ(node().broken_invariant(), "");
  }
  void drain() {
    bool some = true;
    while (some) {
      some = false;
      for (std::size_t port = 0; port < kHosts; ++port) some |= transmit(PortId(port));
      advance();
    }
    node().clear_ready();
  }
  template <class Visit>
  void for_each_frame(Visit visit) {
    for (std::size_t i = 0; i < node().queues(); ++i) {
      for (FrameId id = node().queue(QueueId(i)).head; id.exists(); id = frames()[id].next) {
        visit(QueueId(i), frames()[id]);
      }
    }
  }
  RandomStream& random() { return random_; }

 private:
  [[nodiscard]] PortId port_of(std::size_t host) {
    for (std::size_t i = 0; i < node().ports(); ++i) {
      if (node().port(PortId(i)).peer.host == HostId(host)) return PortId(i);
    }
    throw std::logic_error("no such host");
  }
  void advance() {
    now_ = now_ + 50_ns;
    while (node().next_deadline() <= now_) node().advance(now_);
  }
  bool transmit(PortId port) {
    const FrameId id = node().transmit(now_, port);
    if (id.exists()) frames().release(id);
    return id.exists();
  }

  Settings settings_;
  Fabric fabric_;
  RandomStream random_{7, 8, 9};
  Time now_ = at(1_us);
};

class WithdrawnFrames : public testing::TestWithParam<bool> {
 protected:
  WithdrawnFrames() { ShortQueues::same_priority = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(HeadersOfTheSamePriority, WithdrawnFrames, testing::Bool());

TEST_P(WithdrawnFrames, AreNotCountedTwiceByTablesOfFlowsAndPauses) {
  LoadedSwitch lab(settings_with({choose("bfc", {{"threshold", 100_ns}})}, {}));
  const auto& policy = dynamic_cast<const bfc::BfcSwitch&>(*lab.node().classifier());
  const auto fields = bfc::FrameFields::of(lab.node().headers());
  std::size_t paused = 0;
  const auto check = [&] {
    std::uint64_t queued = 0;
    std::set<std::pair<std::uint32_t, std::uint64_t>> kept;
    lab.for_each_frame([&](QueueId queue, const Frame& frame) {
      if (!policy.queues().owns(queue)) return;
      ++queued;
      if (const auto pause = policy.keeps_paused(frame); pause) kept.emplace(pause->ingress.value, pause->name);
    });
    EXPECT_EQ(policy.flows().frames(), queued);
    for (std::uint32_t port = 0; port < kHosts; ++port) {
      for (std::size_t queue = 0; queue < policy.counters().queues(); ++queue) {
        const bool is_paused = (policy.counters().bitmap(PortId(port))[queue / 64] >> (queue % 64) & 1u) != 0;
        EXPECT_EQ(is_paused, kept.contains({port, queue})) << "port " << port << " queue " << queue;
      }
    }
    paused += kept.size();
  };
  for (int i = 0; i < 2'000 && !HasFailure(); ++i) {
    lab.step([&](Frame& frame) { fields.upstream_queue.write(frame, bfc::tag_of(lab.random().below(3))); });
    check();
  }
  lab.drain();
  check();
  EXPECT_GT(paused, 0u);
  EXPECT_GT(lab.node().frames_trimmed(), 300u);
  EXPECT_GT(lab.node().frames_returned(), 0u);
  EXPECT_GT(lab.node().drops(DropReason::policy), 0u);
  EXPECT_EQ(lab.frames().in_use(), 0u);
}

/// At every update of a port, those flows are told of the rate that have data in its queues.
TEST_P(WithdrawnFrames, AreNotToldOfARateWhereTheyAreNoMore) {
  LoadedSwitch lab(settings_with({}, {choose("rocc", {{"update_interval", 1_us}})}));
  const SwitchPolicy* rocc = nullptr;
  std::size_t fair_rate_told = 0;
  std::size_t updates = 0;
  for (const SwitchPolicy* policy : lab.node().policies()) {
    for (std::size_t i = 0; i < policy->statistics().size(); ++i) {
      if (policy->statistics()[i].name == "rocc.flows_told") fair_rate_told = i, rocc = policy;
      if (policy->statistics()[i].name == "rocc.updates_told") updates = i;
    }
  }
  ASSERT_NE(rocc, nullptr);
  using Flow = std::pair<std::uint32_t, std::uint32_t>;  // the destination and its queue pair
  std::size_t told = 0;
  for (int i = 0; i < 4'000 && !HasFailure(); ++i) {
    std::vector<std::set<Flow>> flows(kHosts);
    std::vector<double> before;
    lab.for_each_frame([&](QueueId, const Frame& frame) {
      if (frame.kind == FrameKind::data) {
        flows[frame.egress.index()].emplace(frame.destination.value, frame.queue_pair.value);
      }
    });
    for (std::size_t port = 0; port < kHosts; ++port) before.push_back(rocc->statistic(updates, PortId(port), 0).value);
    lab.step([](const Frame&) {});
    for (std::size_t port = 0; port < kHosts; ++port) {
      if (rocc->statistic(updates, PortId(port), 0).value == before[port]) continue;
      EXPECT_EQ(rocc->statistic(fair_rate_told, PortId(port), 0).value, static_cast<double>(flows[port].size()));
      ++told;
    }
  }
  lab.drain();
  EXPECT_GT(told, 100u);
  EXPECT_GT(lab.node().frames_trimmed(), 300u);
  EXPECT_GT(lab.node().frames_returned(), 0u);
  EXPECT_GT(lab.node().drops(DropReason::policy), 0u);
}

/// Every flow control, with every congestion point.
TEST_P(WithdrawnFrames, LeaveNothingBehind) {
  for (const Scheme* flow_control : all_schemes()) {
    if (flow_control->flow_control == nullptr) continue;
    SCOPED_TRACE(flow_control->name);
    std::vector<PolicyChoice> points;
    for (const Scheme* point : all_schemes()) {
      if (point->congestion_point != nullptr && point->name != "hpcc") points.push_back(choose(point->name));
    }
    LoadedSwitch lab(settings_with({choose(flow_control->name)}, std::move(points)));
    for (int i = 0; i < 2'000 && !HasFailure(); ++i) lab.step([](const Frame&) {});
    EXPECT_GT(lab.node().frames_trimmed(), 100u);
    lab.drain();
    EXPECT_EQ(lab.node().frames_held(), 0u);
    EXPECT_EQ(lab.node().broken_invariant(), "");
    EXPECT_EQ(lab.frames().in_use(), 0u);
  }
}

}  // namespace
}  // namespace weir::whole::withdrawn_frames_test
