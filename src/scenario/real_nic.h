// SPDX-License-Identifier: Apache-2.0
// The configuration of NICs with real ports: the sections of a scenario for their network, and what their ports are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/value.h"
#include "fabric/settings.h"
#include "scenario/real_process.h"

namespace weir {

/// One NIC.
struct RealNic {
  HostId host;
  std::string device;            ///< towards the switch, for DPDK
  std::string host_device;       ///< towards a Linux host; empty: none
  Bytes queue = Bytes(100'000);  ///< of each flow from the host
  std::size_t flows = 1'024;     ///< from the host at a time, and to it
};

/// What one process is to be. The settings have the traffic that the NICs send themselves, if any.
struct RealNics : RealProcess {
  bool has_traffic = false;
  Duration traffic_after = Duration::picoseconds(1'000'000'000'000);  ///< from the start of the process
  std::vector<RealNic> nics;
};

using RealNicFile = RealFile<RealNics>;

/// Reads a file. Never throws: what is wrong is in RealFile::errors.
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
