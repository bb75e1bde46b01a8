// SPDX-License-Identifier: Apache-2.0
// What a run command keeps in the folder that --out names: the store, and each run's files beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "apps/output_folder.h"
#include "apps/runs.h"
#include "results/summary.h"
#include "scenario/scenario.h"
#include "store/store.h"

namespace weir::apps {

/// What to do with results that are in the folder already.
struct WithOldResults {
  bool resume = false;     ///< go on with them
  bool set_aside = false;  ///< move the folder away where they are of another configuration or version; needs resume
};

class Campaign {
 public:
  /// Makes the folder if it is not there, begins its store, and plans the scenario's variants. Results that are moved
  /// away go to a folder beside it, "<folder>.1" or the first such number that is free; stderr says so. Throws
  /// StoreError, with what to do about it, when the folder cannot be written to, or holds results that are neither gone
  /// on with nor moved away.
  /// `runs`: those of the scenario that this folder is to hold; they must stay.
  Campaign(std::filesystem::path folder, const WithOldResults& old, const Scenario& scenario,
           const std::vector<ChosenRun>& runs);

  /// Of a run that is there and need not be made again; shows `see` its record. Writes its files if they are not there:
  /// whoever kept it may have been killed before. Throws StoreError.
  [[nodiscard]] std::optional<RunSummary> kept(std::size_t run, const SeeRecord& see);

  /// Where the frames of a run's captured links go.
  [[nodiscard]] std::filesystem::path capture_path(std::size_t run) const { return folders_[run] / kCaptureFile; }

  /// Writes runs.csv and means.csv where the scenario has replicates; whose single runs have no files.
  void write_tables(const std::vector<RunSummary>& runs);

  /// Keeps runs. What cannot be kept is said on stderr. False: the store takes no more, and it is
  /// no use to go on.
  bool keep(const std::vector<FinishedRun>& runs);
  /// Everything that should be kept was.
  [[nodiscard]] bool good() const { return good_; }

  /// How many runs the folder should hold, and how many of them it does not. Throws StoreError.
  [[nodiscard]] std::size_t planned() const { return store_.planned().size(); }
  [[nodiscard]] std::size_t missing() const { return store_.missing().size(); }

 private:
  bool store(const std::vector<FinishedRun>& runs);
  void write_files(std::size_t run, const RunRecord& record, const RunSummary& summary);

  std::filesystem::path folder_;
  Store store_;
  const std::vector<ChosenRun>& runs_;
  bool has_replicates_;
  std::vector<RunKey> keys_;                                   // by run
  std::vector<std::filesystem::path> folders_;                 // by run
  std::vector<std::optional<std::int64_t>> finished_run_ids_;  // by run
  bool good_ = true;
};

}  // namespace weir::apps
