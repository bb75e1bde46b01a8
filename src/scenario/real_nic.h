// SPDX-License-Identifier: Apache-2.0
// The configuration of NICs with real ports: the sections of a scenario for their network, and what their ports are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "config/value.h"
#include "fabric/settings.h"
#include "wire/address.h"

namespace weir {

/// One NIC.
struct RealNic {
  HostId host;
  std::string device;            ///< towards the switch, for DPDK
  std::string host_device;       ///< towards a Linux host; empty: none
  Bytes queue = Bytes(100'000);  ///< of each flow from the host
  std::size_t flows = 1'024;     ///< from the host at a time, and to it
};

/// What one process is to be.
struct RealNics {
  Settings settings;  ///< with the traffic that the NICs send themselves, if any
  bool has_traffic = false;
  Duration traffic_after = Duration::picoseconds(1'000'000'000'000);  ///< from the start of the process
  std::vector<RealNic> nics;
  std::vector<std::pair<HostId, MacAddress>> neighbours;
  std::size_t packets = 0;         ///< buffers for received packets
  std::uint32_t packet_bytes = 0;  ///< of each buffer
};

/// The result of reading a configuration. If there are errors, nothing else is valid.
struct RealNicFile {
  RealNics real;
  std::vector<std::string> errors;  ///< one line each
  std::vector<std::string> notes;
};

RealNicFile load_real_nics(const std::string& path);
/// The same from text; `file` is the name used in messages.
RealNicFile read_real_nics(std::string_view text, const std::string& file);

/// Why these settings cannot carry packets that a host hands in, each with the key of the scenario to change: its
/// congestion control must not need acknowledgements, and its schemes must not add headers to data.
struct ForeignRefusal {
  std::string section;  ///< "host", "switch"
  std::string key;
  std::string text;
};
std::vector<ForeignRefusal> foreign_refusals(const Settings& settings);
/// Reports them at the positions of their keys in `root`.
void refuse_foreign(const Settings& settings, const Value& root, Diagnostics& diagnostics);

}  // namespace weir
