// SPDX-License-Identifier: Apache-2.0
// QCN, quantised congestion notification (IEEE 802.1Qau). The rules are in qcn.md.
#pragma once

#include "policy/scheme.h"

namespace weir::qcn {

extern const Scheme scheme;

/// Of the notifications (Frame::protocol); Frame::tag has the quantised feedback.
inline constexpr std::uint8_t kProtocol = 74;
/// What six bits hold.
inline constexpr std::uint32_t kMaximumFeedback = 63;

}  // namespace weir::qcn
