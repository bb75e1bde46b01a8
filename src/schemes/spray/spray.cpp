// SPDX-License-Identifier: Apache-2.0
#include "schemes/spray/spray.h"

#include <cstdint>
#include <memory>

namespace weir::spray {
namespace {

class Spray final : public Forwarding {
 public:
  // [SPRAY-1] Uniform, or by weight, independent of the flow. [SPRAY-2] predict() stays none(), because a random choice
  // cannot be predicted.
  PortId choose(SwitchContext& context, const Frame&, const NextHops& hops) override {
    return select(hops, static_cast<std::uint32_t>(context.random().next() >> 32));
  }
};

}  // namespace

const Scheme scheme = {
    .name = "spray",
    .summary = "packet spraying: each frame is sent to a random port among the equal-cost ones",
    .traits = {.spreads_packets = true},
    .parameters = {},
    .forwarding = [](const Parameters&) -> std::unique_ptr<Forwarding> { return std::make_unique<Spray>(); },
};

}  // namespace weir::spray
