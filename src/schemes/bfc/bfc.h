// SPDX-License-Identifier: Apache-2.0
// Backpressure Flow Control (Goyal et al., NSDI 2022). The rules are in bfc.md.
#pragma once

#include "policy/scheme.h"

namespace weir::bfc {

extern const Scheme scheme;

}  // namespace weir::bfc
