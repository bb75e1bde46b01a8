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

/// A folder name for each variant: its name with characters that are unsafe in a path replaced, and with a number if it
/// equals another name or that of a file in the folder itself. An empty name becomes "run".
std::vector<std::string> folder_names(const std::vector<std::string>& variants);

/// The folders of the planned runs' files, relative to the folder of results: named after the variant, preceded by the
/// scenario if scenarios differ, followed by the parameters and, if seeds differ, the seed. A single run without a
/// variant uses the folder of results itself.
std::vector<std::filesystem::path> run_folders(const std::vector<PlanEntry>& planned);

/// The configuration of a run. It is written last, so if it exists, all files of the run exist.
inline constexpr const char* kConfigurationFile = "configuration.toml";

/// The frames of captured links.
inline constexpr const char* kCaptureFile = "capture.pcapng";

/// An existing file where one of these runs would be written; in a folder without a store, it belongs to someone else.
std::optional<std::filesystem::path> foreign_file(const std::filesystem::path& folder,
                                                  const std::vector<PlanEntry>& planned);

/// The formats in which a run is written, besides kConfigurationFile.
struct RunForms {
  bool csv = true;
  bool fct = true;        ///< fct.txt
  bool pfc = true;        ///< pfc.txt
  bool perfetto = false;  ///< perfetto.json
};

/// Writes the files of a run into `folder`, which is created if necessary; `summary` is needed for CSV only. Returns
/// the first error, "path: reason": nothing is written after it, and a folder that was created is removed.
std::optional<std::string> write_run(const RunRecord& record, const RunSummary& summary,
                                     const std::filesystem::path& folder, const RunForms& forms);

}  // namespace weir::apps
