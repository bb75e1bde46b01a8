// SPDX-License-Identifier: Apache-2.0
// Runs a switch between real ports.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "apps/switch_command.h"
#include "fabric/fabric.h"
#include "ports/neighbours.h"
#include "ports/packet_switch.h"
#include "ports/port_loop.h"
#include "scenario/real_switch.h"

namespace weir::apps {

/// Packet buffers for the frames that a switch makes.
inline constexpr std::size_t kControlPackets = 8'192;

/// The nodes of the configured network, of which one runs here.
class RealNodes {
 public:
  /// Throws std::invalid_argument if buffers or headers do not fit (Fabric).
  explicit RealNodes(const RealSwitch& real);

  [[nodiscard]] Fabric& fabric() { return *fabric_; }
  [[nodiscard]] Switch& node() { return fabric_->switch_by(id_); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t ports() const { return links_.size(); }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  /// Rate and delay of each port's link; no devices yet.
  [[nodiscard]] const std::vector<LoopPort>& links() const { return links_; }
  /// The node at the other end of each port's link.
  [[nodiscard]] const std::vector<std::string>& peers() const { return peers_; }
  /// The control frames that each port accepts.
  [[nodiscard]] const std::vector<PortRules>& rules() const { return rules_; }

 private:
  SwitchId id_;
  std::unique_ptr<Fabric> fabric_;
  std::string name_;
  Neighbours neighbours_;
  std::vector<LoopPort> links_;
  std::vector<std::string> peers_;
  std::vector<PortRules> rules_;
};

/// The longest frame on the links of a network, in bytes without FCS.
[[nodiscard]] std::size_t longest_frame(const Settings& settings);

/// Seconds of the machine's steady clock, by which its processes can be compared.
[[nodiscard]] double steady_seconds();

/// What a device counted itself, by port; zeros for devices without counters.
struct PortReport {
  std::string peer;
  std::string device;
  PortCounters counters;
  std::uint64_t device_missed = 0;
  std::uint64_t device_no_buffer = 0;
  std::uint64_t device_bad = 0;
  std::uint64_t device_not_sent = 0;
  LinkState link;
};

/// The result of a run.
struct SwitchReport {
  std::string name;
  double started = 0;  ///< seconds of the machine's steady clock
  double seconds = 0;
  std::vector<PortReport> ports;
  LoopCounters loop;
  std::vector<std::uint64_t> drops;  ///< of the switch, by DropReason
  std::uint64_t pauses_sent = 0;     ///< decisions to pause an ingress; refreshes are not counted
  Duration measured_gap;             ///< longest time between two polls before the start; zero: not measured
  Duration pause_response;           ///< for which headroom was computed
  std::string failure;               ///< a violated invariant, or empty
  std::string not_written;           ///< the file of samples if some could not be written, or empty
};

std::string text_of(const SwitchReport& report);
std::string json_of(const SwitchReport& report);

/// Of all switches of a process, as an object with a list.
std::string json_of(const std::vector<SwitchReport>& reports);

/// Runs the switches of a process until interrupted or for the command's duration. Returns the exit status.
int run_real_switches(const std::vector<RealSwitch>& switches, const SwitchCommand& command);

}  // namespace weir::apps
