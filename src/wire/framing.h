// SPDX-License-Identifier: Apache-2.0
// The size of each kind of frame, on the wire and in a buffer.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir {

/// Sizes in bytes. `frame` bytes are counted by buffers and thresholds; a frame occupies its link for `wire_overhead`
/// more (preamble, start delimiter, inter-frame gap).
struct Framing {
  std::uint16_t data_overhead;  ///< a data frame has this in addition to its padded payload
  std::uint16_t ack;            ///< acknowledgement and negative acknowledgement, to which schemes may add bytes
  std::uint16_t cnp;
  std::uint16_t pfc;
  std::uint16_t minimum_frame;  ///< shorter frames are padded to this
  std::uint16_t wire_overhead;
  std::uint16_t payload_unit;  ///< a data frame's payload is padded to a multiple of this power of two
  std::uint16_t minimum_ack;   ///< an acknowledgement is padded to this

  /// RoCEv2 over tagged Ethernet: 14 Ethernet, 4 802.1Q, 20 IPv4, 8 UDP, 12 BTH, 4 ICRC, 4 FCS = 66 in addition to the
  /// payload; an acknowledgement has 4 of AETH, a CNP 16 reserved bytes (InfiniBand specification, annexes A16, A17).
  /// The payload is padded to whole words of 4 bytes (9.2.4, PadCnt).
  static constexpr Framing rocev2() { return {66, 70, 82, 64, 64, 20, 4, 64}; }
  /// The HPCC simulator and its descendants: 48 in addition to the payload, no preamble, gap or FCS. An acknowledgement
  /// has 46 bytes of headers and is padded to 60.
  static constexpr Framing hpcc_simulator() { return {48, 46, 60, 43, 0, 0, 1, 60}; }
  /// The Floodgate and Pyrrha simulators: 76 in addition to the payload, including preamble and gap, which are counted
  /// in buffers.
  static constexpr Framing pyrrha_simulator() { return {76, 70, 84, 64, 0, 0, 1, 84}; }

  [[nodiscard]] constexpr std::uint16_t data(std::uint32_t payload) const {
    const std::uint32_t unit = payload_unit;
    return padded(((payload + unit - 1) & ~(unit - 1)) + data_overhead);
  }
  /// An acknowledgement or negative acknowledgement to which schemes add `added` bytes.
  [[nodiscard]] constexpr std::uint16_t acknowledge(std::uint32_t added = 0) const {
    return std::max(static_cast<std::uint16_t>(ack + added), minimum_ack);
  }
  [[nodiscard]] constexpr std::uint16_t padded(std::uint32_t bytes) const {
    return static_cast<std::uint16_t>(bytes < minimum_frame ? minimum_frame : bytes);
  }
};

}  // namespace weir
