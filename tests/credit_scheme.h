// A flow control for tests: between switches, frames to a destination need credit of the next hop, and wait for it in a
// queue of the whole switch.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/settings.h"
#include "policy/scheme.h"
#include "policy/switch_policy.h"

namespace weir::whole {

inline constexpr std::uint8_t kCreditProtocol = 210;

/// A window of frames for each neighbouring switch and destination. The neighbour gives a frame's credit back when the
/// frame has left it. What has none waits in a queue of its destination, or, with `queues` below the number of hosts,
/// in one that several destinations share (by number).
class CreditSwitch : public Classifier {
 public:
  explicit CreditSwitch(const Parameters& parameters)
      : full_(parameters.get<std::int64_t>("window")),
        number_(static_cast<std::size_t>(parameters.get<std::int64_t>("queues"))) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    hosts_ = context.hosts();
    window_.assign(context.ports() * hosts_, full_);
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
    if (frame.kind != FrameKind::data || !frame.ingress.exists()) return;
    if (context.port(frame.ingress).peer.is_host()) return;
    const FrameId id = context.frames().allocate();
    Frame& credit = context.frames()[id];
    credit.kind = FrameKind::hop_control;
    credit.protocol = kCreditProtocol;
    credit.frame_bytes = context.framing().minimum_frame;
    credit.tag_value = frame.destination.value;
    context.send(frame.ingress, id);
  }
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override {
    if (frame.protocol != kCreditProtocol || frame.kind != FrameKind::hop_control) return false;
    const HostId destination(frame.tag_value);
    ++window(port, destination);
    const QueueId queue = queue_of(destination);
    while (const Frame* head = context.peek(queue)) {
      if (window(head->egress, head->destination) == 0 || !queue_context(context).release(queue)) break;
    }
    return true;
  }

  // ---- for those who measure ----
  void keeps(const SwitchContext& context, QueueId, const Frame& frame, std::vector<HopPause>& out) const override {
    if (frame.kind != FrameKind::data || context.port(frame.ingress).peer.is_host()) return;
    out.push_back({frame.ingress, frame.destination.value, true});
  }
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override {
    if (context.queue(queue).service != Service::released) return;
    if (const Frame* head = context.peek(queue))
      out.push_back({head->egress, head->destination.value, QueueId::none()});
  }
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override {
    return "credit for host " + std::to_string(name);
  }

 private:
  static bool needs_credit(const SwitchContext& context, const Frame& frame) {
    return frame.kind == FrameKind::data && !context.port(frame.egress).peer.is_host();
  }
  [[nodiscard]] std::int64_t& window(PortId port, HostId destination) {
    return window_[port.index() * hosts_ + destination.index()];
  }
  [[nodiscard]] QueueId queue_of(HostId destination) const { return queues_[destination.index() % number_]; }

  std::int64_t full_;
  std::size_t number_;
  std::size_t hosts_ = 0;
  std::vector<std::int64_t> window_;  // frames, by port and destination
  std::vector<QueueId> queues_;
};

inline const Scheme kCredit = {
    .name = "credit",
    .summary = "credit of the next hop, by destination",
    .traits = {.protocol = kCreditProtocol},
    .parameters = {{.name = "window", .default_value = std::int64_t{4}, .meaning = "frames", .source = "-"},
                   {.name = "queues", .default_value = std::int64_t{8}, .meaning = "of a switch", .source = "-"}},
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
