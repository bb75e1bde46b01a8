// SPDX-License-Identifier: Apache-2.0
// The switch's part of NDP's multipath: the sender numbers the paths, and switches follow the number.
#pragma once

#include <cstddef>

#include "policy/switch_policy.h"

namespace weir::ndp {

/// [NDP-PATH-2] The number is in the entropy of a frame. Its lowest digit, to the base of the number of ports, selects
/// the port at switches of the first tier, and the next one at those above: in a network of tiers with as many ways up
/// at each tier, consecutive numbers take all paths once. With weights, a mixed number selects in proportion.
class PathForwarding final : public Forwarding {
 public:
  void attach(SwitchContext& context) override { above_ = context.tier() > 1; }
  PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) override {
    return port_of(frame.entropy, hops);
  }
  [[nodiscard]] PortId predict(const FlowKey& key, const NextHops& hops) const override {
    return port_of(key.entropy, hops);
  }

 private:
  [[nodiscard]] PortId port_of(std::uint16_t number, const NextHops& hops) const {
    if (!hops.weights.empty()) return select(hops, static_cast<std::uint32_t>(mix(number, above_ ? 1 : 0)));
    const std::size_t ports = hops.ports.size();
    return hops.ports[(above_ ? number / ports : number) % ports];
  }

  bool above_ = false;
};

}  // namespace weir::ndp
