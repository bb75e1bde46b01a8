// SPDX-License-Identifier: Apache-2.0
// Go-back-N: the receiver keeps only what comes in order, the sender starts again at the first packet that is missing.
#pragma once

#include "policy/scheme.h"

namespace weir::go_back_n {

extern const Scheme scheme;

}  // namespace weir::go_back_n
