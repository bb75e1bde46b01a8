// SPDX-License-Identifier: Apache-2.0
// The roles of a scheme in a NIC.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "policy/held_by.h"
#include "policy/nic_context.h"
#include "policy/statistics.h"

namespace weir {

/// Common to all NIC roles. Hooks allocate nothing, throw nothing and read no clock.
class NicPolicy {
 public:
  virtual ~NicPolicy() = default;
  /// Called once, before traffic: request timers and gates here.
  virtual void attach(NicContext&) {}
  virtual void on_timer(NicContext&, TimerId) {}
  /// The link failed or was restored. Gates have been opened.
  virtual void on_link(NicContext&, bool /*up*/) {}

  /// The counters and gauges of this policy for the run record, and the value of one of them: in a queue group if its
  /// scope is that. For measurement, which may call this at any time after attach(); the call changes nothing. The span
  /// refers to storage that lives as long as the policy.
  [[nodiscard]] virtual std::span<const StatisticSpec> statistics() const { return {}; }
  [[nodiscard]] virtual Statistic statistic(std::size_t /*which*/, std::size_t /*group*/) const { return {}; }
};

/// An acknowledgement as seen by the sender half, after loss recovery has advanced the sequence.
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
/// (notification point) answers data. One object serves all queue pairs of a NIC; its state per queue pair is in
/// SendState::congestion and ReceiveState::congestion.
class CongestionControl : public NicPolicy {
 public:
  [[nodiscard]] virtual CongestionHooks hooks() const { return {}; }
  /// Bytes of state per sender half and per receiver half.
  [[nodiscard]] virtual std::size_t sender_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t receiver_bytes() const { return 0; }

  /// A sender half opens: construct the state, set rate and window. Initially the rate is line rate and the window
  /// unlimited.
  virtual void open(NicContext&, SendState&) {}
  virtual void open(NicContext&, ReceiveState&) {}
  /// A data frame is about to leave: write header bytes, count it.
  virtual void on_sent(NicContext&, SendState&, Frame&) {}
  virtual void on_ack(NicContext&, SendState&, const Acknowledgement&) {}
  virtual void on_cnp(NicContext&, SendState&, const Frame&) {}
  /// Loss recovery detected a loss, by a NACK or a timeout.
  virtual void on_loss(NicContext&, SendState&) {}
  /// A control frame from a switch or host arrived for this host. Returns whether it belongs to this policy.
  virtual bool on_feedback(NicContext&, const Frame&) { return false; }
  /// The queue pair's own timer (NicContext::arm(SendState&, Time)) is due.
  virtual void on_sender_timer(NicContext&, SendState&) {}
  /// Earliest start of the packet after one of `wire_bytes` that began at `last`, given all that is known now; rate
  /// increases that are already certain must be taken into account.
  [[nodiscard]] virtual Time next_send(const NicContext&, const SendState& sender, Time last,
                                       std::int64_t wire_bytes) const {
    return last + time_to_send(Bytes(wire_bytes), sender.rate);
  }

  /// A data frame arrived (in order or not). `reply` is the acknowledgement that answers it, or nullptr: echo CE, move
  /// the data's extension to it. May send a CNP.
  virtual void on_data(NicContext&, ReceiveState&, Frame& /*data*/, Frame* /*reply*/) {}
};

/// The answer of the receiver half to a data frame.
enum class Reply : std::uint8_t { none, ack, nack };

struct Reception {
  Reply reply = Reply::none;
  bool accepted = false;                 ///< the payload is new and kept
  std::uint32_t completed_messages = 0;  ///< messages that are now complete
};

/// Loss recovery: decides which packet is sent next, and how each frame is answered.
class LossRecovery : public NicPolicy {
 public:
  [[nodiscard]] virtual std::size_t sender_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t receiver_bytes() const { return 0; }
  virtual void open(NicContext&, SendState&) {}
  virtual void open(NicContext&, ReceiveState&) {}

  /// If SendState::resend is set: the packet to send now, and whether it is SendState::next. Called only if something
  /// may be sent.
  struct Pick {
    std::uint32_t sequence;
    bool is_next;  ///< it is packet `next`, which then advances
  };
  virtual Pick pick(NicContext&, SendState& sender) { return {sender.next, true}; }

  /// Advances SendState::unacknowledged (and next, if it is lower). The core computes offsets.
  virtual void on_ack(NicContext&, SendState&, const Frame& ack) = 0;
  virtual void on_nack(NicContext&, SendState&, const Frame& nack) = 0;
  /// A control frame from a switch or host arrived for this host, and the congestion control did not take it (such as a
  /// switch's notification of a drop). Returns whether it belongs to this policy.
  virtual bool on_feedback(NicContext&, const Frame&) { return false; }
  /// Whether any NACK counts as progress, whatever it acknowledges, because it proves that packets still arrive.
  [[nodiscard]] virtual bool nack_is_progress() const { return false; }
  /// Time after the last progress at which packets in flight count as lost. Duration::max(): no timer. Called at each
  /// progress, and again when the time has passed, because it may depend on what is in flight.
  [[nodiscard]] virtual Duration timeout(const NicContext&, const SendState&) const { return Duration::max(); }
  virtual void on_timeout(NicContext&, SendState&) {}

  virtual Reception on_data(NicContext&, ReceiveState&, const Frame& data) = 0;
  /// A NACK in answer to `data` is about to be sent: write header bytes.
  virtual void on_nack_made(NicContext&, const ReceiveState&, const Frame& /*data*/, Frame& /*nack*/) {}
};

/// The NIC's side of hop-by-hop flow control.
class NicFlowControl : public NicPolicy {
 public:
  /// A control frame for this hop arrived from the switch. Returns whether it belongs to this policy.
  virtual bool on_control(NicContext&, const Frame&) { return false; }
  /// The gate of this policy for a queue pair that opens; none() for no gate. The queue pair may be assigned another
  /// gate later (NicContext::move_to_gate). May also close the gate of the queue pair itself
  /// (NicContext::set_gate(SendState&, ...)).
  virtual GateId gate_of(NicContext&, SendState&) { return GateId::none(); }
  /// Whether its gates are queues: those of a priority are served by deficit round robin with a quantum of the largest
  /// frame, and the queue pairs of one gate share its service frame by frame. All queue pairs of a gate then have one
  /// priority. At most one flow control of a NIC may return true; there is no effect if the flow with the least
  /// remaining bytes is sent first. false: each queue pair is served by itself.
  [[nodiscard]] virtual bool serves_by_gate() const { return false; }
  /// The sender half closes; `gate` is its gate.
  virtual void on_close(NicContext&, const SendState&, GateId /*gate*/) {}
  /// Whether on_sent is called.
  [[nodiscard]] virtual bool marks_sent() const { return false; }
  /// A data frame is about to leave: write header bytes. `gate` is the gate of the queue pair.
  virtual void on_sent(NicContext&, SendState&, GateId /*gate*/, Frame&) {}
  /// Whether on_receive is called.
  [[nodiscard]] virtual bool watches_received() const { return false; }
  /// A frame for this host arrived.
  virtual void on_receive(NicContext&, const Frame&) {}
  /// Whether on_receive_buffer is called.
  [[nodiscard]] virtual bool watches_receive_buffer() const { return false; }
  /// The bytes of a receive buffer, drained at `drain` behind a link of this rate and delay, beyond those that can
  /// arrive while a pause takes effect, without which frames may be dropped although this policy pauses the switch.
  /// Zero: it adapts to the size of the buffer.
  [[nodiscard]] virtual std::int64_t receive_need(BitRate /*drain*/, BitRate /*rate*/, Duration /*delay*/) const {
    return 0;
  }
  /// Why it does not watch the receive buffer with its parameters, if it does with others: one line that states what is
  /// wrong and what is expected; empty: no such reason.
  [[nodiscard]] virtual std::string_view receive_refusal() const { return {}; }
  /// A frame of this priority has entered the receive buffer, or the host has taken one out of it (already counted in
  /// NicContext::receive_buffer). Pause the switch here.
  virtual void on_receive_buffer(NicContext&, Priority) {}
  /// For measurement: appends the reasons why a gate of this flow control is closed, or why it blocks a queue pair
  /// individually. HeldBy::port is PortId(0): the switch must act.
  virtual void held_by(const NicContext&, GateId, std::vector<HeldBy>&) const {}
  virtual void held_by(const NicContext&, const SendState&, std::vector<HeldBy>&) const {}
};

/// The NIC's part of forwarding: it selects the path of a frame, by a source route in a header field or by its entropy.
class NicForwarding : public NicPolicy {
 public:
  /// A frame of any kind for another host is about to leave.
  virtual void on_send(NicContext&, Frame&) = 0;
};

}  // namespace weir
