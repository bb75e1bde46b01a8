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
  std::size_t packet_bytes = 2'048;  ///< of each buffer
};

/// What a device counted itself.
struct DeviceCounters {
  std::uint64_t missed = 0;     ///< received frames dropped because the loop did not fetch them in time
  std::uint64_t no_buffer = 0;  ///< because no packet buffer was free
  std::uint64_t bad = 0;        ///< received with errors
  std::uint64_t not_sent = 0;   ///< given to the device, which could not send them
};

/// The environment abstraction layer without huge pages and shared files, and the ports of one switch. One per process.
/// Each port has one queue in each direction; multi-queue receipt and offloads are off, and the port's own
/// pause handling is off if the device has any, so that PFC frames reach the switch.
class DpdkPorts {
 public:
  /// Throws std::runtime_error with the device and DPDK's reason if a port cannot be started.
  explicit DpdkPorts(const DpdkOptions& options);
  /// Stops and closes the ports.
  ~DpdkPorts();
  DpdkPorts(const DpdkPorts&) = delete;
  DpdkPorts& operator=(const DpdkPorts&) = delete;

  [[nodiscard]] std::size_t ports() const;
  [[nodiscard]] PacketPort& port(std::size_t number);
  [[nodiscard]] PacketPool& packets();
  [[nodiscard]] MacAddress mac(std::size_t number) const;
  [[nodiscard]] DeviceCounters counters(std::size_t number) const;
  /// Packet buffers of both pools that are in use, including those that devices hold for receipt.
  [[nodiscard]] std::size_t packets_in_use() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
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
