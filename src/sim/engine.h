// SPDX-License-Identifier: Apache-2.0
// The internals of the event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "fabric/link_changes.h"
#include "fabric/wire_tap.h"
#include "sim/agenda.h"
#include "sim/channels.h"
#include "sim/deadlock.h"
#include "sim/measurement.h"
#include "sim/progress.h"
#include "sim/ranked_set.h"
#include "traffic/merged_traffic.h"
#include "units/hot_path.h"

namespace weir {

/// Every channel has two events (its first frame in flight arrives; its wire becomes free while something waits), and
/// every node one (its deadline). Events at one instant are processed in the order of phases: link changes, arrivals,
/// timers, new flows, transmissions, samples; within a phase by ranks derived from the seed, so that no port is
/// preferred because of its number.
///
/// No action of a node affects another node before the shortest link delay has passed. The engine therefore advances in
/// look-ahead windows of that length and runs one node after the other through each window, by its own agenda. The
/// result is that of a global time order, because the events of each node keep their order. The memory of a node stays
/// in the cache for hundreds of frames; in a global time order the engine would return to it only after all other
/// nodes. Events that concern several nodes at one instant end a window early: link changes and samples for all nodes,
/// the start of flows for the hosts. A tap needs the frames of several nodes in time order, so with it windows are one
/// instant; so are those of the hosts if completions make flows due.
///
/// A port that becomes ready by a call to a node transmits at that same instant, in the transmit phase. This needs no
/// event: ready channels wait in a set, which is processed whenever nothing of an earlier phase is due.
class Engine {
 public:
  explicit Engine(const Settings& settings);
  RunRecord run(Progress* progress);
  /// See Simulation.
  void tap(const std::vector<LinkDirection>& links, WireTap& tap);
  [[nodiscard]] Fabric& fabric() { return fabric_; }

 private:
  static constexpr Duration kCheckInterval = Duration::picoseconds(500'000'000);  // of invariants
  static constexpr Duration kLookInterval = Duration::picoseconds(50'000'000);    // of deadlock checks, and ...
  static constexpr Duration kLongestLook =
      Duration::picoseconds(500'000'000);  // ... while a deadlock has been suspected for a long time
  static constexpr Duration kSoonLook = Duration::picoseconds(10'000'000);  // ... when one is first suspected
  static constexpr Duration kInstant = Duration::picoseconds(1);            // the shortest window

  /// A switch or a host, and its pending events.
  struct NodeState {
    Switch* at = nullptr;  // one of the two
    Nic* nic = nullptr;
    Time deadline = Time::never();    // as scheduled
    std::uint32_t first_channel = 0;  // of its ports
    Channel* channels = nullptr;      // of its ports: channels_ does not move
    std::uint32_t number = 0;         // among the switches, or the hosts
    bool busy = false;                // a switch that processed more than one event per port in its last window
    Agenda agenda{1};                 // arrivals and wires in the order of their ranks
    struct Incoming {
      Channel* channel;
      PortId port;
    };
    std::vector<Incoming> incoming;      // by number of the arrival
    std::vector<PortId> outgoing;        // by number of the wire
    std::vector<std::uint32_t> wire_of;  // by port: its number in `outgoing`
  };
  void build_nodes();
  void make_agenda(NodeState& node, std::uint64_t seed);
  void set_lookahead();
  /// Throws if the run is to continue at `at`, which is beyond the range of agendas.
  void refuse_beyond_limit(Time at) const;
  [[noreturn]] void refuse(Time end) const;

  /// Runs the next window, link change or sample.
  void advance();
  void run_switch(NodeState& node, Time end);
  WEIR_HOT_INLINE void fetch_heads(const NodeState& node) const;
  void run_hosts(Time end);
  void run_hosts_until(Time end, bool to_flows);
  [[nodiscard]] WEIR_HOT_INLINE const Frame* next_arriving(const NodeState& host) const;
  WEIR_HOT_INLINE void fetch_hosts(std::span<NodeState* const> group) const;
  void run_host(NodeState& node, Time end, bool to_flows);
  void change_flows(Time at);
  void hold_due();
  void set_next(NodeAgenda& nodes, std::uint32_t number, Time next);

  WEIR_HOT_INLINE FrameId take_off_wire(NodeState& node, std::uint32_t number, Channel& channel);
  WEIR_HOT_INLINE void arrive_at_switch(NodeState& node, std::uint32_t number);
  void arrive_at_host(NodeState& node);
  WEIR_HOT_INLINE void wire_free(NodeState& node, std::uint32_t number);
  void deadline(NodeState& node);
  void start_flows();
  void stop_flows();
  void after_flow_change(HostId source);
  void change_links();
  void set_link(LinkId link, bool up);
  void forget_events(const Channel& channel);
  void sample();
  void inspect();

  WEIR_HOT_INLINE void after_switch(NodeState& node);
  /// `transmitted`: it was asked for a frame.
  WEIR_HOT_INLINE void after_nic(NodeState& node, bool transmitted = false);
  void after(NodeState& node);
  WEIR_HOT_INLINE void follow_deadline(NodeState& node, Time deadline) {
    if (deadline != node.deadline) [[unlikely]]
      move_deadline(node, deadline);
  }
  void move_deadline(NodeState& node, Time deadline);
  /// Its port may have something to send now.
  WEIR_HOT_INLINE void request(NodeState& node, PortId port);
  WEIR_HOT_INLINE void wait_for_wire(NodeState& node, PortId port, Channel& channel);
  WEIR_HOT_INLINE void transmit_switch(NodeState& node, PortId port);
  void transmit_host(NodeState& node);
  /// Puts a frame of a switch on the wire of `port`.
  WEIR_HOT_INLINE void send(NodeState& node, PortId port, FrameId frame);
  WEIR_HOT_INLINE void put_on_wire(Channel& channel, FrameId frame);
  [[nodiscard]] std::uint32_t number_of(const Channel& channel) const {
    return static_cast<std::uint32_t>(&channel - channels_.data());
  }
  void schedule_arrival(const Channel& channel, Time arrival);
  WEIR_HOT_INLINE void count_kind(std::uint32_t channel, const Frame& frame);
  void treat_specially(std::uint32_t channel, Frame& frame);

  void end_flow(const FlowSpec& flow, const FlowRecord& record, Time at);
  void end_if_finished(Time at);
  /// When the next flow starts or is stopped; Time::never() for none.
  [[nodiscard]] Time next_flow_change() const;
  [[nodiscard]] bool finished() const;
  void check_invariants();
  void look_for_deadlock();
  [[nodiscard]] Time before_end(Time at) const;
  void fail();
  void report(Progress& progress) const;
  struct Received {
    std::uint64_t frames;
    std::int64_t bytes;
  };
  /// The frames that a channel has delivered, as counted by the receiving node.
  [[nodiscard]] Received received_from(std::uint32_t channel) const;
  void add_egress_kinds(RunRecord& record) const;
  RunRecord record(bool interrupted);

  const Settings settings_;
  Fabric fabric_;
  FramePool& pool_;
  FrameTable frames_;
  std::int64_t wire_overhead_;
  std::uint32_t channel_count_;
  std::uint32_t host_count_;

  NodeAgenda switches_;  // by number
  NodeAgenda hosts_;
  Time limit_;          // end of the range of agendas
  Duration reach_;      // minimum time after which a node can affect another: the shortest link delay
  Duration lookahead_;  // at least 1 ps
  Time sample_at_;
  Time look_at_;  // of the next deadlock check
  Time end_at_ = Time::never();

  std::vector<Channel> channels_;
  std::vector<NodeState> nodes_;              // by node
  std::vector<std::uint32_t> switch_nodes_;   // by number
  std::vector<std::uint32_t> host_nodes_;     // by number
  std::vector<std::uint32_t> waiting_hosts_;  // until flows have changed at this instant: scratch
  RankedSet due_;                             // channels to transmit on at this instant

  struct Corruption {
    RandomStream random;
    std::uint64_t below = 0;  // a frame is damaged if 64 random bits are below this value
  };
  std::vector<Corruption> corruption_;  // by channel

  static constexpr std::uint32_t kNotTapped = ~std::uint32_t{0};
  WireTap* tap_ = nullptr;
  std::vector<std::uint32_t> tap_number_;  // by channel, if there is a tap

  struct Sent {
    std::int64_t frames = 0;
    std::int64_t bytes = 0;
  };
  static constexpr std::size_t kKindsApart = 16;             // a power of two above the number of kinds
  std::vector<std::array<Sent, kKindsApart>> sent_by_kind_;  // by channel; empty: not measured

  std::vector<std::uint64_t> lost_;  // by channel: frames in flight when its link failed
  DeadlockWatch deadlocks_;

  MergedTraffic traffic_;
  std::unique_ptr<Measurement> measurement_;
  bool looks_at_nics_ = false;  // the measurement observes NICs
  std::unique_ptr<Connections> connections_;

  LinkChanges link_changes_;

  Time now_;
  bool ended_ = false;
  std::uint64_t packet_hops_ = 0;
  std::uint64_t event_count_ = 0;
  std::array<std::int64_t, 9> bytes_by_kind_{};
  Time next_check_;
  Duration look_interval_ = kLookInterval;
  std::string failure_;
  std::optional<RunFinding> deadlock_;  // the finding of failure_
};

}  // namespace weir
