// SPDX-License-Identifier: Apache-2.0
// Homa's receiver half: which messages get grants, and what is requested again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/transport.h"
#include "schemes/homa/incoming.h"
#include "schemes/homa/settings.h"

namespace weir::homa {

/// One object serves all receiver halves of a NIC.
class Receiver {
 public:
  explicit Receiver(const Settings& settings) : settings_(settings), incoming_(settings.overcommitment) {}

  /// `round_trip`: packets that a message may have granted or unscheduled, and not arrived.
  void attach(const TransportContext& context, std::uint32_t round_trip);
  void open(ReceiveState& receiver);
  void on_close(TransportContext& context, ReceiveState& receiver);
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data);
  /// Its sender sends a shorter message first.
  void on_busy(TransportContext& context, ReceiveState& receiver);
  void on_timer(TransportContext& context, ReceiveState& receiver);

  [[nodiscard]] std::uint64_t grants() const { return grants_; }
  [[nodiscard]] std::uint64_t resends() const { return resends_; }

 private:
  static Receiving& state_of(const ReceiveState& receiver) { return receiver.congestion.as<Receiving>(); }
  void begin(ReceiveState& receiver, std::uint32_t end);
  void truncate(TransportContext& context, ReceiveState& receiver, std::uint32_t end);
  void hear(TransportContext& context, ReceiveState& receiver);
  void complete(TransportContext& context, ReceiveState& receiver);
  bool grant(TransportContext& context, ReceiveState& receiver, std::size_t rank);
  void grant_all(TransportContext& context);
  void keep_time(TransportContext& context, ReceiveState& receiver) const;

  Settings settings_;
  Incoming incoming_;
  std::uint32_t round_trip_ = 1;
  InlineField<std::uint32_t> message_end_;
  std::size_t receivers_ = 0;
  std::uint64_t grants_ = 0;
  std::uint64_t resends_ = 0;
};

}  // namespace weir::homa
