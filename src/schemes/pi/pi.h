// SPDX-License-Identifier: Apache-2.0
// ECN marking by a PI controller, the congestion point of DCQCN+PI (Zhu et al., CoNEXT 2016). The rules are in pi.md.
#pragma once

#include "policy/scheme.h"

namespace weir::pi {

extern const Scheme scheme;

}  // namespace weir::pi
