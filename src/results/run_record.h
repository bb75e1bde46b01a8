// SPDX-License-Identifier: Apache-2.0
// The complete results of one run, the basis of tables, files, the store and the report.
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

// The counters of each record are in counter_list.h.

/// The relation of a flow to incasts. The flows of an incast are those that its traffic source starts as one incast,
/// whatever their label. A victim's source or destination is in the rack of an incast's destination at some time during
/// the incast (pyrrha 2.2). All others are background flows.
///
/// A FlowRecord contains the final class of its flow. Values counted while flows are in progress (Series by class,
/// PauseHold) use the current class: a flow is a victim from the beginning of the first incast that affects it, and
/// counts as background before.
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
  Duration sender_completion;    ///< until the last acknowledgement; zero: did not complete
  Duration receiver_completion;  ///< until the last byte arrived; zero: it did not
  Duration ideal_fct;            ///< sender completion of the same flow on the same path without other traffic
  WEIR_FLOW_COUNTERS(WEIR_COUNTER_MEMBER)
  bool stopped = false;  ///< by its stop time
  [[nodiscard]] bool completed() const { return sender_completion > Duration(); }
};

/// Why switches dropped frames: by DropReason, then unknown reasons, then frames that a scheme drops on purpose.
inline constexpr std::size_t kDropKinds = 10;
/// Frames that a scheme sends in excess and drops as a signal (Frame::expendable): not losses.
inline constexpr std::size_t kDroppedOnPurpose = 9;

/// One switch over the run.
struct SwitchRecord {
  SwitchId id;
  std::string name;
  int tier = 0;
  WEIR_SWITCH_COUNTERS(WEIR_COUNTER_MEMBER)
  Histogram occupancy;                            ///< bytes, sampled
  Histogram occupancy_at_pause;                   ///< bytes of the whole buffer when a PAUSE is sent
  std::array<std::uint64_t, kDropKinds> drops{};  ///< by kDropReasonNames
};

/// One direction of a link over the run. A record contains both directions of every link, and shares refer to all of
/// them.
struct LinkRecord {
  std::string from;
  std::string to;
  int from_tier = 0;
  int to_tier = 0;
  WEIR_LINK_COUNTERS(WEIR_COUNTER_MEMBER)
  BitRate rate;
};

/// A quantity sampled over time. `name` contains the quantity and its unit ("throughput.incast bit/s"). The interval
/// doubles as often as the run requires, so that the number of values is bounded: rates are means over the interval,
/// levels the highest sample.
struct Series {
  std::string name;
  Duration interval;           ///< value i covers (i, i + 1] * interval
  std::vector<double> values;  ///< the last may cover only a part of its interval, until the end of the run
};

/// The series of rate limits: at each sample, over the queue pairs that have data to send or unacknowledged, their
/// number, the sum of their rates and the sum of the squares of their rates.
inline constexpr std::string_view kSendersSeries = "senders.number";
inline constexpr std::string_view kSenderRateSeries = "senders.rate";
inline constexpr std::string_view kSenderRateSquareSeries = "senders.rate_squared";

/// Time for which packets were blocked by pauses, and by pauses whose congestion root is not on their path
/// (pyrrha/thm31).
struct PauseHold {
  Duration held;              ///< summed over packets
  Duration innocent;          ///< part of it for which no root of the pause was on the packet's path
  std::uint64_t packets = 0;  ///< packets blocked, counted once per pause
};

/// The value of one sweep in a run.
struct RunParameter {
  std::string name;
  std::string value;             ///< as in the scenario: "0.8", "12 MB", "bfc"
  std::optional<double> number;  ///< plain, or in bytes, microseconds or bit/s; nullopt for a text
  bool operator==(const RunParameter&) const = default;
};

struct RunRecord {
  std::string scenario;
  std::string variant;
  std::vector<RunParameter> parameters;  ///< in the order of the scenario's sweeps; empty: no sweeps
  std::uint64_t seed = 0;
  std::string version;
  std::string digest;                   ///< 16 hexadecimal digits over every delivered frame
  std::string effective_configuration;  ///< TOML
  bool interrupted = false;
  std::string failure;    ///< a violated invariant, a deadlock of pauses, or empty
  bool deadlock = false;  ///< `failure` is a deadlock, a property of the network; measurements until then are valid
  std::vector<RunFinding>
      findings;  ///< findings of weir check about the variant, the deadlock, drops of lossless priorities

  Time simulated;
  double wall_seconds = 0;  ///< depends on the computer; not part of the result
  WEIR_RUN_COUNTERS(WEIR_COUNTER_MEMBER)

  std::vector<FlowRecord> flows;    ///< in order of start
  std::vector<std::string> labels;  ///< the names of FlowRecord::label; larger labels have none
  std::vector<SwitchRecord> switches;
  std::vector<LinkRecord> links;
  std::vector<Series> series;
  Timeline timeline;  ///< of links, if requested
  std::array<PauseHold, kFlowClasses> pause_hold{};
  std::array<Histogram, 8> queueing_by_tier;    ///< picoseconds that data frames waited in a switch of tier n
  Histogram active_flows;                       ///< queue pairs with data queued, per port of a switch, sampled (bfc 2)
  Histogram active_queues;                      ///< non-empty open queues, per port of a switch, sampled
  std::array<std::int64_t, 9> bytes_by_kind{};  ///< frame bytes sent on links by FrameKind
  Statistics statistics;                        ///< additional statistics, if requested
};

}  // namespace weir
