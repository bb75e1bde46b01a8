// SPDX-License-Identifier: Apache-2.0
// weir switch: a switch with real ports.
#pragma once

#include <optional>
#include <string>

namespace weir::apps {

struct SwitchCommand {
  std::string config;              ///< file
  std::optional<double> duration;  ///< seconds until it stops by itself
  bool json = false;               ///< counters as JSON instead of text
  bool check = false;              ///< read the file, start nothing
  std::string samples;             ///< CSV file for queue lengths and gauges over time; empty: none
  std::string out;                 ///< folder for a results store; empty: none
};

/// Forwards frames until a signal or the end of the duration, then prints counters. Returns the exit status.
int switch_command(const SwitchCommand& command);

}  // namespace weir::apps
