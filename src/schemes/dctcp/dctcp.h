// SPDX-License-Identifier: Apache-2.0
// DCTCP (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010): receivers echo each mark, senders cut their window
// by how much was marked.
#pragma once

#include "policy/scheme.h"

namespace weir::dctcp {

/// The sender's and receiver's part; marks come from the scheme `red` with kmin = kmax = K. dctcp.md has the rules.
extern const Scheme scheme;

}  // namespace weir::dctcp
