// The routing table of one switch, as a controller installs it.
#pragma once

#include <cstdint>
#include <span>
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
  explicit Routes(std::size_t hosts) : hosts_(hosts), group_of_host_(hosts, 0), only_port_of_host_(hosts) {
    groups_.push_back({});
  }

  /// Adds a group of next hops and gives its number; `weights` is empty or one a port.
  std::uint16_t add_group(std::span<const PortId> ports, std::span<const std::uint32_t> weights = {}) {
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
    only_port_of_host_[host.index()] = to.count == 1 ? ports_[to.first] : PortId::none();
  }

  [[nodiscard]] std::size_t hosts() const { return hosts_; }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::uint16_t group_of(HostId host) const { return group_of_host_[host.index()]; }

  /// The port towards `host` when there is exactly one; none() when there is a choice, or no way.
  [[nodiscard]] PortId only_port(HostId host) const {
    return host.index() < hosts_ ? only_port_of_host_[host.index()] : PortId::none();
  }
  /// The next hops towards `host`; no ports when there is no way.
  [[nodiscard]] NextHops to(HostId host) const {
    if (host.index() >= group_of_host_.size()) return {};
    const Group& group = groups_[group_of_host_[host.index()]];
    return {{ports_.data() + group.first, group.count},
            group.weighted ? std::span<const std::uint32_t>(weights_.data() + group.first, group.count)
                           : std::span<const std::uint32_t>(),
            group_of_host_[host.index()]};
  }

 private:
  struct Group {
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    bool weighted = false;
  };
  std::size_t hosts_ = 0;
  std::vector<std::uint16_t> group_of_host_;
  std::vector<PortId> only_port_of_host_;  // none: no way, or a choice
  std::vector<Group> groups_;              // group 0 is empty: no way
  std::vector<PortId> ports_;
  std::vector<std::uint32_t> weights_;
};

}  // namespace weir
