// SPDX-License-Identifier: Apache-2.0
// RoCC's control loop (rocc 5, eq. 6) with the steps and the interval of its section 6.
#include "policy/pi_loop.h"
#include "reproduce/analysis.h"

namespace weir {
namespace {

class RoccLoop : public Analysis {
 public:
  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    constexpr double kRateStep = 1.25e6;  // bytes per second: 10 Mbit/s
    constexpr double kQueueStep = 600;    // bytes
    const PiLoop loop = {.alpha = number(arguments, "alpha"),
                         .beta = number(arguments, "beta"),
                         .flows = number(arguments, "n"),
                         .step_ratio = kRateStep / kQueueStep,
                         .interval = Duration::picoseconds(40'000'000)};
    if (loop.alpha <= 0 || loop.beta < 0 || loop.flows <= 0) throw Unavailable("expected gains and flows above zero");
    return Figure::number(measure == "phase_margin" ? loop.phase_margin() : loop.crossover());
  }
};

}  // namespace

AnalysisKind rocc_loop_analysis() {
  const std::vector<Signature::Argument> loop = {{"alpha", false, kPlain, true, "gain of the error"},
                                                 {"beta", false, kPlain, true, "gain of its change"},
                                                 {"n", false, kPlain, true, "flows"}};
  return {"rocc_loop",
          "the loop of RoCC's PI controller",
          {{"phase_margin", "in degrees", kPlain, false, loop},
           {"loop_bandwidth", "where the gain is one, in radians a second", kPlain, false, loop}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<RoccLoop>(); }};
}

}  // namespace weir
