#include "reproduce/analysis.h"

namespace weir {
namespace {

/// BFC's bound on the time that a link is idle (bfc 3.3.2, eq. 4 and 5).
AnalysisKind bfc_idle_bound_analysis() {
  return {"bfc_idle_bound",
          "how long BFC's pauses can leave a link idle",
          {{"idle_share",
            "of the time, at most",
            kPlain,
            false,
            {{"x", false, kPlain, true, "capacity over the flow's arrival rate"}}}},
          nullptr};
}

/// What BFC keeps in a switch (bfc 3.3.1, 4, 6.2.1).
AnalysisKind bfc_resources_analysis() {
  return {"bfc_resources",
          "the tables of a BFC switch",
          {{"flow_table_entries", "in all", kPlain, false, {{"queues", false, kPlain, true, "of the switch"}}},
           {"flow_table_bytes", "in all", kSize, false, {{"queues", false, kPlain, true, "of the switch"}}}},
          nullptr};
}

/// Who can pause whom (bfc B).
AnalysisKind backpressure_graph_analysis() {
  return {"backpressure_graph",
          "BFC's backpressure graph in random networks",
          {{"deadlocks",
            "queues that are paused for ever",
            kPlain,
            false,
            {{"networks", false, kPlain, true, "that are tried"},
             {"elide", false, kPlain, true, "1: edges that close a cycle are left out"}}}},
          nullptr};
}

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

const std::vector<AnalysisKind>& analysis_kinds() {
  static const std::vector<AnalysisKind> kinds = {
      size_distribution_analysis(), one_link_analysis(),      spfc_flow_model_analysis(),    rocc_loop_analysis(),
      bfc_idle_bound_analysis(),    bfc_resources_analysis(), backpressure_graph_analysis(), pyrrha_memory_analysis()};
  return kinds;
}

}  // namespace weir
