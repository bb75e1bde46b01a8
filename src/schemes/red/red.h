// SPDX-License-Identifier: Apache-2.0
// ECN marking by random early detection on the instantaneous queue length. The rules are in red.md.
#pragma once

#include "policy/scheme.h"

namespace weir::red {

extern const Scheme scheme;

}  // namespace weir::red
