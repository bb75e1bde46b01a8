// SPDX-License-Identifier: Apache-2.0
// A flow as offered to the network: source, destination, size, and start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/ids.h"
#include "units/packet_limit.h"
#include "units/time.h"

namespace weir {

/// The label of a flow, for tables and plots only. Any value 0..255 may be used; FlowLabels names the others.
enum class FlowLabel : std::uint8_t {
  plain,         ///< background traffic
  incast,        ///< one of many flows to the same destination
  burst,         ///< a short line-rate flow of a train
  long_running,  ///< outlives the run, or is stopped
  collective     ///< part of an all-to-all
};

/// The names of labels: the built-in ones, and those that a scenario adds.
class FlowLabels {
 public:
  FlowLabels();
  /// The label with this name, added if it is new. At most 256 names; FlowLabel::plain if the limit is reached.
  FlowLabel label(std::string_view name);
  /// "label 77" for a label without a name.
  [[nodiscard]] std::string name(FlowLabel label) const;
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// By label; the built-in ones first.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// A persistent queue pair between two hosts, numbered from 0 by the traffic. none() requests a new queue pair.
using ConnectionId = Id<struct ConnectionTag, std::uint32_t>;

/// The size of a flow that outlives any run: 80 s at 100 Gbit/s.
inline constexpr Bytes kLongRunning = Bytes(1'000'000'000'000);
/// The same for small packets (`payload` bytes, 1 to 65,535), limited to the maximum number of packets; this lasts
/// longer than 15 s at 100 Gbit/s with any framing.
constexpr Bytes long_running(std::int64_t payload) {
  return std::min(kLongRunning, Bytes(kMostPackets * payload));
}

/// One flow, or one message on a persistent queue pair.
struct FlowSpec {
  FlowId id;                           ///< in order of start over all traffic of a run; set by MergedTraffic
  Time start;                          ///< when it is posted to the source's NIC
  HostId source;                       ///< differs from the destination
  HostId destination;                  ///< a host
  Bytes size;                          ///< payload bytes, above zero
  Priority priority = 3;               ///< of its data
  FlowLabel label = FlowLabel::plain;  ///< for the results only
  bool incast = false;                 ///< one of many flows to the same destination, whatever its label
  ConnectionId connection;             ///< flows of one connection share a queue pair and complete in order
  BitRate rate_limit;                  ///< the sender does not exceed it; zero: no limit for this flow
  Time stop = Time::never();           ///< the sender sends no new packets after this
  bool synchronous = false;            ///< one of several flows that start together by design

  // Identifies the origin, to which the completion is reported; for others opaque.
  std::uint32_t traffic_source = 0;  ///< the source's index in MergedTraffic
  std::uint32_t slot = 0;            ///< defined by the source
};

/// Two hosts, in the direction of the data.
struct HostPair {
  HostId source;
  HostId destination;
  constexpr auto operator<=>(const HostPair&) const = default;
};

}  // namespace weir
