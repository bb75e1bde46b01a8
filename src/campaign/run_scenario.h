// SPDX-License-Identifier: Apache-2.0
// A scenario's runs in one call, for programs that have no wish beyond their results.
#pragma once

#include <string>
#include <vector>

#include "results/run_record.h"
#include "scenario/scenario.h"

namespace weir {

/// The records of all runs, by variant, point of the sweeps and seed (runs_of()), run one after the other as `weir run`
/// does it: what `weir check` refuses is not run, and what it finds stands first in RunRecord::findings. Frames are not
/// captured.
///
/// Throws std::invalid_argument before any run when the scenario has errors: what() has one line for each, with file,
/// line and key. Throws what Simulation throws when the machine cannot hold a run. A run that breaks an invariant or
/// ends in a deadlock throws nothing: its record says so (RunRecord::failure).
std::vector<RunRecord> run_scenario(const Scenario& scenario);
/// The same of a file (load_scenario).
std::vector<RunRecord> run_scenario(const std::string& path, const ScenarioOptions& options = {});

}  // namespace weir
