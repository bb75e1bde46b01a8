// SPDX-License-Identifier: Apache-2.0
// NDP's sender half: which packet may be sent now, and what each answer means.
#pragma once

#include <cstdint>

#include "policy/packet_bitmap.h"
#include "policy/transport.h"
#include "schemes/ndp/path_cycle.h"
#include "schemes/ndp/settings.h"
#include "schemes/ndp/turn_list.h"

namespace weir::ndp {

/// The state of a sender half. A packet that was sent is without an answer until it is in `arrived` or in `lost`, or
/// acknowledged with all before it.
struct Sending {
  Turn<SendState> turn;
  PacketBitmap arrived;  // acknowledged although an earlier packet is not
  PacketBitmap lost;     // to be retransmitted
  PacketBitmap aged;     // without an answer at the last check
  std::uint32_t lost_packets = 0;
  std::uint32_t unanswered = 0;  // packets sent, without an answer
  std::uint32_t pulled = 0;      // the highest number of a pull
  std::uint32_t permits = 0;     // packets that pulls permit
  std::uint32_t own = 0;         // packets that may be sent now without a pull, besides those of the initial window
  std::uint32_t blind_end = 0;   // the packet after the initial window
  std::uint32_t due_pulls = 0;   // answers whose pull has not arrived
  // Pulls that arrived before their answers. Some may be in `permits`, beyond what can be sent now.
  std::uint32_t early_pulls = 0;
  // Packets that told the receiver that none follows: the first one that is not acknowledged, and the last one.
  std::uint32_t first_last = 0;
  std::uint32_t latest_last = 0;
  bool has_last = false;
  bool timing = false;        // the timer is armed
  bool active = false;        // a packet was sent, or an answer arrived, since the last check
  std::uint16_t answers = 0;  // the latest ones, a bit per answer: it was an acknowledgement
  std::uint8_t answered = 0;  // number of these
  PathCycle paths;
};

/// One object serves all sender halves of a NIC. Hooks return nothing: the caller asks may_send() afterwards.
class Sender {
 public:
  /// `window`: packets that a transfer sends without a pull.
  Sender(const Settings& settings, std::uint32_t window) : settings_(settings), window_(window) {}

  void open(SendState& sender) const;
  [[nodiscard]] static bool may_send(const SendState& sender);
  /// The packet to be sent now; may_send() must hold.
  static std::uint32_t choose(SendState& sender);
  /// The chosen packet is about to leave; SendState::next is already after it.
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) const;
  /// Starts the timer if there is something to wait for.
  void keep_time(TransportContext& context, SendState& sender) const;

  /// What a check by the timer has found.
  struct Silence {
    std::uint32_t packets = 0;  ///< count as lost
    bool of_pulls = false;      ///< nothing but pulls was to come, and these count as lost
  };

  void on_ack(TransportContext& context, SendState& sender, std::uint32_t sequence) const;
  void on_nack(SendState& sender, std::uint32_t sequence) const;
  static void on_pull(SendState& sender, std::uint32_t number);
  void on_returned(SendState& sender, std::uint32_t sequence) const;
  Silence on_timer(TransportContext& context, SendState& sender) const;

 private:
  static Sending& state_of(const SendState& sender) { return sender.congestion.as<Sending>(); }
  static bool is_unanswered(const SendState& sender, std::uint32_t sequence);
  static void lose(SendState& sender, std::uint32_t sequence);
  static void note_answer(Sending& state, bool acknowledgement);
  static void note_due_pull(Sending& state);
  static void limit_permits(SendState& sender);
  void begin_transfer(SendState& sender) const;

  Settings settings_;
  std::uint32_t window_;
};

}  // namespace weir::ndp
