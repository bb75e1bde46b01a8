// SPDX-License-Identifier: Apache-2.0
// What a report tells of replicates and sweeps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "results/replicates.h"
#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// The sweeps of the runs: `parameters` of the page.
nlohmann::json parameters_data(const std::vector<RunSummary>& runs);
/// The figures that there are estimates of: `quantities` of the page.
nlohmann::json quantities_data(const std::vector<RunSummary>& runs);
/// Each group with its estimates: `replicates` of the page. `shown` are the records of the page's runs.
nlohmann::json replicates_data(const std::vector<RunSummary>& runs, const std::vector<RunRecord>& shown);
/// The number of the group that a record belongs to; nothing when it is of none.
nlohmann::json replicate_of(const RunRecord& record, const std::vector<ReplicateGroup>& groups,
                            const std::vector<RunSummary>& runs);

}  // namespace weir
