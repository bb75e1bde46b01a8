// SPDX-License-Identifier: Apache-2.0
#include "schemes/line_rate/line_rate.h"

#include <memory>

namespace weir::line_rate {

namespace {

class LineRate final : public CongestionControl {
 public:
  // [LINE-RATE-1] No window either. No other hook is requested, so no later event changes this.
  void open(NicContext&, SendState& sender) override {
    sender.rate = sender.line_rate;
    sender.window = kUnlimited;
  }
};

}  // namespace

const Scheme scheme = {
    .name = "line_rate",
    .summary = "no congestion control: queue pairs send at line rate and do not react to congestion",
    .traits = {},
    .parameters = {},
    .congestion_control = [](const Parameters&) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<LineRate>();
    },
};

}  // namespace weir::line_rate
