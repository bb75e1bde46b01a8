// SPDX-License-Identifier: Apache-2.0
// A record of every call from a driver to a node and of every frame that the node returned, sufficient for a replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "wire/frame_pool.h"

namespace weir {

/// The header bytes and extension of a frame at the moment it crossed the boundary.
struct FrameCopy {
  Frame header{};
  std::vector<std::byte> extension;

  static FrameCopy of(const FramePool& frames, const Frame& frame) {
    const auto bytes = frames.extension(frame);
    return {frame, {bytes.begin(), bytes.end()}};
  }
  /// Makes a frame of `frames` with these bytes; none() if the pool is empty.
  [[nodiscard]] FrameId make(FramePool& frames) const {
    const FrameId id = frames.allocate();
    if (!id.exists()) return id;
    Frame& frame = frames[id];
    frame = header;
    frame.extension = ExtensionId::none();
    if (!extension.empty()) {
      const auto bytes = frames.extend(frame, extension.size());
      if (!bytes.empty()) std::memcpy(bytes.data(), extension.data(), extension.size());
    }
    return id;
  }
  /// Whether both frames are the same on the wire: all header bytes and the extension.
  [[nodiscard]] bool same_on_wire(const FrameCopy& other) const {
    constexpr std::size_t kFirst = offsetof(Frame, frame_bytes);
    constexpr std::size_t kBytes = offsetof(Frame, extension) - kFirst;
    return std::memcmp(reinterpret_cast<const std::byte*>(&header) + kFirst,
                       reinterpret_cast<const std::byte*>(&other.header) + kFirst, kBytes) == 0 &&
           extension == other.extension;
  }
};

/// The calls to one node (a Switch or a Nic), in order. Memory grows with the run: for tests and for debugging.
template <class Node>
struct BoundaryTrace {
  enum class Kind : std::uint8_t { receive, transmit, advance, link, other };
  struct Call {
    Kind kind;
    Time now;
    PortId port;
    bool up = false;                  ///< link
    bool gave = false;                ///< transmit: the node returned a frame
    FrameCopy frame;                  ///< the frame received or returned
    std::function<void(Node&)> redo;  ///< other: a connection manager's or controller's call
  };
  std::vector<Call> calls;

  void receive(Time now, PortId port, const FramePool& frames, const Frame& frame) {
    calls.push_back({Kind::receive, now, port, false, false, FrameCopy::of(frames, frame), {}});
  }
  void transmit(Time now, PortId port, const FramePool& frames, FrameId id) {
    calls.push_back({Kind::transmit,
                     now,
                     port,
                     false,
                     id.exists(),
                     id.exists() ? FrameCopy::of(frames, frames[id]) : FrameCopy(),
                     {}});
  }
  void advance(Time now) { calls.push_back({Kind::advance, now, PortId(), false, false, {}, {}}); }
  void link(Time now, PortId port, bool up) { calls.push_back({Kind::link, now, port, up, false, {}, {}}); }
  void other(Time now, std::function<void(Node&)> redo) {
    calls.push_back({Kind::other, now, PortId(), false, false, {}, std::move(redo)});
  }
};

}  // namespace weir
