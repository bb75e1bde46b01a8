// SPDX-License-Identifier: Apache-2.0
// weir testbed: real switches, NICs and hosts on one machine.
#pragma once

#include <string>

namespace weir::apps {

struct TestbedCommand {
  std::string file;
  std::string out;              ///< folder for results; empty: results/NAME-testbed
  bool check = false;           ///< read the file, start nothing
  bool print_scenario = false;  ///< print the scenario that the simulator can run instead
};

/// Builds the network, runs it for its duration, collects the results, and removes everything. Returns the exit status.
int testbed_command(const TestbedCommand& command);

}  // namespace weir::apps
