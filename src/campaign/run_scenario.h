// SPDX-License-Identifier: Apache-2.0
// Runs a scenario in one call, for programs that need only its results.
#pragma once

#include <string>
#include <vector>

#include "results/run_record.h"
#include "scenario/scenario.h"

namespace weir {

/// The records of all runs, by variant, point of the sweeps and seed (runs_of()). Runs are made in sequence, as by
/// `weir run`: they require that `weir check` finds no errors, and its findings are the first in RunRecord::findings.
/// Frames are not captured.
///
/// Throws std::invalid_argument before any run if the scenario has errors: what() contains one line per error, with
/// file, line and key. Passes on exceptions of Simulation if the computer cannot hold a run. A run that violates an
/// invariant or ends in a deadlock throws no exception, but is reported in its record (RunRecord::failure).
std::vector<RunRecord> run_scenario(const Scenario& scenario);
/// The same for a file (load_scenario).
std::vector<RunRecord> run_scenario(const std::string& path, const ScenarioOptions& options = {});

}  // namespace weir
