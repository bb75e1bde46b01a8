// SPDX-License-Identifier: Apache-2.0
// The summary of a run as rows of CSV.
#pragma once

#include "results/output_file.h"
#include "results/summary.h"

namespace weir {

/// A row a quantity: "scenario,variant,seed,of,size,quantity,unit,value". `of` is the run, a flow group, a tier, or two
/// tiers of which one paused the other; `size` a size bin, or empty for all sizes. What has no value has no row.
void write_csv_summary(const RunSummary& summary, OutputFile& file);

}  // namespace weir
