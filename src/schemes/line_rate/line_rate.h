// SPDX-License-Identifier: Apache-2.0
// No congestion control: every queue pair sends at line rate.
#pragma once

#include "policy/scheme.h"

namespace weir::line_rate {

extern const Scheme scheme;

}  // namespace weir::line_rate
