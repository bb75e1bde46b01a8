// SPDX-License-Identifier: Apache-2.0
// Attributes for the few functions that every frame passes, where a call would cost more than the work.
#pragma once

/// Inline regardless of the compiler's size heuristics. For small functions with one or two callers on the path of a
/// frame.
#define WEIR_HOT_INLINE [[gnu::always_inline]] inline

namespace weir {

/// Prefetches the cache line of `what`, which will be accessed soon. Always inline, because GCC treats a function that
/// only prefetches as one without effect, and removes its calls.
WEIR_HOT_INLINE void prefetch(const void* what) {
  __builtin_prefetch(what);
}

}  // namespace weir
