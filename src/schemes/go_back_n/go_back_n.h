// SPDX-License-Identifier: Apache-2.0
// Go-back-N: the receiver accepts packets only in order, and the sender continues from the first missing packet.
#pragma once

#include "policy/scheme.h"

namespace weir::go_back_n {

extern const Scheme scheme;

}  // namespace weir::go_back_n
