// SPDX-License-Identifier: Apache-2.0
#include "reproduce/analysis.h"

namespace weir {
namespace {

/// Pyrrha's tables (pyrrha E).
AnalysisKind pyrrha_memory_analysis() {
  const Signature::Argument k = {"k", false, kPlain, true, "of the fat-tree"};
  const Signature::Argument addressing = {"addressing", true, kPlain, true,
                                          "full, equal_path, none (no regular addresses) or up_down"};
  return {"pyrrha_memory",
          "the memory of a Pyrrha switch in a fat-tree",
          {{"path_memory", "of path calculation", kSize, false, {k, addressing}},
           {"root_table_memory", "of the congestion root table", kSize, false, {k}},
           {"queue_manager_memory",
            "of the queue manager",
            kSize,
            false,
            {k, {"hierarchical", false, kPlain, true, "1 with hierarchical isolation queues, else 0"}}}},
          nullptr};
}

}  // namespace

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
