// SPDX-License-Identifier: Apache-2.0
// The results that a run command keeps in the folder given by --out: the store, and the files of each run.
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

/// How to treat results that are already in the folder.
struct WithOldResults {
  bool resume = false;     ///< continue them
  bool set_aside = false;  ///< rename the folder if its results are of another configuration or version; requires
                           ///< resume
};

class Campaign {
 public:
  /// Creates the folder if necessary, starts its store, and plans the scenario's variants. Old results are renamed to
  /// "<folder>.1", or the first free number; a message on stderr says so. Throws StoreError, with advice, if the folder
  /// cannot be written to, or contains results that are neither continued nor renamed. `runs`: the runs of the scenario
  /// that this folder is to contain; they must outlive the campaign.
  Campaign(std::filesystem::path folder, const WithOldResults& old, const Scenario& scenario,
           const std::vector<ChosenRun>& runs);

  /// The summary of a run that is complete in the store; passes its record to `see`. Writes its files if they are
  /// missing, because the process that stored it may have been killed. Throws StoreError.
  [[nodiscard]] std::optional<RunSummary> kept(std::size_t run, const SeeRecord& see);

  /// The file for the frames of a run's captured links.
  [[nodiscard]] std::filesystem::path capture_path(std::size_t run) const { return folders_[run] / kCaptureFile; }

  /// Writes runs.csv and means.csv if the scenario has replicates, whose single runs have no files.
  void write_tables(const std::vector<RunSummary>& runs);

  /// Stores runs. Errors are reported on stderr. Returns false if the store accepts no more runs and the campaign
  /// should stop.
  bool keep(const std::vector<FinishedRun>& runs);
  /// Whether everything was stored.
  [[nodiscard]] bool good() const { return good_; }

  /// The number of planned runs of the folder, and of the missing ones. Throws StoreError.
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
