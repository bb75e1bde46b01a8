// SPDX-License-Identifier: Apache-2.0
// The interface of a NIC for the policies that run on it.
#pragma once

#include <array>
#include <cstdint>

#include "policy/header_fields.h"
#include "policy/path_view.h"
#include "policy/queue_pair.h"
#include "units/random.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir {

class NicFlowControl;
class NicPolicy;

/// Received frames that the host has not taken yet.
struct ReceiveBufferState {
  std::int64_t size = 0;  ///< bytes of frames; zero: there is no receive buffer, the host takes frames as they arrive
  BitRate drain_rate;     ///< at which the host takes frames; counts the bytes of frames
  /// Priorities whose frames must not be dropped. The others may use only a part of the buffer.
  std::array<bool, kPriorities> lossless{};
  std::int64_t headroom = 0;      ///< part of `size` for what can still arrive after the switch was told to pause
  std::int64_t others_limit = 0;  ///< of `used`, when a frame of another priority arrives
  std::int64_t used = 0;
  std::int64_t maximum = 0;                             ///< the maximum of `used`
  std::array<std::int64_t, kPriorities> of_priority{};  ///< of `used`
};
inline constexpr ReceiveBufferState kNoReceiveBuffer{};

/// Uses of a receive buffer at which its host pauses the lossless priorities of its switch, and resumes them.
struct ReceiveLimits {
  std::int64_t pause = 0;   ///< when `used` reaches it
  std::int64_t resume = 0;  ///< when `used` is at most this
};
/// What is left without headroom, and two of the largest frames less: a RESUME has left when the next PAUSE is due.
inline constexpr ReceiveLimits receive_limits(std::int64_t size, std::int64_t headroom, std::int64_t maximum_frame) {
  return {size - headroom, size - headroom - 2 * maximum_frame};
}
/// The smallest receive buffer for which this leaves room for a frame.
inline constexpr std::int64_t least_receive_buffer(std::int64_t headroom, std::int64_t maximum_frame) {
  return headroom == 0 ? maximum_frame : headroom + 3 * maximum_frame;
}

/// The NIC as policies see it. Calls to one NIC are serialised.
class NicContext {
 public:
  NicContext(const NicContext&) = delete;
  NicContext& operator=(const NicContext&) = delete;

  // ---- reading ----
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] HostId host() const { return host_; }
  /// Hosts of the network, numbered 0..hosts()-1.
  [[nodiscard]] std::size_t hosts() const { return hosts_; }
  [[nodiscard]] BitRate rate() const { return rate_; }
  /// Of the link to the switch, one way.
  [[nodiscard]] Duration delay() const { return delay_; }
  /// Largest payload of a packet in bytes.
  [[nodiscard]] std::int64_t maximum_payload() const { return maximum_payload_; }
  /// Bytes of the largest data frame, including the bytes that schemes add.
  [[nodiscard]] std::int64_t maximum_frame() const { return maximum_frame_; }
  /// The priority of congestion notifications.
  [[nodiscard]] Priority notification_priority() const { return notification_priority_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] FramePool& frames() const { return frames_; }
  /// Positions of schemes' header fields in frames; to be requested in attach(). The same at every node of a network.
  [[nodiscard]] const HeaderLayout& headers() const { return *headers_; }
  [[nodiscard]] RandomStream& random() { return random_; }
  [[nodiscard]] const PathView* paths() const { return paths_; }
  /// The occupancy of the receive buffer (NicConfig::receive_buffer).
  [[nodiscard]] const ReceiveBufferState& receive_buffer() const { return *receive_buffer_; }

  // ---- queue pairs ----
  /// The sender half with this number, or nullptr if it is closed.
  virtual SendState* sender(QueuePairId number) = 0;
  /// The sender half connected to `remote_number` at `remote`, or nullptr. For feedback that names a flow by the header
  /// of its data frames.
  virtual SendState* sender_to(HostId remote, QueuePairId remote_number) = 0;
  /// Calls visit(context, sender) for each open sender half, in the order of their numbers.
  virtual void for_each_sender(void (*visit)(void* context, SendState& sender), void* context) = 0;
  /// As for_each_sender, for the sender halves connected to `remote`, the last opened first. Available only if a policy
  /// has reserved gates in attach() (reserve_gates), or if there is a transport: otherwise the NIC keeps no such list.
  virtual void for_each_sender_to(HostId remote, void (*visit)(void* context, SendState& sender), void* context) = 0;

  // ---- requests, in attach() only ----
  virtual TimerId new_timer(NicPolicy& policy) = 0;
  virtual GateOwner new_gate_owner() = 0;
  /// Creates a gate that can be assigned to queue pairs (NicFlowControl::gate_of).
  virtual GateId new_gate() = 0;
  /// Reserves this number of gates that can be taken and returned while the NIC runs (take_gate). For flow controls
  /// that pause by an ID of which only few are paused at once, such as a destination or a congestion root. Several
  /// policies may reserve gates.
  virtual void reserve_gates(std::size_t count) = 0;

  // ---- actions ----
  /// An ACK of all packets before `sequence`, as the NIC itself makes them, for send_to_host(); none() if the pool has
  /// no frame. For receiver halves that answer earlier than loss recovery does.
  virtual FrameId new_acknowledgement(const ReceiveState& receiver, std::uint32_t sequence) = 0;
  /// Sends a control frame to the switch, ahead of all other frames. Takes the frame.
  virtual void send(FrameId frame) = 0;
  /// Sends a frame to frame.destination with its priority, ahead of data of that priority. Takes the frame.
  virtual void send_to_host(FrameId frame) = 0;
  /// An open gate of those reserved; none() if all are taken.
  virtual GateId take_gate() = 0;
  /// Opens a gate that was taken, and returns it. Its queue pairs then have no gate of `policy`.
  virtual void return_gate(const NicFlowControl& policy, GateId gate) = 0;
  virtual void set_gate(GateId gate, bool open) = 0;
  /// Opens or closes the gate of one queue pair on behalf of `owner`.
  virtual void set_gate(SendState& sender, GateOwner owner, bool open) = 0;
  /// Assigns another gate of `policy` to a queue pair (NicFlowControl::gate_of); none(): no gate. The present gate may
  /// be closed, and the queue pair may have nothing to send.
  virtual void move_to_gate(SendState& sender, const NicFlowControl& policy, GateId gate) = 0;
  virtual void set_priority_gate(Priority priority, GateOwner owner, bool open) = 0;
  /// Only one owner per priority may use this.
  virtual void close_priority_gate_until(Priority priority, GateOwner owner, Time until) = 0;
  /// Reports that a pause or resume of this priority was sent to the switch; for repeated ones it is not called. For
  /// measurement.
  virtual void note_pause(Priority priority, bool paused) = 0;
  /// The same for a flow control that pauses by its own IDs (SwitchContext::note_hop_pause).
  virtual void note_hop_pause(std::uint64_t name, bool paused) = 0;
  virtual void arm(TimerId timer, Time deadline) = 0;
  virtual void cancel(TimerId timer) = 0;
  /// Sets the congestion control's own timer of a queue pair.
  virtual void arm(SendState& sender, Time deadline) = 0;
  virtual void cancel(SendState& sender) = 0;

 protected:
  explicit NicContext(FramePool& frames) : frames_(frames) {}
  ~NicContext() = default;

  Time now_;
  HostId host_;
  std::size_t hosts_ = 0;
  BitRate rate_;
  Duration delay_;
  std::int64_t maximum_payload_ = 0;
  std::int64_t maximum_frame_ = 0;
  Priority notification_priority_ = 6;
  Framing framing_ = Framing::rocev2();
  FramePool& frames_;
  const HeaderLayout* headers_ = &kNoHeaders;
  const PathView* paths_ = nullptr;
  RandomStream random_;
  const ReceiveBufferState* receive_buffer_ = &kNoReceiveBuffer;
};

}  // namespace weir
