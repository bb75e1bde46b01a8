// The event loop's insides.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "fabric/wire_tap.h"
#include "sim/channels.h"
#include "sim/deadlock.h"
#include "sim/event_queue.h"
#include "sim/hop_deadlock.h"
#include "sim/measurement.h"
#include "sim/progress.h"
#include "sim/ranked_set.h"
#include "traffic/merged_traffic.h"
#include "units/hot_path.h"

namespace weir {

/// Every channel has two events (its first frame in flight arrives; its wire becomes free while something waits), every
/// node one (its deadline), and traffic, link changes and samples one each. Events at one instant come in the order of
/// (phase, rank), where ranks are mixed from the seed, so that no port or host wins by its number.
///
/// What a call to a node makes sendable is transmitted at that same instant, in the transmit phase. It needs no event
/// for that: channels wait in a set that is looked at whenever nothing of an earlier phase is due.
class Engine {
 public:
  explicit Engine(const Settings& settings);
  RunRecord run(Progress* progress);
  /// See Simulation.
  void tap(const std::vector<LinkDirection>& links, WireTap& tap);
  [[nodiscard]] Fabric& fabric() { return fabric_; }

 private:
  // Numbers of events: arrivals, then wires, by channel; then deadlines by node; then the single ones.
  [[nodiscard]] std::uint32_t arrival_event(std::uint32_t channel) const { return channel; }
  [[nodiscard]] std::uint32_t wire_event(std::uint32_t channel) const { return channel_count_ + channel; }
  [[nodiscard]] std::uint32_t deadline_event(std::uint32_t node) const { return 2 * channel_count_ + node; }

  EventQueue make_events(const Settings& settings) const;
  void dispatch(const Event& event);
  WEIR_HOT_INLINE void arrive(std::uint32_t channel);
  void wire_free(std::uint32_t channel);
  void deadline(std::uint32_t node);
  void start_flows();
  void stop_flows();
  void change_links();
  void set_link(LinkId link, bool up);
  void sample();

  /// A switch or a host, and when the event queue will call it.
  struct Machine {
    Switch* at = nullptr;  // one of the two
    Nic* nic = nullptr;
    Time deadline = Time::never();    // as scheduled
    std::uint32_t first_channel = 0;  // of its ports
    bool told_to_pause = false;       // a NIC to which a PFC frame has come: its timers may move gates
  };

  void note_pause(Machine& host);
  WEIR_HOT_INLINE void after_switch(Machine& machine);
  WEIR_HOT_INLINE void after_nic(Machine& machine);
  void after(Machine& machine);
  void settle_completions(Nic& nic);
  WEIR_HOT_INLINE void follow_deadline(Machine& machine, Time deadline) {
    if (deadline != machine.deadline) [[unlikely]]
      move_deadline(machine, deadline);
  }
  void move_deadline(Machine& machine, Time deadline);
  WEIR_HOT_INLINE void request(std::uint32_t channel);
  WEIR_HOT_INLINE void wait_for_wire(std::uint32_t number, Channel& channel);
  WEIR_HOT_INLINE void transmit(std::uint32_t channel);
  /// Puts a frame of a switch on the wire of `port`.
  WEIR_HOT_INLINE void send(const Machine& machine, PortId port, FrameId frame);
  WEIR_HOT_INLINE void put_on_wire(std::uint32_t number, Channel& channel, FrameId frame);
  void treat_specially(std::uint32_t channel, Frame& frame);

  void end_flow(const FlowSpec& flow, const FlowRecord& record);
  [[nodiscard]] bool finished() const;
  void check_invariants();
  void report(Progress& progress) const;
  struct Received {
    std::uint64_t frames;
    std::int64_t bytes;
  };
  /// What a channel has delivered, as the machine at its end counts it.
  [[nodiscard]] Received received_from(std::uint32_t channel) const;
  RunRecord record(bool interrupted);

  const Settings settings_;
  Fabric fabric_;
  FramePool& pool_;
  FrameTable frames_;
  std::int64_t wire_overhead_;
  std::uint32_t channel_count_;
  std::uint32_t node_count_;
  std::uint32_t flow_event_;
  std::uint32_t stop_event_;
  std::uint32_t change_event_;
  std::uint32_t sample_event_;
  std::uint32_t end_event_;
  EventQueue events_;

  std::vector<Channel> channels_;
  std::vector<Machine> machines_;  // by node
  RankedSet due_;                  // channels to transmit on at this instant

  struct Corruption {
    RandomStream random;
    std::uint64_t below = 0;  // a frame is damaged when 64 random bits are below it
  };
  std::vector<Corruption> corruption_;  // by channel

  static constexpr std::uint32_t kNotTapped = ~std::uint32_t{0};
  WireTap* tap_ = nullptr;
  std::vector<std::uint32_t> tap_number_;  // by channel, when there is a tap

  std::vector<std::uint64_t> lost_;  // by channel: frames in flight when its link failed
  DeadlockWatch deadlocks_;
  HopDeadlockWatch hop_deadlocks_;

  MergedTraffic traffic_;
  std::unique_ptr<Measurement> measurement_;
  std::unique_ptr<Connections> connections_;

  // Link changes in order: the failures themselves, and the reroutes that follow their detection.
  struct Change {
    Time at;
    LinkId link;
    bool up = false;
    bool detected = false;  // when the controller learns of it
  };
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;
  std::vector<int> failures_of_link_;        // how many are under way
  std::vector<int> known_failures_of_link_;  // to the controller

  Time now_;
  bool ended_ = false;
  std::uint64_t endless_flows_ = 0;  // open flows that are not expected to complete
  std::uint64_t packet_hops_ = 0;
  std::uint64_t event_count_ = 0;
  std::array<std::int64_t, 8> bytes_by_kind_{};
  Time next_check_;
  std::string failure_;
  bool deadlock_ = false;  // which failure_ is
};

}  // namespace weir
