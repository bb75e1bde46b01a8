// SPDX-License-Identifier: Apache-2.0
// What a policy sees of the NIC it runs on, and what it may do.
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

/// The frames that came in and that the host has not taken yet.
struct ReceiveBufferState {
  std::int64_t size = 0;  ///< bytes of frames; zero: there is no such buffer, the host takes frames as they come
  std::int64_t used = 0;
  std::int64_t maximum = 0;                             ///< the most that was ever used
  std::array<std::int64_t, kPriorities> of_priority{};  ///< of `used`
};
inline constexpr ReceiveBufferState kNoReceiveBuffer{};

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
  /// One way, to the switch.
  [[nodiscard]] Duration delay() const { return delay_; }
  /// Largest payload of a packet in bytes.
  [[nodiscard]] std::int64_t maximum_payload() const { return maximum_payload_; }
  /// The priority of congestion notifications.
  [[nodiscard]] Priority notification_priority() const { return notification_priority_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] FramePool& frames() const { return frames_; }
  /// Where schemes' header fields stand in frames; to be asked in attach(). The same at every node of a network.
  [[nodiscard]] const HeaderLayout& headers() const { return *headers_; }
  [[nodiscard]] RandomStream& random() { return random_; }
  [[nodiscard]] const PathView* paths() const { return paths_; }
  /// What waits for the host in the receive buffer (NicConfig::receive_buffer).
  [[nodiscard]] const ReceiveBufferState& receive_buffer() const { return *receive_buffer_; }

  // ---- queue pairs ----
  /// The sender half with this number, or nullptr when it is closed.
  virtual SendState* sender(QueuePairId number) = 0;
  /// The sender half that talks to `remote_number` at `remote`, or nullptr. For feedback that names a flow by the
  /// header of its data frames.
  virtual SendState* sender_to(HostId remote, QueuePairId remote_number) = 0;
  /// Calls visit(context, sender) for each open sender half in the order of their numbers.
  virtual void for_each_sender(void (*visit)(void* context, SendState& sender), void* context) = 0;
  /// The same for those that talk to `remote`, the last that opened first. Only where a policy has reserved gates in
  /// attach() (reserve_gates), or there is a transport: nobody else needs a list of them, and elsewhere there is none.
  virtual void for_each_sender_to(HostId remote, void (*visit)(void* context, SendState& sender), void* context) = 0;

  // ---- asking, in attach() only ----
  virtual TimerId new_timer(NicPolicy& policy) = 0;
  virtual GateOwner new_gate_owner() = 0;
  /// Asks for a gate that queue pairs may stand behind (NicFlowControl::gate_of).
  virtual GateId new_gate() = 0;
  /// Asks for so many gates that can be taken and returned while the NIC runs (take_gate): for those who hold by a name
  /// of which few are held at once, such as a destination or a congestion root. Several policies may ask.
  virtual void reserve_gates(std::size_t count) = 0;

  // ---- acting ----
  /// An ACK of all packets before `sequence`, as the NIC itself makes them; none() when the pool has no frame. To be
  /// given to send_to_host(). For receiver halves that answer earlier than loss recovery does.
  virtual FrameId new_acknowledgement(const ReceiveState& receiver, std::uint32_t sequence) = 0;
  /// Sends a control frame to the switch, ahead of everything. Takes the frame.
  virtual void send(FrameId frame) = 0;
  /// Sends a frame to frame.destination with its priority, ahead of data of that priority. Takes the frame.
  virtual void send_to_host(FrameId frame) = 0;
  /// An open gate of those reserved; none() when all are taken.
  virtual GateId take_gate() = 0;
  /// Opens a gate that was taken and returns it. Queue pairs that stand behind it stand behind no gate of `policy`'s
  /// any more.
  virtual void return_gate(const NicFlowControl& policy, GateId gate) = 0;
  virtual void set_gate(GateId gate, bool open) = 0;
  /// Holds one queue pair on behalf of `owner`.
  virtual void set_gate(SendState& sender, GateOwner owner, bool open) = 0;
  /// Puts a queue pair behind another gate of `policy`'s (NicFlowControl::gate_of); none(): behind none of its gates.
  /// It may be held by its present gate, or have nothing to send.
  virtual void move_to_gate(SendState& sender, const NicFlowControl& policy, GateId gate) = 0;
  virtual void set_priority_gate(Priority priority, GateOwner owner, bool open) = 0;
  /// One owner a priority may use this.
  virtual void close_priority_gate_until(Priority priority, GateOwner owner, Time until) = 0;
  virtual void arm(TimerId timer, Time deadline) = 0;
  virtual void cancel(TimerId timer) = 0;
  /// The congestion control's own timer of a queue pair.
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
  Priority notification_priority_ = 6;
  Framing framing_ = Framing::rocev2();
  FramePool& frames_;
  const HeaderLayout* headers_ = &kNoHeaders;
  const PathView* paths_ = nullptr;
  RandomStream random_;
  const ReceiveBufferState* receive_buffer_ = &kNoReceiveBuffer;
};

}  // namespace weir
