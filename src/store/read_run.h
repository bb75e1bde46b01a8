// SPDX-License-Identifier: Apache-2.0
// Converts rows to a record.
#pragma once

#include <cstdint>

#include "results/run_record.h"
#include "store/database.h"

namespace weir {

/// The record with this run_id. Throws StoreError if there is none, or its rows do not form one.
RunRecord read_run(const Database& database, std::int64_t run_id);

}  // namespace weir
