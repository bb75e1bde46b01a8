// SPDX-License-Identifier: Apache-2.0
// Runs NICs between real ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/nic_command.h"
#include "apps/real_run.h"
#include "fabric/connections.h"
#include "fabric/fabric.h"
#include "ports/nic_loop.h"
#include "ports/packet_nic.h"
#include "results/run_record.h"
#include "scenario/real_nic.h"
#include "traffic/merged_traffic.h"

namespace weir::apps {

/// The devices of one NIC.
struct NicDevices {
  PacketPort* fabric = nullptr;
  PacketPort* host = nullptr;  ///< none: no host
  MacAddress mac;              ///< of the fabric's port
};

/// NICs of a network and the messages between them, without a clock.
class NicNodes {
 public:
  /// `devices`: one element per NIC. Throws std::invalid_argument if headers do not fit (Fabric). All arguments outlive
  /// it.
  NicNodes(const RealNics& real, PacketPool& packets, const std::vector<NicDevices>& devices);

  /// Polls each NIC in turn, and starts and stops the messages that are due. `now` never decreases.
  void poll(Time now);

  [[nodiscard]] std::size_t size() const { return nics_.size(); }
  [[nodiscard]] PacketNic& nic(std::size_t number) { return *nics_[number]; }
  [[nodiscard]] const NicLoop& loop(std::size_t number) const { return *loops_[number]; }
  [[nodiscard]] const std::string& name(std::size_t number) const { return names_[number]; }
  /// Messages that have ended, in the order of their end.
  [[nodiscard]] const std::vector<FlowRecord>& messages() const { return messages_; }
  /// Messages that have started and not ended.
  [[nodiscard]] std::uint64_t open_messages() const { return connections_ == nullptr ? 0 : connections_->open(); }
  [[nodiscard]] std::vector<FlowRecord> unfinished() const;
  [[nodiscard]] const Topology& topology() const { return fabric_->topology(); }
  /// Name of a host of the network.
  [[nodiscard]] std::string name_of(HostId host) const;

 private:
  [[nodiscard]] Time start_of_next() const;

  Duration traffic_after_;
  Time stop_;
  std::unique_ptr<Fabric> fabric_;
  Neighbours neighbours_;
  MergedTraffic traffic_;
  std::unique_ptr<Connections> connections_;
  std::vector<std::unique_ptr<PacketNic>> nics_;
  std::vector<std::unique_ptr<NicLoop>> loops_;
  std::vector<std::string> names_;
  std::vector<FlowRecord> messages_;
};

/// What a device counted itself; zeros if it does not.
struct DeviceReport {
  std::string device;
  std::uint64_t missed = 0;
  std::uint64_t no_buffer = 0;
  std::uint64_t bad = 0;
  std::uint64_t not_sent = 0;
};

/// One NIC after a run.
struct NicReport {
  std::string host;
  HostId id;
  PortCounters fabric;
  HostCounters of_host;
  DeviceReport fabric_device;
  DeviceReport host_device;  ///< without a name: there is none
  LoopCounters loop;
  LinkState link;
  std::uint64_t datagrams_dropped = 0;  ///< by the queues of flows
  std::uint64_t data_sent = 0;          ///< frames with data or datagrams
  std::uint64_t retransmitted = 0;
  std::uint64_t strays = 0;
  std::size_t flows_out = 0;
  std::size_t flows_in = 0;
};

/// One message that a NIC sent.
struct MessageReport {
  std::string from;
  std::string to;
  FlowRecord record;
};

/// The result of a run.
struct NicsReport {
  double started = 0;  ///< seconds of the machine's steady clock
  double seconds = 0;
  std::vector<NicReport> nics;
  std::vector<MessageReport> messages;
  std::vector<FlowRecord> unfinished;  ///< messages that have started and not ended
  std::uint64_t open_messages = 0;     ///< their number
};

/// Of NICs without devices of DPDK.
NicsReport report_of(NicNodes& nodes, Time now);
std::string text_of(const NicsReport& report);
std::string json_of(const NicsReport& report);

/// Runs until interrupted or for the command's duration. Returns the exit status.
int run_real_nics(const RealNics& real, const NicCommand& command);

}  // namespace weir::apps
