// SPDX-License-Identifier: Apache-2.0
// The accounts of a shared-memory switch: the bytes that each owner holds in each part of the buffer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/switch_state.h"

namespace weir {

/// An ingress port and priority fills its reserve first, then the service pool while it is below xoff, then its
/// headroom; it releases them in the opposite order (like the HPCC simulator's switch, and the chips that it models).
/// Lossy priorities use the pool only.
namespace shared_buffer {

/// The bytes that are compared with the threshold xoff: above the reserve, without headroom.
inline std::int64_t above_reserve(const IngressState& ingress) {
  return std::max<std::int64_t>(0, ingress.used - ingress.headroom - ingress.reserve_size);
}

/// Charges a lossless frame of `bytes` for which the reserve and the pool have space, below the threshold, if nothing
/// is in headroom.
inline void charge_below_threshold(BufferState& buffer, PoolState& pool, IngressState& ingress, std::int64_t bytes) {
  const std::int64_t outside = ingress.used + bytes - ingress.reserve_size;
  const std::int64_t part = std::clamp<std::int64_t>(outside, 0, bytes);
  ingress.shared += part;
  pool.used += part;
  ingress.used += bytes;
  buffer.used += bytes;
  buffer.maximum = std::max(buffer.maximum, buffer.used);
}

/// Charges a lossless frame of `bytes`. False, and nothing charged, if no part has enough space.
inline bool charge_lossless(BufferState& buffer, PoolState& pool, IngressState& ingress, std::int64_t bytes,
                            std::int64_t xoff) {
  const std::int64_t outside = ingress.used - ingress.headroom + bytes - ingress.reserve_size;
  if (outside > 0) {
    const std::int64_t part = std::min(bytes, outside);
    if (outside > xoff || !pool.has_room(part)) {
      if (ingress.headroom + bytes > ingress.headroom_size) return false;
      ingress.headroom += bytes;
    } else {
      ingress.shared += part;
      pool.used += part;
    }
  }
  ingress.used += bytes;
  buffer.used += bytes;
  buffer.maximum = std::max(buffer.maximum, buffer.used);
  return true;
}

/// Charges a lossy frame. False, and nothing charged, if the pool is full.
inline bool charge_lossy(BufferState& buffer, PoolState& pool, IngressState& ingress, std::int64_t bytes) {
  if (!pool.has_room(bytes)) return false;
  ingress.shared += bytes;
  pool.used += bytes;
  ingress.used += bytes;
  buffer.used += bytes;
  buffer.maximum = std::max(buffer.maximum, buffer.used);
  return true;
}

/// Releases the charge of a frame of `bytes`.
inline void release(BufferState& buffer, PoolState& pool, IngressState& ingress, std::int64_t bytes) {
  std::int64_t rest = bytes;
  if (ingress.headroom > 0) [[unlikely]] {
    const std::int64_t from_headroom = std::min(ingress.headroom, bytes);
    ingress.headroom -= from_headroom;
    rest -= from_headroom;
  }
  const std::int64_t from_shared = std::min(rest, ingress.shared);
  ingress.shared -= from_shared;
  pool.used -= from_shared;
  ingress.used -= bytes;
  buffer.used -= bytes;
}

}  // namespace shared_buffer
}  // namespace weir
