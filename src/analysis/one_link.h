// SPDX-License-Identifier: Apache-2.0
// Flows that share one link: how many there are, packet by packet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "traffic/size_table.h"
#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// Whose packet is next.
enum class LinkScheduling : std::uint8_t {
  fair,                ///< every flow's next packet in turn
  shortest_remaining,  ///< the flow with the fewest bytes left, decided anew for each packet
  first_come           ///< whole flows in the order of arrival
};

struct OneLinkSettings {
  std::shared_ptr<const SizeTable> sizes;
  BitRate rate;
  double load = 0.6;           ///< bytes that arrive over bytes that the link carries; below 1
  double sigma = 2;            ///< of the logarithm of lognormal times between flows; zero: exponential
  std::int64_t packet = 1000;  ///< bytes of a full packet; headers do not count
  std::uint64_t flows = 1'000'000;
  double warm_up = 0.1;    ///< the part of the flows that arrives before anything is counted
  bool permanent = false;  ///< one flow more, that never ends; with fair scheduling only
  LinkScheduling scheduling = LinkScheduling::fair;
  std::uint64_t seed = 1;
};

/// A flow's bytes are all there when it arrives; it is active until its last byte has left. The link is never idle
/// while a flow is active. The same settings give the same result on any machine.
struct OneLinkResult {
  std::vector<std::int64_t> time_at;   ///< picoseconds during which so many flows were active
  std::vector<std::uint32_t> sampled;  ///< the number at equal intervals, when one was asked for
};

/// `interval` zero: no samples.
OneLinkResult run_one_link(const OneLinkSettings& settings, Duration interval = Duration());

}  // namespace weir
