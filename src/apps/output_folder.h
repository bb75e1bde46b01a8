// The files of runs in the folder that --out names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run_record.h"

namespace weir::apps {

/// A folder name for each variant: the name with what is not safe in a path replaced, and told apart by numbers where
/// two would be one. An empty name gives "run".
std::vector<std::string> folder_names(const std::vector<std::string>& variants);

/// Writes the CSV files, fct.txt and configuration.toml of a run. Gives what went wrong, "path: reason" each.
std::vector<std::string> write_run(const RunRecord& record, const std::filesystem::path& folder);

}  // namespace weir::apps
