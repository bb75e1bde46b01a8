// SPDX-License-Identifier: Apache-2.0
// weir nic: NICs with real ports.
#pragma once

#include <optional>
#include <string>

namespace weir::apps {

struct NicCommand {
  std::string config;              ///< file
  std::optional<double> duration;  ///< seconds until it stops by itself
  bool json = false;               ///< counters and messages as JSON instead of text
  bool check = false;              ///< read the file, start nothing
  std::string out;                 ///< folder for a results store; empty: none
};

/// Runs NICs until a signal or the end of the duration, then prints counters and messages. Returns the exit status.
int nic_command(const NicCommand& command);

}  // namespace weir::apps
