// SPDX-License-Identifier: Apache-2.0
// HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019): switches write the load of their links
// into data frames, acknowledgements return it, and senders compute their window from it.
#pragma once

#include "policy/scheme.h"

namespace weir::hpcc {

/// Both parts: a congestion point that writes telemetry, and a congestion control that reacts. hpcc.md has the rules.
extern const Scheme scheme;

}  // namespace weir::hpcc
