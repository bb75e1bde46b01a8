// SPDX-License-Identifier: Apache-2.0
// NDP (Handley et al., SIGCOMM 2017): switches trim packets, receivers pull them. The rules are in ndp.md.
#pragma once

#include <cstdint>

#include "policy/scheme.h"

namespace weir::ndp {

inline constexpr std::uint8_t kProtocol = 76;

extern const Scheme scheme;

}  // namespace weir::ndp
