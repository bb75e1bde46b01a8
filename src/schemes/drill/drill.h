// SPDX-License-Identifier: Apache-2.0
// DRILL: each frame goes to the shortest of a few random ports and the best port of last time. The rules are in
// drill.md.
#pragma once

#include "policy/scheme.h"

namespace weir::drill {

extern const Scheme scheme;

}  // namespace weir::drill
