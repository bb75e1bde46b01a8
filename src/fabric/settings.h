// SPDX-License-Identifier: Apache-2.0
// Everything that determines a run, validated: the result of reading a scenario file.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/wire_tap.h"
#include "net/routing.h"
#include "net/topology.h"
#include "policy/scheme.h"
#include "switch/pause_watchdog.h"
#include "traffic/source.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "wire/framing.h"

namespace weir {

/// A scheme with its parameters.
struct PolicyChoice {
  const Scheme* scheme = nullptr;
  Parameters parameters;
};

/// The headroom of each ingress port and lossless priority.
struct HeadroomRule {
  enum class Kind : std::uint8_t {
    computed,   ///< for the bytes that can still arrive after a PAUSE is decided: see policy/headroom.h
    bytes,      ///< a given number
    rate_delay  ///< `factor` x rate x one-way delay (the public simulators)
  } kind = Kind::computed;
  Bytes bytes;
  double factor = 2;
};

struct SwitchSettings {
  Bytes buffer = Bytes(12'000'000);
  Bytes reserve;  ///< per ingress port and lossless priority
  /// Memory per egress port, in addition to `buffer`, for control frames that the buffer refuses.
  Bytes control_reserve = Bytes(20'000);
  HeadroomRule headroom;
  Duration pause_response;  ///< maximum time from the arrival of a PAUSE to its effect at the neighbour
  std::array<bool, kPriorities> lossless{};
  std::array<std::uint8_t, kPriorities> pool_of_priority{};
  std::array<double, kPriorities> pool_share{1};  ///< shares of the buffer without reserve and headroom; sum 1
  std::array<std::uint8_t, kPriorities> level_of_priority{7, 6, 5, 4, 3, 2, 1, 0};  ///< level 0 is served first
  std::array<Discipline, kPriorities> discipline_of_priority{};
  std::optional<PauseWatchdogConfig> watchdog;  ///< nothing: none
  PolicyChoice forwarding;
  PolicyChoice buffer_policy;
  std::vector<PolicyChoice> flow_control;  ///< in stacking order
  std::vector<PolicyChoice> congestion_point;
};

/// The settings of some switches. Omitted ones are as in SwitchSettings.
struct SwitchGroup {
  std::string name;  ///< for messages
  std::vector<SwitchId> switches;
  std::optional<Bytes> buffer;
  std::optional<Bytes> reserve;
  std::optional<HeadroomRule> headroom;
  std::optional<PauseWatchdogConfig> watchdog;
  std::optional<PolicyChoice> forwarding;
  std::optional<PolicyChoice> buffer_policy;
  std::optional<std::vector<PolicyChoice>> flow_control;
  std::optional<std::vector<PolicyChoice>> congestion_point;
};

/// `all`, overridden by the settings of the group.
SwitchSettings laid_over(SwitchSettings all, const SwitchGroup& group);

/// The NIC's own sending window, in addition to that of the congestion control.
struct WindowSettings {
  enum class Kind : std::uint8_t { none, fixed, variable } kind = Kind::none;  ///< variable: scaled by rate / line rate
  /// None: one bandwidth-delay product, i.e. a base round trip times the lowest rate on the path (HPCC's simulator).
  std::optional<Bytes> bytes;
  bool global_round_trip = false;  ///< the longest base round trip of the network, instead of the pair's
};

/// The memory of a host in which received frames wait, and the rate at which the host takes them out of it.
struct ReceiveBuffer {
  Bytes size;          ///< zero: none; the host takes frames as they arrive
  BitRate drain_rate;  ///< above zero if there is a buffer
};

struct HostSettings {
  ReceiveBuffer receive_buffer;
  std::int64_t payload = 1000;  ///< bytes of a full packet
  WindowSettings window;
  std::uint32_t acknowledge_every = 1;           ///< packets; see NicConfig
  std::optional<Priority> acknowledge_priority;  ///< none: the data's
  bool acknowledgements_ignore_pause = false;    ///< at the NIC that sends them (the public simulators' ack_prio)
  Priority notification_priority = 6;            ///< of CNPs
  bool shortest_remaining_first = false;         ///< among queue pairs of a priority, instead of round robin
  PolicyChoice transport;                        ///< none: congestion control and loss recovery replace it
  PolicyChoice congestion_control;               ///< none if there is a transport
  PolicyChoice loss_recovery;                    ///< none if there is a transport
};

/// The settings of some hosts. Omitted ones are as in HostSettings.
struct HostSettingsGroup {
  std::string name;  ///< for messages
  std::vector<HostId> hosts;
  std::optional<Bytes> receive_buffer;
  std::optional<BitRate> drain_rate;
};

/// A link failure, possibly with a restoration.
struct LinkFailure {
  LinkId link;
  Time down;
  Time up = Time::never();
};

struct NetworkSettings {
  Topology topology;
  Framing framing = Framing::rocev2();
  std::vector<LinkFailure> failures;
  Duration failure_detection = Duration::picoseconds(1'000'000'000);  ///< from a change to new routes
  std::vector<PortWeight> weights;
  /// Hosts whose NICs take part in no scheme's protocol, only in 802.1Qbb: foreign hosts at real ports. Switches treat
  /// them so; simulated NICs do not.
  std::vector<HostId> plain_hosts;
};

/// The optional measurements. Flows, drops, pauses and maxima are always measured, at almost no cost.
struct MeasurementSettings {
  bool occupancy = true;  ///< sampled distribution per switch
  Duration sample_interval = Duration::picoseconds(10'000'000);
  bool throughput = false;  ///< over time: payload delivered by class, frame bytes on links by kind
  bool queueing = false;    ///< delays of data frames in switches, by tier
  bool innocent_pause = false;
  bool active = false;            ///< per switch port: flows with data queued, and queues that may be served
  bool sender_rates = false;      ///< over time: the rates permitted by the rate limiters of sending queue pairs
  bool timeline = false;          ///< of links: load, queues and pauses (results/timeline.h)
  bool egress_kinds = false;      ///< frames and bytes that each port sent, by kind
  bool hops = false;              ///< bytes held and delay by class of flow, hop and direction
  bool policies = false;          ///< counters and gauges of policies: final values and maxima
  bool slowdown_split = false;    ///< causes of slowdown: queueing, pause, pacing, timeout
  bool congestion_trees = false;  ///< of pauses that name their congestion root: trees, members, merges
  bool held_links = false;        ///< time for which links were idle because all frames for them were blocked
  std::optional<std::pair<SwitchId, PortId>> watched_port;  ///< its queued bytes, and the gauges of policies, over time
};

/// The links whose frames are captured.
struct CaptureSettings {
  std::vector<LinkDirection> links;       ///< empty: no capture
  std::uint32_t snap_length = 0;          ///< maximum number of bytes kept per frame; 0: all
  std::uint64_t frame_limit = 1'000'000;  ///< maximum number of frames kept
};

struct RunSettings {
  std::uint64_t seed = 1;
  Time stop = Time::never();  ///< no new flows, and the end unless `drain`
  bool drain = true;          ///< continue until the flows that have started have completed ...
  Duration drain_limit = Duration::picoseconds(1'000'000'000'000);  ///< ... for at most this time
  std::size_t frame_capacity = std::size_t{1}
                               << 24;  ///< the default is an upper bound on the result of frame_capacity(settings)
};

struct Settings {
  std::string scenario;
  std::string variant;
  NetworkSettings network;
  SwitchSettings switches;
  std::vector<SwitchGroup> switch_groups;  ///< a switch is in at most one
  HostSettings hosts;
  std::vector<HostSettingsGroup> host_groups;  ///< a host is in at most one
  /// Makes new traffic for each run, because a run consumes it.
  std::function<std::vector<std::unique_ptr<TrafficSource>>(std::uint64_t seed)> traffic;
  std::vector<HostId> incast_destinations;  ///< of all traffic, ascending, without duplicates
  std::vector<std::string> labels;          ///< the names of FlowLabels, by number
  MeasurementSettings measurement;
  CaptureSettings capture;
  RunSettings run;
  std::string effective_configuration;  ///< TOML, for the record

  /// The group that a host is in, or nullptr.
  [[nodiscard]] const HostSettingsGroup* group_of(HostId id) const;
  /// The receive buffer of one host: that of all, overridden by that of its group.
  [[nodiscard]] ReceiveBuffer receive_buffer_of(HostId id) const;
  /// The group that a switch is in, or nullptr.
  [[nodiscard]] const SwitchGroup* group_of(SwitchId id) const;
  /// The settings of one switch: those of all, overridden by those of its group.
  [[nodiscard]] SwitchSettings switches_of(SwitchId id) const;
  /// The distinct settings in the network: of the switches in no group, then of each group.
  [[nodiscard]] std::vector<SwitchSettings> switch_kinds() const;
};

}  // namespace weir
