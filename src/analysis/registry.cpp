// SPDX-License-Identifier: Apache-2.0
// The analyses that are built in. To add one: a file src/analysis/<name>_analysis.cpp that declares
// `extern const Analysis <name>_analysis` in namespace weir::analysis and defines it, and one line here.
#include <array>

#include "analysis/analysis.h"

// clang-format off
#define WEIR_ANALYSES(X) \
  X(bfc)                 \
  X(floodgate)           \
  X(pyrrha)              \
  X(spfc)                \
  X(rocc)

// clang-format on

namespace weir::analysis {

#define WEIR_DECLARE(name) extern const Analysis name##_analysis;
WEIR_ANALYSES(WEIR_DECLARE)
#undef WEIR_DECLARE

namespace {

#define WEIR_ENTRY(name) &name##_analysis,
constexpr std::array kAnalyses = {WEIR_ANALYSES(WEIR_ENTRY)};
#undef WEIR_ENTRY

}  // namespace

std::span<const Analysis* const> all_analyses() {
  return kAnalyses;
}

const Analysis* find_analysis(std::string_view name) {
  for (const Analysis* analysis : kAnalyses) {
    if (analysis->name == name) return analysis;
  }
  return nullptr;
}

}  // namespace weir::analysis
