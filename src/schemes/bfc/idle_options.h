// SPDX-License-Identifier: Apache-2.0
// Which of BFC's options have no effect beside others.
#pragma once

#include <string>
#include <vector>

#include "policy/scheme.h"

namespace weir::bfc {

/// One line per choice that leaves options without effect, naming those of them that differ from their defaults.
/// [BFC-IN-4]
std::vector<std::string> idle_options(const Parameters& parameters);

}  // namespace weir::bfc
