// SPDX-License-Identifier: Apache-2.0
// A run as CSV files (RFC 4180, but lines end with a line feed).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// Writes into `directory`, which is made if it is not there:
///
/// - flows.csv: a row a flow, with its label by name; no value where a flow did not complete
/// - switches.csv: a row a switch
/// - links.csv: a row a direction of a link
/// - series.csv: a row a sample; `time_ps` is the end of its interval
/// - summary.csv: a row a quantity of RunSummary, with its unit in a column, so that the files of several runs can be
///   put together
///
/// Times are in picoseconds, as in the store; summary.csv has its own units. Each file appears whole or not at all.
/// Returns what went wrong, "path: reason" each; the files not named are good.
std::vector<std::string> write_csv(const RunRecord& record, const std::filesystem::path& directory);
/// The names of all files that write_csv() may write.
std::vector<std::string> csv_files();
/// The same for who has summarised the record already.
std::vector<std::string> write_csv(const RunRecord& record, const RunSummary& summary,
                                   const std::filesystem::path& directory);

}  // namespace weir
