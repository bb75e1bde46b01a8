// SPDX-License-Identifier: Apache-2.0
// NDP's receiver half: answers each packet at once, and pulls further ones at the rate of the NIC's link.
#pragma once

#include <cstdint>

#include "policy/reorder_window.h"
#include "policy/transport.h"
#include "schemes/ndp/message.h"
#include "schemes/ndp/settings.h"
#include "schemes/ndp/turn_list.h"

namespace weir::ndp {

struct Receiving {
  Turn<ReceiveState> turn;
  ReorderWindow window;
  std::uint32_t last = 0;   // the sender has announced that none follows this packet
  bool has_last = false;    // it is known
  std::uint32_t owed = 0;   // pulls that wait for their turn
  std::uint32_t pulls = 0;  // sent
};

/// All receiver halves of a NIC, and the pacer of their pulls.
class Receiver {
 public:
  explicit Receiver(const Settings& settings) : settings_(settings) {}

  /// `timer`: of the pacer; the caller passes its expiry to send_pulls().
  void attach(const TransportContext& context, TimerId timer);
  static void open(ReceiveState& receiver) { receiver.congestion.emplace<Receiving>(); }
  void close(ReceiveState& receiver) { waiting_.remove(receiver); }
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data);
  void send_pulls(TransportContext& context);

 private:
  static bool is_complete(const ReceiveState& receiver);
  static void note_last(Receiving& state, const Frame& data);
  void answer(TransportContext& context, const ReceiveState& receiver, Message message, std::uint32_t number) const;

  Settings settings_;
  TimerId timer_;
  Duration interval_;
  Time next_pull_;
  bool pacing_ = false;  // the timer is armed
  TurnList<ReceiveState, Receiving> waiting_;
};

}  // namespace weir::ndp
