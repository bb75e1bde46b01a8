// SPDX-License-Identifier: Apache-2.0
// The shape of a transport whose receivers grant (Homa, Montazeri et al., SIGCOMM 2018): the first round trip is sent
// at once, the rest as the receiver grants it, to the messages with the fewest remaining bytes; each packet has a
// priority of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policy/packet_bitmap.h"
#include "shape_lab.h"

namespace weir::shape::grants_shape {

using namespace literals;

inline constexpr std::uint8_t kProtocol = 212;
inline constexpr std::uint32_t kBlind = 50;        // packets sent without a grant: one and a half round trips
inline constexpr std::size_t kOvercommitment = 2;  // messages with simultaneous grants at a receiver
inline constexpr Duration kSilence = 200_us;

enum Kind : std::uint16_t { grant, resend, done };

/// The number of packets of the message, by which its receiver ranks messages.
inline const HeaderField kMessageField = {.name = "message", .bytes = 4, .kinds = FrameKinds(FrameKind::data)};

class GrantTransport : public Transport {
 public:
  struct Sending {
    std::uint32_t granted = 0;
    std::uint32_t again = 0;  // packets [again, again_end) must be retransmitted
    std::uint32_t again_end = 0;
    Priority priority = 1;  // of granted packets
  };
  struct Receiving {
    std::uint32_t packets = 0;  // zero: none has arrived
    std::uint32_t came = 0;
    std::uint32_t granted = 0;
    std::uint32_t missing = 0;  // the first missing one
    PacketBitmap here;          // of those after it
    [[nodiscard]] std::uint32_t lacks() const { return packets - came; }
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override { message_ = context.headers().place<std::uint32_t>(kMessageField); }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<Sending>().granted = kBlind; }
  void open(TransportContext& context, ReceiveState& receiver) override {
    receiver.congestion.emplace<Receiving>();
    std::size_t receivers = 0;
    context.for_each_receiver([](void* count, ReceiveState&) { ++*static_cast<std::size_t*>(count); }, &receivers);
    waiting_.reserve(receivers);
  }
  void on_close(TransportContext& context, SendState&) override { offer_next(context); }
  void on_post(TransportContext& context, SendState&, const MessageView&) override { offer_next(context); }
  void on_gates(TransportContext& context) override { offer_next(context); }

  ChosenPacket choose(TransportContext& context, Priority priority) override {
    SendState* sender = shortest(context);
    if (sender == nullptr || priority_of(*sender) != priority) return {};
    auto& state = sender->congestion.as<Sending>();
    const std::uint32_t sequence = state.again != state.again_end ? state.again++ : sender->next;
    return {sender, sequence};
  }
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override {
    message_.write(frame, sender.end);
    offer_next(context);
  }

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.congestion.as<Receiving>();
    if (state.packets == 0) {
      state.packets = message_.read(data);
      state.granted = std::min(kBlind, state.packets);
    }
    const bool came = sequence_before(data.sequence, state.missing) || state.here.contains(data.sequence);
    if (came || state.lacks() == 0) return tell(context, receiver, done, 0);
    state.here.insert(data.sequence);
    for (; state.here.contains(state.missing); ++state.missing) state.here.erase(state.missing);
    ++state.came;
    context.keep(receiver, data.payload_bytes);
    if (state.lacks() == 0) {
      context.cancel(receiver);
      context.complete_message(receiver);
      tell(context, receiver, done, 0);
    } else {
      context.arm(receiver, context.now() + kSilence);
    }
    give_grants(context);
  }
  void on_receiver_timer(TransportContext& context, ReceiveState& receiver) override {
    auto& state = receiver.congestion.as<Receiving>();
    if (state.missing >= state.granted) return give_grants(context);  // a grant was lost, or waits for others
    std::uint32_t end = state.missing;
    while (end < state.granted && !state.here.contains(end)) ++end;
    tell(context, receiver, resend, state.missing | end << 16);
    ++resends;
    context.arm(receiver, context.now() + kSilence);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    SendState* sender = context.sender(frame.queue_pair);
    if (sender == nullptr) return true;
    auto& state = sender->congestion.as<Sending>();
    switch (static_cast<Kind>(frame.tag)) {
      case grant:
        state.granted = std::max(state.granted, frame.tag_value & 0xffffff);
        state.priority = static_cast<Priority>(frame.tag_value >> 24);
        break;
      case resend:
        state.again = frame.tag_value & 0xffff;
        state.again_end = frame.tag_value >> 16;
        break;
      case done:
        context.acknowledge(*sender, sender->end);
        break;
    }
    offer_next(context);
    return true;
  }

  std::uint64_t resends = 0;
  std::size_t most_granted = 0;  ///< messages with granted packets that have not arrived

 private:
  static Priority priority_of(const SendState& sender) {
    const auto& state = sender.congestion.as<Sending>();
    if (sender.next < kBlind) return sender.end <= 10 ? 6 : 5;
    return state.priority;
  }
  static bool may_send(const TransportContext& context, const SendState& sender) {
    const auto& state = sender.congestion.as<Sending>();
    if (context.is_held(sender) || !context.is_open(priority_of(sender)) || sender.finished()) return false;
    return state.again != state.again_end || sender.next < std::min(state.granted, sender.end);
  }
  // Of the messages that may send, the one with the fewest remaining bytes; of equals, the lower number.
  static SendState* shortest(TransportContext& context) {
    struct Best {
      TransportContext& context;
      SendState* sender;
    } best{context, nullptr};
    context.for_each_sender(
        [](void* out, SendState& sender) {
          Best& so_far = *static_cast<Best*>(out);
          if (!may_send(so_far.context, sender)) return;
          if (so_far.sender == nullptr || sender.end - sender.next < so_far.sender->end - so_far.sender->next) {
            so_far.sender = &sender;
          }
        },
        &best);
    return best.sender;
  }
  void offer_next(TransportContext& context) {
    const SendState* sender = shortest(context);
    const Priority next = sender == nullptr ? offered_ : priority_of(*sender);
    if (next != offered_) context.offer(offered_, false);
    offered_ = next;
    context.offer(offered_, sender != nullptr);
  }

  void tell(TransportContext& context, const ReceiveState& receiver, Kind kind, std::uint32_t value) {
    const FrameId id = context.new_control(receiver, kProtocol, 7);
    if (!id.exists()) return;
    context.frames()[id].tag = kind;
    context.frames()[id].tag_value = value;
    context.send_to_host(id);
  }
  // The messages with the fewest remaining bytes have a round trip's packets granted; the shortest has the highest
  // priority of granted packets.
  void give_grants(TransportContext& context) {
    waiting_.clear();
    context.for_each_receiver(
        [](void* out, ReceiveState& receiver) {
          const auto& state = receiver.congestion.as<Receiving>();
          if (state.packets != 0 && state.lacks() != 0)
            static_cast<std::vector<ReceiveState*>*>(out)->push_back(&receiver);
        },
        &waiting_);
    std::sort(waiting_.begin(), waiting_.end(), [](const ReceiveState* a, const ReceiveState* b) {
      const std::uint32_t left = a->congestion.as<Receiving>().lacks();
      const std::uint32_t right = b->congestion.as<Receiving>().lacks();
      return left != right ? left < right : a->number.value < b->number.value;
    });
    std::size_t open = 0;
    for (ReceiveState* receiver : waiting_) {
      if (receiver->congestion.as<Receiving>().granted > receiver->congestion.as<Receiving>().came) ++open;
    }
    most_granted = std::max(most_granted, open);
    if (waiting_.size() > kOvercommitment) waiting_.resize(kOvercommitment);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      auto& state = waiting_[i]->congestion.as<Receiving>();
      const std::uint32_t to = std::min(state.packets, state.came + kBlind);
      if (to <= state.granted) continue;
      state.granted = to;
      tell(context, *waiting_[i], grant, to | static_cast<std::uint32_t>(kOvercommitment - i) << 24);
      context.arm(*waiting_[i], context.now() + kSilence);
    }
  }

  InlineField<std::uint32_t> message_;
  Priority offered_ = 0;
  std::vector<ReceiveState*> waiting_;  // used by give_grants() only
};

inline const Scheme grants = {
    .name = "grants",
    .summary = "",
    .traits = {.protocol = kProtocol},
    .fields = {&kMessageField},
    .transport = make<Transport, GrantTransport>,
};

}  // namespace weir::shape::grants_shape
