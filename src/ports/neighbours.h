// SPDX-License-Identifier: Apache-2.0
// The addresses of hosts, as configured: nothing is learnt from traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "wire/address.h"

namespace weir {

/// Host n of the network has the IPv4 address 10.0.0.0 + n (wire/address.h). Its MAC address is the one set here, or
/// that of mac_address_of().
class Neighbours {
 public:
  explicit Neighbours(std::size_t hosts) : macs_(hosts) {}

  [[nodiscard]] std::size_t hosts() const { return macs_.size(); }
  void set_mac(HostId host, const MacAddress& mac) { macs_[host.index()] = mac; }
  /// The MAC address set for a host; none if none was.
  [[nodiscard]] std::optional<MacAddress> mac(HostId host) const {
    return host.index() < macs_.size() ? macs_[host.index()] : std::nullopt;
  }
  /// The host with an address; none if it is not of this network.
  [[nodiscard]] std::optional<HostId> host(Ipv4Address address) const { return within(host_of(address)); }
  [[nodiscard]] std::optional<HostId> host(const MacAddress& address) const {
    const auto known = std::find(macs_.begin(), macs_.end(), std::optional(address));
    if (known != macs_.end()) return HostId(static_cast<std::size_t>(known - macs_.begin()));
    return within(host_of(address));
  }

 private:
  [[nodiscard]] std::optional<HostId> within(std::optional<HostId> host) const {
    return host && host->index() < macs_.size() ? host : std::nullopt;
  }
  std::vector<std::optional<MacAddress>> macs_;
};

}  // namespace weir
