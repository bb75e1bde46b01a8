// SPDX-License-Identifier: Apache-2.0
// The window that keeps BFC's flows from filling shared queues (Goyal et al., NSDI 2022, A.1). The rules are in
// bfc_window.md.
#pragma once

#include "policy/scheme.h"

namespace weir::bfc_window {

extern const Scheme scheme;

}  // namespace weir::bfc_window
