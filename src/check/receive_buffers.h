// SPDX-License-Identifier: Apache-2.0
// Checks of hosts that drain slowly.
#pragma once

#include "check/check.h"

namespace weir {

/// Refuses receive buffers that are too small for a frame, or for the headroom of PFC and three frames. Warns of hosts
/// whose switches run no flow control that a host could use to pause them.
void check_receive_buffers(const Settings& settings, CheckedVariant& out);

}  // namespace weir
