// SPDX-License-Identifier: Apache-2.0
// Which links routes leave out, from when until when.
#pragma once

#include <vector>

#include "fabric/settings.h"

namespace weir {

struct FailureState {
  Time from;
  Time until = Time::never();
  std::vector<LinkId> failed;  ///< ascending
};

/// One behind the other from the start until `stop`: routes change a detection time after a link does. A link that is
/// down from the start was never there for the controller.
std::vector<FailureState> failure_states(const NetworkSettings& network, Time stop);

}  // namespace weir
