// SPDX-License-Identifier: Apache-2.0
// The reaction point: a rate limiter a flow, which CNPs set and time removes.
#pragma once

#include <memory>

#include "policy/nic_policy.h"
#include "policy/parameters.h"

namespace weir::rocc {

std::unique_ptr<CongestionControl> make_reaction_point(const Parameters& parameters);

}  // namespace weir::rocc
