// SPDX-License-Identifier: Apache-2.0
// Any text is a graph in JSON or in DOT (decided by its first byte), or has errors that name the file; a graph becomes
// the table of a topology, or has errors.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenario/graph_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  weir::Diagnostics diagnostics("t");
  const auto graph = data[0] % 2 == 0 ? weir::graph_of_json(text, diagnostics) : weir::graph_of_dot(text, diagnostics);
  if (graph.has_value() != diagnostics.empty()) std::abort();
  constexpr std::size_t kFew = 1000;
  if (graph && graph->edges.size() < kFew) {
    if (weir::explicit_topology(*graph, diagnostics).has_value() != diagnostics.empty()) std::abort();
  }
  for (const std::string& line : diagnostics.lines()) {
    if (!line.starts_with("t:")) std::abort();
  }
  return 0;
}
