// SPDX-License-Identifier: Apache-2.0
// The runs of a row: a scenario for each point of its variants, sweeps and seeds.
#pragma once

#include <string>
#include <vector>

#include "reproduce/row.h"
#include "scenario/scenario.h"

namespace weir {

/// One run, which may or may not be runnable.
struct PlannedRun {
  std::string name;                  ///< "bfc, load 0.8, seed 1"; empty for the only run of a row
  std::vector<std::string> missing;  ///< names of schemes that do not exist
  /// Without the missing schemes, so that its network and traffic can be checked nevertheless. One variant.
  Scenario scenario;
  std::string files;  ///< digests of the files that the scenario names
};

/// Creates the scenario of one run. Errors are in `scenario.errors`.
PlannedRun plan_run(const Row& row, const RowSetup& setup, const RunPoint& key);

/// The effective configuration of a run and the files that it names, as text: equal texts mean equal results.
std::string configuration_of(const PlannedRun& run);

/// The missing schemes of a run, without checking the rest of its scenario.
std::vector<std::string> missing_schemes(const Row& row, const RowSetup& setup, const RunPoint& key);

/// The scenario of one run as TOML, including schemes that do not exist.
std::string laid_out(const Row& row, const RowSetup& setup, const RunPoint& key);

/// "bfc, load 0.8, seed 1": the name of a run; parts of which the row has only one are omitted.
std::string run_name(const RowSetup& setup, const RunPoint& key);

/// All possible runs of a setup, in the order of variants, sweeps and seeds.
std::vector<RunPoint> all_runs(const RowSetup& setup);

/// The setup merged with the alternative of an assumption, whose table `sweep` replaces what sweeps set.
RowSetup with_assumption(const RowSetup& setup, const Value& alternative, Diagnostics& diagnostics);

}  // namespace weir
