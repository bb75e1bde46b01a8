// SPDX-License-Identifier: Apache-2.0
// IRN (Mittal et al., SIGCOMM 2018): selective retransmission and a limit on packets in flight. The rules are in
// irn.md.
#pragma once

#include "policy/scheme.h"

namespace weir::irn {

extern const Scheme scheme;

}  // namespace weir::irn
