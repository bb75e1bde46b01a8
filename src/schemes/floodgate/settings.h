// SPDX-License-Identifier: Apache-2.0
// The parameters of Floodgate, typed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/parameters.h"
#include "policy/switch_context.h"
#include "units/bytes.h"
#include "units/ids.h"
#include "units/time.h"
#include "wire/frame.h"
#include "wire/framing.h"

namespace weir::floodgate {

/// Where packets wait that have no window.
enum class Pipeline : std::uint8_t {
  egress,  ///< in VOQs of the whole switch, from which they join the FIFO of their egress port
  port,    ///< in VOQs of their egress port, which send by themselves when the FIFO is empty
};

/// What congestion points are told of the length of queues.
enum class Signal : std::uint8_t {
  automatic,  ///< split for a length that the packet carries, else egress
  egress,     ///< the FIFO and all VOQ bytes for that port
  split,      ///< the FIFO; of a packet that was in a VOQ, the bytes of all VOQs
};

struct Settings {
  static constexpr std::uint32_t kPriorityAt = 1u << 27;  ///< in announced()

  explicit Settings(const Parameters& parameters);

  bool per_packet;         ///< a credit frame for each packet (the ideal variant)
  bool tags;               ///< PFC with tags instead of windows
  Priority priority;       ///< whose data is Floodgate's
  bool counts_bytes;       ///< windows, credits and PSNs count bytes; otherwise packets
  double window_factor;    ///< m
  Bytes window;            ///< of each destination; zero: by the rule
  bool window_of_port;     ///< a window for each destination and egress port; otherwise for each destination
  Duration credit_timer;   ///< T
  Bytes credit_bytes;      ///< owed to an ingress, after which a credit leaves at once; zero: none does
  bool lists;              ///< a credit frame lists destinations
  bool earned_in_queue;    ///< a credit is earned when the packet joins the egress FIFO
  bool delays_credit;      ///< delayCredit
  Bytes credit_threshold;  ///< thre_credit
  std::size_t queues;      ///< VOQs of a switch
  std::size_t groups;      ///< of VOQs
  Pipeline pipeline;
  bool recovers;              ///< PSNs and switchSYN
  Duration syn_timeout;       ///< without credit, while there are uncredited packets
  bool pauses_hosts;          ///< dstPause, dstResume
  Bytes pause_threshold;      ///< thre_off; zero: of the links
  Bytes resume_threshold;     ///< thre_on; zero: as thre_off
  Duration pause_timeout;     ///< after which a NIC resumes by itself
  Bytes tag_threshold;        ///< of the egress queue at the last hop; zero: of the links
  Bytes tag_queue_threshold;  ///< of a VOQ; zero: as tag_threshold
  double tag_resume;          ///< share of either threshold
  Signal signal;
  std::uint32_t hashed;       ///< windows are in so many entries, by a hash; zero: one for each destination
  std::size_t table_entries;  ///< of a table; zero: enough for all, with a limit

  /// Whether windows hold the frame back. [FLOODGATE-U-2]
  [[nodiscard]] bool manages(const Frame& frame) const {
    return frame.kind == FrameKind::data && frame.priority == priority;
  }
  /// What a packet takes of a window, and gives back. In bytes without the headers that schemes add: they may change on
  /// the way. [FLOODGATE-U-1]
  [[nodiscard]] std::uint32_t weight(const Framing& framing, const Frame& frame) const {
    return counts_bytes ? framing.data(frame.payload_bytes) : 1;
  }
  /// The name by which windows and credits know a destination: its number, or its entry of a hashed table.
  [[nodiscard]] std::uint32_t name_of(HostId destination) const;
  /// What neighbours must have in common to exchange credits; not zero. The entries of a hashed table have 23 bits.
  /// [FLOODGATE-C-7]
  [[nodiscard]] std::uint32_t announced() const {
    return 1u + (counts_bytes ? 1u : 0u) + (recovers ? 2u : 0u) + (tags ? 4u : 0u) + hashed * 8u +
           std::uint32_t{priority} * kPriorityAt;
  }
};

/// BDP_nextHop in bytes: 2 x propagation delay x rate of the link. [FLOODGATE-W-1]
[[nodiscard]] std::int64_t hop_product(BitRate rate, Duration delay);
/// The largest hop_product() of a switch.
[[nodiscard]] std::int64_t largest_hop_product(const SwitchContext& context);
/// The bytes from which the window of destinations behind such a link is computed. [FLOODGATE-W-1]
[[nodiscard]] std::int64_t window_bytes(const Settings& settings, BitRate rate, Duration delay);
/// This window in the settings' unit; at least one largest packet, which has `packet` bytes with preamble and gap.
/// [FLOODGATE-W-1]
[[nodiscard]] std::uint32_t window_of(const Settings& settings, BitRate rate, Duration delay, std::int64_t packet);

/// The records of a table for this many ports. [FLOODGATE-T-1]
[[nodiscard]] std::size_t table_size(const Settings& settings, const SwitchContext& context, std::size_t ports);

}  // namespace weir::floodgate
