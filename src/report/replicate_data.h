// SPDX-License-Identifier: Apache-2.0
// The part of a report about replicates and sweeps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "results/replicates.h"
#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// The sweeps of the runs: `parameters` of the page.
nlohmann::json parameters_data(const std::vector<RunSummary>& runs);
/// The figures that have estimates: `quantities` of the page.
nlohmann::json quantities_data(const std::vector<RunSummary>& runs);
/// Each group with its estimates: `replicates` of the page. `shown`: the records of the runs on the page.
nlohmann::json replicates_data(const std::vector<RunSummary>& runs, const std::vector<RunRecord>& shown);
/// The index of the group of a record; null if it belongs to none.
nlohmann::json replicate_of(const RunRecord& record, const std::vector<ReplicateGroup>& groups,
                            const std::vector<RunSummary>& runs);

}  // namespace weir
