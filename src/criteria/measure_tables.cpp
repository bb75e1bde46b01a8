// SPDX-License-Identifier: Apache-2.0
#include "criteria/measure_tables.h"

#include <fmt/format.h>

#include <cstddef>

#include "criteria/selection.h"
#include "results/summary.h"

namespace weir::measures {

const Argument kShareArgument = {"share", false, kPlain, false,
                                 "fraction of the values that are not above the result; default 0.99"};

const Argument kClassArgument = {"class", true, kPlain, false,
                                 "flow class: incast, victim, background, not incast, all"};
const std::vector<Argument> kSpanArguments = {{"since", false, kTime, false, "from this time on"},
                                              {"until", false, kTime, false, "before this time"}};

std::vector<Argument> joined(std::vector<Argument> first, const std::vector<Argument>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

double quantile_of(const Histogram& histogram, const Arguments& arguments) {
  const double share = selection::number(arguments, "share", 0.99);
  if (!(share >= 0 && share <= 1)) throw Unavailable("share is not between 0 and 1");
  return histogram.count() == 0 ? kNone : static_cast<double>(histogram.quantile(share));
}

double mean_of(const Histogram& histogram) {
  return histogram.count() == 0 ? kNone : histogram.mean();
}

std::vector<FlowClass> classes_of(const Arguments& arguments) {
  const std::string* name = selection::text(arguments, "class");
  std::vector<FlowClass> out;
  for (int i = 0; i < kFlowClasses; ++i) {
    const auto flow_class = static_cast<FlowClass>(i);
    bool chosen = name == nullptr;
    for (std::size_t group = 0; name != nullptr && group < kFlowGroupNames.size(); ++group)
      chosen = chosen || (kFlowGroupNames[group] == *name && is_in(static_cast<FlowGroup>(group), flow_class));
    if (chosen) out.push_back(flow_class);
  }
  if (out.empty()) throw Unavailable(fmt::format("unknown flow class \"{}\"", *name));
  return out;
}

}  // namespace weir::measures
