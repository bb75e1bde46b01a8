// SPDX-License-Identifier: Apache-2.0
#include "wire/envelope.h"

namespace weir {

Envelope default_envelope(const Frame& frame) {
  Envelope envelope;
  if (frame.is_hop_control()) {
    envelope.destination_mac = frame.kind == FrameKind::pfc ? kMacControlAddress : kNearestBridgeAddress;
    envelope.source_mac = kUnnamedMacAddress;
  } else {
    envelope.destination_mac = mac_address_of(frame.destination);
    envelope.source_mac = frame.source.exists() ? mac_address_of(frame.source) : kUnnamedMacAddress;
  }
  envelope.tagged = frame.kind != FrameKind::pfc;
  envelope.dscp = static_cast<std::uint8_t>((frame.priority & 0x07u) << 3);
  return envelope;
}

}  // namespace weir
