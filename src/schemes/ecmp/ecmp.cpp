#include "schemes/ecmp/ecmp.h"

#include <cstdint>
#include <memory>
#include <string>

#include "units/hot_path.h"

namespace weir::ecmp {
namespace {

HashKind hash_kind(const std::string& name) {
  if (name == "crc32") return HashKind::crc32;
  if (name == "xor_fold") return HashKind::xor_fold;
  return HashKind::mix;
}

/// The hash as select() wants it, which looks at the high bits first: a folded hash has its good bits at the low end.
std::uint32_t spread(HashKind kind, std::uint32_t hash) {
  return kind == HashKind::xor_fold ? __builtin_bswap32(hash) : hash;
}

class Ecmp final : public Forwarding {
 public:
  explicit Ecmp(const Parameters& parameters)
      : hash_(hash_kind(parameters.get<std::string>("hash"))),
        seed_per_switch_(parameters.get<bool>("seed_per_switch")),
        common_seed_(static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"))) {}

  void attach(SwitchContext& context) override {
    // [ECMP-3] A seed of the switch's own, or one for all.
    const std::uint64_t seed = seed_per_switch_ ? mix(common_seed_, context.id().value) : mix(common_seed_);
    seed_ = static_cast<std::uint32_t>(seed >> 32);
  }

  PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) override {
    return port_of(FlowKey::of(frame), hops);  // [ECMP-4]
  }

  [[nodiscard]] PortId predict(const FlowKey& key, const NextHops& hops) const override { return port_of(key, hops); }

 private:
  // Inlined in both, as forwarding is asked at every hop.
  [[nodiscard]] WEIR_HOT_INLINE PortId port_of(const FlowKey& key, const NextHops& hops) const {
    // [ECMP-1] One flow, one port. [ECMP-2] select() honours weights.
    return select(hops, spread(hash_, flow_hash(hash_, seed_, key)));
  }

  HashKind hash_;
  bool seed_per_switch_;
  std::uint64_t common_seed_;
  std::uint32_t seed_ = 0;
};

}  // namespace

const Scheme scheme = {
    .name = "ecmp",
    .summary = "equal-cost multi-path: a hash of the header chooses the port",
    .traits = {},
    .parameters =
        {
            {.name = "hash",
             .default_value = std::string("mix"),
             .meaning = "the hash function: mix has good avalanche, crc32 and xor_fold are linear as in switch chips",
             .source = "our choice; the public simulators' murmur3 has good avalanche too",
             .choices = {"mix", "crc32", "xor_fold"}},
            {.name = "seed_per_switch",
             .default_value = true,
             .meaning = "each switch has a seed of its own; one seed for all lets the switches' choices polarise",
             .source = "HPCC simulator: the seed is the switch's number"},
            {.name = "seed",
             .default_value = std::int64_t{1},
             .meaning = "what the seeds are derived from",
             .source = "our choice",
             .maximum = 9e15},
        },
    .forwarding = [](const Parameters& parameters) -> std::unique_ptr<Forwarding> {
      return std::make_unique<Ecmp>(parameters);
    },
};

}  // namespace weir::ecmp
