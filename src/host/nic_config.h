// SPDX-License-Identifier: Apache-2.0
// What a NIC is built from, and what a connection manager tells it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policy/transport.h"

namespace weir {

/// The most flow controls that a NIC can have.
inline constexpr std::size_t kNicFlowControls = 3;

/// Either a transport, or a congestion control and a loss recovery, which together are one.
struct NicPolicies {
  std::unique_ptr<CongestionControl> congestion_control;
  std::unique_ptr<LossRecovery> loss_recovery;
  std::vector<std::unique_ptr<NicFlowControl>> flow_control;
  std::unique_ptr<Transport> transport{};
  std::unique_ptr<NicForwarding> forwarding{};  ///< may be missing
};

/// The header bytes that the schemes of a NIC add to its frames.
struct NicHeaders {
  std::uint16_t data = 0;             ///< to each data frame
  std::uint16_t acknowledgement = 0;  ///< to each acknowledgement that answers data
  bool echoed = false;                ///< that has besides what the data had on arrival beyond its payload's frame ...
  std::uint16_t not_echoed = 0;       ///< ... but for so many bytes
};

struct NicConfig {
  HostId host;
  std::size_t hosts = 0;  ///< of the network
  BitRate rate;
  Duration delay;  ///< to the switch, one way
  Framing framing = Framing::rocev2();
  std::int64_t maximum_payload = 1000;
  NicHeaders added;
  std::int64_t maximum_frame = 0;  ///< bytes of the largest frame with what schemes add; zero: they add nothing
  std::uint64_t seed = 1;
  const PathView* paths = nullptr;
  const HeaderLayout* headers = &kNoHeaders;  ///< outlives the NIC
  /// Level 0 goes first; the priorities of one level share it by bytes, in deficit round robin with credit: one sends
  /// while anything of its share is left, and what it took too much lessens its next. Then it goes behind the others of
  /// its level. One that has nothing to send keeps its place.
  std::array<std::uint8_t, kPriorities> level_of_priority{7, 6, 5, 4, 3, 2, 1, 0};
  /// A sender asks for an acknowledgement with every so many-th packet, and with each after which it would have to
  /// wait: the last of a message, the one that closes its window. A receiver acknowledges when it is asked.
  std::uint32_t acknowledge_every = 1;
  std::optional<Priority> acknowledge_priority;  ///< none: the data's
  bool acknowledgements_ignore_pause = false;
  Priority notification_priority = 6;
  bool window_follows_rate = false;  ///< the NIC's own window shrinks with rate / line rate
  bool shortest_remaining_first = false;
  /// Bytes of frames that wait until the host takes them, at `drain_rate`; a frame beyond is dropped. Frames that end
  /// at this link, such as pauses, do not wait. Zero: no buffer, all frames are taken as they come.
  std::int64_t receive_buffer = 0;
  BitRate drain_rate;  ///< above zero where there is a buffer; counts the bytes of frames
  /// Nic::sender_waits() says what held queue pairs back. Nothing else changes.
  bool measure_waits = false;
};

/// A sender half to open. `connection` is the opener's own name for it; completions carry it.
struct OpenSender {
  std::uint32_t connection = 0;
  HostId remote;
  std::uint16_t entropy = 0;
  Priority priority = 0;
  bool incast = false;  ///< its application says so (SendState::incast)
  BitRate rate_limit;   ///< zero: the port's rate
  Duration base_round_trip;
  std::int64_t window = kUnlimited;  ///< bytes, of the NIC itself
  /// Above zero: a datagram queue pair. It sends frames that are handed in (Nic::send_datagram), of which so many bytes
  /// may wait, without sequence numbers and acknowledgements.
  std::int64_t datagram_queue = 0;
};

struct OpenReceiver {
  std::uint32_t connection = 0;
  HostId remote;
  std::uint16_t entropy = 0;
  Priority priority = 0;
  bool datagrams = false;  ///< the other half is a datagram queue pair
};

/// Something a driver wants to know came to pass.
struct Completion {
  enum class Kind : std::uint8_t {
    acknowledged,  ///< the last acknowledgement of a message came to its sender
    received,      ///< the last byte of a message came to its receiver
    stopped,       ///< a message was cut short by stop(), and what was sent of it is acknowledged
  } kind;
  std::uint32_t connection;
  FlowId flow;  ///< none for received: messages of a connection are received in the order they were posted
  Time at;
};

}  // namespace weir
