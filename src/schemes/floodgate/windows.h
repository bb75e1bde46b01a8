// SPDX-License-Identifier: Apache-2.0
// The upstream half of a switch: windows for destinations, and the VOQs of those whose window is exhausted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/statistics.h"
#include "policy/switch_policy.h"
#include "schemes/floodgate/accounts.h"
#include "schemes/floodgate/host_pauses.h"
#include "schemes/floodgate/message.h"
#include "schemes/floodgate/note.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"
#include "schemes/floodgate/voq_pool.h"

namespace weir::floodgate {

/// Windows by destination, or by destination and egress. A packet is charged to its window when it joins the FIFO of
/// its egress (in the port pipeline: or leaves its VOQ for the wire), and uncharged when it is credited. What finds no
/// window, and what finds another packet of its destination waiting, waits in a VOQ. [FLOODGATE-W-2] [FLOODGATE-V-2]
class Windows final : public Accounts::Delays {
 public:
  explicit Windows(const Settings& settings) : settings_(settings), pauses_(settings) {}

  /// `policy` has the timer. `downstream`: by port, whether the neighbour is a switch that takes part.
  void attach(QueueContext& context, SwitchPolicy& policy, const std::vector<bool>& downstream);

  /// A packet has been admitted whose weight is noted: the queue for it.
  QueueId enter(QueueContext& context, Frame& frame, Note& note);
  /// It leaves its VOQ for the FIFO. (In the egress pipeline.)
  void leave(QueueContext& context, QueueId queue, const Frame& frame, Note& note);
  /// It leaves for the wire, from `queue`: gives what kSequence says.
  std::uint32_t depart(QueueContext& context, QueueId queue, const Frame& frame, Note& note);
  /// It is lost here, though it was admitted.
  void lose(QueueContext& context, const Frame& frame, Note& note);

  /// The neighbour behind `port` has given credit. [FLOODGATE-W-3] [FLOODGATE-R-2]
  void credit(QueueContext& context, PortId port, const Credit& credit);
  /// True when the timer is its own.
  bool on_timer(SwitchContext& context, TimerId timer);
  /// The link has failed or come back: nothing that was sent over it is on its way any more. [FLOODGATE-R-5]
  void reset(QueueContext& context, PortId port);
  /// Lets all VOQs send what they may: windows have been given back by other ways than credits.
  void serve_all(QueueContext& context);

  /// Whether packets to this port have windows.
  [[nodiscard]] bool has_window(PortId port) const { return ports_[port.index()].window > 0; }
  [[nodiscard]] bool delays(const SwitchContext& context, PortId ingress, std::uint32_t name) const override;
  [[nodiscard]] std::int64_t signalled(const SwitchContext& context, QueueId queue, const Frame& frame,
                                       bool split) const;

  // ---- for measurement ----
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const;
  /// The VOQ that the frame waits in, whose queue this is; VoqPool::kNone: it waits in none.
  [[nodiscard]] std::uint16_t voq_of(QueueId queue) const { return voqs_.of(queue); }
  /// Whether this is the VOQ of a destination; of an entry of a hashed table, in a direction that packets from
  /// `ingress` may take.
  [[nodiscard]] bool waits_in(PortId ingress, std::uint32_t name, std::uint16_t voq) const;

  struct Counts {
    std::uint64_t syns = 0;
    std::uint64_t recovered = 0;        ///< units that a PSN gave back beside what was credited
    std::uint64_t ignored = 0;          ///< credits that cannot be
    std::uint64_t untracked = 0;        ///< packets that found no record, and were charged to no window
    std::uint64_t delayed_packets = 0;  ///< packets that waited in a VOQ
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const VoqPool& voqs() const { return voqs_; }
  [[nodiscard]] const HostPauses& pauses() const { return pauses_; }
  [[nodiscard]] const Gauge& voq_bytes() const { return voq_bytes_; }
  /// Units sent and not credited, of all destinations. Only where statistics are kept.
  [[nodiscard]] const Gauge& uncredited() const { return uncredited_; }
  /// Of the window that has the largest share of itself sent and not credited. Only where statistics are kept.
  [[nodiscard]] const Gauge& fullest() const { return fullest_; }
  /// Units charged to the window of a destination; of an entry of a hashed table, in all directions. For tests.
  [[nodiscard]] std::uint32_t charged(std::uint32_t name) const;
  /// Units sent over the link of a port to a destination and not credited. For tests.
  [[nodiscard]] std::uint32_t in_flight(PortId port, std::uint32_t name) const;
  [[nodiscard]] std::uint32_t window(PortId port) const { return ports_[port.index()].window; }
  /// Destinations with a window that is not full, or with packets here.
  [[nodiscard]] std::size_t active() const;
  /// What is wrong; empty: nothing. For tests.
  [[nodiscard]] std::string audit() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A destination by one egress.
  struct Way {
    std::uint64_t key = 0;
    std::uint32_t destination = kNone;  // number of it
    std::uint32_t sibling = kNone;      // the next way of the destination
    std::uint32_t sent = 0;             // PSN
    std::uint32_t credited = 0;         // PSN
    std::uint32_t queued = 0;           // units charged, not on the wire yet
    std::uint32_t here = 0;             // packets in this switch
    std::uint32_t waiting = 0;          // of them in VOQs
    std::uint32_t older = kNone;        // of the ways that wait for credit, in the order in which they last heard
    std::uint32_t newer = kNone;
    Time heard;
    std::uint16_t voq = VoqPool::kNone;  // in the port pipeline
    bool in_use = false;
    bool waits = false;  // it is among those that wait for credit
    [[nodiscard]] bool idle() const { return here == 0 && sent == credited; }
    [[nodiscard]] std::uint32_t uncredited() const { return distance(credited, sent); }
  };
  struct Destination {
    std::uint64_t key = 0;
    std::uint32_t used = 0;     // units charged and not credited
    std::uint32_t here = 0;     // packets in this switch
    std::uint32_t waiting = 0;  // of them in VOQs
    std::uint32_t ways = kNone;
    std::uint16_t voq = VoqPool::kNone;  // in the egress pipeline
    bool in_use = false;
    [[nodiscard]] static bool idle() { return false; }  // its ways make room
  };
  // Directions: to lower tiers and hosts, to higher tiers, to switches of the same tier.
  static constexpr std::uint32_t kDown = 0;
  static constexpr std::uint32_t kUp = 1;
  static constexpr std::uint32_t kBeside = 2;
  struct Port {
    std::uint32_t window = 0;  // units; zero: there is none
    std::uint8_t group = 0;    // of VOQs
    std::uint32_t direction = kDown;
    std::int64_t voq_bytes = 0;
  };

  [[nodiscard]] bool by_port() const { return settings_.pipeline == Pipeline::port; }
  /// Of the record of a destination, or of an entry of a hashed table in one direction. [FLOODGATE-T-4]
  [[nodiscard]] std::uint64_t destination_key(std::uint32_t direction, std::uint32_t name) const {
    return settings_.hashed > 0 ? key_of(direction, name) : name;
  }
  /// Of an entry of a hashed table. Destinations that are not hashed have the same record in all directions.
  [[nodiscard]] std::uint32_t directions() const { return settings_.hashed > 0 ? kBeside + 1 : 1; }
  /// Whether a packet from `ingress` may go on in this direction: from lower tiers in any, from others down only.
  [[nodiscard]] bool may_go(PortId ingress, std::uint32_t direction) const {
    return direction == kDown || ports_[ingress.index()].direction == kDown;
  }
  [[nodiscard]] std::int64_t waiting_bytes(const SwitchContext& context, std::uint32_t direction,
                                           std::uint32_t name) const;
  [[nodiscard]] bool waits_in(std::uint32_t direction, std::uint32_t name, std::uint16_t voq) const;
  std::uint32_t way_of(PortId port, std::uint32_t name);
  void evict(std::uint32_t way);
  [[nodiscard]] bool has_room(const SwitchContext& context, const Way& way, std::uint32_t weight) const;
  void charge(const SwitchContext& context, Way& way, std::uint32_t weight);
  void uncharge(Way& way, std::uint32_t units);
  [[nodiscard]] std::uint16_t& voq_ref(Way& way) { return by_port() ? way.voq : destinations_[way.destination].voq; }
  void add_to_voq(Way& way, const Frame& frame);
  void take_from_voq(Way& way, const Frame& frame);
  void left(QueueContext& context, Way& way);
  void left_voq(QueueContext& context, std::uint16_t voq);
  void serve(QueueContext& context, std::uint32_t destination);
  void serve_voq(QueueContext& context, std::uint16_t voq);
  void set_gate(QueueContext& context, std::uint16_t voq);
  void set_gates(QueueContext& context, std::uint32_t destination);
  void wait(SwitchContext& context, std::uint32_t number);
  void unlink(std::uint32_t number);

  const Settings& settings_;
  std::vector<Port> ports_;
  RecordTable<Way> ways_;
  RecordTable<Destination> destinations_;
  VoqPool voqs_;
  HostPauses pauses_;
  PauseLimits limits_;  // of VOQs
  GateOwner owner_ = 0;
  TimerId syn_timer_;
  bool syn_armed_ = false;
  std::uint32_t oldest_ = kNone;  // of the ways that wait for credit
  std::uint32_t newest_ = kNone;
  bool keeps_statistics_ = false;
  Gauge voq_bytes_;
  Gauge uncredited_;
  Gauge fullest_;
  Counts counts_;
};

}  // namespace weir::floodgate
