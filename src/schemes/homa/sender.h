// SPDX-License-Identifier: Apache-2.0
// Homa's sender half: its present message, and which of a NIC's messages goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/transport.h"
#include "schemes/homa/settings.h"

namespace weir::homa {

/// The sender half of a queue pair. Its messages are sent one after the other.
struct Sending {
  Time heard;                     ///< when the message began, or its receiver last answered
  std::uint32_t first = 0;        ///< of the present message
  std::uint32_t end = 0;          ///< equal to `first`: no message
  std::uint32_t unscheduled = 0;  ///< the packet after the last unscheduled one
  std::uint32_t granted = 0;      ///< the packet after the last one that may be sent
  std::uint32_t again = 0;        ///< packets [again, again_end) are to be sent again
  std::uint32_t again_end = 0;
  Priority unscheduled_priority = 0;
  Priority scheduled_priority = 0;
  bool known = false;   ///< the receiver has answered, so it knows of the message
  bool ready = false;   ///< it is among the messages that can send
  bool timing = false;  ///< the timer is armed

  [[nodiscard]] bool has_message() const { return first != end; }
  [[nodiscard]] bool has_again() const { return again != again_end; }
};

/// One object serves all sender halves of a NIC. After each call, first() may be another.
class Sender {
 public:
  explicit Sender(const Settings& settings) : settings_(settings) {}

  /// `round_trip`: packets that a message sends without a grant.
  void attach(const TransportContext& context, std::uint32_t round_trip);
  void open(SendState& sender);
  void on_close(SendState& sender);
  void on_post(TransportContext& context, SendState& sender);
  void on_stop(SendState& sender);
  void on_feedback(TransportContext& context, SendState& sender, const Frame& frame);
  void on_timer(TransportContext& context, SendState& sender);

  /// The message to send from, or nullptr. [HOMA-SND-3]
  [[nodiscard]] SendState* first(const TransportContext& context) const;
  /// Of its next packet.
  static Priority priority_of(const SendState& sender);
  /// Its next packet, which is then sent: on_sent() follows.
  static std::uint32_t choose(SendState& sender);
  void on_sent(SendState& sender, Frame& frame);

  [[nodiscard]] std::uint64_t busies() const { return busies_; }
  [[nodiscard]] std::uint64_t probes() const { return probes_; }

 private:
  static Sending& state_of(const SendState& sender) { return sender.congestion.as<Sending>(); }
  static bool can_send(const SendState& sender);
  void begin(TransportContext& context, SendState& sender);
  void place(SendState& sender);
  void resend(TransportContext& context, SendState& sender, std::uint32_t from, std::uint32_t to);
  void finish(TransportContext& context, SendState& sender);

  Settings settings_;
  std::uint32_t round_trip_ = 1;
  InlineField<std::uint32_t> message_end_;
  std::size_t senders_ = 0;
  std::vector<SendState*> ready_;  // messages that can send, the fewest unsent packets first
  std::uint64_t busies_ = 0;
  std::uint64_t probes_ = 0;
};

}  // namespace weir::homa
