// SPDX-License-Identifier: Apache-2.0
// Runs that differ in nothing but their seed, taken together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/estimate.h"
#include "results/summary.h"
#include "results/summary_figures.h"

namespace weir {

/// The runs of one variant at one point of the sweeps, by their numbers among all runs.
struct ReplicateGroup {
  std::string variant;                   ///< as run_labels() has it, without sweeps and seed
  std::vector<RunParameter> parameters;  //
  std::string label;                     ///< "irn, load 0.8": both
  std::vector<std::size_t> whole;        ///< that count
  std::vector<std::size_t> left_out;     ///< that failed or were interrupted
};

/// In the order of the first run of each. Scenarios that differ make groups that differ.
std::vector<ReplicateGroup> group_replicates(const std::vector<RunSummary>& runs);

/// Whether any run has a parameter, or several are alike but for their seed.
bool are_replicates(const std::vector<RunSummary>& runs);

/// Of the whole runs of a group that have the figure; nothing when none has.
std::optional<Estimate> estimate_of(const ReplicateGroup& group, const SummaryFigure& figure,
                                    const std::vector<RunSummary>& runs);

/// A table with a row per group, the mean of each figure with its 95 % interval, and sentences. Lines take at most
/// `width` columns where that is possible; zero: any width.
std::string format_replicates(const std::vector<RunSummary>& runs, std::size_t width);

/// Sentences on how groups differ. A difference is claimed only where 95 % intervals do not overlap; elsewhere they say
/// "no difference shown". Variants are compared at each point of the sweeps; a single variant is compared with itself
/// at the other points.
std::vector<std::string> statements_on_replicates(const std::vector<RunSummary>& runs);

}  // namespace weir
