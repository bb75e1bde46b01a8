// SPDX-License-Identifier: Apache-2.0
// The parameters of BFC as typed values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "policy/parameters.h"
#include "policy/scheme.h"
#include "policy/switch_context.h"
#include "units/bytes.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir::bfc {

/// How a flow gets its queue.
enum class Assignment : std::uint8_t {
  dynamic,     ///< an empty one, kept while the flow has frames in the switch
  stochastic,  ///< selected by a hash
  single,      ///< all flows share one
};

/// The choice among the empty queues. [BFC-Q-8]
enum class EmptyQueue : std::uint8_t {
  scan,      ///< the first from a random number upwards, then from 0
  random,    ///< uniformly random
  lowest,    ///< the lowest number
  rotating,  ///< the first after the one taken last
};

/// The order in which the queues of a class are served.
enum class Order : std::uint8_t {
  fair,                ///< by bytes
  by_frames,           ///< by frames
  shortest_remaining,  ///< by the remaining size of the flow of their head frame
};

struct Settings {
  explicit Settings(const Parameters& parameters);

  std::size_t queues;         ///< data queues of a class
  std::size_t table_queues;   ///< physical queues of a port, which determine the size of the flow table
  std::size_t classes;        ///< priorities: `highest`, and those below it
  Priority highest;           ///< the first class
  bool queues_acks;           ///< acknowledgements take queues as flows of their own
  Assignment assignment;      ///< of flows to queues
  std::size_t table_factor;   ///< entries of the flow table per physical queue
  std::size_t table_entries;  ///< of the flow table, per port; zero: by the factor
  std::size_t pipelines;      ///< parts of the flow table
  double sticky;              ///< one-hop round trips for which an idle entry keeps its queue
  Duration hop_round_trip;    ///< zero: that of the links
  Duration threshold;         ///< the time from which the pause threshold is computed; zero: the one-hop round trip
  Duration refresh;           ///< between bitmaps
  bool pause_at_once;         ///< a pause is sent at once, not only in the next bitmap
  Duration empty_refresh;     ///< between readings of which queues are empty; zero: always known
  bool assign_paused;         ///< an empty queue that is paused may be assigned to a flow
  EmptyQueue empty_queue;     ///< the choice among the empty queues
  std::size_t scan_beside;    ///< start values of a scan that are no queues of flows
  std::size_t pause_from;     ///< least frames of its flow in the switch, itself included, for a frame to pause
  bool keeps_table;           ///< a switch counts the frames of each entry of its flow table [BFC-B-9]
  double sampling;            ///< the share of frames that are counted
  std::size_t nic_queues;     ///< per class
  bool nic_backpressure;      ///< NICs obey pauses
  Order order;                ///< of the queues of a class
  bool incast_label;          ///< flows with the incast label share a queue of their own
  ExemptTurns exempt;         ///< turns without backpressure
  Bytes gate_fifo;            ///< of the FIFO behind the gates of a port and class; zero: none

  /// Whether BFC manages data of this priority.
  [[nodiscard]] bool manages(Priority priority) const {
    return static_cast<unsigned>(highest - priority) < classes;  // wraps for a higher priority
  }
  /// Whether the frame takes a queue like a flow if its priority is managed. [BFC-P-2] [BFC-P-5]
  [[nodiscard]] bool queues_frame(FrameKind kind) const {
    return kind == FrameKind::data || kind == FrameKind::datagram ||
           (queues_acks && (kind == FrameKind::ack || kind == FrameKind::nack));
  }
  /// 0 for the highest managed priority.
  [[nodiscard]] std::size_t class_of(Priority priority) const { return static_cast<std::size_t>(highest - priority); }
  /// Whether the frame is exempt from pauses, by its ingress and egress.
  [[nodiscard]] bool spares(const SwitchContext& context, const Frame& frame) const {
    switch (exempt) {
      case ExemptTurns::down_up:  // [BFC-E-1]
        return is_down_up_turn(context.port(frame.ingress).peer, context.port(frame.egress).peer);
      case ExemptTurns::cycle_breaking:  // [BFC-E-2]
        return context.breaks_cycle(frame.ingress, frame.egress);
      case ExemptTurns::none:
        break;
    }
    return false;
  }
  [[nodiscard]] bool shortest_remaining() const { return order == Order::shortest_remaining; }
  /// Sets the configured service order for the queues of all classes.
  void set_order(QueueContext& context) const {
    if (order == Order::fair) return;
    const Discipline discipline = shortest_remaining() ? Discipline::rank : Discipline::round_robin;
    for (std::size_t of_class = 0; of_class < classes; ++of_class) {
      context.set_discipline(static_cast<Priority>(highest - of_class), discipline);
    }
  }
  /// Entries of the flow table, over all classes and pipelines. [BFC-Q-2]
  [[nodiscard]] std::size_t entries_of_port() const {
    return table_entries > 0 ? table_entries : table_factor * table_queues;
  }
  [[nodiscard]] std::size_t queues_of_port() const { return queues * classes; }
  [[nodiscard]] std::size_t queues_of_nic() const { return nic_queues * classes; }
  /// The most queues that a neighbour with the same parameters can be ordered to pause. [BFC-B-8]
  [[nodiscard]] std::size_t queues_of_neighbour() const {
    return nic_backpressure ? std::max(queues_of_port(), queues_of_nic()) : queues_of_port();
  }
};

}  // namespace weir::bfc
