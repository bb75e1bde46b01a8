// SPDX-License-Identifier: Apache-2.0
#include "fixed_window.h"

#include <cstdint>
#include <memory>

namespace fixed_window {
namespace {

class FixedWindow final : public weir::CongestionControl {
 public:
  explicit FixedWindow(weir::Bytes window) : window_(window.count()) {}

  void open(weir::NicContext&, weir::SendState& sender) override {
    sender.rate = sender.line_rate;
    sender.window = window_;
  }

 private:
  std::int64_t window_;
};

}  // namespace

const weir::Scheme scheme = {
    .name = "fixed_window",
    .summary = "a constant window per queue pair",
    .traits = {.sets_window = true},
    .parameters = {{.name = "window",
                    .default_value = weir::Bytes(20'000),
                    .meaning = "bytes that a queue pair may have in flight",
                    .source = "this example's choice",
                    .minimum = 1'500,
                    .maximum = 1e9}},
    .congestion_control = [](const weir::Parameters& parameters) -> std::unique_ptr<weir::CongestionControl> {
      return std::make_unique<FixedWindow>(parameters.get<weir::Bytes>("window"));
    },
};

}  // namespace fixed_window
