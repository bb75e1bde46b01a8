// SPDX-License-Identifier: Apache-2.0
#include "check/findings.h"

#include <utility>

#include "check/check_text.h"

namespace weir {
namespace {

RunFinding finding_of(FindingKind kind, const std::string& text) {
  RunFinding out;
  out.kind = kind;
  out.text = text;
  return out;
}

RunFinding finding_of(const CheckedCycle& cycle, const Topology& topology) {
  RunFinding out = finding_of(FindingKind::cyclic_buffer_dependency, cycle_extent(cycle));
  if (!cycle.failed.empty()) out.failed = missing_links(topology, cycle);
  for (const Hop& hop : cycle.found.shortest) {
    out.ports.push_back({topology.direction_number(topology.node_of(hop.node), hop.port), ""});
  }
  return out;
}

}  // namespace

std::vector<RunFinding> findings_of(const CheckedVariant& checked, const Topology& topology) {
  std::vector<RunFinding> out;
  for (const std::string& warning : checked.warnings) out.push_back(finding_of(FindingKind::warning, warning));
  for (const CheckedCycle& cycle : checked.cycles) out.push_back(finding_of(cycle, topology));
  for (const std::string& note : checked.notes) out.push_back(finding_of(FindingKind::note, note));
  return out;
}

}  // namespace weir
