// SPDX-License-Identifier: Apache-2.0
// Pyrrha's tables (pyrrha E), in blocks of 16 KiB and words of 128 bits.
#include <cmath>

#include "analysis/pyrrha_model.h"
#include "reproduce/analysis.h"

namespace weir {
namespace {

using pyrrha_model::PathTables;

PathTables path_tables(const std::string& name) {
  if (name == "none") return PathTables::none;
  if (name == "up_down") return PathTables::up_down;
  if (name == "equal_path") return PathTables::equal_path;
  if (name == "full") return PathTables::full;
  if (name == "regular") return PathTables::regular;
  if (name == "source") return PathTables::source;
  throw Unavailable("expected addressing full, equal_path, none, up_down, regular or source");
}

class PyrrhaMemory : public Analysis {
 public:
  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    const double k = number(arguments, "k");
    if (!(k >= 4 && k <= 1024 && std::fmod(k, 2) == 0)) throw Unavailable("expected an even k of 4 to 1024");
    return Figure::number(bytes(measure, k, arguments), kSize);
  }

 private:
  static double bytes(std::string_view measure, double k, const MeasureArguments& arguments) {
    if (measure == "root_table_memory") return pyrrha_model::root_memory(k, {});
    if (measure == "path_memory") {
      return pyrrha_model::path_memory(path_tables(*arguments.find("addressing")->second.as_text()), k, {});
    }
    const double hierarchical = number(arguments, "hierarchical");
    if (hierarchical != 0 && hierarchical != 1) throw Unavailable("expected hierarchical 0 or 1");
    return pyrrha_model::queue_memory(hierarchical == 1, k, {});
  }
};

}  // namespace

AnalysisKind pyrrha_memory_analysis() {
  const Signature::Argument k = {"k", false, kPlain, true, "of the fat-tree"};
  const Signature::Argument addressing = {"addressing", true, kPlain, true,
                                          "full, equal_path, none (no optimisation), up_down, regular or source"};
  return {"pyrrha_memory",
          "the memory of a Pyrrha switch in a fat-tree",
          {{"path_memory", "of path calculation", kSize, false, {k, addressing}},
           {"root_table_memory", "of the congestion root table", kSize, false, {k}},
           {"queue_manager_memory",
            "of the queue manager",
            kSize,
            false,
            {k, {"hierarchical", false, kPlain, true, "1 with hierarchical isolation queues, else 0"}}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<PyrrhaMemory>(); }};
}

}  // namespace weir
