// SPDX-License-Identifier: Apache-2.0
// Sets of hosts, their racks, and lists of pairs of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "traffic/flow.h"
#include "units/ids.h"
#include "units/random.h"

namespace weir {

/// Hosts in ascending order, each once.
class HostSet {
 public:
  HostSet() = default;
  explicit HostSet(std::vector<HostId> hosts);
  HostSet(std::initializer_list<HostId> hosts) : HostSet(std::vector<HostId>(hosts)) {}
  /// Hosts first..first+count-1.
  static HostSet range(std::size_t first, std::size_t count);

  [[nodiscard]] std::size_t size() const { return hosts_.size(); }
  [[nodiscard]] bool empty() const { return hosts_.empty(); }
  [[nodiscard]] HostId operator[](std::size_t i) const { return hosts_[i]; }
  [[nodiscard]] bool contains(HostId host) const;
  [[nodiscard]] HostSet without(const HostSet& others) const;
  [[nodiscard]] auto begin() const { return hosts_.begin(); }
  [[nodiscard]] auto end() const { return hosts_.end(); }
  [[nodiscard]] const std::vector<HostId>& hosts() const { return hosts_; }

 private:
  std::vector<HostId> hosts_;
};

/// The rack of each host. A host that is not listed has a rack of its own.
class Racks {
 public:
  Racks() = default;
  /// `rack_of_host[h]` is the rack of host h, an arbitrary number.
  explicit Racks(std::vector<std::uint32_t> rack_of_host) : rack_of_host_(std::move(rack_of_host)) {}
  /// Hosts from 0 on, with `hosts_per_rack` hosts per rack.
  static Racks of_equal_size(std::size_t racks, std::size_t hosts_per_rack);

  [[nodiscard]] std::uint64_t rack(HostId host) const {
    constexpr std::uint64_t kOwnRack = std::uint64_t{1} << 32;
    return host.index() < rack_of_host_.size() ? rack_of_host_[host.index()] : kOwnRack + host.value;
  }
  [[nodiscard]] bool same(HostId a, HostId b) const { return rack(a) == rack(b); }
  /// The lowest host of each rack, in the order of these hosts: the destinations of a rotating incast (floodgate 6).
  [[nodiscard]] std::vector<HostId> first_hosts() const;

 private:
  std::vector<std::uint32_t> rack_of_host_;
};

/// Selects pairs from two sets of hosts. A host never sends to itself.
enum class PairScope : std::uint8_t {
  any,         ///< all except from a host to itself
  inter_rack,  ///< hosts of different racks
  intra_rack   ///< two hosts of one rack
};

/// Hosts ordered by rack, so that the possible destinations of a host are one contiguous range with at most one gap,
/// and the k-th is found in constant time.
class HostsByRack {
 public:
  HostsByRack() = default;
  HostsByRack(const HostSet& hosts, const Racks& racks);

  /// Positions begin..end-1 except gap_begin..gap_end-1.
  struct Choice {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t gap_begin = 0;
    std::size_t gap_end = 0;
    [[nodiscard]] std::size_t size() const { return (end - begin) - (gap_end - gap_begin); }
  };
  /// The hosts that are in `scope` of `host`, which need not be one of these hosts.
  [[nodiscard]] Choice choice(HostId host, PairScope scope) const;
  /// All hosts.
  [[nodiscard]] Choice everyone() const { return {0, hosts_.size(), 0, 0}; }
  /// The k-th host of the choice, where k is below choice.size().
  [[nodiscard]] HostId at(const Choice& choice, std::size_t k) const {
    const std::size_t position = choice.begin + k;
    return hosts_[position < choice.gap_begin ? position : position + (choice.gap_end - choice.gap_begin)];
  }
  [[nodiscard]] std::size_t size() const { return hosts_.size(); }
  /// All hosts, in order.
  [[nodiscard]] const std::vector<HostId>& hosts() const { return hosts_; }

 private:
  Racks racks_;
  std::vector<HostId> hosts_;  // by (rack, host)
};

/// All pairs of source and destination in the scope, in order.
std::vector<HostPair> all_pairs(const HostSet& sources, const HostSet& destinations, PairScope scope = PairScope::any,
                                const Racks& racks = Racks());

/// The i-th source with the i-th destination; the shorter list is repeated. Pairs of a host with itself are omitted.
std::vector<HostPair> zipped_pairs(const std::vector<HostId>& sources, const std::vector<HostId>& destinations);

/// Each host sends to one other host and receives from one other host: one cycle drawn uniformly (Sattolo 1986). Fewer
/// than two hosts give no pairs.
std::vector<HostPair> permutation_pairs(const HostSet& hosts, RandomStream random);

/// `count` destinations for each source, drawn uniformly and independently from those in the scope. A source without
/// destinations gives no pairs.
std::vector<HostPair> random_pairs(const HostSet& sources, const HostSet& destinations, std::size_t count,
                                   RandomStream random, PairScope scope = PairScope::any, const Racks& racks = Racks());

}  // namespace weir
