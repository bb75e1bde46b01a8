// SPDX-License-Identifier: Apache-2.0
#include "schemes/ecmp/ecmp.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policy/hashed_forwarding.h"

namespace weir::ecmp {
namespace {

/// The hash as select() requires it: select() uses the high bits first, and the best bits of a folded hash are the low
/// ones.
template <HashKind kKind>
std::uint32_t spread(std::uint32_t seed, const FlowKey& key) {
  const std::uint32_t hash = flow_hash(kKind, seed, key);
  return kKind == HashKind::xor_fold ? __builtin_bswap32(hash) : hash;
}

// [ECMP-1] One port per flow. [ECMP-2] select() honours weights. [ECMP-4] HashedForwarding predicts its choices.
template <HashKind kKind>
std::unique_ptr<Forwarding> make(std::uint64_t seed, SeedScope scope) {
  return std::make_unique<HashedForwarding<&spread<kKind>>>(seed, scope);
}

std::unique_ptr<Forwarding> make(const Parameters& parameters) {
  const auto& hash = parameters.get<std::string>("hash");
  const auto seed = static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"));
  // [ECMP-3] One seed per switch, or one for all. [ECMP-5] A symmetric hash: one seed per tier.
  const SeedScope scope = parameters.get<bool>("seed_per_switch") ? SeedScope::node : SeedScope::network;
  if (hash == "crc32") return make<HashKind::crc32>(seed, scope);
  if (hash == "xor_fold") return make<HashKind::xor_fold>(seed, scope);
  if (hash == "symmetric") return make<HashKind::symmetric>(seed, SeedScope::tier);
  return make<HashKind::mix>(seed, scope);
}

std::vector<std::string> errors(const Parameters& parameters) {
  if (parameters.get<std::string>("hash") != "symmetric" || !parameters.get<bool>("seed_per_switch")) return {};
  return {"symmetric hashing needs the same seed in all switches of a tier: set seed_per_switch = false"};
}

}  // namespace

const Scheme scheme = {
    .name = "ecmp",
    .summary = "equal-cost multi-path: a hash of the header selects the port",
    .traits = {},
    .parameters =
        {
            {.name = "hash",
             .default_value = std::string("mix"),
             .meaning = "hash function: mix has good avalanche; crc32 and xor_fold are linear, as in switch chips; "
                        "symmetric sends both directions of a flow along the same path",
             .source = "our choice; the public simulators' murmur3 also has good avalanche",
             .choices = {"mix", "crc32", "xor_fold", "symmetric"}},
            {.name = "seed_per_switch",
             .default_value = true,
             .meaning = "whether each switch has its own seed; if false, all switches share one seed (symmetric: one "
                        "per tier), and their choices can polarise",
             .source = "HPCC simulator: the seed is the switch number"},
            {.name = "seed",
             .default_value = std::int64_t{1},
             .meaning = "value from which the seeds are derived",
             .source = "our choice",
             .maximum = 9e15},
        },
    .forwarding = [](const Parameters& parameters) { return make(parameters); },
    .errors = errors,
};

}  // namespace weir::ecmp
