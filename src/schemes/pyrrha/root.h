// SPDX-License-Identifier: Apache-2.0
// The identity of a congestion root: an egress port of a switch.
#pragma once

#include <cstdint>
#include <string>

#include "policy/path_view.h"
#include "units/ids.h"

namespace weir::pyrrha {

/// [PYRRHA-ROOT-1] A congestion root, as control frames name it: switch and port in one number.
using Root = std::uint64_t;

/// Ports that a root can name.
inline constexpr std::uint32_t kPorts = 1u << 16;

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

inline std::string text_of(Root root) {
  return "root " + std::to_string(switch_in(root)) + ":" + std::to_string(port_in(root));
}

}  // namespace weir::pyrrha
