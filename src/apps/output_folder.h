// SPDX-License-Identifier: Apache-2.0
// The files of runs in a folder of results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/hpcc_export.h"
#include "results/perfetto_export.h"
#include "results/run_record.h"
#include "results/summary.h"
#include "store/store.h"

namespace weir::apps {

/// A folder name for each variant: the name with what is not safe in a path replaced, and told apart by numbers where
/// two would be one, or that of a file that stands in the folder itself. An empty name gives "run".
std::vector<std::string> folder_names(const std::vector<std::string>& variants);

/// Where the files of each planned run stand, below the folder of results: in a folder with its variant's name, with
/// the scenario before it where scenarios differ, and after it its parameters and, where seeds differ, the seed. A
/// single run without a variant has the folder of results for itself.
std::vector<std::filesystem::path> run_folders(const std::vector<PlanEntry>& planned);

/// What a run took for its configuration; written last, so that all of a run's files are there when it is.
inline constexpr const char* kConfigurationFile = "configuration.toml";

/// The frames of captured links.
inline constexpr const char* kCaptureFile = "capture.pcapng";

/// A file that stands where one of these runs would be written, if there is one: in a folder that has no store,
/// somebody else's.
std::optional<std::filesystem::path> foreign_file(const std::filesystem::path& folder,
                                                  const std::vector<PlanEntry>& planned);

/// The files that a run is written as, beside kConfigurationFile.
struct RunForms {
  bool csv = true;
  bool fct = true;        ///< fct.txt
  bool pfc = true;        ///< pfc.txt
  bool perfetto = false;  ///< perfetto.json
};

/// Writes the files of a run, of which `summary` is (only CSV needs it), into `folder`, which is made if it is not
/// there. Gives what went wrong first, "path: reason": nothing is written after it, and a folder that was made is
/// gone again.
std::optional<std::string> write_run(const RunRecord& record, const RunSummary& summary,
                                     const std::filesystem::path& folder, const RunForms& forms);

}  // namespace weir::apps
