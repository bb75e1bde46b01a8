// SPDX-License-Identifier: Apache-2.0
// Flow-size distributions, by flows and by bytes (bfc fig. 2, spfc table II).
#include <fmt/format.h>

#include <limits>
#include <map>

#include "reproduce/analysis.h"
#include "traffic/built_in_sizes.h"

namespace weir {
namespace {

class SizeDistribution : public Analysis {
 public:
  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    const std::string& name = *arguments.at("workload").as_text();
    const std::shared_ptr<const SizeTable> table = built_in_size_table(name);
    if (!table) throw Unavailable(fmt::format("unknown size distribution \"{}\"", name));
    const auto bound = [&](std::string_view argument, double otherwise) {
      const auto found = arguments.find(argument);
      return found == arguments.end() ? otherwise : *found->second.as_number();
    };
    const double from = bound("size_from", 0);
    const double below = bound("size_below", std::numeric_limits<double>::infinity());
    if (measure == "mean_size") return Figure::number(table->mean());
    const auto share = [&](double bytes) {
      return measure == "share_of_bytes" ? table->share_of_bytes(bytes) : table->share_of_flows(bytes);
    };
    // Sizes are distributed uniformly between the points of a table, so whether a bound is included makes no
    // difference.
    return Figure::number(share(below) - (from > 0 ? share(from) : 0.0));
  }
};

const std::vector<Signature::Argument> kArguments = {
    {"workload", true, kPlain, true, "a size table"},
    {"size_from", false, kSize, false, "minimum size of the flows"},
    {"size_below", false, kSize, false, "flows smaller than this"},
};

}  // namespace

AnalysisKind size_distribution_analysis() {
  return {"size_distribution",
          "flow sizes of a workload, by number and by bytes",
          {{"share_of_flows", "the part of all flows that has such a size", kPlain, false, kArguments},
           {"share_of_bytes", "the part of all bytes that such flows carry", kPlain, false, kArguments},
           {"mean_size", "of a flow", kSize, false, {kArguments[0]}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<SizeDistribution>(); }};
}

}  // namespace weir
