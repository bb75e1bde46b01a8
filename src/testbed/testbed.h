// SPDX-License-Identifier: Apache-2.0
// A network of real switches, NICs and Linux hosts on one machine: what its file says, and what must be made for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/value.h"
#include "fabric/settings.h"

namespace weir {

/// iperf3 with UDP from one host to another.
struct TestbedClient {
  std::string from;
  std::string to;
  HostId source;
  HostId destination;
  BitRate rate;                  ///< of UDP payload and headers up to Ethernet, as the links count it
  std::int64_t payload = 1'400;  ///< bytes per UDP packet
  Priority priority = 3;
  Duration start;  ///< after the others are ready
};

/// A testbed file.
struct Testbed {
  Settings settings;
  bool has_traffic = false;  ///< messages of the NICs
  Duration duration;         ///< of the traffic
  Duration warm_up;          ///< the results of clients exclude this time from their start
  std::size_t packets = 0;   ///< packet buffers of each switch, and of each NIC
  std::vector<TestbedClient> clients;
  /// The port whose queue and gauges the simulator and the testbed both record; if the file names none, that to the
  /// destination of the first client.
  std::optional<std::pair<SwitchId, PortId>> watched_port;
  Value network;   ///< [topology], [routing], [switch], [host] ...
  Value traffic;   ///< [[traffic]] and [run], as far as given
  Value pictures;  ///< [[picture]], as far as given
};

/// The result of reading a file. If there are errors, nothing else is valid.
struct TestbedFile {
  Testbed testbed;
  std::vector<std::string> errors;  ///< one line each
  std::vector<std::string> notes;
};

TestbedFile load_testbed(const std::string& path);
/// The same from text; `file` is the name used in messages.
TestbedFile read_testbed(std::string_view text, const std::string& file);

/// Seconds from the start of the NICs to that of their messages.
inline constexpr int kTestbedTrafficAfter = 3;

/// A process of a testbed.
struct TestbedNode {
  std::string name;    ///< "switch0", "nics"
  std::string space;   ///< its network namespace, without the prefix of the testbed
  std::string config;  ///< for weir switch or weir nic
  bool is_switch = false;
};

/// Two ends of a cable: each in a namespace, with the name of an interface.
struct TestbedCable {
  std::string space;
  std::string end;
  std::string other_space;
  std::string other_end;
};

/// A Linux host.
struct TestbedHost {
  std::string name;
  std::string space;
  std::string address;  ///< IPv4
  std::string mac;
};

/// What must be made.
struct TestbedPlan {
  std::vector<std::string> spaces;
  std::vector<TestbedHost> hosts;
  std::vector<TestbedCable> cables;
  std::vector<TestbedNode> nodes;
  std::size_t mtu = 0;  ///< of all cables, in bytes: the longest frame passes
};
TestbedPlan plan_of(const Testbed& testbed);

/// Arguments of iperf3 for a client and its server. `port`: TCP and UDP.
std::vector<std::string> client_arguments(const TestbedClient& client, std::uint16_t port, Duration duration);
std::vector<std::string> server_arguments(std::uint16_t port);

/// The file as a scenario for the simulator: each client is an endless flow with its rate as limit.
std::string scenario_of(const Testbed& testbed);

/// The names of the variants of a scenario that stand for the two runs of a file.
inline constexpr std::string_view kSimulated = "simulator";
inline constexpr std::string_view kMeasured = "testbed";
/// The same scenario with two variants of the same configuration, and the [[picture]] tables of the file.
std::string comparison_of(const Testbed& testbed, std::string_view title);

}  // namespace weir
