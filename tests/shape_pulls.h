// SPDX-License-Identifier: Apache-2.0
// The shape of a transport whose receivers pull (NDP, Handley et al., SIGCOMM 2017): switches with short queues trim
// packets that do not fit and send their headers first; a header that finds no room returns to its sender; receivers
// pace pulls at the rate of their link; each packet takes a path of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policy/packet_bitmap.h"
#include "ring.h"
#include "shape_lab.h"

namespace weir::shape::pulls_shape {

using namespace literals;

inline constexpr std::uint8_t kProtocol = 213;
inline constexpr std::uint32_t kInitialWindow = 60;  // packets: more than a round trip of the networks here
inline constexpr Priority kData = 1;
inline constexpr Priority kHeaders = 7;
inline constexpr std::int64_t kPacketWire = 1'086;  // bytes on the wire with 1,000 of payload
inline constexpr BitRate kRate(100'000'000'000);

enum Kind : std::uint16_t { arrived, trimmed, pull };

/// A data queue of 8 frames and a header queue of `header_frames`, which is served ten times as often.
class TrimmingSwitch : public Classifier {
 public:
  explicit TrimmingSwitch(const Parameters& parameters)
      : header_frames_(static_cast<std::uint32_t>(parameters.get<std::int64_t>("headers"))) {}
  [[nodiscard]] Hooks hooks() const override { return {.drop = true, .rescue = true, .trim = true}; }
  void attach(SwitchContext& context) override {
    QueueContext& queues = queue_context(context);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      headers_.push_back(
          queues.new_queue({.port = PortId(port), .priority = kHeaders, .weight = 10, .level = context.level(kData)}));
    }
    queues.set_discipline(kData, Discipline::weighted_round_robin);
  }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    if (frame.kind != FrameKind::data) return true;
    return context.queue(queue_of(context, frame)).frames < (frame.trimmed() ? header_frames_ : 8);
  }
  QueueId classify(QueueContext& context, Frame& frame) override { return queue_of(context, frame); }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override {
    if (frame.trimmed()) {
      return {.kind = frame.returned() ? Rescue::Kind::none : Rescue::Kind::to_sender, .priority = kHeaders};
    }
    const bool tail = context.random().next() % 2 == 0;
    return {.kind = tail ? Rescue::Kind::trim_tail : Rescue::Kind::trim,
            .priority = kHeaders,
            .bytes = 64,
            .queue = context.default_queue(frame.egress, kData)};
  }
  void on_trim(SwitchContext&, QueueId, Frame&, std::int64_t) override { ++trims; }
  void on_drop(SwitchContext&, QueueId, const Frame&, DropReason) override { ++drops; }
  std::uint64_t trims = 0;
  std::uint64_t drops = 0;

 private:
  // Control frames of the protocol share the queue of headers.
  [[nodiscard]] QueueId queue_of(const SwitchContext& context, const Frame& frame) const {
    const bool small = frame.trimmed() || frame.kind != FrameKind::data;
    return small ? headers_[frame.egress.index()] : context.default_queue(frame.egress, frame.priority);
  }
  std::uint32_t header_frames_;
  std::vector<QueueId> headers_;
};

class PullTransport : public Transport {
 public:
  struct Sending {
    std::uint32_t pulled = 0;    // the highest number of a pull
    std::uint32_t own = 0;       // packets that may be sent without a pull
    std::uint32_t released = 0;  // packets that pulls have released
    PacketBitmap arrived;
    PacketBitmap missing;  // to be retransmitted
    std::uint32_t lost = 0;
  };
  struct Receiving {
    std::uint32_t missing = 0;  // the first missing one
    PacketBitmap here;          // of those after it
    std::uint32_t came = 0;
    std::uint32_t packets = 0;  // zero: its last packet has not arrived
    std::uint32_t pulls = 0;    // sent
    std::uint32_t owed = 0;     // pulls that wait for their turn
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override { pacer_ = context.new_timer(*this); }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<Sending>(); }
  void open(TransportContext& context, ReceiveState& receiver) override {
    receiver.congestion.emplace<Receiving>();
    std::size_t receivers = 0;
    context.for_each_receiver([](void* count, ReceiveState&) { ++*static_cast<std::size_t*>(count); }, &receivers);
    waiting_.reserve(receivers);
  }
  void on_close(TransportContext&, ReceiveState& receiver) override { waiting_.erase(receiver.number); }
  void on_post(TransportContext& context, SendState&, const MessageView&) override { context.offer(kData, true); }

  ChosenPacket choose(TransportContext& context, Priority) override {
    struct Search {
      std::uint32_t after;
      SendState* next = nullptr;   // the one after the last sender
      SendState* first = nullptr;  // of all
    } search{last_};
    context.for_each_sender(
        [](void* out, SendState& sender) {
          Search& found = *static_cast<Search*>(out);
          if (!may_send(sender)) return;
          if (found.first == nullptr) found.first = &sender;
          if (found.next == nullptr && sender.number.value > found.after) found.next = &sender;
        },
        &search);
    SendState* sender = search.next != nullptr ? search.next : search.first;
    if (sender == nullptr) return {};
    last_ = sender->number.value;
    auto& state = sender->congestion.as<Sending>();
    // The first window is sent blindly; later packets and retransmissions need a pull.
    if (state.lost == 0 && sender->next < kInitialWindow) return {sender, sender->next};
    ++state.released;
    if (state.lost == 0) return {sender, sender->next};
    const std::uint32_t again = state.missing.first(sender->unacknowledged, sender->next);
    state.missing.erase(again);
    --state.lost;
    return {sender, again};
  }
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override {
    frame.entropy = static_cast<std::uint16_t>(context.random().next());
    context.arm(sender, context.now() + 1_ms);
  }

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.congestion.as<Receiving>();
    tell(context, receiver, data.trimmed() ? trimmed : arrived, data.sequence);
    if (data.ends_message()) state.packets = data.sequence + 1;
    const bool came = sequence_before(data.sequence, state.missing) || state.here.contains(data.sequence);
    if (!data.trimmed() && !came) {
      state.here.insert(data.sequence);
      for (; state.here.contains(state.missing); ++state.missing) state.here.erase(state.missing);
      context.keep(receiver, data.payload_bytes);
      if (++state.came == state.packets) context.complete_message(receiver);
    }
    if (state.packets != 0 && state.came == state.packets) {
      state.owed = 0;
      return;
    }
    if (state.owed++ == 0) waiting_.push_back(receiver.number);
    if (!pacing_) {
      next_pull_ = std::max(next_pull_, context.now());
      send_pulls(context);
    }
  }
  void on_timer(TransportContext& context, TimerId) override { send_pulls(context); }

  void on_returned(TransportContext& context, SendState& sender, const Frame& data) override {
    ++returned;
    lose(sender, data.sequence);
    // There may be no further packet to cause a pull.
    ++sender.congestion.as<Sending>().own;
    context.offer(kData, true);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    SendState* sender = context.sender(frame.queue_pair);
    if (sender == nullptr) return true;
    auto& state = sender->congestion.as<Sending>();
    switch (static_cast<Kind>(frame.tag)) {
      case arrived:
        if (sequence_before(frame.tag_value, sender->unacknowledged)) break;
        state.arrived.insert(frame.tag_value);
        if (state.missing.contains(frame.tag_value)) {
          state.missing.erase(frame.tag_value);
          --state.lost;
        }
        while (state.arrived.contains(sender->unacknowledged)) {
          state.arrived.erase(sender->unacknowledged);
          context.acknowledge(*sender, sender->unacknowledged + 1);
        }
        if (sender->finished()) context.cancel(*sender);
        break;
      case trimmed:
        ++trims_heard;
        lose(*sender, frame.tag_value);
        break;
      case pull:
        state.pulled = std::max(state.pulled, frame.tag_value);
        break;
    }
    context.offer(kData, true);
    return true;
  }
  // The last resort.
  void on_sender_timer(TransportContext& context, SendState& sender) override {
    if (sender.finished()) return;
    ++timeouts;
    lose(sender, sender.unacknowledged);
    ++sender.congestion.as<Sending>().own;
    context.arm(sender, context.now() + 1_ms);
    context.offer(kData, true);
  }

  std::uint64_t trims_heard = 0;
  std::uint64_t returned = 0;
  std::uint64_t timeouts = 0;

 private:
  static bool may_send(const SendState& sender) {
    const auto& state = sender.congestion.as<Sending>();
    const bool pulled = state.pulled + state.own > state.released;
    if (state.lost > 0) return pulled;
    return sender.next != sender.end && (sender.next < kInitialWindow || pulled);
  }
  static void lose(SendState& sender, std::uint32_t sequence) {
    auto& state = sender.congestion.as<Sending>();
    if (sequence_before(sequence, sender.unacknowledged) || !sequence_before(sequence, sender.next)) return;
    if (state.arrived.contains(sequence) || state.missing.contains(sequence)) return;
    state.missing.insert(sequence);
    ++state.lost;
  }
  void tell(TransportContext& context, const ReceiveState& receiver, Kind kind, std::uint32_t value) {
    const FrameId id = context.new_control(receiver, kProtocol, kHeaders);
    if (!id.exists()) return;
    context.frames()[id].tag = kind;
    context.frames()[id].tag_value = value;
    context.frames()[id].entropy = static_cast<std::uint16_t>(context.random().next());
    context.send_to_host(id);
  }
  // One for the flow whose turn it is, and one more for each packet time that has passed since a timer was due.
  void send_pulls(TransportContext& context) {
    while (next_pull_ <= context.now() && !waiting_.empty()) {
      ReceiveState* receiver = context.receiver(waiting_.front());
      waiting_.pop_front();
      if (receiver == nullptr) continue;
      auto& state = receiver->congestion.as<Receiving>();
      if (state.owed == 0) continue;
      --state.owed;
      tell(context, *receiver, pull, ++state.pulls);
      if (state.owed > 0) waiting_.push_back(receiver->number);
      next_pull_ += time_to_send(Bytes(kPacketWire), context.rate());
    }
    pacing_ = next_pull_ > context.now();
    if (pacing_) context.arm(pacer_, next_pull_);
  }

  TimerId pacer_;
  Time next_pull_;
  bool pacing_ = false;        // the timer is armed
  Ring<QueuePairId> waiting_;  // each once
  std::uint32_t last_ = 0;
};

inline const Scheme pulls = {
    .name = "pulls",
    .summary = "",
    .traits = {.protocol = kProtocol},
    .parameters = {{"headers", std::int64_t{1'000}, "", "", 1, 10'000}},
    .flow_control = make<FlowControl, TrimmingSwitch>,
    .transport = make<Transport, PullTransport>,
};

}  // namespace weir::shape::pulls_shape
