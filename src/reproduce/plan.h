// SPDX-License-Identifier: Apache-2.0
// The runs of a row: each point of its variants, sweeps and seeds as a scenario.
#pragma once

#include <string>
#include <vector>

#include "reproduce/row.h"
#include "scenario/scenario.h"

namespace weir {

/// One run, ready to go or not.
struct PlannedRun {
  std::string name;                  ///< "bfc, load 0.8, seed 1"; empty for the only run of a row
  std::vector<std::string> missing;  ///< schemes that it names and that do not exist
  /// Without the missing schemes, so that its network and traffic can be checked all the same. One variant.
  Scenario scenario;
  std::string files;  ///< digests of the files that the scenario names
};

/// Makes the scenario of one run. What is wrong with it is in `scenario.errors`.
PlannedRun plan_run(const Row& row, const RowSetup& setup, const RunPoint& key);

/// All that takes effect in a run and in the files that it names, as text: the same for the same results.
std::string configuration_of(const PlannedRun& run);

/// The schemes that a run names and that do not exist, without the rest of its scenario.
std::vector<std::string> missing_schemes(const Row& row, const RowSetup& setup, const RunPoint& key);

/// The scenario of one run as TOML writes it, with schemes that do not exist.
std::string laid_out(const Row& row, const RowSetup& setup, const RunPoint& key);

/// "bfc, load 0.8, seed 1": a run among others; what a row has one of is left out.
std::string run_name(const RowSetup& setup, const RunPoint& key);

/// All runs that a setup can have, in the order of variants, sweeps and seeds.
std::vector<RunPoint> all_runs(const RowSetup& setup);

/// The setup with another choice for an assumption laid over it.
RowSetup with_assumption(const RowSetup& setup, const Value& alternative, Diagnostics& diagnostics);

}  // namespace weir
