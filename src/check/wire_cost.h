// SPDX-License-Identifier: Apache-2.0
// The bytes that flows take on the wire in addition to their payload.
#pragma once

#include "fabric/settings.h"
#include "traffic/flow_size.h"

namespace weir {

/// Mean bytes on the wire per byte of payload, including preambles and gaps. Bytes that schemes add to frames and
/// retransmissions are not counted.
struct WireCost {
  double data = 1;              ///< from source to destination, with the control frames of the sender
  double acknowledgements = 0;  ///< in the opposite direction, with all other answers of the receiver
  /// In the opposite direction, of a transport whose packets need credits: bytes of credits, divided by the share of a
  /// link that credits may take (ControlCost::per_packet_share). A link at its rate has no credits left.
  double credits = 0;
};

/// Every packet of a flow except the last is full; every `acknowledge_every`-th packet of a flow and its last are
/// acknowledged. A transport may say that it sends other control frames (ControlCost).
WireCost wire_cost(const FlowSize& size, const HostSettings& hosts, const Framing& framing);

}  // namespace weir
