// SPDX-License-Identifier: Apache-2.0
// Selective-PFC (Huang et al., IEEE/ACM ToN 2024): a buffer policy that avoids pausing ports with victims. The rules
// are in spfc.md.
#pragma once

#include "policy/scheme.h"

namespace weir::spfc {

extern const Scheme scheme;

}  // namespace weir::spfc
