// SPDX-License-Identifier: Apache-2.0
// The reaction point: one rate limiter per flow, set by CNPs and removed by time.
#pragma once

#include <memory>

#include "policy/nic_policy.h"
#include "policy/parameters.h"

namespace weir::rocc {

std::unique_ptr<CongestionControl> make_reaction_point(const Parameters& parameters);

}  // namespace weir::rocc
