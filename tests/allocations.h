// SPDX-License-Identifier: Apache-2.0
// Counts allocations while it is armed. The counting operator new is in conformance_test.cpp.
#pragma once

#include <cstdint>

namespace weir::whole {

/// Per thread: whether allocations are counted, and their number.
struct AllocationCounter {
  bool armed = false;
  std::uint64_t count = 0;
};
AllocationCounter& allocation_counter();

/// Calls `call` with the counter armed, and returns its result.
template <class Call>
auto counting_allocations(Call call) {
  struct Armed {
    Armed() { allocation_counter().armed = true; }
    ~Armed() { allocation_counter().armed = false; }
  } const armed;
  return call();
}

}  // namespace weir::whole
