// SPDX-License-Identifier: Apache-2.0
#include "check/wire_cost.h"

namespace weir {

WireCost wire_cost(const FlowSize& size, const HostSettings& hosts, const Framing& framing) {
  const double packets = size.mean_pieces(Bytes(hosts.payload));
  const double acknowledgements = size.mean_pieces(Bytes(hosts.payload) * std::int64_t{hosts.acknowledge_every});
  const double mean = size.mean();
  // The headers alone exceed the minimum frame size, so no data frame is padded.
  return {(mean + packets * (framing.data(0) + framing.wire_overhead)) / mean,
          acknowledgements * (framing.acknowledge() + framing.wire_overhead) / mean};
}

}  // namespace weir
