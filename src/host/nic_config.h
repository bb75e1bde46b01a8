// SPDX-License-Identifier: Apache-2.0
// The configuration of a NIC, and the settings of a connection manager.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policy/transport.h"

namespace weir {

/// The maximum number of flow controls of a NIC.
inline constexpr std::size_t kNicFlowControls = 3;

/// Either a transport, or a congestion control and a loss recovery, which together form one.
struct NicPolicies {
  std::unique_ptr<CongestionControl> congestion_control;
  std::unique_ptr<LossRecovery> loss_recovery;
  std::vector<std::unique_ptr<NicFlowControl>> flow_control;
  std::unique_ptr<Transport> transport{};
  std::unique_ptr<NicForwarding> forwarding{};  ///< optional
};

/// The header bytes that the schemes of a NIC add to its frames.
struct NicHeaders {
  std::uint16_t data = 0;             ///< to each data frame
  std::uint16_t acknowledgement = 0;  ///< to each acknowledgement that answers data
  bool echoed = false;  ///< it also carries the bytes beyond the payload's frame that the data had on arrival ...
  std::uint16_t not_echoed = 0;  ///< ... except this number of bytes
};

struct NicConfig {
  HostId host;
  std::size_t hosts = 0;  ///< of the network
  BitRate rate;
  Duration delay;  ///< to the switch, one way
  Framing framing = Framing::rocev2();
  std::int64_t maximum_payload = 1000;
  NicHeaders added;
  std::int64_t maximum_frame =
      0;  ///< bytes of the largest frame including the additions of schemes; zero: they add nothing
  std::uint64_t seed = 1;
  const PathView* paths = nullptr;
  const HeaderLayout* headers = &kNoHeaders;  ///< outlives the NIC
  /// Level 0 is served first; the priorities of one level share it by bytes, in deficit round robin with credit: one
  /// sends while any of its share is left, and an excess reduces its next share. Then it goes behind the others of its
  /// level. A priority with nothing to send keeps its place.
  std::array<std::uint8_t, kPriorities> level_of_priority{7, 6, 5, 4, 3, 2, 1, 0};
  /// A sender requests an acknowledgement every N packets (this value), and with each packet after which it would have
  /// to wait: the last of a message, the one that closes its window. A receiver acknowledges on request.
  std::uint32_t acknowledge_every = 1;
  std::optional<Priority> acknowledge_priority;  ///< none: the data's
  bool acknowledgements_ignore_pause = false;
  Priority notification_priority = 6;
  bool window_follows_rate = false;  ///< the NIC's own window shrinks in proportion to rate / line rate
  bool shortest_remaining_first = false;
  /// Size in frame bytes of the buffer in which frames wait until the host takes them, at `drain_rate`; a frame that
  /// exceeds it is dropped. Frames that end at this link, such as pauses, do not wait. Zero: no buffer, all frames are
  /// taken as they arrive.
  std::int64_t receive_buffer = 0;
  BitRate drain_rate;  ///< above zero if there is a buffer; counts the bytes of frames
  /// Of the receive buffer: priorities whose frames must not be dropped, and the bytes kept free for their frames that
  /// arrive after a PAUSE was decided. Frames of other priorities are dropped if they would use these bytes.
  std::array<bool, kPriorities> receive_lossless{};
  std::int64_t receive_headroom = 0;
  /// Nic::sender_waits() reports why queue pairs were blocked. No other effect.
  bool measure_waits = false;
};

/// A sender half to open. `connection` is the opener's own identifier for it, which completions carry.
struct OpenSender {
  std::uint32_t connection = 0;
  HostId remote;
  std::uint16_t entropy = 0;
  Priority priority = 0;
  bool incast = false;  ///< set by its application (SendState::incast)
  BitRate rate_limit;   ///< zero: the port's rate
  Duration base_round_trip;
  std::int64_t window = kUnlimited;  ///< bytes, of the NIC itself
  /// Above zero: a datagram queue pair, whose queue holds this number of bytes. It sends the frames handed to it
  /// (Nic::send_datagram) without sequence numbers and acknowledgements.
  std::int64_t datagram_queue = 0;
};

struct OpenReceiver {
  std::uint32_t connection = 0;
  HostId remote;
  std::uint16_t entropy = 0;
  Priority priority = 0;
  bool datagrams = false;  ///< the other half is a datagram queue pair
};

/// An event of which a driver is notified.
struct Completion {
  enum class Kind : std::uint8_t {
    acknowledged,  ///< the last acknowledgement of a message reached its sender
    received,      ///< the last byte of a message reached its receiver
    stopped,       ///< a message was ended by stop(), and its sent part is acknowledged
  } kind;
  std::uint32_t connection;
  FlowId flow;  ///< none for received: messages of a connection are received in the order of posting
  Time at;
};

}  // namespace weir
