// SPDX-License-Identifier: Apache-2.0
// All that determines a run, validated: what a scenario file becomes.
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

/// How much headroom an ingress port and lossless priority gets.
struct HeadroomRule {
  enum class Kind : std::uint8_t {
    computed,   ///< what can still arrive after a PAUSE is decided: see policy/headroom.h
    bytes,      ///< a stated number
    rate_delay  ///< `factor` x rate x one-way delay (the public simulators)
  } kind = Kind::computed;
  Bytes bytes;
  double factor = 2;
};

struct SwitchSettings {
  Bytes buffer = Bytes(12'000'000);
  Bytes reserve;  ///< for each ingress port and lossless priority
  /// Of memory beside `buffer`, for each egress port: for control frames that the buffer has no room for.
  Bytes control_reserve = Bytes(20'000);
  HeadroomRule headroom;
  Duration pause_response;  ///< from the arrival of a PAUSE to its effect at the neighbour, at most
  std::array<bool, kPriorities> lossless{};
  std::array<std::uint8_t, kPriorities> pool_of_priority{};
  std::array<double, kPriorities> pool_share{1};  ///< of what reserve and headroom leave; sums to 1
  std::array<std::uint8_t, kPriorities> level_of_priority{7, 6, 5, 4, 3, 2, 1, 0};  ///< level 0 is served first
  std::array<Discipline, kPriorities> discipline_of_priority{};
  std::optional<PauseWatchdogConfig> watchdog;  ///< nothing: none
  PolicyChoice forwarding;
  PolicyChoice buffer_policy;
  std::vector<PolicyChoice> flow_control;  ///< in stacking order
  std::vector<PolicyChoice> congestion_point;
};

/// What some switches have of their own. What is left out is as SwitchSettings has it for all.
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

/// `all` with what the group has of its own laid over it.
SwitchSettings laid_over(SwitchSettings all, const SwitchGroup& group);

/// The NIC's own sending window, beside what the congestion control says.
struct WindowSettings {
  enum class Kind : std::uint8_t { none, fixed, variable } kind = Kind::none;  ///< variable: scaled by rate / line rate
  /// None: one bandwidth-delay product, a base round trip times the lowest rate on the path (HPCC's simulator).
  std::optional<Bytes> bytes;
  bool global_round_trip = false;  ///< the longest base round trip of the network, instead of the pair's
};

struct HostSettings {
  std::int64_t payload = 1000;  ///< bytes of a full packet
  WindowSettings window;
  std::uint32_t acknowledge_every = 1;           ///< packets; see NicConfig
  std::optional<Priority> acknowledge_priority;  ///< none: the data's
  bool acknowledgements_ignore_pause = false;    ///< at the NIC that makes them (the public simulators' ack_prio)
  Priority notification_priority = 6;            ///< of CNPs
  bool shortest_remaining_first = false;         ///< among queue pairs of a priority, instead of round robin
  PolicyChoice transport;                        ///< none: congestion control and loss recovery are
  PolicyChoice congestion_control;               ///< none where there is a transport
  PolicyChoice loss_recovery;                    ///< none where there is a transport
};

/// A link that fails, and perhaps comes back.
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
};

/// What is measured beside flows, drops, pauses and maxima, which cost next to nothing.
struct MeasurementSettings {
  bool occupancy = true;  ///< sampled distribution per switch
  Duration sample_interval = Duration::picoseconds(10'000'000);
  bool throughput = false;  ///< over time: payload delivered by class, frame bytes on links by kind
  bool queueing = false;    ///< how long data frames wait in a switch, by its tier
  bool innocent_pause = false;
  bool active = false;          ///< of each port of a switch: flows with data queued, and queues that may be served
  bool sender_rates = false;    ///< over time: what the rate limiters of queue pairs that send allow
  bool timeline = false;        ///< of links: load, queues and pauses (results/timeline.h)
  bool egress_kinds = false;    ///< frames and bytes that each port sent, by kind
  bool hops = false;            ///< bytes held and delay by class of flow, hop and direction
  bool policies = false;        ///< counters and gauges of policies, at the end and at most
  bool slowdown_split = false;  ///< what made flows slower than alone: queueing, pause, pacing, timeout
  bool held_links = false;      ///< how long links stood still because all that waited for them was held
  std::optional<std::pair<SwitchId, PortId>> watched_port;  ///< its queued bytes, and the gauges of policies, over time
};

/// Links whose frames are kept as bytes.
struct CaptureSettings {
  std::vector<LinkDirection> links;       ///< none: nothing is captured
  std::uint32_t snap_length = 0;          ///< of each frame at most so many bytes are kept; 0: all
  std::uint64_t frame_limit = 1'000'000;  ///< no more frames are kept
};

struct RunSettings {
  std::uint64_t seed = 1;
  Time stop = Time::never();  ///< no new flows, and the end unless `drain`
  bool drain = true;          ///< run on until the flows that have started have completed ...
  Duration drain_limit = Duration::picoseconds(1'000'000'000'000);  ///< ... for at most this long
  std::size_t frame_capacity = std::size_t{1} << 24;  ///< by default a bound of what frame_capacity(settings) gives
};

struct Settings {
  std::string scenario;
  std::string variant;
  NetworkSettings network;
  SwitchSettings switches;
  std::vector<SwitchGroup> switch_groups;  ///< a switch is in one at most
  HostSettings hosts;
  /// Makes the traffic afresh: a run consumes it.
  std::function<std::vector<std::unique_ptr<TrafficSource>>(std::uint64_t seed)> traffic;
  std::vector<HostId> incast_destinations;  ///< of all traffic, each once, in ascending order
  std::vector<std::string> labels;          ///< the names of FlowLabels, by number
  MeasurementSettings measurement;
  CaptureSettings capture;
  RunSettings run;
  std::string effective_configuration;  ///< TOML, for the record

  /// The group that a switch is in, or nullptr.
  [[nodiscard]] const SwitchGroup* group_of(SwitchId id) const;
  /// Of one switch: those of all, with its group's laid over them.
  [[nodiscard]] SwitchSettings switches_of(SwitchId id) const;
  /// Those that a switch of the network has, each once: of the switches in no group, then of each group.
  [[nodiscard]] std::vector<SwitchSettings> switch_kinds() const;
};

}  // namespace weir
