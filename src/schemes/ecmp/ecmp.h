// SPDX-License-Identifier: Apache-2.0
// Equal-cost multi-path: a hash of the header selects one of several equally good ports. The rules are in ecmp.md.
#pragma once

#include "policy/scheme.h"

namespace weir::ecmp {

extern const Scheme scheme;

}  // namespace weir::ecmp
