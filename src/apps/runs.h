// SPDX-License-Identifier: Apache-2.0
// Several runs side by side.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"
#include "scenario/scenario.h"

namespace weir::apps {

/// What became of one variant.
struct RunOutcome {
  bool started = false;               ///< false: an interrupt came first, or runs could no longer be kept
  std::optional<RunSummary> summary;  ///< of a run that ended or was interrupted
  std::string error;                  ///< why there is no summary of a run that started
  std::string capture_error;          ///< why there is no file of captured frames, though there should be one
  std::string capture_note;           ///< what that file lacks
};

/// A run that ended or was interrupted.
struct FinishedRun {
  std::size_t variant = 0;  ///< index into the scenario's variants
  const RunRecord* record = nullptr;
  const RunSummary* summary = nullptr;  ///< of the record
};

/// Takes the records of finished runs before they are forgotten: all that have finished since the last call. Called by
/// the thread that called run_all(). False: no more runs start, and those under way are stopped and given to it. Must
/// not throw.
using KeepRuns = std::function<bool(const std::vector<FinishedRun>&)>;

/// Where the frames of a variant's captured links go; empty: nowhere.
using CapturePath = std::function<std::filesystem::path(std::size_t variant)>;

/// What weir check found of each variant, for the records of its runs; empty: nothing was looked for.
using FindingsByVariant = std::vector<std::vector<RunFinding>>;

/// Runs those of the variants whose numbers are given on at most `jobs` threads (0: one a core), shows how far they are
/// on stderr if that is a terminal, and gives the outcomes of all variants in their order; those not asked for have not
/// started. An interrupt stops the runs at their next safe point; none starts after it. An empty `keep` keeps nothing,
/// nor does an empty `capture_path`, which is called before any run starts. A record has the `findings` of its variant
/// before its own.
std::vector<RunOutcome> run_all(const std::vector<ScenarioVariant>& variants, const std::vector<std::size_t>& numbers,
                                std::size_t jobs, const KeepRuns& keep, const CapturePath& capture_path = {},
                                const FindingsByVariant& findings = {});

}  // namespace weir::apps
