// SPDX-License-Identifier: Apache-2.0
// Rows become a record.
#pragma once

#include <cstdint>

#include "results/run_record.h"
#include "store/database.h"

namespace weir {

/// The record with this run_id. Throws StoreError when there is none, or its rows do not make one.
RunRecord read_run(const Database& database, std::int64_t run_id);

}  // namespace weir
