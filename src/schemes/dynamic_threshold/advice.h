// SPDX-License-Identifier: Apache-2.0
// Recommended parameters of dynamic thresholds for a fabric.
#pragma once

#include "policy/advice.h"

namespace weir::dynamic_threshold {

/// alpha and the distance of xon from xoff.
Advice advise(const AdvisedFabric& fabric);

}  // namespace weir::dynamic_threshold
