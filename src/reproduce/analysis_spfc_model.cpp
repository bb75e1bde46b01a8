// SPFC's flow model: which K tells a victim port from a burst port (spfc IV.C, eq. 8).
#include <fmt/format.h>

#include "reproduce/analysis.h"

namespace weir {
namespace {

class SpfcFlowModel : public Analysis {
 public:
  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    const auto number = [&](std::string_view name) { return *arguments.find(name)->second.as_number(); };
    if (measure == "largest_k") return Figure::number(largest(number("n")));
    if (measure == "smallest_k") return Figure::number(smallest(number("n"), number("epsilon")));
    return Figure::number(covered(number("k"), number("ports")));
  }

 private:
  /// K must be below it, or burst ports pass for victims.
  static double largest(double n) { return n + 1; }
  /// K must be above it, or the victim port passes for a burst port.
  static double smallest(double n, double epsilon) { return (n + 1) / ((1 - epsilon) * (n + 1) + 1); }

  /// Over N = 1 .. ports - 3 (two ports receive, one is the victim's) and 1,000 steps of epsilon from 0 to 1.
  static double covered(double k, double ports) {
    constexpr int kSteps = 1000;
    const int most = static_cast<int>(ports) - 3;
    if (most < 1) throw Unavailable("expected four ports at least");
    int inside = 0;
    for (int n = 1; n <= most; ++n) {
      for (int step = 0; step < kSteps; ++step) {
        const double epsilon = (step + 0.5) / kSteps;
        if (largest(n) > k && k > smallest(n, epsilon)) ++inside;
      }
    }
    return static_cast<double>(inside) / (static_cast<double>(most) * kSteps);
  }
};

}  // namespace

AnalysisKind spfc_flow_model_analysis() {
  return {"spfc_flow_model",
          "SPFC's threshold between victim and burst ports",
          {{"largest_k",
            "above which burst ports pass for victims",
            kPlain,
            false,
            {{"n", false, kPlain, true, "burst ports"}}},
           {"smallest_k",
            "below which the victim port passes for a burst port",
            kPlain,
            false,
            {{"n", false, kPlain, true, "burst ports"},
             {"epsilon", false, kPlain, true, "congested part of the victim port's traffic"}}},
           {"covered",
            "the part of all (N, epsilon) in which K tells them apart",
            kPlain,
            false,
            {{"k", false, kPlain, true, "K"}, {"ports", false, kPlain, true, "of the switch"}}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<SpfcFlowModel>(); }};
}

}  // namespace weir
