// SPDX-License-Identifier: Apache-2.0
// The dynamic threshold of shared buffers (Choudhury and Hahne 1998). The rules are in dynamic_threshold.md.
#pragma once

#include "policy/scheme.h"

namespace weir::dynamic_threshold {

extern const Scheme scheme;

}  // namespace weir::dynamic_threshold
