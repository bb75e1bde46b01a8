// SPDX-License-Identifier: Apache-2.0
// The two halves of a queue pair, as kept by the NIC and seen by policies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "policy/flow_hash.h"
#include "policy/switch_state.h"
#include "units/bit_rate.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir {

/// Whether packet number `a` precedes `b`, across the wrap at 2^32.
constexpr bool sequence_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

/// The bits of a queue pair's number that no other open one of its NIC has. The others say who used them before.
inline constexpr std::uint32_t kPlaceBits = 17;
/// A place for the queue pair in a table of a policy: below 131,072, and small if few are open.
constexpr std::size_t place_of(QueuePairId number) {
  return number.value & ((1u << kPlaceBits) - 1);
}

/// "No window".
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
inline constexpr std::uint32_t kUnlimitedPackets = std::numeric_limits<std::uint32_t>::max();

/// State of a scheme per queue pair, in memory of the NIC.
class PolicyState {
 public:
  PolicyState() = default;
  explicit PolicyState(std::byte* bytes) : bytes_(bytes) {}
  /// The state, with the type that the scheme constructed with emplace().
  template <class State>
  State& as() const {
    return *std::launder(reinterpret_cast<State*>(bytes_));
  }
  template <class State>
  State& emplace() const {
    static_assert(std::is_trivially_destructible_v<State> && alignof(State) <= 16);
    return *new (bytes_) State();
  }

 private:
  std::byte* bytes_ = nullptr;
};

/// The sender half: the reaction point. Offsets and windows are in payload bytes.
struct SendState {
  QueuePairId number;
  QueuePairId remote_number;
  HostId remote;
  std::uint16_t entropy = 0;
  Priority priority = 0;
  bool incast = false;  ///< the application declares it as one of many senders to one host at the same time

  // Sequence: packets unacknowledged..next are in flight, next..end wait.
  std::uint32_t unacknowledged = 0;
  std::uint32_t next = 0;
  std::uint32_t end = 0;
  std::uint32_t highest_sent = 0;  ///< first packet never sent
  std::int64_t acknowledged_bytes = 0;
  std::int64_t next_bytes = 0;  ///< offset of packet `next`
  std::int64_t posted_bytes = 0;

  // Set by the policies. The NIC reads them after each hook and reschedules the pending send accordingly.
  BitRate rate;  ///< of the congestion control, at most line_rate
  std::int64_t window =
      kUnlimited;       ///< of the congestion control: sending is permitted while fewer bytes are in flight
  bool resend = false;  ///< LossRecovery::pick chooses the next packet
  /// Of the loss recovery (LossRecovery::open): new packets are sent while fewer packets are in flight.
  std::uint32_t packet_limit = kUnlimitedPackets;

  // Fixed when the queue pair opens.
  BitRate line_rate;                       ///< of the port, or the flow's own limit if lower
  Duration base_round_trip;                ///< of the path without queueing, for one packet of maximum size
  Duration window_round_trip;              ///< from which the NIC's own window is computed (host.window)
  std::int64_t window_limit = kUnlimited;  ///< of the NIC, in addition to the congestion control's

  Time last_sent;  ///< start of the last packet
  std::int64_t last_wire_bytes = 0;
  Time next_send;  ///< earliest start of the next packet
  Time ready_at;   ///< earliest time at which windows and pacing permit sending, ignoring gates and driver delay
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_retransmitted = 0;

  PolicyState congestion;  ///< of the congestion control
  PolicyState recovery;    ///< of the loss recovery

  [[nodiscard]] std::int64_t in_flight() const { return next_bytes - acknowledged_bytes; }
  [[nodiscard]] std::uint32_t packets_in_flight() const { return next - unacknowledged; }
  /// Whether windows and limits permit a packet that was not sent before.
  [[nodiscard]] bool has_window() const {
    return in_flight() < (window < window_limit ? window : window_limit) && packets_in_flight() < packet_limit;
  }
  [[nodiscard]] std::int64_t remaining() const { return posted_bytes - acknowledged_bytes; }
  [[nodiscard]] bool finished() const { return unacknowledged == end; }
};

/// The receiver half: the notification point.
struct ReceiveState {
  QueuePairId number;
  QueuePairId remote_number;
  HostId remote;
  std::uint16_t entropy = 0;
  Priority priority = 0;
  std::uint32_t expected = 0;      ///< next packet in order
  std::uint32_t highest = 0;       ///< first packet beyond all that arrived
  std::uint64_t out_of_order = 0;  ///< packets that arrived after a later one, without retransmissions
  std::uint64_t duplicates = 0;
  PolicyState congestion;
  PolicyState recovery;
};

}  // namespace weir
