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

/// The schemes with this role, quoted, in the order of the registry: "ecmp", "spray".
std::string schemes_in(const SchemeRole& role);

/// The roles of a scheme, by name.
std::vector<std::string_view> roles_of(const Scheme& scheme);

/// The tables in which a parameter of the scheme can be given: "switch.flow_control", or several joined by `between`.
std::string tables_of(const Scheme& scheme, const ParameterSpec& spec, std::string_view between);
/// Whether the scheme has parameters that only some of its roles use.
bool has_parameters_of_roles(const Scheme& scheme);

/// Expands `slot = "name"` to `slot = { scheme = "name" }` in every slot, and a single scheme in a list slot to a list
/// of one, so that variants can be merged with either form.
void expand_scheme_slots(Value& root);

/// Removes unregistered schemes from a scenario whose slots are expanded, so that the rest can be checked. Returns
/// their names, each once, in the order of the slots.
std::vector<std::string> take_unknown_schemes(Value& root);

/// Reads one slot: the scheme (default: the role's) and its parameters.
PolicyChoice read_scheme(Reader slot, const SchemeRole& role);
/// Reads an element of a list of slots; the scheme is required.
PolicyChoice read_listed_scheme(Reader slot, const SchemeRole& role);

}  // namespace weir
