// SPDX-License-Identifier: Apache-2.0
// The sender halves of a NIC: they request credits, send a packet per credit, and stop the credits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "policy/transport.h"
#include "schemes/expresspass/fifo.h"
#include "schemes/expresspass/message.h"
#include "schemes/expresspass/settings.h"

namespace weir::expresspass {

class CreditSender {
 public:
  /// State of a sender half.
  struct State {
    enum class Phase : std::uint8_t {
      idle,       ///< nothing to send, all acknowledged
      asking,     ///< a request was sent
      receiving,  ///< credits arrive
      stopped     ///< a stop was sent
    };
    std::uint32_t cursor = 0;    ///< the next packet to be sent
    std::uint32_t pending = 0;   ///< its credits that wait for the wire
    std::uint32_t of_round = 0;  ///< credits since `round_start`
    Phase phase = Phase::idle;
    bool repeated = false;  ///< the present request was sent more than once
    Time asked;             ///< when the last request or stop was sent
    Time requested;         ///< when the request was sent first
    Time heard;             ///< when a credit last arrived
    Time round_start;
    Duration round_trip;  ///< from the first request to the first credit; kept if the request was repeated
  };
  struct Counts {
    std::uint64_t credits = 0;  ///< received
    std::uint64_t wasted = 0;   ///< of these, without a packet to send
    std::uint64_t requests = 0;
    std::uint64_t stops = 0;
  };

  explicit CreditSender(const Settings& settings) : settings_(settings) {}

  void attach(TransportContext& context);
  void open(SendState& sender);
  void on_post(TransportContext& context, SendState& sender);
  void on_stop(TransportContext& context, SendState& sender);
  ChosenPacket choose(TransportContext& context, Priority priority);
  void on_sent(TransportContext& context, SendState& sender, Frame& frame);
  void on_acknowledgement(TransportContext& context, SendState& sender, std::uint32_t sequence);
  /// `sender` is nullptr if the queue pair is closed.
  void on_credit(TransportContext& context, SendState* sender, const Frame& credit);
  void on_nack(TransportContext& context, SendState& sender, std::uint32_t sequence);
  void on_timer(TransportContext& context, SendState& sender);
  void on_gates(TransportContext& context);

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  /// A credit that permits a packet of this sender half.
  struct Ready {
    QueuePairId sender;
    std::uint32_t number = 0;
    std::uint32_t stamp = 0;
  };

  static State& state_of(const SendState& sender) { return sender.congestion.as<State>(); }
  /// For how long no credit arrives before a sender with data asks again. [XPASS-R-5]
  [[nodiscard]] Duration patience(const State& state) const {
    return std::max(settings_.timeout, 3 * state.round_trip);
  }
  void ask(TransportContext& context, SendState& sender);
  void stop(TransportContext& context, SendState& sender);
  void waste(TransportContext& context, SendState& sender);
  void stop_if_credits_suffice(TransportContext& context, SendState& sender);
  void say(TransportContext& context, const SendState& sender, Kind kind, std::uint32_t sequence, std::uint32_t value);

  Settings settings_;
  InlineField<std::uint16_t> number_;
  InlineField<std::uint32_t> time_;
  std::array<Fifo<Ready>, kPriorities> ready_;  // by priority; allocated for those that are used
  Ready used_;                                  // by the packet that is about to be sent
  Counts counts_;
};

}  // namespace weir::expresspass
