// SPDX-License-Identifier: Apache-2.0
// Homa (Montazeri et al., SIGCOMM 2018): receivers grant, the shortest message first. The rules are in homa.md.
#pragma once

#include "policy/scheme.h"

namespace weir::homa {

extern const Scheme scheme;

}  // namespace weir::homa
