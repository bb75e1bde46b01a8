// SPDX-License-Identifier: Apache-2.0
// Builds and runs a testbed.
#pragma once

#include <filesystem>
#include <string>

#include "testbed/testbed.h"

namespace weir::apps {

/// What this machine lacks for it, in words: "root, iperf3"; empty: nothing.
std::string means_lacking(const Testbed& testbed);

/// Runs it, and leaves its results in the folder `out`, which exists; testbed.txt is written when everything has been
/// measured. Then the simulator runs the same, and a store gets both runs. `file`: of the testbed, which names them.
/// Returns the exit status: kFailed if a client or process ended badly or has no result, kInterrupted after a signal.
/// Throws std::runtime_error, with everything removed, if a step fails, a signal came before the end of the traffic, or
/// the folder contains results that are not of a testbed.
int run_testbed(const Testbed& testbed, const TestbedPlan& plan, const std::filesystem::path& out,
                const std::string& file);

}  // namespace weir::apps
