// SPDX-License-Identifier: Apache-2.0
// SPFC's flow model: which K distinguishes a victim port from a burst port (spfc IV.C, eq. 8).
#include "analysis/spfc_model.h"
#include "reproduce/analysis.h"

namespace weir {
namespace {

class SpfcFlowModel : public Analysis {
 public:
  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    if (measure == "largest_k") return Figure::number(spfc_model::largest_k(number(arguments, "n")));
    if (measure == "smallest_k")
      return Figure::number(spfc_model::smallest_k(number(arguments, "n"), number(arguments, "epsilon")));
    const int ports = static_cast<int>(number(arguments, "ports"));
    if (ports < 4) throw Unavailable("expected four ports at least");
    return Figure::number(spfc_model::covered(number(arguments, "k"), ports));
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
            {{"k", false, kPlain, true, "K"}, {"ports", false, kPlain, true, "ports of the switch"}}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<SpfcFlowModel>(); }};
}

}  // namespace weir
