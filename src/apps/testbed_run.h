// SPDX-License-Identifier: Apache-2.0
// Builds and runs a testbed.
#pragma once

#include <filesystem>
#include <string>

#include "testbed/testbed.h"

namespace weir::apps {

/// What this machine lacks for it, in words: "root and iperf3"; empty: nothing.
std::string means_lacking(const Testbed& testbed);

/// Runs it, and leaves its results in a folder. Returns the exit status. Throws std::runtime_error, with everything
/// removed, if a step fails or a signal was received.
int run_testbed(const Testbed& testbed, const TestbedPlan& plan, const std::filesystem::path& out);

}  // namespace weir::apps
