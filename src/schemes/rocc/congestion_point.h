// SPDX-License-Identifier: Apache-2.0
// The congestion point: computes a fair rate for each egress port and sends it to the flows of its table every T.
#pragma once

#include <memory>

#include "policy/parameters.h"
#include "policy/switch_policy.h"

namespace weir::rocc {

std::unique_ptr<CongestionPoint> make_congestion_point(const Parameters& parameters);

}  // namespace weir::rocc
