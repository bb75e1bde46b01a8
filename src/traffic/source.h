// SPDX-License-Identifier: Apache-2.0
// The interface of sources of flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "traffic/flow.h"

namespace weir {

/// Called with a source host, a destination host, and the mean payload rate between them in bits per second.
using OfferedRate = std::function<void(HostId, HostId, double)>;

/// Returns flows in order of their start, one at a time, so that memory does not grow with simulated time.
///
/// The driver takes a flow when the clock reaches next_start() and reports every completion, in order of time; to a
/// source that follows completions, at its instant. A flow that a completion makes due starts at that instant or later;
/// without completions the order of starts does not depend on the driver.
class TrafficSource {
 public:
  TrafficSource() = default;
  TrafficSource(const TrafficSource&) = delete;
  TrafficSource& operator=(const TrafficSource&) = delete;
  virtual ~TrafficSource() = default;

  /// When the next flow starts; Time::never() if none is due, permanently or until a completion.
  [[nodiscard]] virtual Time next_start() const = 0;
  /// The next flow, which starts at next_start(). Requires a flow.
  virtual FlowSpec take() = 0;
  /// Whether completions make flows due.
  [[nodiscard]] virtual bool follows_completions() const { return false; }
  /// A flow of this source has completed, or was stopped by its stop time. `flow` is as returned by take().
  virtual void on_completed(const FlowSpec& flow, Time now);
  /// An upper bound of its connection numbers, which are 0..connections()-1.
  [[nodiscard]] virtual std::uint64_t connections() const { return 0; }
  /// Visits the mean payload rate that it offers to each pair of hosts while it is active, regardless of the network's
  /// capacity. A pair may be visited more than once. Elastic flows (whose rate depends on the network) are not visited.
  virtual void offered(const OfferedRate& visit) const = 0;
};

/// Settings common to all flows of a source.
struct SourceSettings {
  Priority priority = 3;
  FlowLabel label = FlowLabel::plain;
  BitRate rate_limit;                                                    ///< per flow; zero: none
  Time start;                                                            ///< no flow starts before it
  Time stop = Time::never();                                             ///< no flow starts at or after it
  Time end_flows = Time::never();                                        ///< senders stop at this time, and no flow
                                                                         ///< starts after it
  std::uint64_t flow_limit = std::numeric_limits<std::uint64_t>::max();  ///< total number of flows

  /// No flow starts at or after this time: a flow that starts after senders have stopped would never end.
  [[nodiscard]] Time no_start_from() const { return std::min(stop, end_flows); }
  /// A flow with these properties; the caller sets size, hosts and the rest.
  [[nodiscard]] FlowSpec flow(Time at) const;
};

/// `t` + `d`, or never if that is out of range. `d` must not be negative.
constexpr Time saturating_add(Time t, Duration d) {
  return t.picoseconds() > Time::never().picoseconds() - d.picoseconds() ? Time::never() : t + d;
}

}  // namespace weir
