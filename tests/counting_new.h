// SPDX-License-Identifier: Apache-2.0
// The counting operator new. One file of a program includes it; it replaces the program's.
#pragma once

#include <cstdlib>
#include <new>

#include "allocations.h"

namespace weir::whole {

AllocationCounter& allocation_counter() {
  static thread_local AllocationCounter counter;
  return counter;
}

namespace {
[[maybe_unused]] void note_allocation() {
  AllocationCounter& counter = allocation_counter();
  if (counter.armed) ++counter.count;
}
}  // namespace

}  // namespace weir::whole

// Both new and delete are replaced; gcc sees only one of them when it inlines the other.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

// AddressSanitizer has its own pair; allocations are counted in the builds without it.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_KEEPS_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WEIR_KEEPS_ALLOCATOR
#endif
#ifndef WEIR_KEEPS_ALLOCATOR

// The forms for arrays and without exceptions call these.
void* operator new(std::size_t bytes) {
  weir::whole::note_allocation();
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1); memory != nullptr) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  weir::whole::note_allocation();
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit); memory != nullptr) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#endif  // WEIR_KEEPS_ALLOCATOR
