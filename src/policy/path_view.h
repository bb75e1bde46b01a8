// SPDX-License-Identifier: Apache-2.0
// The remaining path of a header, as far as a controller can know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "policy/flow_hash.h"
#include "units/ids.h"

namespace weir {

/// An egress port of a switch in the network: a possible congestion root.
struct Hop {
  SwitchId node;
  PortId port;
  auto operator<=>(const Hop&) const = default;
};

/// Where a congestion tree begins: an egress port, or a host that takes frames more slowly than its link brings them.
struct CongestionRoot {
  Hop port{};     ///< none: it is a host
  HostId host{};  ///< none: it is a port
  auto operator<=>(const CongestionRoot&) const = default;
};

/// Length of the longest path that a PathView returns.
inline constexpr std::size_t kMaximumHops = 16;

/// The remaining path of headers, computed from what a controller installs at every switch and NIC: routing tables,
/// kinds and seeds of hash functions (Pyrrha 4.2, E.1). It changes only when routes change.
class PathView {
 public:
  virtual ~PathView() = default;
  /// Whether the network has this egress port.
  [[nodiscard]] virtual bool exists(Hop hop) const = 0;
  /// Whether frames wait in a receive buffer of this host until it takes them at a rate of its own, so the host can be
  /// a congestion root. False for hosts that the network does not have.
  [[nodiscard]] virtual bool drains_slowly(HostId) const { return false; }
  /// Whether any host does.
  [[nodiscard]] virtual bool any_drains_slowly() const { return false; }
  /// Writes the egress ports that frames with `key` take after leaving switch `node` by `egress`, in order, and returns
  /// their number. Stops where a forwarding scheme's decision cannot be predicted by a controller, and at out.size().
  virtual std::size_t beyond(SwitchId node, PortId egress, const FlowKey& key, std::span<Hop> out) const = 0;
  /// The same for frames that leave the NIC of host `source`.
  virtual std::size_t from_host(HostId source, const FlowKey& key, std::span<Hop> out) const = 0;
  /// Changes whenever a route anywhere in the network does.
  [[nodiscard]] virtual std::uint64_t version() const { return 0; }
};

}  // namespace weir
