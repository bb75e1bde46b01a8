// SPDX-License-Identifier: Apache-2.0
// The routing table of one switch, as installed by a controller.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "units/ids.h"

namespace weir {

/// The equal-cost ports towards a host. With weights, port i is chosen with a probability proportional to weight i;
/// without weights, all with the same probability.
struct NextHops {
  std::span<const PortId> ports;
  std::span<const std::uint32_t> weights;  ///< empty, or one per port; their sum is above zero and below 2^32
  std::uint16_t group = 0;                 ///< number of this set at its switch, by which a scheme can keep state
};

/// The port selected by a uniformly distributed 32-bit `hash`. `hops` must not be empty.
inline PortId select(const NextHops& hops, std::uint32_t hash) {
  const auto scale = [hash](std::uint64_t bound) { return (static_cast<std::uint64_t>(hash) * bound) >> 32; };
  if (hops.weights.empty()) return hops.ports[scale(hops.ports.size())];
  std::uint64_t total = 0;
  for (const std::uint32_t weight : hops.weights) total += weight;
  std::uint64_t point = scale(total);
  for (std::size_t i = 0; i < hops.ports.size(); ++i) {
    if (point < hops.weights[i]) return hops.ports[i];
    point -= hops.weights[i];
  }
  return hops.ports.back();
}

/// Maps each host to its next hops. Hosts with the same next hops share a group, so a table has one small number per
/// host, and usually less after pack(), because hosts with consecutive numbers are usually near each other.
class Routes {
 public:
  Routes() = default;
  explicit Routes(std::size_t hosts) : hosts_(hosts) { lay_out(); }

  /// Adds a group of next hops and returns its number; `weights` is empty or has one value per port. All groups of the
  /// same single port are one group, the first. Throws std::length_error at the 2^15th.
  std::uint16_t add_group(std::span<const PortId> ports, std::span<const std::uint32_t> weights = {}) {
    if (groups_.size() >= kGroup) throw std::length_error("a routing table has fewer than 2^15 groups of next hops");
    groups_.push_back(
        {static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint16_t>(ports.size()), !weights.empty()});
    ports_.insert(ports_.end(), ports.begin(), ports.end());
    if (weights.empty()) {
      weights_.resize(ports_.size(), 0);
    } else {
      weights_.insert(weights_.end(), weights.begin(), weights.end());
    }
    const auto group = static_cast<std::uint16_t>(groups_.size() - 1);
    const bool single = ports.size() == 1 && ports.front().value < kGroup;
    if (single && ports.front().index() >= group_of_port_.size()) group_of_port_.resize(ports.front().index() + 1, 0);
    if (single && group_of_port_[ports.front().index()] == 0) group_of_port_[ports.front().index()] = group;
    way_of_group_.push_back(single ? ports.front().value : static_cast<std::uint16_t>(kGroup | group));
    return group;
  }
  void set_group(HostId host, std::uint16_t group) {
    if (packed_) unpack();
    ways_[host.index()] = way_of_group_[group];
  }
  /// Keeps only one of identical pages; to be called when all groups are set. set_group() undoes it.
  void pack();

  [[nodiscard]] std::size_t hosts() const { return hosts_; }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::uint16_t group_of(HostId host) const {
    const std::uint16_t way = word_of(host);
    return (way & kGroup) != 0 ? static_cast<std::uint16_t>(way & ~kGroup) : group_of_port_[way];
  }
  /// Memory of the table without the object itself.
  [[nodiscard]] std::size_t bytes() const;

  /// The next hop or group towards a host, in one word.
  class Way {
   public:
    constexpr explicit Way(std::uint16_t word) : word_(word) {}
    bool operator==(const Way&) const = default;
    /// Whether there is exactly one port.
    [[nodiscard]] bool is_port() const { return (word_ & kGroup) == 0; }
    [[nodiscard]] PortId port() const { return PortId(word_); }

   private:
    friend class Routes;
    std::uint16_t word_;
  };
  [[nodiscard]] Way way_to(HostId host) const { return Way(host.index() < hosts_ ? word_of(host) : kGroup); }
  /// The next hops if there is more than a single port; empty if there is no route.
  [[nodiscard]] NextHops choices(Way way) const { return hops_of(static_cast<std::uint16_t>(way.word_ & ~kGroup)); }
  /// The next hops towards `host`; empty if there is no route.
  [[nodiscard]] NextHops to(HostId host) const {
    if (host.index() >= hosts_) return {};
    return hops_of(group_of(host));
  }

 private:
  static constexpr std::uint16_t kGroup =
      0x8000;  // flag of a Way: the other bits are the number of a group, otherwise the port
  static constexpr std::size_t kPage = 64;  // hosts

  void lay_out();
  void unpack();
  [[nodiscard]] std::uint16_t word_of(HostId host) const {
    return ways_[page_of_[host.index() / kPage] + host.index() % kPage];
  }
  [[nodiscard]] NextHops hops_of(std::uint16_t number) const {
    const Group& group = groups_[number];
    return {{ports_.data() + group.first, group.count},
            group.weighted ? std::span<const std::uint32_t>(weights_.data() + group.first, group.count)
                           : std::span<const std::uint32_t>(),
            number};
  }

  struct Group {
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    bool weighted = false;
  };
  std::size_t hosts_ = 0;
  bool packed_ = false;
  std::vector<std::uint32_t> page_of_;  // by host / kPage: start of its page in ways_
  std::vector<std::uint16_t> ways_;     // in pages of kPage hosts; in a table that is not packed, by host
  std::vector<std::uint16_t> way_of_group_ = std::vector<std::uint16_t>(1, kGroup);
  std::vector<std::uint16_t> group_of_port_;           // of the single port; zero: none
  std::vector<Group> groups_ = std::vector<Group>(1);  // group 0 is empty: no route
  std::vector<PortId> ports_;
  std::vector<std::uint32_t> weights_;
};

}  // namespace weir
