// SPDX-License-Identifier: Apache-2.0
// Keys that several kinds of traffic share: sizes, loads, arrivals, pairs of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "scenario/node_names.h"
#include "traffic/arrivals.h"
#include "traffic/flow_size.h"
#include "traffic/hosts.h"
#include "wire/framing.h"

namespace weir {

/// The parts of the scenario that traffic depends on.
struct TrafficContext {
  const NodeNames& names;
  const std::filesystem::path& directory;  ///< file names are relative to it
  std::int64_t payload;                    ///< bytes of a full packet
  Framing framing;
  bool numbered_by_node;  ///< flow files identify hosts by node number
  Racks racks;
  std::vector<std::string>& notes;
  Time run_stop = Time::never();  ///< of the run: no flow starts at or after it
  std::string_view transport{};   ///< the scheme of host.transport; empty: none
};

/// Refuses a rate limit of flows together with a transport, which would not obey it.
void check_rate_limit(Reader& reader, const TrafficContext& context, BitRate rate_limit);

/// Size of flows, under the required key `size`: "64 KB", the name of a built-in table ("websearch"), "endless", {
/// packets = [30, 40] } (whole packets, uniformly distributed), { min = "40 KB", max = "60 KB" } (whole bytes,
/// uniformly distributed) or { file = "sizes.txt", format = "percent", unit = "1 B" }.
std::optional<FlowSize> read_size(Reader& reader, const TrafficContext& context);

/// Declares the keys of the tables accepted for `size` to a describing reader.
void describe_size(Reader& reader, const TrafficContext& context);

/// Whether a flow of this size has at most 2^31 - 1 packets, the range of sequence numbers here. If not, it is refused.
bool check_length(Reader& reader, const TrafficContext& context, Bytes size);

/// Total payload rate of a source: `rate`, or `load` times the capacity of what `load_of` names. `default_of` is its
/// default. If the hosts could not be read, only the keys are checked.
enum class LoadOf : std::uint8_t { sources, destinations, core };
std::optional<BitRate> read_offered(Reader& reader, const TrafficContext& context,
                                    const std::optional<std::vector<HostId>>& sources,
                                    const std::optional<std::vector<HostId>>& destinations, LoadOf default_of);

/// The summed rate of these hosts' links.
BitRate host_capacity(const Topology& topology, const std::vector<HostId>& hosts);
/// The summed rate, in one direction, of the links between the highest tier of switches and the tiers below.
BitRate core_capacity(const Topology& topology);

ArrivalShape read_arrivals(Reader& reader, std::string_view key, ArrivalShape::Kind default_kind,
                           std::string_view meaning);
PairScope read_scope(Reader& reader);

/// Returns the pairs of hosts for a seed.
using PairChooser = std::function<std::vector<HostPair>(std::uint64_t seed)>;
/// Maximum number of host pairs per source of traffic: each has state of about 450 bytes.
inline constexpr std::size_t kMostPairs = std::size_t{1} << 21;
/// `pairs`, or `sources`, `destinations` and `pairing`. More than kMostPairs of them are refused.
std::optional<PairChooser> read_pairs(Reader& reader, const TrafficContext& context);

}  // namespace weir
