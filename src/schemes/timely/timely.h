// SPDX-License-Identifier: Apache-2.0
// TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015): rates follow changes
// of the round trip; with the corrections by Zhu et al. ("ECN or Delay", CoNEXT 2016).
#pragma once

#include "policy/scheme.h"

namespace weir::timely {

/// Three variants: that of the paper, the patched one, and that of the public HPCC simulator. timely.md has the rules
/// of all.
extern const Scheme scheme;

}  // namespace weir::timely
