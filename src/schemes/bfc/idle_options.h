// SPDX-License-Identifier: Apache-2.0
// Which of BFC's options have no effect beside others.
#pragma once

#include <string>
#include <vector>

#include "policy/scheme.h"

namespace weir::bfc {

/// A line for each choice that leaves options without effect, with those of them that are not as they are by default.
/// [BFC-IN-4]
std::vector<std::string> idle_options(const Parameters& parameters);

}  // namespace weir::bfc
