// SPDX-License-Identifier: Apache-2.0
// QCN, quantised congestion notification (IEEE 802.1Qau). The rules are in qcn.md.
#pragma once

#include "policy/scheme.h"

namespace weir::qcn {

extern const Scheme scheme;

/// Frame::protocol of the notifications; Frame::tag is the quantised feedback.
inline constexpr std::uint8_t kProtocol = 74;
/// The range of six bits.
inline constexpr std::uint32_t kMaximumFeedback = 63;

}  // namespace weir::qcn
