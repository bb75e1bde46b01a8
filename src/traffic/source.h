// SPDX-License-Identifier: Apache-2.0
// The interface of everything that offers flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "traffic/flow.h"

namespace weir {

/// Is told a source host, a destination host, and the mean rate of payload between them in bits a second.
using OfferedRate = std::function<void(HostId, HostId, double)>;

/// Yields flows in order of their start, one at a time, so that memory does not grow with simulated time.
///
/// The driver takes a flow when the clock reaches next_start() and reports every completion, in the order of time; to a
/// source that follows completions, at its instant. A flow that a completion makes due starts at that instant or later;
/// without completions the order of starts never depends on the driver.
class TrafficSource {
 public:
  TrafficSource() = default;
  TrafficSource(const TrafficSource&) = delete;
  TrafficSource& operator=(const TrafficSource&) = delete;
  virtual ~TrafficSource() = default;

  /// When the next flow starts; Time::never() when none is due, for good or until a completion.
  [[nodiscard]] virtual Time next_start() const = 0;
  /// The next flow, which starts at next_start(). There must be one.
  virtual FlowSpec take() = 0;
  /// Whether completions make flows due.
  [[nodiscard]] virtual bool follows_completions() const { return false; }
  /// A flow that this source gave has completed, or was stopped by its stop time. `flow` is as take() returned it.
  virtual void on_completed(const FlowSpec& flow, Time now);
  /// An upper bound of the connection numbers it uses: they are 0..connections()-1.
  [[nodiscard]] virtual std::uint64_t connections() const { return 0; }
  /// Visits the mean payload rate that it offers to each pair of hosts while it is active, whatever the network can
  /// carry. A pair may be visited more than once. Elastic flows (they take what they get) are not visited.
  virtual void offered(const OfferedRate& visit) const = 0;
};

/// What the flows of one source have in common.
struct SourceSettings {
  Priority priority = 3;
  FlowLabel label = FlowLabel::plain;
  BitRate rate_limit;                                                    ///< of each flow; zero: none
  Time start;                                                            ///< no flow starts before it
  Time stop = Time::never();                                             ///< no flow starts at or after it
  Time end_flows = Time::never();                                        ///< senders stop then, and none starts after
  std::uint64_t flow_limit = std::numeric_limits<std::uint64_t>::max();  ///< flows in all

  /// No flow starts at or after this: a flow that starts when senders have stopped would never end.
  [[nodiscard]] Time no_start_from() const { return std::min(stop, end_flows); }
  /// A flow with these properties; size, hosts and the rest are the caller's.
  [[nodiscard]] FlowSpec flow(Time at) const;
};

/// `t` after `d`, or never when that is out of range. `d` must not be negative.
constexpr Time saturating_add(Time t, Duration d) {
  return t.picoseconds() > Time::never().picoseconds() - d.picoseconds() ? Time::never() : t + d;
}

}  // namespace weir
