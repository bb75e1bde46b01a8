// SPDX-License-Identifier: Apache-2.0
// Fixed thresholds in a shared buffer. The rules are in static_threshold.md.
#pragma once

#include "policy/scheme.h"

namespace weir::static_threshold {

extern const Scheme scheme;

}  // namespace weir::static_threshold
