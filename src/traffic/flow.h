// SPDX-License-Identifier: Apache-2.0
// A flow as it is offered to the network: who sends how much to whom, and when.
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

/// What a flow belongs to, for tables and plots: a name, by which nothing is decided. Any value 0..255 may be used:
/// FlowLabels gives names to the rest.
enum class FlowLabel : std::uint8_t {
  plain,         ///< background traffic
  incast,        ///< one of many flows to one destination
  burst,         ///< a short line-rate flow of a train
  long_running,  ///< outlives the run, or is stopped
  collective     ///< of an all-to-all
};

/// The names of labels: the built-in ones, and what a scenario adds.
class FlowLabels {
 public:
  FlowLabels();
  /// The label of this name, added when it is new. At most 256 names; FlowLabel::plain when there is no room.
  FlowLabel label(std::string_view name);
  /// "label 77" for a label without a name.
  [[nodiscard]] std::string name(FlowLabel label) const;
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// By number; the built-in ones first.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// A persistent queue pair between two hosts, numbered 0.. by the traffic. none() asks for a new queue pair.
using ConnectionId = Id<struct ConnectionTag, std::uint32_t>;

/// The size of a flow that outlives any run: 80 s at 100 Gbit/s.
inline constexpr Bytes kLongRunning = Bytes(1'000'000'000'000);
/// The same where packets are so small (`payload` bytes, 1 to 65,535) that this would be more of them than there can
/// be: then as many as there can be, which is longer than 15 s at 100 Gbit/s with any framing.
constexpr Bytes long_running(std::int64_t payload) {
  return std::min(kLongRunning, Bytes(kMostPackets * payload));
}

/// One flow, or one message on a persistent queue pair.
struct FlowSpec {
  FlowId id;                           ///< in order of start over all traffic of a run; set by MergedTraffic
  Time start;                          ///< when it is handed to the source's NIC
  HostId source;                       ///< differs from the destination
  HostId destination;                  ///< a host
  Bytes size;                          ///< payload bytes, above zero
  Priority priority = 3;               ///< of its data
  FlowLabel label = FlowLabel::plain;  ///< for the results only
  bool incast = false;                 ///< one of many flows to one destination, whatever its label
  ConnectionId connection;             ///< flows of one connection share a queue pair and complete in order
  BitRate rate_limit;                  ///< the sender stays below it; zero: no limit of its own
  Time stop = Time::never();           ///< the sender sends no new packet from then on
  bool synchronous = false;            ///< one of several flows that start together by design

  // Where it came from, so that its completion finds the way back; for others opaque.
  std::uint32_t traffic_source = 0;  ///< the source's number in MergedTraffic
  std::uint32_t slot = 0;            ///< the source's own
};

/// Two hosts, in the direction of the data.
struct HostPair {
  HostId source;
  HostId destination;
  constexpr auto operator<=>(const HostPair&) const = default;
};

}  // namespace weir
