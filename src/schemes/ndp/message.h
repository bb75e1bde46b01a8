// SPDX-License-Identifier: Apache-2.0
// NDP's control frames to hosts: in their tag the kind, in their tag value a number.
#pragma once

#include <cstdint>

#include "wire/frame.h"

namespace weir::ndp {

enum class Message : std::uint16_t {
  ack = 1,   ///< the packet with this number arrived
  nack = 2,  ///< only its header arrived
  pull = 3   ///< the receiver has sent this number of pulls in all
};

inline void write(Frame& frame, Message message, std::uint32_t number) {
  frame.tag = static_cast<std::uint16_t>(message);
  frame.tag_value = number;
}

}  // namespace weir::ndp
