// SPDX-License-Identifier: Apache-2.0
// A congestion control that limits the bytes in flight of each queue pair to a constant.
#pragma once

#include <weir/scheme.h>

namespace fixed_window {

extern const weir::Scheme scheme;

}  // namespace fixed_window
