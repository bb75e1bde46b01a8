// SPDX-License-Identifier: Apache-2.0
// A congestion control that bounds what each queue pair has in flight, and never changes the bound.
#pragma once

#include <weir/scheme.h>

namespace fixed_window {

extern const weir::Scheme scheme;

}  // namespace fixed_window
