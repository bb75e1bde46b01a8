// SPDX-License-Identifier: Apache-2.0
// ExpressPass (Cho, Jang and Han, SIGCOMM 2017): receivers send credits, and each credit permits one packet. The rules
// are in expresspass.md.
#pragma once

#include "policy/scheme.h"

namespace weir::expresspass {

extern const Scheme scheme;

}  // namespace weir::expresspass
