// SPDX-License-Identifier: Apache-2.0
// The summary of a run as rows of CSV.
#pragma once

#include "results/output_file.h"
#include "results/summary.h"

namespace weir {

/// One row per quantity: "scenario,variant,seed,of,size,quantity,unit,value". `of` is the run, a flow group, a tier, or
/// two tiers of which one paused the other; `size` is a size bin, or empty for all sizes. Quantities without a value
/// have no row.
void write_csv_summary(const RunSummary& summary, OutputFile& file);

}  // namespace weir
