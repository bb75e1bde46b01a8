// SPDX-License-Identifier: Apache-2.0
// Pyrrha's four control frames.
#pragma once

#include <cstdint>
#include <optional>

#include "schemes/pyrrha/root.h"
#include "wire/frame.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir::pyrrha {

/// Frame::protocol of Pyrrha's control frames.
inline constexpr std::uint8_t kProtocol = 9;

/// The kind of a control frame. The first three are sent upstream, the last one downstream.
enum class Kind : std::uint8_t {
  pause,       ///< hold what passes the root
  resume,      ///< send it again
  merge,       ///< the root has been given up for another
  deallocate,  ///< the sender has no isolation queue for the root any more
};

/// [PYRRHA-FRAME-1] A control frame to the neighbour:
///
///     Frame::tag         its kind (Kind)
///     Frame::queue_pair  switch of the root; a host: kHostRoot plus its number
///     Frame::tag_value   port of the root; merge: plus 65,536 times the port of the new root
///     Frame::sequence    merge: switch of the new root, or host as above; otherwise zero
struct Message {
  Kind kind = Kind::pause;
  Root root = 0;
  Root successor = 0;  ///< of merge: the new root
  bool operator==(const Message&) const = default;
};

/// A frame with this message; none() if the pool has no frame.
FrameId make_message(FramePool& frames, const Framing& framing, const Message& message);

/// The message of a frame; none if it is not a frame of Pyrrha, or has a kind or fields that no sender writes: a root
/// that is a host has port 0, and is never given up for another.
std::optional<Message> read_message(const Frame& frame);

}  // namespace weir::pyrrha
