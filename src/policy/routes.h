// The routing table of one switch, as a controller installs it.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "units/ids.h"

namespace weir {

/// The equally good ports towards a host. With weights, port i is chosen with probability proportional to weight i;
/// without, all alike.
struct NextHops {
  std::span<const PortId> ports;
  std::span<const std::uint32_t> weights;  ///< empty, or one a port; their sum is above zero and below 2^32
  std::uint16_t group = 0;  ///< number of this set at its switch: a key for what a scheme remembers of it
};

/// The port a uniformly distributed 32-bit `hash` selects. `hops` must not be empty.
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

/// Maps each host to its next hops. Hosts that share next hops share a group, so a table is small.
class Routes {
 public:
  Routes() = default;
  explicit Routes(std::size_t hosts) : group_of_host_(hosts, 0), way_of_host_(hosts, kGroup) {}

  /// Adds a group of next hops and gives its number; `weights` is empty or one a port. Throws std::length_error at the
  /// 2^15th.
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
    return static_cast<std::uint16_t>(groups_.size() - 1);
  }
  void set_group(HostId host, std::uint16_t group) {
    group_of_host_[host.index()] = group;
    const Group& to = groups_[group];
    const bool single = to.count == 1 && ports_[to.first].value < kGroup;
    way_of_host_[host.index()] = single ? ports_[to.first].value : static_cast<std::uint16_t>(kGroup | group);
  }

  [[nodiscard]] std::size_t hosts() const { return group_of_host_.size(); }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::uint16_t group_of(HostId host) const { return group_of_host_[host.index()]; }

  /// The way towards a host as one word, so that a frame costs one look into a table that is rarely at hand.
  class Way {
   public:
    explicit Way(std::uint16_t word) : word_(word) {}
    /// Whether there is exactly one port.
    [[nodiscard]] bool is_port() const { return (word_ & kGroup) == 0; }
    [[nodiscard]] PortId port() const { return PortId(word_); }

   private:
    friend class Routes;
    std::uint16_t word_;
  };
  [[nodiscard]] Way way_to(HostId host) const {
    return Way(host.index() < way_of_host_.size() ? way_of_host_[host.index()] : kGroup);
  }
  /// The next hops where it is no single port; none when there is no way.
  [[nodiscard]] NextHops choices(Way way) const { return hops_of(static_cast<std::uint16_t>(way.word_ & ~kGroup)); }
  /// The next hops towards `host`; no ports when there is no way.
  [[nodiscard]] NextHops to(HostId host) const {
    if (host.index() >= group_of_host_.size()) return {};
    return hops_of(group_of_host_[host.index()]);
  }

 private:
  static constexpr std::uint16_t kGroup = 0x8000;  // of a way: the rest is the number of a group, else it is the port

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
  std::vector<std::uint16_t> group_of_host_;
  std::vector<std::uint16_t> way_of_host_;
  std::vector<Group> groups_ = std::vector<Group>(1);  // group 0 is empty: no way
  std::vector<PortId> ports_;
  std::vector<std::uint32_t> weights_;
};

}  // namespace weir
