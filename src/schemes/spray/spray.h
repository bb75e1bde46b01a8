// SPDX-License-Identifier: Apache-2.0
// Packet spraying: each frame goes to a port drawn at random. The rules are in spray.md.
#pragma once

#include "policy/scheme.h"

namespace weir::spray {

extern const Scheme scheme;

}  // namespace weir::spray
