// SPDX-License-Identifier: Apache-2.0
// Rows that are not simulations of a network: tables, models, and queues of one link.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "expressions/evaluation.h"

namespace weir {

/// Evaluates the measures of such a row. Results are exact or deterministic, and are cached.
class Analysis {
 public:
  virtual ~Analysis() = default;
  /// Throws Unavailable.
  virtual Figure compute(std::string_view measure, const MeasureArguments& arguments) = 0;
};

/// The plain number of a required argument.
double number(const MeasureArguments& arguments, std::string_view name);

/// A kind of analysis, as named in rows.
struct AnalysisKind {
  std::string_view name;
  std::string_view summary;
  std::vector<Signature> measures;
  /// Reads the keys of [analysis] other than `kind`, and refuses invalid values. nullptr: not implemented yet, only its
  /// measures are specified.
  std::unique_ptr<Analysis> (*make)(Reader& table) = nullptr;
};

/// All kinds, including those that are not implemented yet.
const std::vector<AnalysisKind>& analysis_kinds();

// The kinds, one file per kind.
AnalysisKind size_distribution_analysis();  ///< analysis_sizes.cpp
AnalysisKind one_link_analysis();           ///< analysis_one_link.cpp
AnalysisKind spfc_flow_model_analysis();    ///< analysis_spfc_model.cpp
AnalysisKind rocc_loop_analysis();          ///< analysis_rocc_loop.cpp
AnalysisKind bfc_idle_bound_analysis();     ///< analysis_bfc.cpp, like the next two
AnalysisKind bfc_resources_analysis();
AnalysisKind backpressure_graph_analysis();
AnalysisKind pyrrha_memory_analysis();  ///< analysis_pyrrha_memory.cpp

}  // namespace weir
