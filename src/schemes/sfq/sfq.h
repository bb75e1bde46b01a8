// SPDX-License-Identifier: Apache-2.0
// Stochastic fair queueing (McKenney 1990): flows are hashed to a few queues per port. The rules are in sfq.md.
#pragma once

#include "policy/scheme.h"

namespace weir::sfq {

extern const Scheme scheme;

}  // namespace weir::sfq
