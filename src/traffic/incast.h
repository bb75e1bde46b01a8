// SPDX-License-Identifier: Apache-2.0
// Incasts: many flows to one destination at the same time.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "traffic/arrivals.h"
#include "traffic/flow_size.h"
#include "traffic/hosts.h"
#include "traffic/pending_flows.h"
#include "traffic/source.h"
#include "units/random.h"

namespace weir {

/// How the destination of an event is chosen.
enum class DestinationChoice : std::uint8_t {
  rotating,         ///< in the given order, one per event; with one destination it is fixed
  random_by_event,  ///< uniformly, the same for all flows of an event
  random_by_flow    ///< uniformly, independently for each flow
};

struct IncastSettings {
  SourceSettings flows;
  HostSet sources;
  std::uint32_t degree = 0;       ///< flows per event
  bool with_replacement = false;  ///< a source may have several flows of an event; required if there are fewer sources
  std::vector<HostId> destinations;
  DestinationChoice destination_choice = DestinationChoice::rotating;
  PairScope scope = PairScope::any;  ///< inter_rack excludes sources in the destination's rack
  Racks racks;                       ///< required by the scope
  FlowSize size;                     ///< of each flow
  bool one_size_an_event = false;    ///< one draw for all flows of an event, instead of one per flow
  ArrivalShape events{ArrivalShape::Kind::constant};
  double mean_interval_picoseconds = 0.0;  ///< between events; see load.h. Zero: all events at once
  std::uint64_t event_limit = std::numeric_limits<std::uint64_t>::max();
  Duration jitter;  ///< each flow starts after its event by a time uniform in [0, jitter], even after flows.stop (not
                    ///< after end_flows)
};

/// Errors in the settings; empty if there are none.
std::vector<std::string> problems(const IncastSettings& settings);

/// Events in which `degree` sources send to a destination.
///
/// With constant intervals the first event is at flows.start, with random ones an interval later. Workload generators
/// that are synchronous over several hosts (spfc VII.C: H1-H29) are equivalent: every source once, exponential
/// intervals, sizes from a table.
///
/// Memory: the flows of the events that overlap due to jitter.
class IncastSource final : public TrafficSource {
 public:
  /// `settings` must pass problems(); sources of one run need different seeds.
  IncastSource(IncastSettings settings, std::uint64_t seed);

  [[nodiscard]] Time next_start() const override { return pending_.next_start(); }
  FlowSpec take() override;
  /// The mean over the destinations; visits nothing if there is only one event.
  void offered(const OfferedRate& visit) const override;

 private:
  /// Draws events until the earliest flow is known.
  void prepare();
  void draw_event();
  void next_event(Time from);
  /// Writes `degree` numbers below `hosts` into chosen_.
  void choose_sources(std::size_t hosts);

  IncastSettings settings_;
  HostsByRack sources_;
  HostsByRack destinations_;  // for random_by_flow
  ArrivalProcess events_;
  RandomStream intervals_;
  RandomStream hosts_;
  RandomStream sizes_;
  RandomStream jitter_;
  Time next_event_;
  std::uint64_t events_drawn_ = 0;
  std::uint64_t flows_taken_ = 0;
  PendingFlows pending_;
  std::vector<std::size_t> chosen_;  // sources of the current event
};

}  // namespace weir
