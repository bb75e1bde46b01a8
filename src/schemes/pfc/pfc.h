// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control (IEEE 802.1Qbb), in switch and NIC. The rules are in pfc.md.
#pragma once

#include "policy/scheme.h"

namespace weir::pfc {

extern const Scheme scheme;

}  // namespace weir::pfc
