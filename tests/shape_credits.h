// SPDX-License-Identifier: Apache-2.0
// The shape of a transport whose receivers send credits (ExpressPass, Cho et al., SIGCOMM 2017): one packet per credit.
// Every port lets credits pass at the rate at which their data fit on its link, and drops those beyond a short queue,
// so the data never wait; the receiver derives the rate of credits from the gaps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ring.h"
#include "shape_lab.h"

namespace weir::shape::credits_shape {

using namespace literals;

inline constexpr std::uint8_t kProtocol = 214;
inline constexpr Priority kData = 1;
inline constexpr Priority kControl = 6;
inline constexpr std::uint32_t kCreditQueue = 8;    // frames
inline constexpr std::int64_t kCreditWire = 84;     // bytes on the wire
inline constexpr std::int64_t kPacketWire = 1'086;  // of a packet of 1,000
inline constexpr std::size_t kMostReady = 1'024;    // credits that wait for the wire; more are lost
inline constexpr Duration kRoundTrip = 3_us;        // of the networks here, about

enum Kind : std::uint16_t { request, credit, stop };

/// The share of a link for credits with which their data fit into the rest.
inline BitRate credit_rate(BitRate link) {
  return link * kCreditWire / (kCreditWire + kPacketWire);
}

inline const HeaderField kEcho = {.name = "echo", .bytes = 4, .kinds = FrameKinds(FrameKind::data)};

class CreditSwitch : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.drop = true}; }
  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      credits_.push_back(queue_context(context).new_queue({.port = PortId(port),
                                                           .priority = kControl,
                                                           .level = 0,
                                                           .rate = credit_rate(context.port(PortId(port)).rate),
                                                           .burst = 2 * kCreditWire,
                                                           .starts_full = false}));
    }
  }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    return !is_credit(frame) || context.queue(credits_[frame.egress.index()]).frames < kCreditQueue;
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    return is_credit(frame) ? credits_[frame.egress.index()] : Classifier::classify(context, frame);
  }
  void on_drop(SwitchContext&, QueueId, const Frame& frame, DropReason) override {
    ++(is_credit(frame) ? credits : data);
  }
  std::uint64_t credits = 0;  ///< dropped
  std::uint64_t data = 0;     ///< dropped

 private:
  static bool is_credit(const Frame& frame) {
    return frame.kind == FrameKind::host_control && frame.protocol == kProtocol && frame.tag == credit;
  }
  std::vector<QueueId> credits_;
};

class CreditTransport : public Transport {
 public:
  struct Sending {
    std::uint32_t credits = 0;  // received and not yet used
    std::uint32_t newest = 0;   // the number of the last of them
  };
  struct Receiving {
    double rate = 0;  // of credits, as a fraction of the maximum
    double weight = 1.0 / 16;
    std::uint32_t sent = 0;
    std::uint32_t came = 0;     // the credit after the last that data echoed
    std::uint32_t used = 0;     // echoed since the last update
    std::uint32_t missing = 0;  // skipped numbers since the last update
    Time looked;
    Time next;  // credit
    bool rose = false;
    bool on = false;
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override {
    echo_ = context.headers().place<std::uint32_t>(kEcho);
    shaper_ = context.new_timer(*this);
    gap_ = time_to_send(Bytes(kCreditWire), credit_rate(context.rate()));
    ready_.reserve(kMostReady);
    shaped_.reserve(kCreditQueue);
  }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<Sending>(); }
  void open(TransportContext&, ReceiveState& receiver) override { receiver.congestion.emplace<Receiving>(); }
  void on_post(TransportContext& context, SendState& sender, const MessageView&) override {
    say(context, sender, request, 0);
  }

  ChosenPacket choose(TransportContext& context, Priority) override {
    while (!ready_.empty()) {
      SendState* sender = context.sender(ready_.front());
      ready_.pop_front();
      if (sender == nullptr) continue;
      auto& state = sender->congestion.as<Sending>();
      if (state.credits == 0) continue;
      --state.credits;
      if (sender->next == sender->end) {
        ++wasted;
        continue;
      }
      return {sender, sender->next};
    }
    return {};
  }
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override {
    echo_.write(frame, sender.congestion.as<Sending>().newest);
    if (sender.next == sender.end) say(context, sender, stop, 0);
  }

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.congestion.as<Receiving>();
    const std::uint32_t echoed = echo_.read(data);
    state.missing += echoed - state.came;
    state.came = echoed + 1;
    ++state.used;
    context.keep(receiver, data.payload_bytes);
    if (!data.ends_message()) return;
    context.complete_message(receiver);
    const FrameId id = context.new_acknowledgement(receiver, data.sequence + 1);
    if (id.exists()) context.send_to_host(id);
  }
  void on_acknowledgement(TransportContext& context, SendState& sender, const Frame& frame) override {
    context.acknowledge(sender, frame.sequence);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    if (static_cast<Kind>(frame.tag) == credit) {
      if (SendState* sender = context.sender(frame.queue_pair); sender != nullptr) {
        auto& state = sender->congestion.as<Sending>();
        if (ready_.size() == kMostReady) return true;
        ++state.credits;
        state.newest = frame.tag_value;
        ready_.push_back(sender->number);
        context.offer(kData, true);
      }
      return true;
    }
    ReceiveState* receiver = context.receiver(frame.queue_pair);
    if (receiver == nullptr) return true;
    auto& state = receiver->congestion.as<Receiving>();
    state.on = static_cast<Kind>(frame.tag) == request;
    if (!state.on) {
      context.cancel(*receiver);
    } else {
      state.rate = 0.5;
      state.looked = state.next = context.now();
      on_receiver_timer(context, *receiver);
    }
    return true;
  }
  void on_receiver_timer(TransportContext& context, ReceiveState& receiver) override {
    auto& state = receiver.congestion.as<Receiving>();
    if (context.now() - state.looked >= kRoundTrip) look(context, state);
    for (; state.next <= context.now(); state.next += gap_of(context, state)) {
      if (shaped_.size() < kCreditQueue) {
        shaped_.push_back({receiver.number, state.sent});
      } else {
        ++dropped_here;
      }
      ++state.sent;
    }
    context.arm(receiver, state.next);
    shape(context);
  }
  void on_timer(TransportContext& context, TimerId) override { shape(context); }

  std::uint64_t wasted = 0;        ///< credits that arrived after the last packet
  std::uint64_t dropped_here = 0;  ///< credits at this host's own queue

 private:
  struct Shaped {
    QueuePairId receiver;
    std::uint32_t number;
  };
  Duration gap_of(TransportContext& context, const Receiving& state) const {
    const double jitter = 0.9 + 0.2 * context.random().uniform();
    return Duration::picoseconds(
        static_cast<std::int64_t>(static_cast<double>(gap_.picoseconds()) / state.rate * jitter));
  }
  // The NIC's own port lets credits pass at the same rate as switch ports, with a bucket of two.
  void shape(TransportContext& context) {
    next_ = std::max(next_, context.now() - 2 * gap_);
    for (; !shaped_.empty() && next_ <= context.now(); next_ += gap_) {
      const Shaped next = shaped_.front();
      shaped_.pop_front();
      const ReceiveState* receiver = context.receiver(next.receiver);
      if (receiver == nullptr) continue;
      const FrameId id = context.new_control(*receiver, kProtocol, kControl);
      if (!id.exists()) continue;
      Frame& frame = context.frames()[id];
      frame.frame_bytes = 64;
      frame.tag = credit;
      frame.tag_value = next.number;
      context.send_to_host(id);
    }
    if (!shaped_.empty()) context.arm(shaper_, next_);
  }
  static void look(const TransportContext& context, Receiving& state) {
    const double all = state.used + state.missing;
    if (all > 0) {
      const double loss = state.missing / all;
      const double target = 0.125 * (1 - state.rate);
      if (loss > target) {
        state.rate *= (1 - loss) * (1 + target);
        state.weight = std::max(state.weight / 2, 0.01);
        state.rose = false;
      } else {
        if (state.rose) state.weight = std::min(state.weight + 0.05, 0.5);
        state.rate += state.weight * (1 - state.rate);
        state.rose = true;
      }
      state.rate = std::clamp(state.rate, 0.01, 1.0);
    }
    state.used = state.missing = 0;
    state.looked = context.now();
  }
  static void say(TransportContext& context, const SendState& sender, Kind kind, std::uint32_t value) {
    const FrameId id = context.new_control(sender, kProtocol, kControl);
    if (!id.exists()) return;
    context.frames()[id].tag = kind;
    context.frames()[id].tag_value = value;
    context.send_to_host(id);
  }

  InlineField<std::uint32_t> echo_;
  TimerId shaper_;
  Duration gap_;
  Time next_;
  Ring<QueuePairId> ready_;  // one per credit received
  Ring<Shaped> shaped_;
};

inline const Scheme credits = {
    .name = "credits",
    .summary = "",
    .traits = {.protocol = kProtocol},
    .fields = {&kEcho},
    .parameters = {},
    .flow_control = make<FlowControl, CreditSwitch>,
    .transport = make<Transport, CreditTransport>,
};

}  // namespace weir::shape::credits_shape
