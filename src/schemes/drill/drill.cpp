// SPDX-License-Identifier: Apache-2.0
#include "schemes/drill/drill.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace weir::drill {
namespace {

class Drill final : public Forwarding {
 public:
  explicit Drill(const Parameters& parameters)
      : samples_(static_cast<std::size_t>(parameters.get<std::int64_t>("samples"))),
        remembers_(parameters.get<bool>("remember")) {}

  void attach(SwitchContext& context) override {
    order_.resize(context.ports());
    best_.resize(context.hosts() + 1);  // a host has one set of next hops; set 0 is empty
  }

  // [DRILL-5] predict() stays none(): the choice depends on queue lengths and random numbers.
  PortId choose(SwitchContext& context, const Frame&, const NextHops& hops) override {
    PortId& remembered = best_[hops.group % best_.size()];
    PortId best = is_among(remembered, hops) ? remembered : PortId::none();  // [DRILL-2] [DRILL-4]
    // [DRILL-3] A sample replaces the best port so far only if it has fewer bytes.
    const auto consider = [&](PortId port) {
      if (!best.exists() || context.port(port).queued_bytes < context.port(best).queued_bytes) best = port;
    };
    if (hops.weights.empty()) {
      consider_distinct(context, hops, consider);
    } else {
      consider_weighted(context, hops, consider);
    }
    if (remembers_) remembered = best;
    return best;
  }

 private:
  static bool is_among(PortId port, const NextHops& hops) {
    return port.exists() && std::find(hops.ports.begin(), hops.ports.end(), port) != hops.ports.end();
  }

  // [DRILL-1] The first `samples_` ports of a random permutation.
  template <typename Consider>
  void consider_distinct(SwitchContext& context, const NextHops& hops, const Consider& consider) {
    const std::size_t ports = hops.ports.size();
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(ports);
    std::copy(hops.ports.begin(), hops.ports.end(), order_.begin());
    const std::size_t samples = std::min(samples_, ports);
    for (std::size_t i = 0; i < samples; ++i) {
      const auto here = order_.begin() + static_cast<std::ptrdiff_t>(i);
      const auto left = static_cast<std::uint64_t>(end - here);
      std::swap(*here, *(here + static_cast<std::ptrdiff_t>(context.random().below(left))));
      consider(*here);
    }
  }

  // [DRILL-6] Independent draws; a port of weight zero is never drawn.
  template <typename Consider>
  void consider_weighted(SwitchContext& context, const NextHops& hops, const Consider& consider) {
    for (std::size_t i = 0; i < samples_; ++i) {
      consider(select(hops, static_cast<std::uint32_t>(context.random().next() >> 32)));
    }
  }

  std::size_t samples_;
  bool remembers_;
  std::vector<PortId> order_;  // scratch: the ports of a set, permuted
  std::vector<PortId> best_;   // by set of next hops: the port of its last frame
};

}  // namespace

const Scheme scheme = {
    .name = "drill",
    .summary = "DRILL: each frame is sent to the shortest of a few random ports and the best port of last time",
    .traits = {.spreads_packets = true},
    .parameters =
        {
            {.name = "samples",
             .default_value = std::int64_t{2},
             .meaning = "number of ports drawn at random for each frame (d of DRILL(d, m))",
             .source = "authors' code of Floodgate and Pyrrha: 2",
             .minimum = 1,
             .maximum = 64},
            {.name = "remember",
             .default_value = true,
             .meaning = "whether the port of the previous frame to the same set of next hops is compared as well (m = "
                        "1; otherwise m = 0)",
             .source = "authors' code of Floodgate and Pyrrha: one port"},
        },
    .forwarding = [](const Parameters& parameters) -> std::unique_ptr<Forwarding> {
      return std::make_unique<Drill>(parameters);
    },
};

}  // namespace weir::drill
