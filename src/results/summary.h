// SPDX-License-Identifier: Apache-2.0
// The summary of one run: its record without the individual flows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/distribution.h"
#include "results/run_record.h"
#include "results/size_bins.h"

namespace weir {

/// Groups of flows that are summarised: the classes, the two that are not incast, and all.
enum class FlowGroup : std::uint8_t { incast, victim, background, not_incast, all };
inline constexpr int kFlowGroups = 5;
/// By FlowGroup.
inline constexpr std::array<std::string_view, kFlowGroups> kFlowGroupNames{"incast", "victim", "background",
                                                                           "not incast", "all"};
[[nodiscard]] bool is_in(FlowGroup group, FlowClass flow_class);

/// By DropReason, and the two that are none.
inline constexpr std::array<std::string_view, kDropKinds> kDropReasonNames{
    "no route",  "buffer full", "egress threshold", "policy", "corrupt",
    "link down", "no frame",    "watchdog",         "other",  "on purpose"};

/// By FrameKind; "other" is no frame.
inline constexpr std::array<std::string_view, 9> kFrameKindNames{
    "data", "acknowledge", "negative acknowledge", "CNP", "PFC", "hop control", "host control", "other", "datagram"};

/// FCT / ideal FCT, both at the sender, but at least 1. A flow can be faster than ideal because times are rounded, or
/// because other traffic's acknowledgements left it a better path. `flow` must have completed and its ideal FCT must be
/// known.
[[nodiscard]] double slowdown_of(const FlowRecord& flow);

/// The flow completion times of a group. A flow counts as completed when its sender has received the last
/// acknowledgement.
struct FctSummary {
  std::uint64_t flows = 0;    ///< that started
  std::uint64_t stopped = 0;  ///< those that ended by their stop time and were not to complete
  std::uint64_t completed = 0;
  Distribution fct_us;           ///< microseconds, at the sender, over the completed flows
  Distribution receiver_fct_us;  ///< microseconds until the last byte arrived, over the flows for which it did
  Distribution slowdown;         ///< over the completed flows with known ideal FCT; see slowdown_of()
  std::uint64_t clipped = 0;     ///< slowdowns raised to 1
  std::uint64_t retransmitted_packets = 0;
  std::uint64_t out_of_order_packets = 0;

  /// Flows that were to complete.
  [[nodiscard]] std::uint64_t due() const { return flows - stopped; }
};

struct SizeBinSummary {
  SizeBin bin;
  std::array<FctSummary, kFlowGroups> groups;  ///< by FlowGroup
};

/// The flows with one label.
struct LabelSummary {
  std::string name;
  FctSummary flows;
};

/// A series over the run.
struct SeriesSummary {
  std::string name;  ///< without its unit
  std::string unit;
  std::size_t samples = 0;
  double mean = 0;
  double maximum = 0;
};

/// The switches of one tier.
struct TierSummary {
  int tier = 0;
  std::string name;  ///< "ToR", "aggregation", "core", or "tier n"
  std::size_t switches = 0;
  std::int64_t buffer_maximum = 0;  ///< bytes, of the fullest switch, exact
  std::string fullest;              ///< its name; the first of several
  Histogram occupancy;              ///< bytes: every sample of every switch
  Histogram occupancy_at_pause;     ///< bytes
  Histogram queueing;               ///< picoseconds that data frames waited in a switch
  std::uint64_t pauses_sent = 0;
  std::array<std::uint64_t, kDropKinds> drops{};  ///< by kDropReasonNames
};

/// Links from one tier to another, and the pauses by which the far end paused the near end.
struct TierPairSummary {
  int paused_tier = 0;
  int pausing_tier = 0;
  std::string paused;   ///< the tiers' names
  std::string pausing;  //
  std::size_t links = 0;
  std::size_t links_paused = 0;  ///< that were paused at least once
  std::uint64_t pauses = 0;
  double paused_share = 0;          ///< of links x simulated time
  double largest_paused_share = 0;  ///< of simulated time, for the link that was paused longest
};

/// The effect of pauses on the packets of one or more classes. All but `packets` are meaningless if no packet was
/// blocked, or none was recorded (see RunRecord::pause_hold).
struct PauseHoldSummary {
  std::uint64_t packets = 0;    ///< blocked, counted once per pause
  double mean_held_us = 0;      ///< microseconds per blocked packet
  double mean_innocent_us = 0;  ///< microseconds per blocked packet, for roots that are not on its path
  double innocent_share = 0;    ///< of the blocked time
};

struct RunSummary {
  std::string scenario;
  std::string variant;
  std::vector<RunParameter> parameters;
  std::uint64_t seed = 0;
  std::string version;
  std::string digest;
  bool interrupted = false;
  std::string failure;
  std::vector<RunFinding> findings;
  Time simulated;

  std::array<FctSummary, kFlowGroups> groups;            ///< by FlowGroup
  std::vector<SizeBinSummary> sizes;                     ///< in the order of the requested bins
  std::vector<LabelSummary> labels;                      ///< that flows have, in numerical order
  std::vector<TierSummary> tiers;                        ///< of switches, lowest first
  std::vector<TierPairSummary> tier_pairs;               ///< by paused, then pausing tier
  double paused_share = 0;                               ///< of all links x simulated time
  std::uint64_t pauses = 0;                              ///< sent by switches and hosts
  std::array<std::uint64_t, kDropKinds> drops{};         ///< by kDropReasonNames, over switches
  std::uint64_t dropped = 0;                             ///< for whatever reason, but not on purpose
  std::array<PauseHoldSummary, kFlowGroups> pause_hold;  ///< by FlowGroup
  std::uint64_t data_frames = 0;                         ///< sent by NICs, retransmissions included
  std::uint64_t retransmitted_frames = 0;
  std::uint64_t out_of_order_frames = 0;
  /// Counters of the run that have a CSV name and are not 0, under that name; in frames.
  std::vector<std::pair<std::string, std::int64_t>> counters;
  std::uint64_t lost = 0;                       ///< frames in flight on links that failed
  std::uint64_t packet_hops = 0;                ///< frames that crossed a link, control frames included
  std::array<std::int64_t, 9> bytes_by_kind{};  ///< frame bytes sent on links, by FrameKind
  Histogram active_flows;                       ///< per port of a switch, sampled; see RunRecord
  Histogram active_queues;
  std::vector<SeriesSummary> series;  ///< in the order of the record

  [[nodiscard]] const FctSummary& of(FlowGroup group) const { return groups[static_cast<std::size_t>(group)]; }
  [[nodiscard]] const PauseHoldSummary& hold_of(FlowGroup group) const {
    return pause_hold[static_cast<std::size_t>(group)];
  }
  /// Of the data frames sent; zero if none was sent.
  [[nodiscard]] double retransmitted_share() const;
  /// The run reached its end without violating an invariant.
  [[nodiscard]] bool whole() const { return !interrupted && failure.empty(); }
};

/// The name of a label in this run, or its number if it has none.
std::string label_name(const RunRecord& record, std::uint8_t label);
/// The name and the unit of a series, which are separated by a blank in its name.
std::pair<std::string, std::string> name_and_unit(const Series& series);

/// `bins` need not cover every size; other flows count in the groups only.
RunSummary summarise(const RunRecord& record, const std::vector<SizeBin>& bins = field_size_bins());

/// The name of a switch tier, given the highest tier `highest`: "ToR" for 1, "core" for the highest, "aggregation" for
/// a single tier between them, "tier n" if there are more. Tier 0 is "host".
std::string tier_name(int tier, int highest);

}  // namespace weir
