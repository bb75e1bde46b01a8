// SPDX-License-Identifier: Apache-2.0
// A deadlock in a form for output: as a failure text, and with the links of the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "results/finding.h"

namespace weir {

struct DeadlockCycle {
  std::string failure;  ///< "deadlock: 5 ports are held for good; a -> b (priority 3) waits for ..."
  RunFinding finding;
};

/// `held`: what is permanently blocked, such as "5 ports". `ports`: one cycle of those; a link of the record is a
/// channel.
DeadlockCycle deadlock_cycle(const Fabric& fabric, std::string_view held, std::vector<FoundPort> ports);

}  // namespace weir
