// SPDX-License-Identifier: Apache-2.0
// Forwarding by a hash of the header, for any hash function: the base of ECMP and of schemes with their own hash.
#pragma once

#include <cstdint>

#include "policy/flow_hash.h"
#include "policy/switch_policy.h"
#include "units/hot_path.h"

namespace weir {

/// Which switches share a seed.
enum class SeedScope : std::uint8_t {
  network,  ///< all switches
  tier,     ///< the switches of one tier (SwitchContext::tier)
  node      ///< none: each switch has its own seed
};

/// The seed of a switch, derived from `seed` and, depending on `scope`, from the switch.
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

/// Chooses the port that `kHash` gives for a frame's key. `kHash` is a function (seed, key) with 32-bit results whose
/// high bits are well mixed, as select() requires. predict() uses the same function, so that a controller can compute
/// the paths.
///
/// If the hash gives the same value for a key and for reversed(key), with one seed per tier, frames of both directions
/// take the same path in a network of tiers whose ports are in the same order everywhere (ExpressPass 3.1).
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
  // Inlined in both callers, because forwarding is called at every hop.
  [[nodiscard]] WEIR_HOT_INLINE PortId port_of(const FlowKey& key, const NextHops& hops) const {
    return select(hops, kHash(seed_, key));
  }

  std::uint64_t common_seed_;
  SeedScope scope_;
  std::uint32_t seed_ = 0;
};

}  // namespace weir
