// SPDX-License-Identifier: Apache-2.0
// The configuration of a switch with real ports: the sections of a scenario for its network, and what its ports are.
#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/settings.h"
#include "scenario/real_process.h"
#include "units/time.h"
#include "wire/address.h"

namespace weir {

/// A port of a real switch.
struct RealPort {
  std::string device;  ///< for DPDK; empty: it is joined to a switch of the same process
  /// Destination MAC address of IPv4 packets sent there; none: they keep theirs.
  std::optional<MacAddress> next_hop;
  /// Priorities that PFC frames from there may pause; all others are never paused.
  std::bitset<kPriorities> pausable = std::bitset<kPriorities>().set();
  bool speaks_schemes = true;  ///< the neighbour knows the schemes' headers and control frames; always true of switches
};

/// What one switch is to be.
struct RealSwitch : RealProcess {
  SwitchId id;
  std::vector<RealPort> ports;  ///< by port
  /// Time before the start for which the loop is measured (ports/loop_trial.h). Zero: it is not.
  Duration calibration = Duration::picoseconds(100'000'000'000);
};

/// The file of a process.
struct RealSwitchFile : RealFile<RealSwitch> {
  /// Further switches of the same process, as `real`, in the order of real.nodes. Each has a pool of `packets`.
  std::vector<RealSwitch> more;

  /// All switches of the process.
  [[nodiscard]] std::vector<RealSwitch> switches() const {
    std::vector<RealSwitch> out = {real};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
};

/// Reads a file. Never throws: what is wrong is in RealFile::errors.
RealSwitchFile load_real_switch(const std::string& path);
/// The same from text; `file` is the name used in messages.
RealSwitchFile read_real_switch(std::string_view text, const std::string& file);

}  // namespace weir
