// SPDX-License-Identifier: Apache-2.0
#include "schemes/static_threshold/static_threshold.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemes/declared_needs.h"

namespace weir::static_threshold {
namespace {

class StaticThreshold final : public BufferPolicy, public DeclaresNeeds {
 public:
  explicit StaticThreshold(const Parameters& parameters)
      : xoff_(parameters.get<Bytes>("xoff").count()),
        fast_rate_(parameters.get<BitRate>("fast_rate")),
        fast_xoff_(parameters.get<Bytes>("fast_xoff").count()),
        resume_offset_(parameters.get<Bytes>("resume_offset").count()),
        egress_limit_(parameters.get<Bytes>("egress_limit").count()),
        fast_egress_limit_(parameters.get<Bytes>("fast_egress_limit").count()) {}

  void attach(SwitchContext& context) override {
    const auto ports = static_cast<std::int64_t>(context.ports());
    for (std::size_t port = 0; port < context.ports(); ++port) {
      const bool fast = is_fast(context, PortId(port));
      const std::int64_t fixed = fast ? fast_xoff_ : xoff_;  // [ST-2]
      for (std::size_t priority = 0; priority < kPriorities; ++priority) {
        const std::int64_t equal_part = context.pool_of(static_cast<Priority>(priority)).size / ports;  // [ST-3]
        xoff_of_ingress_.push_back(fixed > 0 ? fixed : equal_part);
      }
    }
  }

  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId ingress, Priority priority) const override {
    return xoff_of_ingress_[ingress.index() * kPriorities + priority];  // [ST-1]
  }

  [[nodiscard]] std::optional<LinearThreshold> linear_xoff(PortId ingress, Priority priority) const override {
    return LinearThreshold{.base = xoff_of_ingress_[ingress.index() * kPriorities + priority], .share = 0};
  }

  [[nodiscard]] std::int64_t xon(const SwitchContext& context, PortId ingress, Priority priority) const override {
    return std::max<std::int64_t>(0, xoff(context, ingress, priority) - resume_offset_);  // [ST-4]
  }

  [[nodiscard]] std::int64_t egress_limit(const SwitchContext& context, PortId port, Priority priority) const override {
    const std::int64_t limit = fast_egress_limit_ > 0 && is_fast(context, port) ? fast_egress_limit_ : egress_limit_;
    return limit > 0 ? limit : context.pool_of(priority).size;  // [ST-5]
  }

  [[nodiscard]] std::optional<Bytes> fixed_egress_limit() const override {
    std::optional<Bytes> least;
    for (const std::int64_t limit : {egress_limit_, fast_egress_limit_}) {
      if (limit > 0 && (!least || limit < least->count())) least = Bytes(limit);
    }
    return least;
  }

 private:
  [[nodiscard]] bool is_fast(const SwitchContext& context, PortId port) const {
    return fast_rate_ > BitRate() && context.port(port).rate >= fast_rate_;
  }

  std::int64_t xoff_;
  BitRate fast_rate_;
  std::int64_t fast_xoff_;
  std::int64_t resume_offset_;
  std::int64_t egress_limit_;
  std::int64_t fast_egress_limit_;
  std::vector<std::int64_t> xoff_of_ingress_;  // ports * kPriorities
};

std::vector<std::string> errors(const Parameters& parameters) {
  std::vector<std::string> out;
  const bool has_rate = parameters.get<BitRate>("fast_rate") > BitRate();
  const bool has_xoff = parameters.get<Bytes>("fast_xoff") > Bytes(0);
  if (has_rate != has_xoff) out.emplace_back("fast_rate and fast_xoff must be given together");
  if (!has_rate && parameters.get<Bytes>("fast_egress_limit") > Bytes(0)) {
    out.emplace_back("fast_egress_limit requires fast_rate");
  }
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "static_threshold",
    .summary = "fixed buffer thresholds",
    .traits = {},
    .parameters =
        {
            {.name = "xoff",
             .default_value = Bytes(0),
             .meaning = "shared bytes at which an ingress pauses its neighbour; 0: an equal share of the pool per port",
             .source = "SPFC III.A: B/32 in a switch of 32 ports"},
            {.name = "fast_rate",
             .default_value = BitRate(),
             .meaning = "ports of at least this rate use fast_xoff instead of xoff; 0: none do",
             .source = "RoCC 6: one threshold for 40 Gbit/s ports, another for 100 Gbit/s ports"},
            {.name = "fast_xoff",
             .default_value = Bytes(0),
             .meaning = "xoff of ports of at least fast_rate",
             .source = "RoCC 6: 800 KB beside 500 KB"},
            {.name = "resume_offset",
             .default_value = Bytes(3072),
             .meaning = "difference between xoff and xon",
             .source = "HPCC simulator: 3 KiB"},
            {.name = "egress_limit",
             .default_value = Bytes(0),
             .meaning = "a lossy frame is dropped if its egress port would then hold more than this; 0: the whole pool",
             .source = "our choice: the papers set no limit"},
            {.name = "fast_egress_limit",
             .default_value = Bytes(0),
             .meaning = "egress_limit of ports of at least fast_rate; 0: equal to egress_limit",
             .source = "RoCC A.2: three times the PFC threshold"},
        },
    .buffer = [](const Parameters& parameters) -> std::unique_ptr<BufferPolicy> {
      return std::make_unique<StaticThreshold>(parameters);
    },
    .errors = errors,
    .idle = [](const Parameters& parameters) -> std::vector<IdleParameter> {
      if (parameters.get<BitRate>("fast_rate") > BitRate()) return {};
      return {{"fast_xoff", "fast_rate = \"0 bit/s\""}, {"fast_egress_limit", "fast_rate = \"0 bit/s\""}};
    },
};

}  // namespace weir::static_threshold
