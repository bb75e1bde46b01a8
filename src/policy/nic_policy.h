// SPDX-License-Identifier: Apache-2.0
// The roles a scheme can play in a NIC.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/held_by.h"
#include "policy/nic_context.h"
#include "policy/statistics.h"

namespace weir {

/// What every NIC role has. Hooks allocate nothing, throw nothing, read no clock.
class NicPolicy {
 public:
  virtual ~NicPolicy() = default;
  /// Called once, before traffic: ask for timers and gates here.
  virtual void attach(NicContext&) {}
  virtual void on_timer(NicContext&, TimerId) {}
  /// The link failed or came back. Gates have been opened.
  virtual void on_link(NicContext&, bool /*up*/) {}

  /// The counters and gauges of this policy that records keep, and what one of them has come to: in a queue group where
  /// its scope has such. For measurement, which may ask at any time after attach(); asking changes nothing. A span of
  /// what lives as long as the policy.
  [[nodiscard]] virtual std::span<const StatisticSpec> statistics() const { return {}; }
  [[nodiscard]] virtual Statistic statistic(std::size_t /*which*/, std::size_t /*group*/) const { return {}; }
};

/// An acknowledgement as the sender half sees it, after loss recovery has advanced the sequence.
struct Acknowledgement {
  const Frame& frame;               ///< ACK or NACK, with echoed CE and extension
  std::int64_t newly_acknowledged;  ///< payload bytes
};

/// The hooks of a congestion control that are called; the others cost nothing.
struct CongestionHooks {
  bool sent = false;       ///< on_sent
  bool ack = false;        ///< on_ack
  bool data = false;       ///< on_data
  bool next_send = false;  ///< next_send, instead of one frame at SendState::rate
};

/// End-to-end congestion control: the sender half (reaction point) sets SendState::rate and window, the receiver half
/// (notification point) answers data. One object serves all queue pairs of a NIC; its state of each is in
/// SendState::congestion and ReceiveState::congestion.
class CongestionControl : public NicPolicy {
 public:
  [[nodiscard]] virtual CongestionHooks hooks() const { return {}; }
  /// Bytes of state for each sender half and receiver half.
  [[nodiscard]] virtual std::size_t sender_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t receiver_bytes() const { return 0; }

  /// A sender half opens: put the state in place, set rate and window. They start at line rate and unlimited.
  virtual void open(NicContext&, SendState&) {}
  virtual void open(NicContext&, ReceiveState&) {}
  /// A data frame is about to leave: write header bytes, count it.
  virtual void on_sent(NicContext&, SendState&, Frame&) {}
  virtual void on_ack(NicContext&, SendState&, const Acknowledgement&) {}
  virtual void on_cnp(NicContext&, SendState&, const Frame&) {}
  /// Loss recovery found a loss: a NACK or a timeout.
  virtual void on_loss(NicContext&, SendState&) {}
  /// A control frame from a switch or host came for this host. True: it was ours.
  virtual bool on_feedback(NicContext&, const Frame&) { return false; }
  /// The queue pair's own timer (NicContext::arm(SendState&, Time)) is due.
  virtual void on_sender_timer(NicContext&, SendState&) {}
  /// When the packet after one of `wire_bytes` that began at `last` may begin, given all that is known now; a rate
  /// rise that is already certain must be counted in.
  [[nodiscard]] virtual Time next_send(const NicContext&, const SendState& sender, Time last,
                                       std::int64_t wire_bytes) const {
    return last + time_to_send(Bytes(wire_bytes), sender.rate);
  }

  /// A data frame came in (in order or not). `reply` is the acknowledge that answers it, or nullptr: echo CE, move
  /// the data's extension to it. May send a CNP.
  virtual void on_data(NicContext&, ReceiveState&, Frame& /*data*/, Frame* /*reply*/) {}
};

/// What the receiver half answers a data frame.
enum class Reply : std::uint8_t { none, ack, nack };

struct Reception {
  Reply reply = Reply::none;
  bool accepted = false;                 ///< the payload is new and kept
  std::uint32_t completed_messages = 0;  ///< messages that are whole now
};

/// Loss recovery: which packet is sent next, and what answers what.
class LossRecovery : public NicPolicy {
 public:
  [[nodiscard]] virtual std::size_t sender_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t receiver_bytes() const { return 0; }
  virtual void open(NicContext&, SendState&) {}
  virtual void open(NicContext&, ReceiveState&) {}

  /// With SendState::resend set: the packet to send now, and whether SendState::next follows it. Called only when
  /// something may be sent.
  struct Pick {
    std::uint32_t sequence;
    bool is_next;  ///< it is packet `next`, which then advances
  };
  virtual Pick pick(NicContext&, SendState& sender) { return {sender.next, true}; }

  /// Advances SendState::unacknowledged (and next, when it lies behind). The core works out offsets.
  virtual void on_ack(NicContext&, SendState&, const Frame& ack) = 0;
  virtual void on_nack(NicContext&, SendState&, const Frame& nack) = 0;
  /// A control frame from a switch or host came for this host, and the congestion control did not take it (a switch's
  /// notice that it dropped a frame). True: it was ours.
  virtual bool on_feedback(NicContext&, const Frame&) { return false; }
  /// Whether a NACK counts as progress, whatever it acknowledges: it proves that packets still arrive.
  [[nodiscard]] virtual bool nack_is_progress() const { return false; }
  /// How long after the last progress packets in flight count as lost. Duration::max(): no timer. Asked at each
  /// progress, and once more when the time is over: it may depend on what is in flight.
  [[nodiscard]] virtual Duration timeout(const NicContext&, const SendState&) const { return Duration::max(); }
  virtual void on_timeout(NicContext&, SendState&) {}

  virtual Reception on_data(NicContext&, ReceiveState&, const Frame& data) = 0;
  /// A NACK is about to answer `data`: write header bytes.
  virtual void on_nack_made(NicContext&, const ReceiveState&, const Frame& /*data*/, Frame& /*nack*/) {}
};

/// The NIC's side of hop-by-hop flow control.
class NicFlowControl : public NicPolicy {
 public:
  /// A control frame for this hop came from the switch. True: it was ours.
  virtual bool on_control(NicContext&, const Frame&) { return false; }
  /// The gate of ours that this queue pair, which opens, stands behind; none() for no gate. It may be moved to another
  /// later (NicContext::move_to_gate). May also hold the queue pair itself (NicContext::set_gate(SendState&, ...)).
  virtual GateId gate_of(NicContext&, SendState&) { return GateId::none(); }
  /// Whether its gates are queues: those of a priority take turns, in deficit round robin by the largest frame, and the
  /// queue pairs behind one share its turns frame by frame. Queue pairs behind a gate then have one priority. At most
  /// one flow control of a NIC; without effect where the least remaining goes first. false: each queue pair has turns
  /// of its own.
  [[nodiscard]] virtual bool serves_by_gate() const { return false; }
  /// The sender half closes; `gate` is the one it stands behind.
  virtual void on_close(NicContext&, const SendState&, GateId /*gate*/) {}
  /// Whether on_sent is called.
  [[nodiscard]] virtual bool marks_sent() const { return false; }
  /// A data frame is about to leave: write header bytes. `gate` is the one the queue pair stands behind.
  virtual void on_sent(NicContext&, SendState&, GateId /*gate*/, Frame&) {}
  /// Whether on_receive is called.
  [[nodiscard]] virtual bool watches_received() const { return false; }
  /// A frame for this host came in.
  virtual void on_receive(NicContext&, const Frame&) {}
  /// Whether on_receive_buffer is called.
  [[nodiscard]] virtual bool watches_receive_buffer() const { return false; }
  /// A frame of this priority has entered the receive buffer, or the host has taken one out of it
  /// (NicContext::receive_buffer counts it). Pause the switch here.
  virtual void on_receive_buffer(NicContext&, Priority) {}
  /// For measurement: appends what holds a gate of this flow control that is closed, or a queue pair that it holds by
  /// itself. HeldBy::port is PortId(0): the switch must act.
  virtual void held_by(const NicContext&, GateId, std::vector<HeldBy>&) const {}
  virtual void held_by(const NicContext&, const SendState&, std::vector<HeldBy>&) const {}
};

/// The NIC's half of forwarding: the path that a frame asks for, by a source route in a header field or by its entropy.
class NicForwarding : public NicPolicy {
 public:
  /// A frame for another host is about to leave, of whatever kind.
  virtual void on_send(NicContext&, Frame&) = 0;
};

}  // namespace weir
