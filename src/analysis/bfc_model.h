// SPDX-License-Identifier: Apache-2.0
// Calculations from BFC's paper: how long a paused flow can be without packets (appendix C), and the cost of the tables
// and of recirculation (sections 3.3.1, 4, A.8).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "units/bit_rate.h"
#include "units/bytes.h"

namespace weir::analysis {

// ---- appendix C: one long flow at its bottleneck ----

/// Equation 4: the fraction of time in which the flow has no packets at the bottleneck, in [0, 1). `enqueue_ratio` is
/// x, the arrival rate of its packets divided by their departure rate, above 1; `threshold` is the pause threshold in
/// one-hop products at the drain rate, Th / (HRTT mu_f), not below 0.
double bfc_idle_share(double enqueue_ratio, double threshold);
/// The x at which this fraction is largest.
double bfc_worst_enqueue_ratio(double threshold);
/// Equation 5: the fraction at this x.
double bfc_worst_idle_share(double threshold);
/// The maximum length of the queue, in one-hop products at the drain rate: the threshold plus what arrives until the
/// pause takes effect.
double bfc_longest_queue(double enqueue_ratio, double threshold);

// ---- the tables (3.3.1, 4, 6.2.1) ----

/// The widths of an entry's three values, in bytes; the paper names the values but gives no widths. A pause counter is
/// as wide as `frames`, because both count frames in the switch.
struct BfcEntryWidths {
  std::int64_t queue = 1;  ///< sufficient for 256 queues per port
  std::int64_t frames = 2;
  std::int64_t time = 2;
};

/// The widths for a switch with this number of queues per port, at least one: a queue index takes an integer number of
/// bytes.
BfcEntryWidths bfc_entry_widths(std::int64_t queues_of_port);
/// Number of flow-table entries of a switch with `queues` queues in total.
std::int64_t bfc_flow_table_entries(std::int64_t queues, std::int64_t factor = 100);
Bytes bfc_flow_table_bytes(std::int64_t queues, std::int64_t factor = 100, const BfcEntryWidths& widths = {});
/// Number of pause-counter entries: one per upstream queue and port.
std::int64_t bfc_pause_counter_entries(std::int64_t ports, std::int64_t upstream_queues);
Bytes bfc_pause_counter_bytes(std::int64_t ports, std::int64_t upstream_queues, const BfcEntryWidths& widths = {});
/// The part of either table in the pipeline with the largest part, given the number of pipelines: the flow table's
/// entries are divided evenly, the counters by port (4).
std::int64_t bfc_part_of_pipeline(std::int64_t what, std::int64_t pipelines);
/// The probability that a flow collides with one of `others` active flows of its egress in `rows` entries: 1 - (1 -
/// 1/rows)^n.
double bfc_index_collision(std::int64_t others, std::int64_t rows);

// ---- recirculation (4, A.8) ----

/// The share of frames of one size among those that a switch forwards.
struct FrameShare {
  std::int64_t frame_bytes;  ///< without preamble and gap
  double share;              ///< of the frames; the shares of a mix need not sum to one
};

struct BfcRecirculation {
  double frames_per_second;          ///< forwarded by the switch at full load
  double recirculated_per_second;    ///< recirculated headers
  double bandwidth_share;            ///< of the capacity: the share used by recirculation
  double sampling_within_bandwidth;  ///< the largest share of frames that fits into the bandwidth reserved for it, at
                                     ///< most 1
  double header_within_bandwidth;    ///< the largest header that fits into it at the requested sampling, in bytes
  /// The largest share of frames that fits into the packet rate of the pipelines, 0..1; nullopt if it is not limited.
  std::optional<double> sampling_within_packets;
};

/// The limits of a switch. Defaults: Tofino2 (4: 12 % of the capacity is reserved for recirculation).
struct BfcSwitchLimits {
  BitRate capacity = BitRate(12'800'000'000'000);
  double recirculation_share = 0.12;         ///< of the capacity
  std::optional<double> packets_per_second;  ///< of the pipelines; nullopt: not limited
  /// Size of a recirculated header. The paper gives no size. Our assumption: Ethernet, IPv4 and UDP, which identify the
  /// flow (14, 20, 8), and 2 each for the egress, the upstream queue and counterIncr, which the dequeue also requires
  /// (3.3.2, 4).
  std::int64_t header_bytes = 48;
};

/// The cost of recirculating the header of a share `sampling` (0..1, not 0) of all frames of this mix at full load. The
/// mix must contain a frame; `wire_overhead` is the number of additional bytes per frame on a link. Recirculation links
/// are inside the switch and have no such overhead (our assumption: the paper calls them dedicated internal links
/// without further details).
BfcRecirculation bfc_recirculation(std::span<const FrameShare> mix, const BfcSwitchLimits& limits, double sampling = 1,
                                   std::int64_t wire_overhead = 20);

}  // namespace weir::analysis
