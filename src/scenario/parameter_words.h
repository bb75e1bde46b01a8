// SPDX-License-Identifier: Apache-2.0
// Descriptions of parameters: for lists of parameters and for the reference.
#pragma once

#include <string>

#include "policy/parameters.h"

namespace weir {

/// "size", "list of 1 to 8 sizes"; for a choice, its names joined by " | ".
std::string kind_noun(const ParameterSpec& spec);
/// "a size", "a list of 1 to 8 sizes"; for a choice, "one of" and its names, quoted.
std::string kind_phrase(const ParameterSpec& spec);

/// "one round-trip time", "1.5 times the lowest rate of a host"
std::string words_of(const NetworkDefault& from_network);
/// The default in TOML syntax, or "from the network: one round-trip time".
std::string default_text(const ParameterSpec& spec);

}  // namespace weir
