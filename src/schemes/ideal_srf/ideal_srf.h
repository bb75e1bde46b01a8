// SPDX-License-Identifier: Apache-2.0
// One queue per flow, the flow with the least remaining bytes first: the upper bound for shortest remaining flow first.
// The rules are in ideal_srf.md.
#pragma once

#include "policy/scheme.h"

namespace weir::ideal_srf {

/// [ISRF-2] The remaining bytes of the sender's messages; zero: the host writes none.
inline constexpr HeaderField kRemaining{"remaining", 4, FrameKinds(FrameKind::data, FrameKind::datagram),
                                        HeaderField::Reach::end_to_end};

extern const Scheme scheme;

}  // namespace weir::ideal_srf
