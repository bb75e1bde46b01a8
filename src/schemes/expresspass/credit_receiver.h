// SPDX-License-Identifier: Apache-2.0
// The receiver halves of a NIC: they send credits, and the NIC's queue of credits.
#pragma once

#include <cstdint>

#include "policy/transport.h"
#include "schemes/expresspass/credit_rate.h"
#include "schemes/expresspass/fifo.h"
#include "schemes/expresspass/message.h"
#include "schemes/expresspass/settings.h"

namespace weir::expresspass {

class CreditReceiver {
 public:
  /// State of a receiver half.
  struct State {
    CreditRate rate;
    std::uint32_t made = 0;          ///< number of the next credit
    std::uint32_t awaited = 0;       ///< the credit after the last one that data have returned
    std::uint32_t acknowledged = 0;  ///< the packet expected as last acknowledged
    bool sending = false;            ///< credits
    bool lacks = false;              ///< a packet is missing, and a NACK was sent
    Time next;                       ///< credit
    Time heard;                      ///< when data arrived last, or credits started
    Time complained;                 ///< when the last NACK was sent
    Duration round_trip;             ///< zero: not measured yet
  };
  struct Counts {
    std::uint64_t credits = 0;  ///< sent to the switch
    std::uint64_t dropped = 0;  ///< credits that found the NIC's own queue full
    std::uint64_t nacks = 0;
  };

  explicit CreditReceiver(const Settings& settings) : settings_(settings) {}

  /// `shaper`: the timer whose expiry calls shape().
  void attach(TransportContext& context, TimerId shaper);
  void on_request(TransportContext& context, ReceiveState& receiver, const Frame& request);
  void on_stop(TransportContext& context, ReceiveState& receiver);
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data);
  void on_timer(TransportContext& context, ReceiveState& receiver);
  /// Sends the credits of the NIC's queue for which there are tokens.
  void shape(TransportContext& context);

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  /// A credit in the NIC's queue.
  struct Made {
    QueuePairId receiver;
    std::uint32_t number = 0;
    std::uint32_t stamp = 0;
  };

  static State& state_of(const ReceiveState& receiver) { return receiver.congestion.as<State>(); }
  void make_credits(TransportContext& context, ReceiveState& receiver);
  void count_credit(const TransportContext& context, State& state, const Frame& data) const;
  void acknowledge(TransportContext& context, const ReceiveState& receiver);
  void complain(TransportContext& context, const ReceiveState& receiver);

  Settings settings_;
  InlineField<std::uint16_t> number_;
  InlineField<std::uint32_t> time_;
  TimerId shaper_;
  Duration gap_;   // between credits at the maximum rate
  Time earliest_;  // when the next credit may leave
  Fifo<Made> queue_;
  Counts counts_;
};

}  // namespace weir::expresspass
