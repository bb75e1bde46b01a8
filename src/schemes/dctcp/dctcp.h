// SPDX-License-Identifier: Apache-2.0
// DCTCP (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010): receivers echo each mark, and senders cut their
// window in proportion to the marked bytes.
#pragma once

#include "policy/scheme.h"

namespace weir::dctcp {

/// The sender and the receiver; marks are set by the scheme `red` with kmin = kmax = K. dctcp.md has the rules.
extern const Scheme scheme;

}  // namespace weir::dctcp
