// SPDX-License-Identifier: Apache-2.0
#include "reproduce/analysis.h"

namespace weir {

double number(const MeasureArguments& arguments, std::string_view name) {
  return *arguments.find(name)->second.as_number();
}

const std::vector<AnalysisKind>& analysis_kinds() {
  static const std::vector<AnalysisKind> kinds = {
      size_distribution_analysis(), one_link_analysis(),      spfc_flow_model_analysis(),    rocc_loop_analysis(),
      bfc_idle_bound_analysis(),    bfc_resources_analysis(), backpressure_graph_analysis(), pyrrha_memory_analysis()};
  return kinds;
}

}  // namespace weir
