// SPDX-License-Identifier: Apache-2.0
// The role of a scheme that is a host's whole transport: it decides what is sent next, and what answers what.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/nic_policy.h"

namespace weir {

/// A message on its way, as its sender's NIC knows it. Packets are numbered through the whole queue pair.
struct MessageView {
  std::uint32_t first = 0;  ///< its first packet
  std::uint32_t end = 0;    ///< the packet after its last
  std::int64_t offset = 0;  ///< of its first byte in the queue pair's stream
  std::int64_t size = 0;    ///< bytes, above zero
};

/// A packet that a transport has chosen to send.
struct ChosenPacket {
  SendState* sender = nullptr;
  /// Posted (before SendState::end) and not acknowledged: SendState::highest_sent, or one that was sent before. New
  /// packets of a queue pair go in their order.
  std::uint32_t sequence = 0;
};

/// The NIC as a transport sees it: beside what every policy has, a view over all receivers and messages of the host.
class TransportContext : public NicContext {
 public:
  using NicContext::arm;
  using NicContext::cancel;

  // ---- reading ----
  /// The receiver half with this number, or nullptr when it is closed.
  virtual ReceiveState* receiver(QueuePairId number) = 0;
  /// The receiver half that `remote_number` at `remote` sends to, or nullptr.
  virtual ReceiveState* receiver_from(HostId remote, QueuePairId remote_number) = 0;
  /// Calls visit(context, receiver) for each open receiver half in the order of their numbers.
  virtual void for_each_receiver(void (*visit)(void* context, ReceiveState& receiver), void* context) = 0;
  /// The message that a packet before SendState::end and not before SendState::unacknowledged belongs to.
  [[nodiscard]] virtual MessageView message_of(const SendState& sender, std::uint32_t sequence) const = 0;
  /// Whether a flow control holds this queue pair: none of its packets may be chosen.
  [[nodiscard]] virtual bool is_held(const SendState& sender) const = 0;
  /// Whether no pause of the network holds this priority.
  [[nodiscard]] virtual bool is_open(Priority priority) const = 0;

  // ---- acting ----
  /// Says whether the transport has a packet of this priority to send. While it has, and nothing of a higher priority
  /// is to be sent, the NIC asks for it when its wire is free (Transport::choose).
  virtual void offer(Priority priority, bool has_packet) = 0;
  /// All packets before `sequence` have arrived at the receiver: messages that are whole are reported as completed.
  /// Packets that were acknowledged before stay so.
  virtual void acknowledge(SendState& sender, std::uint32_t sequence) = 0;
  /// So many bytes of payload came that were not there before: for the counters.
  virtual void keep(ReceiveState& receiver, std::int64_t payload) = 0;
  /// The receiver has the whole of its next message, in the order in which they were posted.
  virtual void complete_message(ReceiveState& receiver) = 0;
  /// A control frame of this protocol to the other half, with the header fields empty; none() when the pool has no
  /// frame. The transport may change its priority and its length before send_to_host().
  virtual FrameId new_control(const SendState& sender, std::uint8_t protocol, Priority priority) = 0;
  virtual FrameId new_control(const ReceiveState& receiver, std::uint8_t protocol, Priority priority) = 0;
  /// A receiver half's own timer (Transport::on_receiver_timer).
  virtual void arm(ReceiveState& receiver, Time deadline) = 0;
  virtual void cancel(ReceiveState& receiver) = 0;

 protected:
  using NicContext::NicContext;
  ~TransportContext() = default;
};

/// A transport runs in place of congestion control and loss recovery, which together are the transport of RoCEv2's
/// reliable connections. The NIC cuts messages into packets, builds frames, and keeps gates and priorities; all else is
/// the transport's: which packet goes next, what the receiver answers, when something is sent again.
///
/// Its state of each half is in SendState::congestion and ReceiveState::congestion. Of SendState it may change
/// `priority` and `entropy`, which the next packet has. The NIC changes `highest_sent`, `end`, `posted_bytes`,
/// `unacknowledged`, `acknowledged_bytes` and the counters; windows and rates are without effect. Calls of hooks are
/// serialised; hooks allocate nothing and throw nothing.
class Transport : public NicPolicy {
 public:
  /// Bytes of state for each sender half and receiver half.
  [[nodiscard]] virtual std::size_t sender_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t receiver_bytes() const { return 0; }
  /// Called once, before traffic: ask for timers here.
  virtual void attach(TransportContext&) {}

  virtual void open(TransportContext&, SendState&) {}
  virtual void open(TransportContext&, ReceiveState&) {}
  virtual void on_close(TransportContext&, SendState&) {}
  virtual void on_close(TransportContext&, ReceiveState&) {}
  /// A message was posted at the end of the sender's stream.
  virtual void on_post(TransportContext&, SendState&, const MessageView&) {}
  /// The sender's application has stopped: SendState::end has become smaller, if anything was not sent yet.
  virtual void on_stop(TransportContext&, SendState&) {}

  /// The wire is free and `priority`, which the transport has offered, may send: the packet to send now. A sender of
  /// nullptr says that there is none after all; then the priority counts as not offered.
  virtual ChosenPacket choose(TransportContext&, Priority priority) = 0;
  /// The frame of the chosen packet is about to leave: write header fields, its entropy, its priority at switches.
  virtual void on_sent(TransportContext&, SendState&, Frame&) {}

  /// A data frame came in: whole, or without its payload (Frame::trimmed).
  virtual void on_data(TransportContext&, ReceiveState&, const Frame& data) = 0;
  /// A data frame of this host's came back, without its payload (Frame::returned).
  virtual void on_returned(TransportContext&, SendState&, const Frame& /*data*/) {}
  /// An acknowledgement or negative acknowledgement, as NicContext::new_acknowledgement makes it, came in.
  virtual void on_acknowledgement(TransportContext&, SendState&, const Frame& /*frame*/) {}
  /// A control frame from a host or switch came in: a credit, a grant, a pull, a request. True: it was ours.
  virtual bool on_feedback(TransportContext&, const Frame&) { return false; }

  virtual void on_sender_timer(TransportContext&, SendState&) {}
  virtual void on_receiver_timer(TransportContext&, ReceiveState&) {}
  virtual void on_timer(TransportContext&, TimerId) {}
  /// A pause ended, of a priority or of queue pairs, or one began: packets that were held may be chosen, or may no
  /// longer be.
  virtual void on_gates(TransportContext&) {}

 private:
  void attach(NicContext& context) final { attach(static_cast<TransportContext&>(context)); }
  void on_timer(NicContext& context, TimerId timer) final { on_timer(static_cast<TransportContext&>(context), timer); }
};

}  // namespace weir
