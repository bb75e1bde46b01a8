// SPDX-License-Identifier: Apache-2.0
// All that one run gives: what tables, files, the store and the report are made from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/counter_list.h"
#include "results/finding.h"
#include "results/histogram.h"
#include "results/statistics.h"
#include "results/timeline.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir {

// The counters of each record stand in counter_list.h.

/// What a flow is to an incast. The flows of an incast are those that its traffic source offers as one, whatever their
/// label. Victims meet with one at some time of their life: their destination or source is in the rack of its
/// destination (pyrrha 2.2). Background flows never do.
///
/// A FlowRecord has the class that its flow came to in the end. What is counted while flows go on (Series by class,
/// PauseHold) takes the class that the flow has come to by then: a flow is a victim from the beginning of the first
/// incast it meets with, and what it did before counts as background.
enum class FlowClass : std::uint8_t { incast, victim, background };
inline constexpr int kFlowClasses = 3;

struct FlowRecord {
  FlowId id;
  HostId source;
  HostId destination;
  Bytes size;
  Time start;
  FlowClass flow_class = FlowClass::background;
  std::uint8_t label = 0;        ///< the traffic's own label: see RunRecord::labels
  Duration sender_completion;    ///< until the last acknowledgement came; zero: did not complete
  Duration receiver_completion;  ///< until the last byte came; zero: did not
  Duration ideal_fct;            ///< sender completion of the same flow on the same path without other traffic
  WEIR_FLOW_COUNTERS(WEIR_COUNTER_MEMBER)
  bool stopped = false;  ///< by its stop time
  [[nodiscard]] bool completed() const { return sender_completion > Duration(); }
};

/// One switch over the run.
struct SwitchRecord {
  SwitchId id;
  std::string name;
  int tier = 0;
  WEIR_SWITCH_COUNTERS(WEIR_COUNTER_MEMBER)
  Histogram occupancy;                   ///< bytes, sampled
  Histogram occupancy_at_pause;          ///< bytes of the whole buffer when a PAUSE is sent
  std::array<std::uint64_t, 9> drops{};  ///< by DropReason
};

/// One direction of a link over the run. A record has both directions of every link: shares are of all of them.
struct LinkRecord {
  std::string from;
  std::string to;
  int from_tier = 0;
  int to_tier = 0;
  WEIR_LINK_COUNTERS(WEIR_COUNTER_MEMBER)
  BitRate rate;
};

/// A quantity sampled over time. `name` says what and its unit ("throughput.incast bit/s"). The interval doubles as
/// often as a run needs it to, so that the number of values is bounded: rates are means over it, levels the highest
/// sample.
struct Series {
  std::string name;
  Duration interval;           ///< value i is of (i, i + 1] * interval
  std::vector<double> values;  ///< the last perhaps of the part of its interval until the end of the run
};

/// The series of what rate limiters allow: at each sample, of the queue pairs that have something to send or
/// unacknowledged, their number, the sum of their rates and the sum of the squares of their rates.
inline constexpr std::string_view kSendersSeries = "senders.number";
inline constexpr std::string_view kSenderRateSeries = "senders.rate";
inline constexpr std::string_view kSenderRateSquareSeries = "senders.rate_squared";

/// Time that packets were held by pauses, and by pauses whose congestion root is not on their path (pyrrha/thm31).
struct PauseHold {
  Duration held;              ///< summed over packets
  Duration innocent;          ///< of it, with no root of the pause on the packet's path
  std::uint64_t packets = 0;  ///< packets held, once for each pause
};

/// The value of a sweep that a run has.
struct RunParameter {
  std::string name;
  std::string value;             ///< as the scenario has it: "0.8", "12 MB", "bfc"
  std::optional<double> number;  ///< plain, or in bytes, microseconds or bit/s; none of a text
  bool operator==(const RunParameter&) const = default;
};

struct RunRecord {
  std::string scenario;
  std::string variant;
  std::vector<RunParameter> parameters;  ///< in the order of the scenario's sweeps; none: it has no sweep
  std::uint64_t seed = 0;
  std::string version;
  std::string digest;                   ///< 16 hexadecimal digits over every delivered frame
  std::string effective_configuration;  ///< TOML
  bool interrupted = false;
  std::string failure;    ///< an invariant that broke, a deadlock of pauses, or empty
  bool deadlock = false;  ///< `failure` is a deadlock: the network's doing; what was measured until then is sound
  std::vector<RunFinding>
      findings;  ///< what weir check found of the variant, the deadlock, drops of lossless priorities

  Time simulated;
  double wall_seconds = 0;  ///< of the machine; not part of the result
  WEIR_RUN_COUNTERS(WEIR_COUNTER_MEMBER)

  std::vector<FlowRecord> flows;    ///< in order of start
  std::vector<std::string> labels;  ///< the names of FlowRecord::label; a label beyond them has none
  std::vector<SwitchRecord> switches;
  std::vector<LinkRecord> links;
  std::vector<Series> series;
  Timeline timeline;  ///< of links, when it was asked for
  std::array<PauseHold, kFlowClasses> pause_hold{};
  std::array<Histogram, 8> queueing_by_tier;    ///< picoseconds a data frame waited in a switch of tier n
  Histogram active_flows;                       ///< queue pairs with data queued, a port of a switch, sampled (bfc 2)
  Histogram active_queues;                      ///< non-empty open queues, a port of a switch, sampled
  std::array<std::int64_t, 9> bytes_by_kind{};  ///< frame bytes sent on links by FrameKind
  Statistics statistics;                        ///< rows of what was asked for beside
};

}  // namespace weir
