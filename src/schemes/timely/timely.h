// SPDX-License-Identifier: Apache-2.0
// TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015): rates follow how the
// round trip changes; and what Zhu et al. ("ECN or Delay", CoNEXT 2016) mended in it.
#pragma once

#include "policy/scheme.h"

namespace weir::timely {

/// Three variants: the paper's, the patched one, and that of the public HPCC simulator. timely.md has the rules of all.
extern const Scheme scheme;

}  // namespace weir::timely
