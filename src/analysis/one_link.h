// SPDX-License-Identifier: Apache-2.0
// The number of flows that share one link, simulated packet by packet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "traffic/size_table.h"
#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// Which flow sends the next packet.
enum class LinkScheduling : std::uint8_t {
  fair,                ///< the next packet of every flow in turn
  shortest_remaining,  ///< the flow with the fewest remaining bytes, selected again for each packet
  first_come           ///< whole flows in the order of arrival
};

struct OneLinkSettings {
  std::shared_ptr<const SizeTable> sizes;
  BitRate rate;
  double load = 0.6;           ///< arriving bytes divided by the bytes that the link can carry; below 1
  double sigma = 2;            ///< of the logarithm of lognormal intervals between flows; zero: exponential
  std::int64_t packet = 1000;  ///< bytes of a full packet, without headers
  std::uint64_t flows = 1'000'000;
  double warm_up = 0.1;    ///< the fraction of the flows that arrives before counting starts
  bool permanent = false;  ///< one additional flow that never ends; only with fair scheduling
  LinkScheduling scheduling = LinkScheduling::fair;
  std::uint64_t seed = 1;
};

/// All bytes of a flow are available when it arrives; it is active until its last byte has been sent. The link is never
/// idle while a flow is active. The same settings give the same result on any computer.
struct OneLinkResult {
  std::vector<std::int64_t> time_at;   ///< picoseconds during which this number of flows was active
  std::vector<std::uint32_t> sampled;  ///< the number at equal intervals, if requested
};

/// `interval` zero: no samples.
OneLinkResult run_one_link(const OneLinkSettings& settings, Duration interval = Duration());

}  // namespace weir
