// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "results/run_record.h"

namespace weir {

inline bool operator==(const PauseHold& a, const PauseHold& b) {
  return a.held == b.held && a.innocent == b.innocent && a.packets == b.packets;
}

inline void PrintTo(const PauseHold& hold, std::ostream* out) {
  *out << "held " << hold.held.microseconds() << " us, innocent " << hold.innocent.microseconds() << " us, "
       << hold.packets << " packets";
}

}  // namespace weir
