// SPDX-License-Identifier: Apache-2.0
// Switches that tell a sender of each frame they drop, and senders that send exactly that again. The rules are in
// perfect_retransmission.md.
#pragma once

#include "policy/scheme.h"

namespace weir::perfect_retransmission {

extern const Scheme scheme;

/// Of the notices (Frame::protocol).
inline constexpr std::uint8_t kProtocol = 73;

}  // namespace weir::perfect_retransmission
