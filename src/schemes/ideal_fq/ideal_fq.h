// SPDX-License-Identifier: Apache-2.0
// A queue for each flow, however many there are: what fair queueing could do at best. The rules are in ideal_fq.md.
#pragma once

#include "policy/scheme.h"

namespace weir::ideal_fq {

extern const Scheme scheme;

}  // namespace weir::ideal_fq
