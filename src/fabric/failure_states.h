// SPDX-License-Identifier: Apache-2.0
// The links that routes avoid, over time.
#pragma once

#include <vector>

#include "fabric/settings.h"

namespace weir {

struct FailureState {
  Time from;
  Time until = Time::never();
  std::vector<LinkId> failed;  ///< ascending
};

/// The consecutive states from the start until `stop`: routes change one detection time after a link does. A link that
/// is down from the start never existed for the controller.
std::vector<FailureState> failure_states(const NetworkSettings& network, Time stop);

}  // namespace weir
