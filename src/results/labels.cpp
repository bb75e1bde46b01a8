// SPDX-License-Identifier: Apache-2.0
#include "results/labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {

std::vector<std::string> run_labels(const std::vector<RunSummary>& runs) {
  const auto differ = [&runs](const auto& field) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunSummary& run) { return field(run) != field(runs[0]); });
  };
  const bool scenarios = differ([](const RunSummary& run) { return run.scenario; });
  const bool seeds = differ([](const RunSummary& run) { return run.seed; });
  std::vector<std::string> labels;
  for (const RunSummary& run : runs) {
    std::string label = run.variant.empty() ? run.scenario : run.variant;
    if (label.empty()) label = "run";
    if (scenarios && !run.variant.empty()) label = run.scenario + "/" + label;
    for (const RunParameter& parameter : run.parameters)
      label += fmt::format(", {} {}", parameter.name, parameter.value);
    if (seeds) label += fmt::format(" seed {}", run.seed);
    std::replace_if(
        label.begin(), label.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace weir
