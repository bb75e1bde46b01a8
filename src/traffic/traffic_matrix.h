// SPDX-License-Identifier: Apache-2.0
// The distribution of traffic over pairs of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traffic/hosts.h"
#include "units/random.h"

namespace weir {

/// Sources and destinations; all pairs within the scope are equally likely.
struct TrafficBlock {
  HostSet sources;
  HostSet destinations;
  PairScope scope = PairScope::any;
  double weight = 1.0;  ///< of flows, relative to the other blocks
};

/// A source and its destinations: `destinations` except `but`, each with this share of all flows. Spans with equal
/// addresses contain the same hosts.
struct TrafficRun {
  HostId source;
  std::span<const HostId> destinations;
  std::span<const HostId> but;
  double share = 0;
};

/// A distribution over pairs of hosts: a mixture of blocks. Drawing takes one or two random numbers, regardless of its
/// size.
class TrafficMatrix {
 public:
  TrafficMatrix() = default;
  /// `blocks` must pass problems().
  explicit TrafficMatrix(const std::vector<TrafficBlock>& blocks, const Racks& racks = Racks());

  /// All pairs of these hosts with equal probability.
  static TrafficMatrix uniform(const HostSet& hosts);
  /// A share of the flows stays in its rack, the rest leaves it. 0 gives inter-rack pairs only (floodgate 6, pyrrha
  /// 6.1), and if racks are of equal size, every rack and every host in it has the same share (bfc A.5).
  static TrafficMatrix with_rack_local_share(const HostSet& hosts, const Racks& racks, double share);

  /// Errors in these blocks: "block 2: ..."; empty if there are none.
  static std::vector<std::string> problems(const std::vector<TrafficBlock>& blocks, const Racks& racks = Racks());

  [[nodiscard]] HostPair draw(RandomStream& random) const;
  /// Visits each pair with its share of all flows. The shares sum to 1; pairs in overlapping blocks are visited several
  /// times.
  void for_each(const std::function<void(HostPair, double)>& visit) const;
  /// The same, one source at a time.
  void for_each_run(const std::function<void(const TrafficRun&)>& visit) const;
  /// The share of flows between racks.
  [[nodiscard]] double inter_rack_share(const Racks& racks) const;

  /// One more than the highest host index; zero without hosts.
  [[nodiscard]] std::size_t host_bound() const { return host_bound_; }
  [[nodiscard]] bool empty() const { return blocks_.empty(); }

 private:
  struct Block {
    std::vector<HostId> sources;               // those with a destination
    std::vector<HostsByRack::Choice> choices;  // each source's destinations
    std::vector<std::uint64_t> pairs_up_to;    // pairs of this source and of all previous ones
    HostsByRack destinations;
    double weight_up_to = 0.0;  // of this block and of all previous ones
    double weight = 0.0;
  };
  static Block make_block(const TrafficBlock& block, const Racks& racks);

  std::vector<Block> blocks_;  // those with weight
  std::size_t host_bound_ = 0;
};

}  // namespace weir
