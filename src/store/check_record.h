// SPDX-License-Identifier: Apache-2.0
// What every record of a run keeps to.
#pragma once

#include <string>

#include "results/run_record.h"

namespace weir {

/// Why no run can have given this record: a time that is negative or later than any run goes on, an interval of no
/// length, counts below zero, numbers of labels and samples that do not add up. Empty: nothing is wrong. What a store
/// holds may be anything, and those who summarise and draw records rely on these.
std::string wrong_in(const RunRecord& record);

}  // namespace weir
