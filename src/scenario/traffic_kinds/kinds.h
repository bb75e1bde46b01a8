// SPDX-License-Identifier: Apache-2.0
// Readers of the kinds of traffic, one file per kind.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/reader.h"
#include "scenario/traffic_keys.h"
#include "traffic/flow_size.h"
#include "traffic/source.h"

namespace weir {

using MakeTraffic = std::function<std::unique_ptr<TrafficSource>(std::uint64_t seed)>;

/// The result of reading one kind: a function that creates the source, empty if its keys were invalid.
struct TrafficReading {
  MakeTraffic make;
  bool endless = false;  ///< apart from the limits that all kinds have
  std::vector<HostId> incast_destinations = {};
  std::function<FlowSize(double)> size = {};                      ///< see TrafficEntry
  std::function<std::vector<FlowSpec>(std::uint64_t)> list = {};  ///< see TrafficEntry
  Duration load_window = {};
};

// Each function reads the keys of its kind and refuses invalid values. `flows` contains the settings common to all
// kinds.
TrafficReading read_poisson(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_any_open_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_incast(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_train(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_closed_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_all_to_all(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_permutation(Reader& reader, const TrafficContext& context, const SourceSettings& flows);
TrafficReading read_flows(Reader& reader, const TrafficContext& context, const SourceSettings& settings);
TrafficReading read_file(Reader& reader, const TrafficContext& context, const SourceSettings& settings);

// ---- what several of them use ----

/// Refuses invalid settings; otherwise returns the function that creates the source.
template <class Source, class Settings>
MakeTraffic maker_of(Reader& reader, const TrafficContext& context, Settings settings) {
  if (context.names.topology() == nullptr) return {};
  const std::vector<std::string> found = problems(settings);
  for (const std::string& problem : found) reader.refuse(problem);
  if (!found.empty()) return {};
  return [settings = std::move(settings)](std::uint64_t seed) { return std::make_unique<Source>(settings, seed); };
}

/// Flows of constant size.
inline std::function<FlowSize(double)> always(const FlowSize& size) {
  return [size](double) { return size; };
}

inline std::optional<std::int64_t> read_limit(Reader& reader, std::string_view key, std::string_view meaning) {
  std::optional<std::int64_t> limit;
  reader.optional(key, limit, meaning, at_least<std::int64_t>(1));
  return limit;
}

/// The limit in the form of the settings: the largest number if there is none.
inline std::uint64_t limit_or_none(const std::optional<std::int64_t>& limit) {
  return limit ? static_cast<std::uint64_t>(*limit) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace weir
