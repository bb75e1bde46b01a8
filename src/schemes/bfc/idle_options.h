// SPDX-License-Identifier: Apache-2.0
// Which of BFC's options have no effect beside others.
#pragma once

#include <vector>

#include "policy/scheme.h"

namespace weir::bfc {

/// Scheme::idle. [BFC-IN-4]
std::vector<IdleParameter> idle_options(const Parameters& parameters);

}  // namespace weir::bfc
