// SPDX-License-Identifier: Apache-2.0
#include "results/warning_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/labels.h"
#include "results/text.h"
#include "units/words.h"

namespace weir {

std::string warning_text(const std::vector<RunSummary>& runs, std::size_t width) {
  const std::vector<std::string> labels = run_labels(runs);
  std::vector<std::pair<std::string, std::vector<std::string>>> warnings;  // with the runs that have them
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const RunFinding& finding : runs[i].findings) {
      const bool casts_doubt = finding.kind == FindingKind::warning || finding.kind == FindingKind::lossless_drops ||
                               finding.kind == FindingKind::watchdog;
      if (!casts_doubt) continue;
      auto known =
          std::find_if(warnings.begin(), warnings.end(), [&](const auto& w) { return w.first == finding.text; });
      if (known == warnings.end()) known = warnings.insert(known, {finding.text, {}});
      if (known->second.empty() || known->second.back() != labels[i]) known->second.push_back(labels[i]);
    }
  }
  std::string text;
  for (const auto& [warning, of] : warnings) {
    const std::string whose = of.size() == runs.size() ? "" : fmt::format(" ({})", join_words(of));
    text += wrap(fmt::format("Warning{}: {}.", whose, warning), width);
  }
  return text;
}

}  // namespace weir
