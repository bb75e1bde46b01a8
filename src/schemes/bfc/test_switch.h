// SPDX-License-Identifier: Apache-2.0
// A switch with BFC or its ideal, for their tests; frames arrive and leave as in the core.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/bfc/bfc.h"
#include "schemes/bfc/bfc_switch.h"

namespace weir::bfc {

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

inline Parameters parameters_with(const Values& values) {
  Parameters parameters(scheme.parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return parameters;
}

inline constexpr Priority kPriority = 3;
inline constexpr PortId kIn(0);
inline constexpr PortId kIn2(1);
inline constexpr PortId kOut(2);
inline constexpr PortId kOut2(3);

/// The level of each priority.
using Levels = std::array<std::uint8_t, kPriorities>;

/// Four ports of 100 Gbit/s with links of 1 us, so a one-hop round trip is 2 us and two largest frames. All priorities
/// share one level unless `levels` says otherwise.
template <class Policy>
struct LabOf {
  explicit LabOf(const Values& values = {}, SwitchId id = SwitchId(0), const Levels& levels = {})
      : context(4, 1 << 16), policy(Settings(parameters_with(values))) {
    context.set_id(id);
    context.set_random(RandomStream(1, id.value, 0));
    set_levels(levels);
    policy.attach(context);
    set_levels(levels);
  }

  /// A data frame of this flow arrives: it is classified and queued.
  Frame& arrive(std::uint16_t flow, PortId ingress = kIn, PortId egress = kOut, std::uint16_t tag = 0,
                Priority priority = kPriority) {
    Frame& frame = context.new_frame(ingress, egress, priority);
    frame.source = HostId(100);
    frame.destination = HostId(200);
    frame.entropy = flow;
    frame.tag = tag;
    return enter(frame);
  }
  Frame& enter(Frame& frame) {
    const QueueId id = policy.classify(context, frame);
    queue_of.resize(std::max(queue_of.size(), context.frames().id_of(frame).index() + 1));
    queue_of[context.frames().id_of(frame).index()] = id;
    QueueState& queue = context.queue_state(id);
    if (queue.empty()) queue.head = context.frames().id_of(frame);
    queue.bytes += frame.charged_bytes;
    ++queue.frames;
    follow(id);
    return frame;
  }
  [[nodiscard]] QueueId queue(const Frame& frame) { return queue_of[context.frames().id_of(frame).index()]; }
  /// The number of the frame's queue at its port.
  [[nodiscard]] std::size_t number(const Frame& frame) { return policy.queues().number(queue(frame), frame.egress); }
  /// The frame is transmitted; returns it as it crosses the wire.
  Frame depart(Frame& frame) {
    const QueueId id = take(frame);
    policy.on_depart(context, id, frame);
    const Frame out = frame;
    context.frames().release(context.frames().id_of(frame));
    return out;
  }
  /// An admitted frame is lost.
  void drop(Frame& frame) {
    const QueueId id = take(frame);
    policy.on_drop(context, id, frame, DropReason::link_down);
    context.frames().release(context.frames().id_of(frame));
  }
  /// Delivers a control frame from the neighbour of `port`.
  void hear(PortId port, FrameId id) {
    EXPECT_TRUE(policy.on_control(context, port, context.frames()[id]));
    context.frames().release(id);
    for (std::size_t queue = 0; queue < context.queues(); ++queue) follow(QueueId(queue));
  }
  void hear(PortId port, bool pause, std::size_t queue) {
    hear(port, make_message(context.frames(), context.framing(), pause, queue));
  }
  [[nodiscard]] bool open(PortId port, std::size_t number) const {
    return context.gate_open(policy.queues().id(port, number));
  }
  void wait(Duration time) { context.run_until(context.now() + time); }

  /// The messages to the neighbour of `port` since the last call, in order; bitmaps as the list of paused queues.
  std::vector<std::pair<Say, std::vector<std::size_t>>> said(PortId port = kIn) {
    std::vector<std::pair<Say, std::vector<std::size_t>>> out;
    for (; heard < context.sent().size(); ++heard) {
      const FakeSwitch::Sent& sent = context.sent()[heard];
      if (sent.port != port) continue;
      const auto message = read_message(context.frames(), context.frames()[sent.id], 4096);
      if (!message) continue;
      std::vector<std::size_t> queues;
      if (message->say != Say::bitmap) queues = {message->queue};
      for (std::size_t queue = 0; queue < message->queues; ++queue) {
        if (message->paused(queue)) queues.push_back(queue);
      }
      out.emplace_back(message->say, queues);
    }
    return out;
  }

  FakeSwitch context;
  Policy policy;
  std::vector<QueueId> queue_of;  ///< by frame
  std::size_t heard = 0;

 private:
  /// For the existing queues.
  void set_levels(const Levels& levels) {
    for (std::size_t queue = 0; queue < context.queues(); ++queue) {
      QueueState& state = context.queue_state(QueueId(queue));
      state.level = levels[state.priority];
    }
  }
  QueueId take(Frame& frame) {
    const QueueId id = queue(frame);
    QueueState& queue = context.queue_state(id);
    queue.bytes -= frame.charged_bytes;
    if (--queue.frames == 0) queue.head = FrameId::none();
    follow(id);
    return id;
  }
  /// Moves the queue into or out of its level's ring, like the scheduler.
  void follow(QueueId id) {
    QueueState& queue = context.queue_state(id);
    queue.blocked = queue.closed_by != 0;
    const bool active = !queue.empty() && !queue.blocked;
    if (active == queue.active) return;
    queue.active = active;
    PortState& port = context.port_state(queue.port);
    port.active_queues += active ? 1u : ~0u;
    port.ready_levels = 0;
    for (std::size_t i = 0; i < context.queues(); ++i) {
      const QueueState& each = context.queue(QueueId(i));
      if (each.port != queue.port || !each.active) continue;
      port.ready_levels = static_cast<std::uint16_t>(port.ready_levels | 1u << each.level);
    }
  }
};

using Lab = LabOf<BfcSwitch>;

inline constexpr std::int64_t kFrame = 1066;
/// 2 us and twice 1,086 bytes at 100 Gbit/s, in bytes.
inline constexpr std::int64_t kProduct = 25'000 + 2 * 1086;

/// Fills a queue until one frame is over its threshold; returns the frames in order of arrival.
inline std::vector<Frame*> overfill(Lab& lab, std::uint16_t flow, PortId ingress, PortId egress, std::uint16_t tag) {
  std::vector<Frame*> frames;
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i <= fit; ++i) frames.push_back(&lab.arrive(flow, ingress, egress, tag));
  return frames;
}

}  // namespace weir::bfc
