// SPDX-License-Identifier: Apache-2.0
// What BFC's paper works out by hand: how long a paused flow can be without packets (appendix C), and what the tables
// and the recirculation take of a switch (sections 3.3.1, 4, A.8).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "units/bit_rate.h"
#include "units/bytes.h"

namespace weir::analysis {

// ---- appendix C: one long flow at its bottleneck ----

/// Equation 4: the part of the time that the flow has no packets at the bottleneck, in [0, 1). `enqueue_ratio` is x,
/// the rate at which its packets come over the rate at which they leave, above 1; `threshold` the pause threshold in
/// one-hop products at the drain rate, Th / (HRTT mu_f), not below 0.
double bfc_idle_share(double enqueue_ratio, double threshold);
/// The x at which that is most.
double bfc_worst_enqueue_ratio(double threshold);
/// Equation 5: how much it is there.
double bfc_worst_idle_share(double threshold);
/// The longest the queue gets, in one-hop products at the drain rate: the threshold, and what a pause is late by.
double bfc_longest_queue(double enqueue_ratio, double threshold);

// ---- the tables (3.3.1, 4, 6.2.1) ----

/// The widths of an entry's three values, in bytes; the paper names the values and no widths. A pause counter is as
/// wide as `frames`, as both count frames in the switch.
struct BfcEntryWidths {
  std::int64_t queue = 1;  ///< enough for 256 queues of a port
  std::int64_t frames = 2;
  std::int64_t time = 2;
};

/// Those of a switch with so many queues a port, at least one: the number of one of them takes whole bytes.
BfcEntryWidths bfc_entry_widths(std::int64_t queues_of_port);
/// Entries of the flow table of a switch with `queues` queues in all.
std::int64_t bfc_flow_table_entries(std::int64_t queues, std::int64_t factor = 100);
Bytes bfc_flow_table_bytes(std::int64_t queues, std::int64_t factor = 100, const BfcEntryWidths& widths = {});
/// Entries of the pause counter: a queue upstream at each port.
std::int64_t bfc_pause_counter_entries(std::int64_t ports, std::int64_t upstream_queues);
Bytes bfc_pause_counter_bytes(std::int64_t ports, std::int64_t upstream_queues, const BfcEntryWidths& widths = {});
/// The part of either that is in the pipeline with most, of so many: the flow table's entries are split evenly, the
/// counters by the ports (4).
std::int64_t bfc_part_of_pipeline(std::int64_t what, std::int64_t pipelines);
/// The probability that a flow meets one of `others` active flows of its egress in `rows` entries: 1 - (1 - 1/rows)^n.
double bfc_index_collision(std::int64_t others, std::int64_t rows);

// ---- recirculation (4, A.8) ----

/// Frames of one size among those a switch forwards.
struct FrameShare {
  std::int64_t frame_bytes;  ///< without preamble and gap
  double share;              ///< of the frames; the shares of a mix need not add to one
};

struct BfcRecirculation {
  double frames_per_second;          ///< that the switch forwards at full load
  double recirculated_per_second;    ///< headers that come back
  double bandwidth_share;            ///< of the capacity: what recirculation takes
  double sampling_within_bandwidth;  ///< the largest share of frames that fits the bandwidth kept for it, at most 1
  double header_within_bandwidth;    ///< the largest header that fits it at the sampling asked for, in bytes
  /// The largest share of frames that fits the packets a second of the pipelines, 0..1; none where they are not
  /// limited.
  std::optional<double> sampling_within_packets;
};

/// What a switch can do. Defaults: Tofino2 (4: 12 % of the capacity is kept for recirculation).
struct BfcSwitchLimits {
  BitRate capacity = BitRate(12'800'000'000'000);
  double recirculation_share = 0.12;         ///< of the capacity
  std::optional<double> packets_per_second;  ///< that the pipelines take; none: not limited
  /// Of a recirculated header. The paper gives no size. Ours: Ethernet, IPv4 and UDP, which name the flow (14, 20, 8),
  /// and 2 each for the egress, the queue upstream and counterIncr, which the dequeue needs besides (3.3.2, 4).
  std::int64_t header_bytes = 48;
};

/// What it takes to recirculate the header of a share `sampling` (0..1, not 0) of all frames of this mix at full load.
/// The mix must hold a frame; `wire_overhead` are bytes a frame takes on a link besides. The links of recirculation lie
/// inside the switch and have none (ours: the paper calls them dedicated internal links and says no more).
BfcRecirculation bfc_recirculation(std::span<const FrameShare> mix, const BfcSwitchLimits& limits, double sampling = 1,
                                   std::int64_t wire_overhead = 20);

}  // namespace weir::analysis
