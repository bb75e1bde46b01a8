// SPDX-License-Identifier: Apache-2.0
// Where a header goes from here on, as far as a controller could know.
#pragma once

#include <cstddef>
#include <span>

#include "policy/flow_hash.h"
#include "units/ids.h"

namespace weir {

/// An egress port of a switch somewhere in the network: a place where congestion may have its root.
struct Hop {
  SwitchId node;
  PortId port;
  auto operator<=>(const Hop&) const = default;
};

/// The longest path a PathView gives.
inline constexpr std::size_t kMaximumHops = 16;

/// The onward path of headers, computed from what a controller installs at every switch and NIC: routing tables, kinds
/// and seeds of hash functions (Pyrrha 4.2, E.1). It changes with reroutes and nothing else.
class PathView {
 public:
  virtual ~PathView() = default;
  /// Writes the egress ports that frames with `key` take after leaving switch `node` by `egress`, in order, and gives
  /// their number. Stops where a forwarding scheme decides by what no controller can foresee, and at out.size().
  virtual std::size_t beyond(SwitchId node, PortId egress, const FlowKey& key, std::span<Hop> out) const = 0;
  /// The same for frames that leave the NIC of host `source`.
  virtual std::size_t from_host(HostId source, const FlowKey& key, std::span<Hop> out) const = 0;
};

}  // namespace weir
