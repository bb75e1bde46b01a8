// Marks the few functions that every frame passes, where a call would cost more than the work.
#pragma once

/// Inline whatever the compiler's size heuristics say. For small functions with one or two callers on a frame's way.
#define WEIR_HOT_INLINE [[gnu::always_inline]] inline
