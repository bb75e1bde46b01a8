// SPDX-License-Identifier: Apache-2.0
// The role of a scheme that is a host's complete transport: it decides what is sent next, and how frames are answered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/nic_policy.h"

namespace weir {

/// A message in transfer, as the sender's NIC knows it. Packets are numbered through the whole queue pair.
struct MessageView {
  std::uint32_t first = 0;  ///< its first packet
  std::uint32_t end = 0;    ///< the packet after its last
  std::int64_t offset = 0;  ///< of its first byte in the queue pair's stream
  std::int64_t size = 0;    ///< bytes, above zero
};

/// A packet that a transport has chosen to send.
struct ChosenPacket {
  SendState* sender = nullptr;
  /// A posted packet (before SendState::end) that is not acknowledged: SendState::highest_sent, or one that was sent
  /// before. New packets of a queue pair are sent in order.
  std::uint32_t sequence = 0;
};

/// The NIC as a transport sees it: in addition to what every policy can access, a view over all receivers and messages
/// of the host.
class TransportContext : public NicContext {
 public:
  using NicContext::arm;
  using NicContext::cancel;

  // ---- reading ----
  /// The receiver half with this number, or nullptr if it is closed.
  virtual ReceiveState* receiver(QueuePairId number) = 0;
  /// The receiver half that `remote_number` at `remote` sends to, or nullptr.
  virtual ReceiveState* receiver_from(HostId remote, QueuePairId remote_number) = 0;
  /// Calls visit(context, receiver) for each open receiver half in the order of their numbers.
  virtual void for_each_receiver(void (*visit)(void* context, ReceiveState& receiver), void* context) = 0;
  /// The message of a packet in [SendState::unacknowledged, SendState::end).
  [[nodiscard]] virtual MessageView message_of(const SendState& sender, std::uint32_t sequence) const = 0;
  /// Whether a flow control blocks this queue pair: none of its packets may be chosen.
  [[nodiscard]] virtual bool is_held(const SendState& sender) const = 0;
  /// Whether the priority is not paused by the network.
  [[nodiscard]] virtual bool is_open(Priority priority) const = 0;

  // ---- actions ----
  /// Reports whether the transport has a packet of this priority to send. While it has, and nothing of a higher
  /// priority is to be sent, the NIC asks for it when its wire is free (Transport::choose).
  virtual void offer(Priority priority, bool has_packet) = 0;
  /// All packets before `sequence` have arrived at the receiver: complete messages are reported as completed. Earlier
  /// acknowledgements are never revoked. A `sequence` beyond SendState::highest_sent has no effect.
  virtual void acknowledge(SendState& sender, std::uint32_t sequence) = 0;
  /// This number of new payload bytes arrived: for the counters.
  virtual void keep(ReceiveState& receiver, std::int64_t payload) = 0;
  /// The receiver's next message, in the order of posting, is complete.
  virtual void complete_message(ReceiveState& receiver) = 0;
  /// A control frame of this protocol to the other half, with empty header fields; none() if the pool has no frame. The
  /// transport may change its priority and its length before send_to_host().
  virtual FrameId new_control(const SendState& sender, std::uint8_t protocol, Priority priority) = 0;
  virtual FrameId new_control(const ReceiveState& receiver, std::uint8_t protocol, Priority priority) = 0;
  /// A receiver half's own timer (Transport::on_receiver_timer).
  virtual void arm(ReceiveState& receiver, Time deadline) = 0;
  virtual void cancel(ReceiveState& receiver) = 0;

 protected:
  using NicContext::NicContext;
  ~TransportContext() = default;
};

/// A transport replaces congestion control and loss recovery, which together are the transport of RoCEv2's reliable
/// connections. The NIC divides messages into packets, builds frames, and keeps gates and priorities. The transport
/// decides everything else: which packet is sent next, what the receiver answers, what is retransmitted and when.
///
/// Its state of each half is in SendState::congestion and ReceiveState::congestion. Of SendState it may change
/// `priority` and `entropy`, which apply to the next packet. The NIC changes `highest_sent`, `end`, `posted_bytes`,
/// `unacknowledged`, `acknowledged_bytes` and the counters; windows and rates have no effect. Calls of hooks are
/// serialised; hooks allocate nothing and throw nothing.
class Transport : public NicPolicy {
 public:
  /// Bytes of state per sender half and per receiver half.
  [[nodiscard]] virtual std::size_t sender_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t receiver_bytes() const { return 0; }
  /// Called once, before traffic: request timers here.
  virtual void attach(TransportContext&) {}

  virtual void open(TransportContext&, SendState&) {}
  virtual void open(TransportContext&, ReceiveState&) {}
  virtual void on_close(TransportContext&, SendState&) {}
  virtual void on_close(TransportContext&, ReceiveState&) {}
  /// A message was posted at the end of the sender's stream.
  virtual void on_post(TransportContext&, SendState&, const MessageView&) {}
  /// The sender's application has stopped: SendState::end has decreased if some packets had not been sent yet.
  virtual void on_stop(TransportContext&, SendState&) {}

  /// The wire is free and `priority`, which the transport has offered, may send: returns the packet to send now. If the
  /// sender is nullptr, there is none, and the priority is no longer offered.
  virtual ChosenPacket choose(TransportContext&, Priority priority) = 0;
  /// The frame of the chosen packet is about to leave: write header fields, its entropy, its priority at switches.
  virtual void on_sent(TransportContext&, SendState&, Frame&) {}

  /// A data frame arrived: complete, or without its payload (Frame::trimmed).
  virtual void on_data(TransportContext&, ReceiveState&, const Frame& data) = 0;
  /// A data frame of this host was returned, without its payload (Frame::returned).
  virtual void on_returned(TransportContext&, SendState&, const Frame& /*data*/) {}
  /// An acknowledgement or negative acknowledgement arrived, as made by NicContext::new_acknowledgement.
  virtual void on_acknowledgement(TransportContext&, SendState&, const Frame& /*frame*/) {}
  /// A control frame from a host or switch arrived: a credit, a grant, a pull, a request. Returns whether it belongs to
  /// this transport.
  virtual bool on_feedback(TransportContext&, const Frame&) { return false; }

  virtual void on_sender_timer(TransportContext&, SendState&) {}
  virtual void on_receiver_timer(TransportContext&, ReceiveState&) {}
  virtual void on_timer(TransportContext&, TimerId) {}
  /// A pause of a priority or of queue pairs began or ended: blocked packets may be chosen, or others may no longer be.
  virtual void on_gates(TransportContext&) {}

 private:
  void attach(NicContext& context) final { attach(static_cast<TransportContext&>(context)); }
  void on_timer(NicContext& context, TimerId timer) final { on_timer(static_cast<TransportContext&>(context), timer); }
};

}  // namespace weir
