// SPDX-License-Identifier: Apache-2.0
// What a report tells, as the viewer reads it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// What timelines may take of a page: enough for six runs on 160 hosts in full. Larger ones are told in longer
/// intervals (see pack_timeline).
inline constexpr std::size_t kTimelineBytes = 6'000'000;

/// The form is that of `Report` in report/src/data.ts. Everything that a person reads as a number is computed here, by
/// results/; the viewer draws and formats. `missing` names runs that there are not. `timeline_bytes`: of all packed
/// timelines together, about. `all`: the summaries of all runs where they are replicates, of which `records` are those
/// that are shown one by one; empty where each run is shown.
nlohmann::json report_data(const std::vector<RunRecord>& records, const std::vector<std::string>& missing = {},
                           std::size_t timeline_bytes = kTimelineBytes, const std::vector<RunSummary>& all = {});

}  // namespace weir
