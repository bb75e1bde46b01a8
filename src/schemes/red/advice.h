// SPDX-License-Identifier: Apache-2.0
// Which marking thresholds suit a fabric.
#pragma once

#include "policy/advice.h"

namespace weir::red {

/// kmin, kmax and pmax: as large as published for the rates, but small enough that marks come before pauses.
Advice advise(const AdvisedFabric& fabric);

}  // namespace weir::red
