// SPDX-License-Identifier: Apache-2.0
// The runs of a campaign as two tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/estimate.h"
#include "results/replicates.h"
#include "results/summary.h"

namespace weir {

/// A quantity of a group of replicates; see SummaryValue.
struct MeanValue {
  std::string of;
  std::string size;
  std::string quantity;
  std::string unit;
  Estimate estimate;
};

/// All quantities of the completed runs of a group, in the order of summary.csv.
std::vector<MeanValue> means_of(const ReplicateGroup& group, const std::vector<RunSummary>& runs);

/// Writes into `directory`, which must exist:
///
/// - runs.csv: one row per run, with a column for each parameter and for each quantity over all flow sizes, named
///   "victim.slowdown.p99" or, with a unit, "run.simulated_us"
/// - means.csv: one row per quantity of each variant and point of the sweeps: number of seeds, mean, and both ends of
///   the 95 % confidence interval, which are empty for a single seed; failed and interrupted runs are excluded
///
/// Each file is written completely or not at all. Returns one "path: reason" per failure.
std::vector<std::string> write_campaign_csv(const std::vector<RunSummary>& runs,
                                            const std::filesystem::path& directory);

}  // namespace weir
