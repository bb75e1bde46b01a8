// SPDX-License-Identifier: Apache-2.0
// Identifying numbers. Each kind has its own type, so that a port cannot be used as a host.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace weir {

/// A number of kind `Tag`. `Id::none()` (all ones) identifies nothing.
template <class Tag, class Number>
struct Id {
  Number value = static_cast<Number>(~Number{0});

  constexpr Id() = default;
  explicit constexpr Id(std::size_t number) : value(static_cast<Number>(number)) {}

  static constexpr Id none() { return Id(); }
  [[nodiscard]] constexpr bool exists() const { return value != static_cast<Number>(~Number{0}); }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;
};

using NodeId = Id<struct NodeTag, std::uint32_t>;            ///< a host or a switch of a network, 0..nodes-1
using HostId = Id<struct HostTag, std::uint32_t>;            ///< a host, by its address, 0..hosts-1
using SwitchId = Id<struct SwitchTag, std::uint32_t>;        ///< a switch, as known to controllers, 0..switches-1
using PortId = Id<struct PortTag, std::uint16_t>;            ///< a port of one node, 0..ports-1
using QueueId = Id<struct QueueTag, std::uint32_t>;          ///< a queue of one switch
using GateId = Id<struct GateTag, std::uint32_t>;            ///< a gate of one NIC
using TimerId = Id<struct TimerTag, std::uint32_t>;          ///< a timer of one switch or NIC
using FlowId = Id<struct FlowTag, std::uint32_t>;            ///< a message handed to a NIC, numbered by its requester
using QueuePairId = Id<struct QueuePairTag, std::uint32_t>;  ///< a queue pair number, 24 bits on the wire
using FrameId = Id<struct FrameIdTag, std::uint32_t>;        ///< a frame in its FramePool

/// An 802.1Q priority code point, 0..7. The scheduler decides which is served first.
using Priority = std::uint8_t;
inline constexpr int kPriorities = 8;

}  // namespace weir

template <class Tag, class Number>
struct std::hash<weir::Id<Tag, Number>> {
  std::size_t operator()(weir::Id<Tag, Number> id) const noexcept { return std::hash<Number>()(id.value); }
};
