// SPDX-License-Identifier: Apache-2.0
// Rows that are no simulations of a network: tables, models, and queues of one link.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "expressions/evaluation.h"

namespace weir {

/// What answers the measures of one such row. Answers are exact or deterministic; what was worked out is kept.
class Analysis {
 public:
  virtual ~Analysis() = default;
  /// Throws Unavailable.
  virtual Figure compute(std::string_view measure, const MeasureArguments& arguments) = 0;
};

/// The plain number of an argument that the signature requires.
double number(const MeasureArguments& arguments, std::string_view name);

/// A kind of analysis as rows name it.
struct AnalysisKind {
  std::string_view name;
  std::string_view summary;
  std::vector<Signature> measures;
  /// Reads the keys of [analysis] beside `kind`, and refuses what is wrong. nullptr: it does not exist yet, and only
  /// its measures are laid down.
  std::unique_ptr<Analysis> (*make)(Reader& table) = nullptr;
};

/// All kinds, also those that do not exist yet.
const std::vector<AnalysisKind>& analysis_kinds();

// The kinds, one file each.
AnalysisKind size_distribution_analysis();  ///< analysis_sizes.cpp
AnalysisKind one_link_analysis();           ///< analysis_one_link.cpp
AnalysisKind spfc_flow_model_analysis();    ///< analysis_spfc_model.cpp
AnalysisKind rocc_loop_analysis();          ///< analysis_rocc_loop.cpp
AnalysisKind bfc_idle_bound_analysis();     ///< analysis_bfc.cpp, as the next two
AnalysisKind bfc_resources_analysis();
AnalysisKind backpressure_graph_analysis();

}  // namespace weir
