// SPDX-License-Identifier: Apache-2.0
// The measurements of a run, in addition to the counters that nodes keep anyway.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "results/run_record.h"
#include "sim/active_flows.h"
#include "sim/congestion_trees.h"
#include "sim/flow_controls.h"
#include "sim/held_links.h"
#include "sim/held_ports.h"
#include "sim/hop_statistics.h"
#include "sim/lossless_tally.h"
#include "sim/pause_roots.h"
#include "sim/sender_rates.h"
#include "sim/series_recorder.h"
#include "sim/slowdown_split.h"
#include "sim/timeline_recorder.h"
#include "sim/watchdog_tally.h"
#include "switch/observer.h"

namespace weir {

/// Observes switches and samples the whole network at each sample. Its cost is bounded: one counter or histogram update
/// per observed event, nothing for measurements that are switched off, and a fixed amount per sample.
class Measurement final : public SwitchObserver, public NicObserver {
 public:
  Measurement(Fabric& fabric, const Settings& settings);
  ~Measurement() override;

  void set_connections(const Connections& connections) { connections_ = &connections; }

  // ---- calls of the driver ----
  void on_flow_start(const FlowSpec& flow);
  void on_flow_end(const FlowSpec& flow, FlowRecord record, Time now);
  /// A data frame has reached its receiver, which has kept `bytes` of it: zero for a duplicate, a damaged frame, or a
  /// discarded one. Called only if wants_delivery().
  void on_delivery(HostId host, QueuePairId receiver, std::int64_t bytes);
  [[nodiscard]] bool wants_delivery() const { return throughput_; }
  /// A NIC has acted. Called only if wants_nics().
  void look_at_nic(const Nic& nic, Time now, bool wire_taken) { ports_->look(nic, now, wire_taken); }
  [[nodiscard]] bool wants_nics() const { return ports_.has_value(); }
  /// All nodes have reached the same instant.
  void end_window();
  /// `bytes_by_kind`: frame bytes on all links until now, by FrameKind.
  void sample(Time now, const std::array<std::int64_t, 9>& bytes_by_kind);
  /// Adds the counters of the nodes to the record.
  void finish(Time now, RunRecord& record);

  /// Description of a failure, or empty: a lossless drop despite correct headroom, a pause that never ends.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::uint64_t pauses_in_force() const { return pauses_in_force_; }

  // ---- SwitchObserver ----
  [[nodiscard]] bool watches_frames() const override {
    return queueing_ || roots_ != nullptr || hops_.has_value() || ports_.has_value();
  }
  [[nodiscard]] bool watches_entries(const SwitchContext& context) const override {
    return watches_[context.id().index()].entries;
  }
  void on_pause(const SwitchContext& context, PortId ingress, Priority priority, bool paused) override;
  void on_hop_pause(const SwitchContext& context, PortId ingress, std::uint64_t name, bool paused) override;
  void on_merge(const SwitchContext& context, std::uint64_t name, std::uint64_t successor) override;
  void on_priority_gate(const SwitchContext& context, PortId port, Priority priority, bool open) override;
  void on_queue_gate(const SwitchContext& context, QueueId queue, bool open) override;
  void on_drop(const SwitchContext& context, const Frame& frame, DropReason reason) override;
  void on_storm(const SwitchContext& context, PortId port, Priority priority, QueueId queue, bool begins) override;
  void on_trim(const SwitchContext& context, QueueId queue, const Frame& frame, std::int64_t was_charged) override;
  void on_admit(const SwitchContext& context, const Frame& frame) override;
  void on_enter(const SwitchContext& context, QueueId queue, const Frame& frame) override;
  void on_leave(const SwitchContext& context, QueueId queue, const Frame& frame) override;
  void on_depart(const SwitchContext& context, QueueId queue, const Frame& frame) override;
  void on_pass(const SwitchContext& context, QueueId queue, const Frame& frame) override;

  // ---- NicObserver ----
  void on_priority_gate(Nic& nic, Priority priority, bool open) override;
  void on_gate(Nic& nic, GateId gate, bool open) override;
  void on_sender_gate(Nic& nic, const SendState& sender, bool open) override;

 private:
  struct Rack {
    std::uint32_t incast_flows = 0;  // in progress
    Time incast_ended;               // end of the last one
  };
  /// What the calls for every frame of a switch need.
  struct Watch {
    bool quick = false;    // what follows is all that they need
    bool entries = false;  // every frame that enters a queue matters
    bool always = false;   // ... at any time
    PauseRoots::Switched* roots = nullptr;
    HopStatistics::At hops;
    std::uint32_t closed_gates = 0;
  };
  void start_watch(const Switch& at);
  void gate_turned(const SwitchContext& context, bool open);
  void decide(SwitchId at);
  /// Whether the quick calls may be used for an arriving or departing frame.
  [[nodiscard]] WEIR_HOT_INLINE bool is_quick(const Watch& watch, FrameId id, const Frame& frame) const {
    return watch.quick && frame.ingress.exists() && (watch.roots == nullptr || !watch.roots->is_full()) &&
           (!hops_ || hops_->is_quick(id));
  }
  // For all other frames.
  void admit(const SwitchContext& context, const Frame& frame);
  void enter(const SwitchContext& context, QueueId queue, const Frame& frame);
  void depart(const SwitchContext& context, const Frame& frame);
  void pass(const SwitchContext& context, const Frame& frame);
  /// Whether it has been trimmed in a queue and has not entered a queue since. Clears this mark.
  bool was_taken_out(const SwitchContext& context, const Frame& frame);
  /// A pause or resume was sent to the neighbour of `ingress`. Returns the channel that is paused.
  std::uint32_t pause_changed(const SwitchContext& context, PortId ingress, bool paused);
  void gate_changed(NodeId node, PortId port, Priority priority, bool open, Time now);
  /// A gate at the sender of a link has closed or opened, or its receiver has paused or resumed it by ID. Within a
  /// window, the events of the two ends of a link may be recorded in either order.
  struct HoldChange {
    Time at;
    std::uint32_t channel = 0;
    std::uint32_t number = 0;  // in this window, in the order in which nodes were run
    Priority priority = 0;     // kPriorities: by ID
    bool held = false;
  };
  void note_hold(Time at, std::uint32_t channel, Priority priority, bool held) {
    hold_changes_.push_back({at, channel, static_cast<std::uint32_t>(hold_changes_.size()), priority, held});
  }
  void take_in(const HoldChange& change);
  void look_at_links();
  /// Starts the samples of the watched port: its queue, and the gauges of its switch's policies.
  void watch_port();
  /// The class of a flow that began at `since`, from the incasts during its lifetime until now. Background flows may
  /// become victims; other classes never change.
  [[nodiscard]] FlowClass class_of(const FlowSpec& flow, Time since) const;
  [[nodiscard]] int rack_of(HostId host) const { return rack_of_host_[host.index()]; }

  Fabric& fabric_;
  const Settings& settings_;
  const Connections* connections_ = nullptr;
  bool perfect_links_ = true;            // no damage and no failures, so that lossless priorities must not lose frames
  bool pauses_are_obeyed_ = true;        // by every switch, for as long as they last
  std::vector<bool> headroom_computed_;  // by switch
  bool throughput_;
  bool queueing_;  // counted here; if HopStatistics runs, it counts this as well
  std::vector<FlowRecord> flows_;
  SlowdownSplit split_;
  std::vector<int> rack_of_host_;
  std::vector<Rack> racks_;
  bool classes_differ_ = false;               // there has been an incast
  std::vector<std::uint64_t> pauses_;         // by channel of the paused direction
  std::vector<std::int64_t> held_at_pauses_;  // by channel, as above
  HeldLinks held_;                            // by channel
  std::vector<HoldChange> hold_changes_;      // of this window
  std::vector<SwitchRecord> switches_;
  LosslessTally lossless_drops_;
  WatchdogTally watchdogs_;
  std::uint64_t pauses_in_force_ = 0;
  std::vector<std::uint8_t> tier_of_switch_;  // 7: tier 7 and above
  std::array<Histogram, 8> queueing_by_tier_;
  std::array<std::uint64_t, 8> passed_by_tier_{};  // data frames with zero waiting time
  std::vector<FrameId> taken_out_;                 // removed from their queues to be trimmed
  ActiveFlows flows_at_ports_;
  Histogram active_flows_;
  Histogram active_queues_;
  std::array<std::int64_t, kFlowClasses> delivered_{};  // bytes since the last sample
  std::vector<SeriesRecorder> throughput_series_;       // by class
  std::array<std::int64_t, 9> kinds_before_{};          // bytes_by_kind of the last sample
  std::vector<SeriesRecorder> kind_series_;             // by kind
  SeriesRecorder occupancy_series_;
  SeriesRecorder watched_series_;
  struct WatchedGauge {
    const SwitchPolicy* policy;
    std::size_t which;
    std::string name;  // of its series
    SeriesRecorder series;
  };
  std::vector<WatchedGauge> watched_gauges_;
  std::optional<SenderRates> sender_rates_;
  std::optional<HopStatistics> hops_;
  std::optional<FlowControls> controls_;
  std::optional<HeldPorts> ports_;
  std::unique_ptr<PauseRoots> roots_;
  std::optional<CongestionTrees> trees_;
  std::vector<Watch> watches_;                // by switch
  std::optional<TimelineRecorder> timeline_;  // links by channel
  Time sampled_;                              // the timeline's last sample
  std::string failure_;
};

}  // namespace weir
