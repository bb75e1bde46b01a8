// SPDX-License-Identifier: Apache-2.0
// Recommended marking thresholds for a fabric.
#pragma once

#include "policy/advice.h"

namespace weir::red {

/// kmin, kmax and pmax: as large as published for the rates, but small enough that marks precede pauses.
Advice advise(const AdvisedFabric& fabric);

}  // namespace weir::red
