// SPDX-License-Identifier: Apache-2.0
// What the configurations of all processes with real ports contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fabric/settings.h"
#include "wire/address.h"

namespace weir {

/// A process that implements nodes of a network: a switch (scenario/real_switch.h) or NICs (scenario/real_nic.h).
struct RealProcess {
  Settings settings;
  std::vector<std::pair<HostId, MacAddress>> neighbours;
  std::size_t packets = 0;             ///< buffers for received packets
  std::uint32_t packet_bytes = 2'048;  ///< of each buffer
};

/// The result of reading a configuration. If there are errors, nothing else is valid.
template <class Process>
struct RealFile {
  Process real;
  std::vector<std::string> errors;  ///< one line each: file, line, key, and what was expected
  std::vector<std::string> notes;
};

}  // namespace weir
