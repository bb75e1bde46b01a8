// SPDX-License-Identifier: Apache-2.0
// DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015): switches mark CE, the
// receiving NIC sends congestion notification packets, and the sending NIC cuts its rate and recovers.
#pragma once

#include "policy/scheme.h"

namespace weir::dcqcn {

/// Two variants of one scheme: that of the paper, and that of the public HPCC simulator and its descendants. dcqcn.md
/// has the rules of both.
extern const Scheme scheme;

}  // namespace weir::dcqcn
