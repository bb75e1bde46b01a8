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
  bool enabled = true;             ///< false: a variant has left it out
  bool overload_intended = false;  ///< links that it loads may be offered more than they carry
  bool endless = false;            ///< it ends by the run's stop only
  Priority priority = 3;           ///< of its data, where `list` does not say
  Time start;
  Time stop = Time::never();
  std::vector<HostId> incast_destinations;
  /// Of kinds that draw their flows: their size between two hosts that this payload rate in bit/s is offered to.
  std::function<FlowSize(double payload_rate)> size;
  /// Of kinds that list their flows: the list for the seed of a run.
  std::function<std::vector<FlowSpec>(std::uint64_t seed)> list;
  Duration load_window;  ///< over which the list counts as offered load; zero: its flows take what they get
  /// Makes the source for the seed of a run.
  std::function<std::unique_ptr<TrafficSource>(std::uint64_t seed)> make;
};

/// A kind of traffic as scenarios name it.
struct TrafficKind {
  std::string_view name;
  std::string_view summary;
};
std::vector<TrafficKind> traffic_kinds();

/// Declares the keys that all kinds have, and those of one kind, with a reader that describes.
void describe_traffic(Reader& reader);
void describe_traffic_kind(std::string_view kind, Reader& reader, const TrafficContext& context);

/// Reads the list. What is wrong with a source is refused. An entry without `make` was wrong. `labels` gets the names
/// that the list adds.
std::vector<TrafficEntry> read_traffic_section(Reader& root, const TrafficContext& context, FlowLabels& labels);

}  // namespace weir
