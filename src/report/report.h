// SPDX-License-Identifier: Apache-2.0
// The report: one HTML file that shows the results of several runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// A picture of the scenario.
struct ReportPicture {
  std::string file;  ///< its name: "picture.svg"
  std::string svg;
};

/// Whether this program was built with the report's viewer (see WEIR_REPORT in src/report/folder.cmake). Without it
/// there are no reports.
[[nodiscard]] bool has_report_viewer();

/// A self-contained page: it can be opened from a disk, without a network. Runs are shown side by side in their order;
/// their number should be small enough to distinguish them visually. `missing` names planned runs without results,
/// which the page lists. Throws std::logic_error without has_report_viewer().
std::string report_html(const std::vector<RunRecord>& records, const std::vector<std::string>& missing = {},
                        const std::vector<RunSummary>& all = {}, const std::vector<ReportPicture>& pictures = {});

/// Writes the page to `path`, completely or not at all. Returns "path: reason" on failure. `all`: see report_data().
std::optional<std::string> write_report(const std::vector<RunRecord>& records, const std::vector<std::string>& missing,
                                        const std::filesystem::path& path, const std::vector<RunSummary>& all = {},
                                        const std::vector<ReportPicture>& pictures = {});

}  // namespace weir
