// SPDX-License-Identifier: Apache-2.0
// What flows take on the wire, beside their payload.
#pragma once

#include "fabric/settings.h"
#include "traffic/flow_size.h"

namespace weir {

/// Mean bytes on the wire for each byte of payload, preambles and gaps included. What schemes add to frames and what is
/// sent again is not counted.
struct WireCost {
  double data = 1;              ///< from source to destination
  double acknowledgements = 0;  ///< the other way
};

/// Every packet of a flow but its last is full; every `acknowledge_every`-th of a flow and its last are acknowledged.
WireCost wire_cost(const FlowSize& size, const HostSettings& hosts, const Framing& framing);

}  // namespace weir
