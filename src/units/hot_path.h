// SPDX-License-Identifier: Apache-2.0
// Marks the few functions that every frame passes, where a call would cost more than the work.
#pragma once

/// Inline whatever the compiler's size heuristics say. For small functions with one or two callers on a frame's way.
#define WEIR_HOT_INLINE [[gnu::always_inline]] inline

namespace weir {

/// Gets the cache line of `what`, which will be looked at soon. Inline always: GCC takes a function that only
/// prefetches for one that does nothing, and drops its calls.
WEIR_HOT_INLINE void prefetch(const void* what) {
  __builtin_prefetch(what);
}

}  // namespace weir
