// SPDX-License-Identifier: Apache-2.0
// One queue per flow, without a limit: the upper bound for fair queueing. The rules are in ideal_fq.md.
#pragma once

#include "policy/scheme.h"

namespace weir::ideal_fq {

extern const Scheme scheme;

}  // namespace weir::ideal_fq
