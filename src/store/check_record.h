// SPDX-License-Identifier: Apache-2.0
// Invariants of every run record.
#pragma once

#include <string>

#include "results/run_record.h"

namespace weir {

/// Why this record cannot be the result of a run: times that are negative or exceed the limit of a run, an interval of
/// zero length, negative counts, numbers of labels and samples that do not match. Empty: the record is consistent. A
/// store may contain any values, and code that summarises and draws records relies on these invariants.
std::string wrong_in(const RunRecord& record);

}  // namespace weir
