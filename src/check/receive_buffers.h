// SPDX-License-Identifier: Apache-2.0
// Checks of hosts that drain slowly.
#pragma once

#include "check/check.h"

namespace weir {

/// Refuses receive buffers that are too small for a frame, or for the headroom of PFC and three frames, and flow
/// controls with parameters for which hosts cannot pause their switches. Warns of hosts whose switches run no flow
/// control that a host could use to pause them, and of buffers that are smaller than a flow control needs.
void check_receive_buffers(const Settings& settings, CheckedVariant& out);

}  // namespace weir
