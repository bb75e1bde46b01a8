// SPDX-License-Identifier: Apache-2.0
#include "schemes/dynamic_threshold/dynamic_threshold.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weir::dynamic_threshold {
namespace {

/// alpha for a port of `rate`: doubled for each doubling over the reference rate (a partial doubling counts as one), up
/// to 1 (HPCC simulator). An alpha above 1 is not changed.
double scaled_alpha(double alpha, BitRate rate, BitRate reference) {
  while (rate > reference && alpha < 1) {
    alpha = std::min(1.0, 2 * alpha);
    rate = rate / 2;
  }
  return alpha;
}

class DynamicThreshold final : public BufferPolicy {
 public:
  explicit DynamicThreshold(const Parameters& parameters)
      : alpha_(parameters.get<double>("alpha")),
        egress_alpha_(parameters.get<double>("egress_alpha")),
        resume_offset_(parameters.get<Bytes>("resume_offset").count()),
        scale_with_rate_(parameters.get<bool>("scale_alpha_with_rate")),
        reference_rate_(parameters.get<BitRate>("reference_rate")) {}

  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      const BitRate rate = context.port(PortId(port)).rate;
      alpha_of_port_.push_back(scale_with_rate_ ? scaled_alpha(alpha_, rate, reference_rate_) : alpha_);  // [DT-4]
    }
  }

  [[nodiscard]] std::int64_t xoff(const SwitchContext& context, PortId ingress, Priority priority) const override {
    return share_of_free(context, priority, alpha_of_port_[ingress.index()]);  // [DT-1]
  }

  [[nodiscard]] std::optional<LinearThreshold> linear_xoff(PortId ingress, Priority) const override {
    return LinearThreshold{.base = 0, .share = alpha_of_port_[ingress.index()]};
  }

  [[nodiscard]] std::int64_t xon(const SwitchContext& context, PortId ingress, Priority priority) const override {
    return std::max<std::int64_t>(0, xoff(context, ingress, priority) - resume_offset_);  // [DT-2]
  }

  [[nodiscard]] std::int64_t egress_limit(const SwitchContext& context, PortId, Priority priority) const override {
    return share_of_free(context, priority, egress_alpha_);  // [DT-3]
  }

 private:
  static std::int64_t share_of_free(const SwitchContext& context, Priority priority, double alpha) {
    const PoolState& pool = context.pool_of(priority);
    return static_cast<std::int64_t>(alpha * static_cast<double>(std::max<std::int64_t>(0, pool.size - pool.used)));
  }

  double alpha_;
  double egress_alpha_;
  std::int64_t resume_offset_;
  bool scale_with_rate_;
  BitRate reference_rate_;
  std::vector<double> alpha_of_port_;
};

}  // namespace

const Scheme scheme = {
    .name = "dynamic_threshold",
    .summary = "buffer thresholds proportional to the free buffer (Choudhury and Hahne 1998)",
    .traits = {},
    .parameters =
        {
            {.name = "alpha",
             .default_value = 0.125,
             .meaning = "xoff is alpha times the free bytes of the service pool",
             .source = "HPCC simulator: 1/8 at the rate of the NICs",
             .minimum = 1e-6,
             .maximum = 1024},
            {.name = "resume_offset",
             .default_value = Bytes(3072),
             .meaning = "difference between xoff and xon",
             .source = "HPCC simulator: 3 KiB"},
            {.name = "scale_alpha_with_rate",
             .default_value = true,
             .meaning = "alpha doubles, up to 1, with each doubling of the port rate above reference_rate",
             .source = "HPCC simulator"},
            {.name = "reference_rate",
             .default_value = BitRate(100'000'000'000),
             .meaning = "port rate to which alpha applies unscaled; normally the rate of the NICs",
             .source = "HPCC simulator: the rate of the NICs; 100 Gbit/s in most of the papers' evaluations",
             .minimum = 1},
            {.name = "egress_alpha",
             .default_value = 1.0,
             .meaning = "a lossy frame is dropped if its egress port would then hold more than this factor times the "
                        "free bytes of the pool",
             .source = "ConWeave simulator: 1",
             .minimum = 1e-6,
             .maximum = 1024},
        },
    .buffer = [](const Parameters& parameters) -> std::unique_ptr<BufferPolicy> {
      return std::make_unique<DynamicThreshold>(parameters);
    },
    .idle = [](const Parameters& parameters) -> std::vector<IdleParameter> {
      if (parameters.get<bool>("scale_alpha_with_rate")) return {};
      return {{"reference_rate", "scale_alpha_with_rate = false"}};
    },
};

}  // namespace weir::dynamic_threshold
