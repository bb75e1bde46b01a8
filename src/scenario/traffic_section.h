// [[traffic]]: the flows that are offered.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/traffic_keys.h"
#include "traffic/source.h"

namespace weir {

/// One source of traffic of a scenario.
struct TrafficEntry {
  std::string name;
  std::string kind;
  bool overload_intended = false;  ///< links that it loads may be offered more than they carry
  bool endless = false;            ///< it ends by the run's stop only
  Time start;
  Time stop = Time::never();
  std::vector<HostId> incast_destinations;
  /// Makes the source for the seed of a run.
  std::function<std::unique_ptr<TrafficSource>(std::uint64_t seed)> make;
};

/// A kind of traffic as scenarios name it.
struct TrafficKind {
  std::string_view name;
  std::string_view summary;
};
std::vector<TrafficKind> traffic_kinds();

/// Reads the list. What is wrong with a source is refused. An entry without `make` was wrong.
std::vector<TrafficEntry> read_traffic_section(Reader& root, const TrafficContext& context);

}  // namespace weir
