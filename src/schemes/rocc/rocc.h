// SPDX-License-Identifier: Apache-2.0
// RoCC (Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020): each egress port of a switch computes
// the fair rate of its flows with a PI controller and sends it to their sources.
#pragma once

#include "policy/scheme.h"

namespace weir::rocc {

/// Congestion point and reaction point. rocc.md has the rules.
extern const Scheme scheme;

}  // namespace weir::rocc
