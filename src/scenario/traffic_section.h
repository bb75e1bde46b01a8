// SPDX-License-Identifier: Apache-2.0
// [[traffic]]: the flows that are offered.
#pragma once

#include <string_view>
#include <vector>

#include "scenario/traffic_entry.h"
#include "scenario/traffic_keys.h"

namespace weir {

/// A kind of traffic as scenarios name it.
struct TrafficKind {
  std::string_view name;
  std::string_view summary;
};
std::vector<TrafficKind> traffic_kinds();

/// Declares the keys of all kinds, and those of each kind, to a describing reader.
void describe_traffic(Reader& reader);
void describe_traffic_kind(std::string_view kind, Reader& reader, const TrafficContext& context);

/// Reads the list and refuses invalid sources. An entry without `make` was invalid. `labels` receives the names that
/// the list adds.
std::vector<TrafficEntry> read_traffic_section(Reader& root, const TrafficContext& context, FlowLabels& labels);

}  // namespace weir
