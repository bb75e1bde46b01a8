// SPDX-License-Identifier: Apache-2.0
// Floodgate (Liu et al., CoNEXT 2021). The rules are in floodgate.md.
#pragma once

#include "policy/scheme.h"

namespace weir::floodgate {

extern const Scheme scheme;

}  // namespace weir::floodgate
