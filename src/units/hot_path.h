// SPDX-License-Identifier: Apache-2.0
// Attributes for the few functions that every frame passes, where a call would cost more than the work.
#pragma once

#include <cstddef>

/// Inline regardless of the compiler's size heuristics. For small functions with one or two callers on the path of a
/// frame.
#define WEIR_HOT_INLINE [[gnu::always_inline]] inline

namespace weir {

/// Prefetches the cache line of `what`, which will be accessed soon. Always inline, because GCC treats a function that
/// only prefetches as one without effect, and removes its calls.
WEIR_HOT_INLINE void prefetch(const void* what) {
  __builtin_prefetch(what);
}

/// The same for all lines of an object.
template <class Object>
WEIR_HOT_INLINE void prefetch_all(const Object& object) {
  for (std::size_t at = 0; at < sizeof object; at += 64) prefetch(reinterpret_cast<const char*>(&object) + at);
}

}  // namespace weir
