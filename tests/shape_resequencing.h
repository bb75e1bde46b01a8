// SPDX-License-Identifier: Apache-2.0
// Loss recovery for shapes that reorder or drop: a receiver that keeps early packets, a sender that retransmits exactly
// the packets reported as lost.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "policy/nic_policy.h"

namespace weir::shape {

/// A set of packet numbers within kSpan of a moving base.
class PacketSet {
 public:
  static constexpr std::uint32_t kSpan = 1024;
  void insert(std::uint32_t sequence) { word(sequence) |= bit(sequence); }
  void erase(std::uint32_t sequence) { word(sequence) &= ~bit(sequence); }
  [[nodiscard]] bool contains(std::uint32_t sequence) const {
    return (words_[sequence % kSpan / 64] & bit(sequence)) != 0;
  }

 private:
  std::uint64_t& word(std::uint32_t sequence) { return words_[sequence % kSpan / 64]; }
  static std::uint64_t bit(std::uint32_t sequence) { return std::uint64_t{1} << (sequence % 64); }
  std::array<std::uint64_t, kSpan / 64> words_{};
};

/// Acknowledges packets in order and keeps others, up to PacketSet::kSpan packets ahead; has no timer.
class Resequencing : public LossRecovery {
 public:
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(SenderState); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(ReceiverState); }
  void open(NicContext&, SendState& sender) override { sender.recovery.emplace<SenderState>(); }
  void open(NicContext&, ReceiveState& receiver) override { receiver.recovery.emplace<ReceiverState>(); }

  Pick pick(NicContext&, SendState& sender) override {
    auto& state = sender.recovery.as<SenderState>();
    std::uint32_t sequence = sender.unacknowledged;
    while (!state.lost.contains(sequence)) ++sequence;
    state.lost.erase(sequence);
    sender.resend = --state.losses > 0;
    return {sequence, false};
  }
  void on_ack(NicContext&, SendState& sender, const Frame& ack) override {
    auto& state = sender.recovery.as<SenderState>();
    for (; sequence_before(sender.unacknowledged, ack.sequence); ++sender.unacknowledged) {
      if (!state.lost.contains(sender.unacknowledged)) continue;
      state.lost.erase(sender.unacknowledged);
      --state.losses;
    }
    sender.resend = state.losses > 0;
  }
  void on_nack(NicContext&, SendState&, const Frame&) override {}

  Reception on_data(NicContext&, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.recovery.as<ReceiverState>();
    if (sequence_before(data.sequence, receiver.expected) || state.early.contains(data.sequence)) {
      ++receiver.duplicates;
      return {Reply::ack, false, 0};
    }
    if (data.sequence - receiver.expected >= PacketSet::kSpan) return {};
    state.early.insert(data.sequence);
    if (data.ends_message()) state.ends.insert(data.sequence);
    std::uint32_t completed = 0;
    for (; state.early.contains(receiver.expected); ++receiver.expected) {
      state.early.erase(receiver.expected);
      if (!state.ends.contains(receiver.expected)) continue;
      state.ends.erase(receiver.expected);
      ++completed;
    }
    return {Reply::ack, true, completed};
  }

 protected:
  /// Marks a packet for retransmission; false if it is not in flight or already marked.
  static bool lose(SendState& sender, std::uint32_t sequence) {
    auto& state = sender.recovery.as<SenderState>();
    const bool in_flight = sequence - sender.unacknowledged < sender.next - sender.unacknowledged;
    if (!in_flight || state.lost.contains(sequence)) return false;
    state.lost.insert(sequence);
    ++state.losses;
    sender.resend = true;
    return true;
  }

 private:
  struct SenderState {
    PacketSet lost;
    std::uint32_t losses = 0;
  };
  struct ReceiverState {
    PacketSet early;  // received before an earlier one
    PacketSet ends;   // those of them that end a message
  };
};

}  // namespace weir::shape
