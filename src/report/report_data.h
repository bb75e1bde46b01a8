// SPDX-License-Identifier: Apache-2.0
// The data of a report, as read by the viewer.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// Limit of the bytes of all timelines in a page: sufficient for six runs on 160 hosts at full resolution. Larger ones
/// get longer intervals (see pack_timeline).
inline constexpr std::size_t kTimelineBytes = 6'000'000;

/// The structure is that of `Report` in report/src/data.ts. All displayed numbers are computed here, with results/; the
/// viewer draws and formats. `missing` names runs without results. `timeline_bytes`: approximate limit of all packed
/// timelines together. `all`: if runs are replicates, the summaries of all runs, of which `records` are those shown
/// individually; empty if each run is shown.
nlohmann::json report_data(const std::vector<RunRecord>& records, const std::vector<std::string>& missing = {},
                           std::size_t timeline_bytes = kTimelineBytes, const std::vector<RunSummary>& all = {});

}  // namespace weir
