// SPDX-License-Identifier: Apache-2.0
// Replicates: runs that differ only in their seed, evaluated together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/estimate.h"
#include "results/summary.h"
#include "results/summary_figures.h"

namespace weir {

/// The runs of one variant at one point of the sweeps, by their indices among all runs.
struct ReplicateGroup {
  std::string variant;                   ///< as in run_labels(), without sweeps and seed
  std::vector<RunParameter> parameters;  //
  std::string label;                     ///< "irn, load 0.8": both
  std::vector<std::size_t> whole;        ///< those that completed
  std::vector<std::size_t> left_out;     ///< those that failed or were interrupted
};

/// Ordered by the first run of each group. Different scenarios form different groups.
std::vector<ReplicateGroup> group_replicates(const std::vector<RunSummary>& runs);

/// Whether any run has a parameter, or several runs differ only in their seed.
bool are_replicates(const std::vector<RunSummary>& runs);

/// Over the completed runs of a group that have the figure; nullopt if none has.
std::optional<Estimate> estimate_of(const ReplicateGroup& group, const SummaryFigure& figure,
                                    const std::vector<RunSummary>& runs);

/// A table with one row per group, the mean of each figure with its 95 % interval, and sentences. Lines take at most
/// `width` columns if possible; zero: any width.
std::string format_replicates(const std::vector<RunSummary>& runs, std::size_t width);

/// Sentences on how groups differ. A difference is claimed only where 95 % intervals do not overlap; otherwise they say
/// "no difference shown". Variants are compared at each point of the sweeps; a single variant is compared between
/// points.
std::vector<std::string> statements_on_replicates(const std::vector<RunSummary>& runs);

}  // namespace weir
