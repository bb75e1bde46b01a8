// SPDX-License-Identifier: Apache-2.0
// BFC's dynamic queue assignment without its backpressure (Goyal et al., NSDI 2022, 3.3.1 and 6.4). The rules are in
// dqa.md.
#pragma once

#include "policy/scheme.h"

namespace weir::dqa {

extern const Scheme scheme;

}  // namespace weir::dqa
