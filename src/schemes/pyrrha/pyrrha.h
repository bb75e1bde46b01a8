// SPDX-License-Identifier: Apache-2.0
// Pyrrha: hop-by-hop flow control by congestion root, with isolation queues.
#pragma once

#include "policy/scheme.h"

namespace weir::pyrrha {

extern const Scheme scheme;

}  // namespace weir::pyrrha
