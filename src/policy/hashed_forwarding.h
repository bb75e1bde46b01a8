// SPDX-License-Identifier: Apache-2.0
// Forwarding by a hash of the header, whatever the hash: what ECMP is, and what a scheme with a hash of its own is.
#pragma once

#include <cstdint>

#include "policy/flow_hash.h"
#include "policy/switch_policy.h"
#include "units/hot_path.h"

namespace weir {

/// Whose seeds differ.
enum class SeedScope : std::uint8_t {
  network,  ///< all switches have one
  tier,     ///< those of a tier have one (SwitchContext::tier)
  node      ///< each switch has one of its own
};

/// The seed of a switch: it follows from `seed`, and from the switch as `scope` says.
inline std::uint32_t hash_seed(std::uint64_t seed, SeedScope scope, const SwitchContext& context) {
  std::uint64_t mixed = 0;
  switch (scope) {
    case SeedScope::network:
      mixed = mix(seed);
      break;
    case SeedScope::tier:
      mixed = mix(mix(seed, 0x74696572), static_cast<std::uint64_t>(context.tier()));
      break;
    case SeedScope::node:
      mixed = mix(seed, context.id().value);
      break;
  }
  return static_cast<std::uint32_t>(mixed >> 32);
}

/// Chooses the port that `kHash` gives for a frame's key: a function (seed, key) of 32 bits, as select() wants them,
/// with the good bits at the high end. predict() follows, so that a controller foresees the paths.
///
/// A hash that says the same of a key and of reversed(key), with one seed for each tier, takes frames of both
/// directions the same way in a network of tiers whose ports stand in the same order everywhere (ExpressPass 3.1).
template <auto kHash>
class HashedForwarding final : public Forwarding {
 public:
  HashedForwarding(std::uint64_t seed, SeedScope scope) : common_seed_(seed), scope_(scope) {}

  void attach(SwitchContext& context) override { seed_ = hash_seed(common_seed_, scope_, context); }
  PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) override {
    return port_of(FlowKey::of(frame), hops);
  }
  [[nodiscard]] PortId predict(const FlowKey& key, const NextHops& hops) const override { return port_of(key, hops); }

 private:
  // Inlined in both, as forwarding is asked at every hop.
  [[nodiscard]] WEIR_HOT_INLINE PortId port_of(const FlowKey& key, const NextHops& hops) const {
    return select(hops, kHash(seed_, key));
  }

  std::uint64_t common_seed_;
  SeedScope scope_;
  std::uint32_t seed_ = 0;
};

}  // namespace weir
