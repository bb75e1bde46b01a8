// SPDX-License-Identifier: Apache-2.0
// A run as CSV files (RFC 4180, except that lines end with a line feed).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// Writes into `directory`, which is created if necessary:
///
/// - flows.csv: one row per flow, with the name of its label; fields of completion are empty if a flow did not complete
/// - switches.csv: one row per switch
/// - links.csv: one row per direction of a link
/// - series.csv: one row per sample; `time_ps` is the end of its interval
/// - summary.csv: one row per quantity of RunSummary, with its unit in a column, so that the files of several runs can
///   be concatenated
///
/// Times are in picoseconds, as in the store; summary.csv has its own units. Each file is written completely or not at
/// all. Returns one "path: reason" per failure; all other files are complete.
std::vector<std::string> write_csv(const RunRecord& record, const std::filesystem::path& directory);
/// The names of all files that write_csv() can write.
std::vector<std::string> csv_files();
/// The same for callers that have summarised the record already.
std::vector<std::string> write_csv(const RunRecord& record, const RunSummary& summary,
                                   const std::filesystem::path& directory);

}  // namespace weir
