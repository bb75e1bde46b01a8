// SPDX-License-Identifier: Apache-2.0
// Several runs side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"
#include "scenario/scenario.h"

namespace weir::apps {

/// A run of a scenario that a command is to make.
struct ChosenRun {
  const ScenarioVariant* variant = nullptr;
  std::size_t number = 0;  ///< of the variant in the scenario
  std::uint64_t seed = 0;
  std::int64_t position = 0;  ///< in the whole campaign, from 1

  /// For messages: "run" where the scenario has one.
  [[nodiscard]] std::string name() const;
};

/// What became of one run.
struct RunOutcome {
  bool started = false;               ///< false: an interrupt came first, or runs could no longer be kept
  std::optional<RunSummary> summary;  ///< of a run that ended or was interrupted
  std::string error;                  ///< why there is no summary of a run that started
  std::string capture_error;          ///< why there is no file of captured frames, though there should be one
  std::string capture_note;           ///< what that file lacks
};

/// A run that ended or was interrupted.
struct FinishedRun {
  std::size_t run = 0;  ///< index into the chosen runs
  const RunRecord* record = nullptr;
  const RunSummary* summary = nullptr;  ///< of the record
};

/// Takes the records of finished runs before they are forgotten: all that have finished since the last call. Called by
/// the thread that called run_all(). False: no more runs start, and those under way are stopped and given to it. Must
/// not throw.
using KeepRuns = std::function<bool(const std::vector<FinishedRun>&)>;

/// Where the frames of a run's captured links go; empty: nowhere.
using CapturePath = std::function<std::filesystem::path(std::size_t run)>;

/// Is shown the record of each run that has ended, by the thread that made it, before the record is kept.
using SeeRecord = std::function<void(std::size_t run, const RunRecord& record)>;

/// What weir check found of each variant, for the records of its runs; empty: nothing was looked for.
using FindingsByVariant = std::vector<std::vector<RunFinding>>;

/// What is done with runs and their records; each may be empty.
struct RunHandling {
  KeepRuns keep;
  CapturePath capture_path;    ///< called before any run starts
  FindingsByVariant findings;  ///< a record has those of its variant before its own
  SeeRecord see;
};

/// Makes those of the runs whose numbers are given on at most `jobs` threads (0: one a core), shows how far they are
/// on stderr (on a line of a terminal, else once a minute), and gives the outcomes of all runs in their order; those
/// not asked for have not started. An interrupt stops the runs at their next safe point; none starts after it.
std::vector<RunOutcome> run_all(const std::vector<ChosenRun>& runs, const std::vector<std::size_t>& numbers,
                                std::size_t jobs, const RunHandling& handling);

}  // namespace weir::apps
