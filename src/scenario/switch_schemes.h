// SPDX-License-Identifier: Apache-2.0
// Each scheme of switches in turn, for programs that try all of them.
#pragma once

#include <vector>

#include "fabric/settings.h"

namespace weir {

/// The schemes with a role in switches, without ideal ones, which no real switch can run; in the order of
/// all_schemes().
std::vector<const Scheme*> schemes_of_real_switches();

/// The same settings with one scheme in all the roles that it has in switches, and as transport of hosts. A flow
/// control precedes those that are there, unless it is one of them; in all other roles the scheme is the only one.
Settings with_scheme_in_switches(Settings settings, const PolicyChoice& choice);

}  // namespace weir
