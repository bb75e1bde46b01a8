// SPDX-License-Identifier: Apache-2.0
// Runs several simulations in parallel.
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
  std::size_t number = 0;  ///< index of the variant in the scenario
  std::uint64_t seed = 0;
  std::int64_t position = 0;  ///< in the whole campaign, from 1

  /// For messages: "run" if the scenario has only one.
  [[nodiscard]] std::string name() const;
};

/// The result of one run.
struct RunOutcome {
  bool started = false;               ///< false: an interrupt occurred before, or runs could no longer be stored
  std::optional<RunSummary> summary;  ///< if the run ended or was interrupted
  std::string error;                  ///< why a run that started has no summary
  std::string capture_error;          ///< why a requested file of captured frames is missing
  std::string capture_note;           ///< what is missing in that file
};

/// A run that ended or was interrupted.
struct FinishedRun {
  std::size_t run = 0;  ///< index into the chosen runs
  const RunRecord* record = nullptr;
  const RunSummary* summary = nullptr;  ///< summary of the record
};

/// Takes the records of finished runs before they are freed: all runs that have finished since the last call. Called by
/// the thread that called run_all(). If it returns false, no more runs start, and those in progress are stopped and
/// passed to it. Must not throw.
using KeepRuns = std::function<bool(const std::vector<FinishedRun>&)>;

/// The file for the frames of a run's captured links; empty: none.
using CapturePath = std::function<std::filesystem::path(std::size_t run)>;

/// Called with the record of each finished run, by the thread that made the run, before the record is stored.
using SeeRecord = std::function<void(std::size_t run, const RunRecord& record)>;

/// The findings of weir check about each variant, for the records of its runs; empty: not checked.
using FindingsByVariant = std::vector<std::vector<RunFinding>>;

/// How runs and their records are processed; each member may be empty.
struct RunHandling {
  KeepRuns keep;
  CapturePath capture_path;    ///< called before any run starts
  FindingsByVariant findings;  ///< the findings of the variant precede those of the run itself
  SeeRecord see;
};

/// Makes the runs with the given indices on at most `jobs` threads (0: one per core), shows their progress on stderr
/// (on one line of a terminal, otherwise once per minute), and returns the outcomes of all runs in their order; those
/// not requested have not started. An interrupt stops the runs at their next safe point; none starts after it.
std::vector<RunOutcome> run_all(const std::vector<ChosenRun>& runs, const std::vector<std::size_t>& numbers,
                                std::size_t jobs, const RunHandling& handling);

}  // namespace weir::apps
