// SPDX-License-Identifier: Apache-2.0
// The places of a scenario that take a scheme.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "config/value.h"
#include "fabric/roles.h"
#include "policy/scheme.h"

namespace weir {

/// The schemes that play a role, quoted, in the order of the registry: "ecmp", "spray".
std::string schemes_in(const SchemeRole& role);

/// The roles a scheme plays, by name.
std::vector<std::string_view> roles_of(const Scheme& scheme);

/// Writes `slot = "name"` out as `slot = { scheme = "name" }` in every place that takes a scheme, and a single one
/// where a list is meant as a list of one, so that variants can lay over either form.
void expand_scheme_slots(Value& root);

/// Takes the schemes that are not registered out of a scenario whose slots are written out, so that the rest of it can
/// be checked; gives their names, each once, in the order of the slots.
std::vector<std::string> take_unknown_schemes(Value& root);

/// Reads one slot: the scheme, by default the role's, and its parameters.
PolicyChoice read_scheme(Reader slot, const SchemeRole& role);
/// Reads an element of a list of slots; the scheme must be named.
PolicyChoice read_listed_scheme(Reader slot, const SchemeRole& role);

}  // namespace weir
