// SPDX-License-Identifier: Apache-2.0
// The identity of a congestion root: an egress port of a switch, or a host that drains slowly.
#pragma once

#include <cstdint>
#include <string>

#include "policy/path_view.h"
#include "units/ids.h"

namespace weir::pyrrha {

/// [PYRRHA-ROOT-1] A congestion root, as control frames name it: switch and port in one number. [PYRRHA-ROOT-4] A host
/// is named as port 0 of a switch whose number is kHostRoot plus its own.
using Root = std::uint64_t;

/// Ports that a root can name.
inline constexpr std::uint32_t kPorts = 1u << 16;

/// Above the numbers of all switches, and of all hosts.
inline constexpr std::uint32_t kHostRoot = 1u << 31;

constexpr Root root_of(SwitchId node, PortId port) {
  return Root{node.value} << 16 | port.value;
}
constexpr Root root_of(const Hop& hop) {
  return root_of(hop.node, hop.port);
}
constexpr std::uint32_t switch_in(Root root) {
  return static_cast<std::uint32_t>(root >> 16);
}
constexpr std::uint32_t port_in(Root root) {
  return static_cast<std::uint32_t>(root) & (kPorts - 1);
}

constexpr Root root_of(HostId host) {
  return Root{kHostRoot | host.value} << 16;
}
constexpr bool is_host(Root root) {
  return (switch_in(root) & kHostRoot) != 0;
}
constexpr HostId host_in(Root root) {
  return HostId(switch_in(root) & ~kHostRoot);
}

inline std::string text_of(Root root) {
  if (is_host(root)) return "host " + std::to_string(host_in(root).value);
  return "root " + std::to_string(switch_in(root)) + ":" + std::to_string(port_in(root));
}

}  // namespace weir::pyrrha
