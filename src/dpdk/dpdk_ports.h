// SPDX-License-Identifier: Apache-2.0
// DPDK's environment, ports, packet buffers and clock. No header of DPDK is needed to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ports/packet.h"
#include "units/time.h"
#include "wire/address.h"

namespace weir {

struct DpdkOptions {
  std::vector<std::string> devices;  ///< one per port, as EAL's --vdev ("net_af_packet0,iface=veth0") or a PCI address
  std::size_t packets = 0;           ///< buffers for received packets
  std::size_t control_packets = 0;   ///< buffers for frames that the switch makes, so that these never lack one
  std::size_t pools = 1;             ///< number of pools, each with as many of both: one per switch of the process
  /// The pool of each device; shorter than `devices`: the others have pool 0.
  std::vector<std::size_t> pool_of_device = {};
  std::size_t packet_bytes = 2'048;  ///< of each buffer
  /// The longest frame that is sent to or received from each device, without FCS; shorter than `devices`: nothing is
  /// known of the others.
  std::vector<std::size_t> longest_frames = {};
};

/// What a device counted itself.
struct DeviceCounters {
  std::uint64_t missed = 0;     ///< received frames dropped because the loop did not fetch them in time
  std::uint64_t no_buffer = 0;  ///< because no packet buffer was free
  std::uint64_t bad = 0;        ///< received with errors
  std::uint64_t not_sent = 0;   ///< given to the device, which could not send them
};

/// The environment abstraction layer without huge pages and shared files, and the ports of the switches or NICs of a
/// process. One per process. A port and a pool may be used by one thread at a time, but any thread may give packets
/// back to any pool.
/// Each port has one queue in each direction; multi-queue receipt and offloads are off, and the port's own
/// pause handling is off if the device has any, so that PFC frames reach the switch.
class DpdkPorts {
 public:
  /// Throws std::runtime_error with the device and the reason if a port cannot be started, and if the longest frame
  /// does not fit into a buffer or through the interface of an af_packet device.
  explicit DpdkPorts(const DpdkOptions& options);
  /// Stops and closes the ports.
  ~DpdkPorts();
  DpdkPorts(const DpdkPorts&) = delete;
  DpdkPorts& operator=(const DpdkPorts&) = delete;

  [[nodiscard]] std::size_t ports() const;
  [[nodiscard]] PacketPort& port(std::size_t number);
  [[nodiscard]] PacketPool& packets(std::size_t pool = 0);
  [[nodiscard]] MacAddress mac(std::size_t number) const;
  [[nodiscard]] DeviceCounters counters(std::size_t number) const;
  /// Packet buffers of all pools that are in use, including those that devices hold for receipt.
  [[nodiscard]] std::size_t packets_in_use() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Tells DPDK of the calling thread until destroyed, so that it has a cache of packet buffers of its own.
class DpdkThread {
 public:
  DpdkThread();
  ~DpdkThread();
  DpdkThread(const DpdkThread&) = delete;
  DpdkThread& operator=(const DpdkThread&) = delete;

 private:
  bool is_registered_;
};

/// DPDK's version, "22.11.11".
std::string dpdk_version();

/// The time stamp counter in picoseconds since construction. Each reading is computed from the whole count, so no
/// rounding error accumulates.
class TscClock {
 public:
  /// DPDK's environment must exist, because it measures the counter's frequency.
  TscClock();
  [[nodiscard]] Time now() const;

 private:
  std::uint64_t start_;
  std::uint64_t frequency_;
};

/// The picoseconds of `count` periods of a counter of `frequency` (Hz, above zero), rounded down.
std::int64_t picoseconds_of(std::uint64_t count, std::uint64_t frequency);

}  // namespace weir
