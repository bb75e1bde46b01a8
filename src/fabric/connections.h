// SPDX-License-Identifier: Apache-2.0
// The connection manager: turns offered flows into queue pairs and messages, and completions into flow records.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/ideal_fct.h"
#include "host/sender_waits.h"
#include "results/run_record.h"
#include "traffic/merged_traffic.h"

namespace weir {

/// Opens both halves of queue pairs when flows start, as an RDMA connection manager does out of band, and closes them
/// after the flows have ended: when the next flow of the network starts, but not before the shortest link delay has
/// passed. A driver may therefore run hosts one after the other between two starts of flows, as long as their times do
/// not differ by more than that delay. Calls NICs; afterwards the driver checks whether they became ready, and their
/// deadlines.
class Connections {
 public:
  /// Called once per flow, when it starts.
  using FlowStart = std::function<void(const FlowSpec&)>;
  /// Called once per flow, when it has ended completely and the traffic has been notified.
  using FlowEnd = std::function<void(const FlowSpec&, const FlowRecord&, Time)>;

  Connections(Fabric& fabric, const Settings& settings, MergedTraffic& traffic, FlowEnd on_end,
              FlowStart on_start = {});

  /// Starts the next flow of the traffic and returns its source. Throws std::runtime_error if a NIC has no queue pair
  /// left.
  HostId start_next(Time now);
  /// Processes the completions of a NIC, and clears them there. Accesses no other NIC.
  void settle(Nic& nic);
  /// Ends the flows that settle() has found to have ended, in time order.
  void end_flows() {
    if (!over_.empty()) [[unlikely]]
      end_all_over();
  }

  /// Closes the queue pairs of all ended flows, whenever they ended, because the run has ended.
  void close_all(Time now);

  /// Earliest stop time of a flow; Time::never() for none.
  [[nodiscard]] Time next_stop() const { return stops_.earliest(); }
  /// Stops that flow and returns its source.
  HostId stop_next(Time now);

  /// The waiting times of the sender of the flow for which FlowEnd is being called, from the end of the previous flow
  /// on the same queue pair; nothing if not measured. Only valid within a FlowEnd.
  [[nodiscard]] const std::optional<SenderWaits>& waits_of_ended() const { return waits_of_ended_; }

  [[nodiscard]] std::uint64_t started() const { return started_; }
  [[nodiscard]] std::uint64_t completed() const { return completed_; }
  /// Flows that have started and not ended.
  [[nodiscard]] std::uint64_t open() const { return started_ - completed_; }
  /// The open flows that are meant to outlive the run: long_running() in size, without a stop time.
  [[nodiscard]] std::uint64_t endless() const { return endless_; }
  /// Calls visit for each flow that has not ended, in the order of their start.
  void for_each_open(const std::function<void(const FlowSpec&, const FlowRecord&)>& visit) const;

  /// The flow to which a frame of this queue pair belongs, or nullptr: for measurement.
  [[nodiscard]] const FlowSpec* flow_of_receiver(HostId host, QueuePairId number) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Connection {
    HostId source;
    HostId destination;
    QueuePairId sender;
    QueuePairId receiver;
    std::uint32_t oldest = kNone;  // flow that has not ended, in posting order
    std::uint32_t newest = kNone;
    std::uint32_t receiving = kNone;  // flow that is not completely received
    std::uint64_t retransmitted = 0;  // packets, of ended flows
    std::uint64_t out_of_order = 0;
    SenderWaits waits;  // of ended flows
    bool persistent = false;
  };
  struct Flow {
    FlowSpec spec;
    FlowRecord record;
    std::uint32_t connection = kNone;
    std::uint32_t next = kNone;
    std::uint64_t retransmitted = 0;  // packets of its queue pair when it was acknowledged
    std::uint64_t out_of_order = 0;   // packets of its queue pair when it had been received
    SenderWaits waits;                // of its queue pair when it was acknowledged
    bool received = false;
  };
  [[nodiscard]] std::uint16_t entropy_of(const FlowSpec& spec) const;
  std::uint32_t connect(const FlowSpec& spec, std::uint16_t entropy, const std::vector<PathLink>& links, Time now);
  std::vector<PathLink> path_links(HostId source, HostId destination, std::uint16_t entropy) const;
  /// A connection whose flow has ended.
  struct Over {
    Time at;
    FlowId flow;
    std::uint32_t connection;
  };
  void end_all_over();
  void end_oldest(std::uint32_t connection, Time now);
  /// Closes the queue pairs whose flows ended at least `linger` ago.
  void close_done(Time now, Duration linger);

  Fabric& fabric_;
  const HostSettings& hosts_;
  const Framing framing_;
  const AddedHeaders headers_;
  std::uint64_t seed_;
  MergedTraffic& traffic_;
  FlowEnd on_end_;
  std::optional<SenderWaits> waits_of_ended_;
  FlowStart on_start_;
  Duration longest_round_trip_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> free_connections_;
  std::unordered_map<std::uint32_t, std::uint32_t> persistent_;  // looked up, never iterated
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<Over> over_;  // since the last end_flows()
  std::deque<Over> done_;   // connections to be closed, in time order
  Duration linger_;         // from the end of its flow
  DeadlineHeap stops_;      // by flow slot
  std::uint64_t started_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t endless_ = 0;
};

}  // namespace weir
