// SPDX-License-Identifier: Apache-2.0
// Homa in one NIC: the messages that it sends and those that it receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/transport.h"
#include "schemes/homa/incoming.h"
#include "schemes/homa/settings.h"

namespace weir::homa {

inline constexpr std::uint8_t kProtocol = 141;

/// Of a control frame, in Frame::tag. `tag_value` and `sequence` are packets of the queue pair.
enum class Say : std::uint16_t {
  grant,   ///< packets before tag_value may be sent; `entropy`'s place is unused; priority in the tag's upper byte
  resend,  ///< packets [sequence, tag_value) are missing; priority in the tag's upper byte
  busy,    ///< the sender has received `resend`, and sends a shorter message first
  done,    ///< all packets before tag_value have arrived
};

/// The packet after the last one of the message, in its data frames.
inline constexpr HeaderField kMessageEnd{"message_end", 4, FrameKinds(FrameKind::data), HeaderField::Reach::end_to_end};

/// The sending half of a queue pair. Its messages are sent one after the other.
struct Sending {
  std::uint32_t first = 0;        ///< of the present message
  std::uint32_t end = 0;          ///< equal to `first`: there is none
  std::uint32_t unscheduled = 0;  ///< the packet after the last unscheduled one
  std::uint32_t granted = 0;      ///< the packet after the last that may be sent
  std::uint32_t again = 0;        ///< packets [again, again_end) must be sent again
  std::uint32_t again_end = 0;
  Priority unscheduled_priority = 0;
  Priority scheduled_priority = 0;
  bool is_ready = false;  ///< it is in the list of messages that can send
};

class HomaTransport final : public Transport {
 public:
  explicit HomaTransport(const Parameters& parameters) : settings_(parameters) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext&) override;
  void open(TransportContext&, SendState&) override;
  void open(TransportContext&, ReceiveState&) override;
  void on_close(TransportContext&, SendState&) override;
  void on_close(TransportContext&, ReceiveState&) override;
  void on_post(TransportContext&, SendState&, const MessageView&) override;
  void on_stop(TransportContext&, SendState&) override;
  ChosenPacket choose(TransportContext&, Priority) override;
  void on_sent(TransportContext&, SendState&, Frame&) override;
  void on_data(TransportContext&, ReceiveState&, const Frame&) override;
  bool on_feedback(TransportContext&, const Frame&) override;
  void on_sender_timer(TransportContext&, SendState&) override;
  void on_receiver_timer(TransportContext&, ReceiveState&) override;
  void on_gates(TransportContext& context) override { offer_next(context); }

 private:
  void begin(TransportContext&, SendState&);
  void update(SendState&);
  void offer_next(TransportContext&);
  [[nodiscard]] SendState* best(const TransportContext&) const;
  void give_grants(TransportContext&);
  void tell(TransportContext&, const ReceiveState&, Say, Priority, std::uint32_t from, std::uint32_t to);

  Settings settings_;
  std::uint32_t round_trip_packets_ = 1;
  InlineField<std::uint32_t> message_end_;
  std::size_t senders_ = 0;
  std::size_t receivers_ = 0;
  std::vector<SendState*> ready_;  // that can send, the fewest remaining packets first
  Incoming incoming_;
  Priority offered_ = 0;
};

}  // namespace weir::homa
