// SPDX-License-Identifier: Apache-2.0
// What a part of a scheme says before a run that a description (Scheme) cannot: what its answers cost on the wire, and
// what it needs of buffers and packets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/scheme.h"
#include "units/bytes.h"
#include "wire/framing.h"

namespace weir {

/// Bytes on the wire, including preambles and gaps, of the control frames that a transport sends for one message if
/// nothing is lost. They replace the acknowledgements of RoCEv2's reliable connections.
struct ControlCost {
  double by_sender = 0;        ///< per message, in the direction of its data
  double per_message = 0;      ///< this and the following: in the opposite direction
  double per_packet = 0;       ///< for each packet
  double per_late_packet = 0;  ///< in addition, for each packet after the first `early_packets` of its message
  std::int64_t early_packets = 0;
  /// Switches limit the frames of `per_packet` to this share of a link's rate. They are credits: without one, no
  /// packet.
  double per_packet_share = 1;
};

/// Switches of one configuration, and what they have for a port's queues.
struct SwitchSpace {
  std::string name;                     ///< "4 switches like tor0"
  std::size_t ports = 0;                ///< of each of them
  Bytes shared;                         ///< of the buffer of each, without headroom and reserve
  std::optional<Bytes> egress_limit{};  ///< see DeclaresNeeds::fixed_egress_limit
  const SwitchView* at = {};            ///< never nullptr
};

/// Where a part is to run.
struct PartPlace {
  Framing framing = Framing::rocev2();
  std::int64_t payload = 1'000;                ///< of a full packet, in bytes
  std::int64_t maximum_frame = 0;              ///< frame bytes, with what schemes add
  std::set<Priority> offered{};                ///< the priorities of the data of the scenario's traffic
  std::vector<const Scheme*> forwardings{};    ///< of switches that choose between equal paths; each once
  std::span<const SwitchSpace> of_switches{};  ///< for a part of switches: some that have it; else empty
};

/// A policy of a scheme, such as its Transport or its FlowControl, may also be a DeclaresNeeds: `weir check` and
/// `weir run` then ask it, before it is attached to a node. The defaults say nothing.
class DeclaresNeeds {
 public:
  DeclaresNeeds() = default;
  DeclaresNeeds(const DeclaresNeeds&) = default;
  DeclaresNeeds& operator=(const DeclaresNeeds&) = default;
  virtual ~DeclaresNeeds() = default;

  /// Of a transport. The default is RoCEv2's acknowledgements, which the caller knows.
  [[nodiscard]] virtual bool has_control_cost() const { return false; }
  [[nodiscard]] virtual ControlCost control_cost(const Framing&, std::int64_t /*payload*/) const { return {}; }
  /// Of a transport: it gives data priorities of its own, so that those of the traffic have no effect.
  [[nodiscard]] virtual bool chooses_priorities() const { return false; }
  /// Of a buffer policy: what the lossy frames of one priority may take at a port, if this does not depend on the load.
  [[nodiscard]] virtual std::optional<Bytes> fixed_egress_limit() const { return std::nullopt; }
  /// One line each: values in effect that the parameters do not show, and parameters without effect in this place.
  [[nodiscard]] virtual std::vector<std::string> notes(const PartPlace&) const { return {}; }
  /// One line each: what is missing or superfluous in this place.
  [[nodiscard]] virtual std::vector<std::string> warnings(const PartPlace&) const { return {}; }
};

/// The bytes on the wire of a control frame that a NIC makes for a transport, unless the transport changes its length.
inline double control_frame_wire(const Framing& framing) {
  return static_cast<double>(std::max(framing.ack, framing.minimum_frame)) + framing.wire_overhead;
}

}  // namespace weir
