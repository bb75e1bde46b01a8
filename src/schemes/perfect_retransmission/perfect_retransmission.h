// SPDX-License-Identifier: Apache-2.0
// Switches notify a sender of each frame that they drop, and senders retransmit exactly that frame. The rules are in
// perfect_retransmission.md.
#pragma once

#include "policy/scheme.h"

namespace weir::perfect_retransmission {

extern const Scheme scheme;

/// Frame::protocol of the notices.
inline constexpr std::uint8_t kProtocol = 73;

}  // namespace weir::perfect_retransmission
