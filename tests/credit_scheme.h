// SPDX-License-Identifier: Apache-2.0
// A flow control for tests: between switches, frames to a destination need credit from the next hop, and wait for it in
// a queue of the whole switch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric/settings.h"
#include "policy/scheme.h"
#include "policy/switch_policy.h"

namespace weir::whole {

inline constexpr std::uint8_t kCreditProtocol = 210;

/// A window of frames for each neighbouring switch and destination. The neighbour returns a frame's credit when the
/// frame has departed, together with all others that it owes after `interval`. Frames without credit wait in a queue of
/// their destination or, with `queues` below the number of hosts, in one that several destinations share (by number).
class CreditSwitch : public Classifier {
 public:
  explicit CreditSwitch(const Parameters& parameters)
      : full_(parameters.get<std::int64_t>("window")),
        number_(static_cast<std::size_t>(parameters.get<std::int64_t>("queues"))),
        interval_(parameters.get<Duration>("interval")),
        says_interval_(parameters.get<bool>("says_interval")) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    hosts_ = context.hosts();
    window_.assign(context.ports() * hosts_, full_);
    owed_.assign(context.ports() * hosts_, 0);
    timer_ = context.new_timer(*this);
    for (std::size_t i = 0; i < number_; ++i) {
      queues_.push_back(
          queue_context(context).new_queue({.port = PortId::none(), .priority = 3, .service = Service::released}));
    }
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (!needs_credit(context, frame)) return context.default_queue(frame.egress, frame.priority);
    const QueueId queue = queue_of(frame.destination);
    if (!context.queue(queue).empty() || window(frame.egress, frame.destination) == 0) return queue;
    --window(frame.egress, frame.destination);
    return context.default_queue(frame.egress, frame.priority);
  }
  QueueId on_leave(QueueContext& context, QueueId, Frame& frame) override {
    --window(frame.egress, frame.destination);
    return context.default_queue(frame.egress, frame.priority);
  }
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    if (frame.kind != FrameKind::data || !frame.ingress.exists() || !gives_credit(context, frame.ingress)) return;
    if (interval_ == Duration()) return give(context, frame.ingress, frame.destination, 1);
    ++owed_[frame.ingress.index() * hosts_ + frame.destination.index()];
    if (!std::exchange(timer_runs_, true)) context.arm(timer_, context.now() + interval_);
  }
  void on_timer(SwitchContext& context, TimerId) override {
    timer_runs_ = false;
    for (std::size_t i = 0; i < owed_.size(); ++i) {
      if (owed_[i] > 0) give(context, PortId(i / hosts_), HostId(i % hosts_), std::exchange(owed_[i], 0));
    }
  }
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override {
    if (frame.protocol != kCreditProtocol || frame.kind != FrameKind::hop_control) return false;
    const HostId destination(frame.tag_value);
    window(port, destination) += frame.sequence;
    const QueueId queue = queue_of(destination);
    while (const Frame* head = context.peek(queue)) {
      if (window(head->egress, head->destination) == 0 || !queue_context(context).release(queue)) break;
    }
    return true;
  }

  // ---- for measurement ----
  void keeps(const SwitchContext& context, QueueId, const Frame& frame, std::vector<HopPause>& out) const override {
    if (frame.kind != FrameKind::data || !gives_credit(context, frame.ingress)) return;
    out.push_back({frame.ingress, frame.destination.value, true});
  }
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override {
    if (context.queue(queue).service != Service::released) return;
    if (const Frame* head = context.peek(queue))
      out.push_back({head->egress, head->destination.value, QueueId::none()});
  }
  [[nodiscard]] Duration longest_release() const override { return says_interval_ ? interval_ : Duration(); }
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override {
    return "credit for host " + std::to_string(name);
  }

 private:
  static bool needs_credit(const SwitchContext& context, const Frame& frame) {
    return frame.kind == FrameKind::data && gives_credit(context, frame.egress);
  }
  static bool gives_credit(const SwitchContext& context, PortId port) {
    const Peer& peer = context.port(port).peer;
    return !peer.is_host() && peer.protocols.has(kCreditProtocol);
  }
  static void give(SwitchContext& context, PortId port, HostId destination, std::uint32_t frames) {
    const FrameId id = context.frames().allocate();
    Frame& credit = context.frames()[id];
    credit.kind = FrameKind::hop_control;
    credit.protocol = kCreditProtocol;
    credit.frame_bytes = context.framing().minimum_frame;
    credit.tag_value = destination.value;
    credit.sequence = frames;
    context.send(port, id);
  }
  [[nodiscard]] std::int64_t& window(PortId port, HostId destination) {
    return window_[port.index() * hosts_ + destination.index()];
  }
  [[nodiscard]] QueueId queue_of(HostId destination) const { return queues_[destination.index() % number_]; }

  std::int64_t full_;
  std::size_t number_;
  Duration interval_;
  bool says_interval_;
  TimerId timer_;
  bool timer_runs_ = false;
  std::vector<std::uint32_t> owed_;  // frames, by port and destination
  std::size_t hosts_ = 0;
  std::vector<std::int64_t> window_;  // frames, by port and destination
  std::vector<QueueId> queues_;
};

inline const Scheme kCredit = {
    .name = "credit",
    .summary = "credit of the next hop, by destination",
    .traits = {.protocol = kCreditProtocol},
    .parameters = {{.name = "window", .default_value = std::int64_t{4}, .meaning = "frames", .source = "-"},
                   {.name = "queues", .default_value = std::int64_t{8}, .meaning = "of a switch", .source = "-"},
                   {.name = "interval", .default_value = Duration(), .meaning = "between credits", .source = "-"},
                   {.name = "says_interval", .default_value = true, .meaning = "it", .source = "-"}},
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return std::make_unique<CreditSwitch>(parameters);
    },
};

inline PolicyChoice choose_credit(std::int64_t window, std::int64_t queues = 8) {
  PolicyChoice choice{&kCredit, Parameters(kCredit.parameters)};
  choice.parameters.set("window", window);
  choice.parameters.set("queues", queues);
  return choice;
}

}  // namespace weir::whole
