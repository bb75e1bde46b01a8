// SPDX-License-Identifier: Apache-2.0
// The description of a scheme: its name, its parameters, its roles and their factories.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/header_fields.h"
#include "policy/nic_policy.h"
#include "policy/parameters.h"
#include "policy/switch_policy.h"
#include "policy/transport.h"
#include "units/size_segment.h"
#include "wire/framing.h"

namespace weir {

/// Which nodes send a scheme's control frames to hosts (FrameKind::host_control).
enum class ControlSource : std::uint8_t { none, switches, hosts };

/// Requirements of a scheme on frames or nodes that not every combination fulfils, and its properties.
struct SchemeTraits {
  bool ideal = false;              ///< no switch could implement it: unbounded queues or buffers, ideal flow ids
  bool claims_own = false;         ///< writes Frame::own
  std::uint16_t header_bytes = 0;  ///< added to each data frame; see also Scheme::header_bytes
  std::uint8_t protocol = 0;       ///< of its control frames (Frame::protocol); zero: it sends none
  ControlSource to_hosts = ControlSource::none;  ///< who sends its control frames to hosts; others may not
  bool pfc = false;                              ///< it sends and obeys PFC frames (IEEE 802.1Qbb)
  bool marks = false;                            ///< its congestion point sets CE (RFC 3168)
  bool sets_window = false;    ///< its congestion control limits the bytes in flight from the first packet on; see also
                               ///< Scheme::sets_window
  bool answers_marks = false;  ///< its congestion control slows down only because of CE
  bool spreads_packets = false;        ///< its forwarding takes the packets of one flow to all equal paths
  bool needs_symmetric_paths = false;  ///< its transport needs both directions of a flow to take the same links
};

/// The bytes that a scheme adds to frames.
struct HeaderBytes {
  std::uint16_t at_source = 0;        ///< to each data frame, by the sending host
  std::uint16_t at_switch = 0;        ///< to each data frame, by each switch on its path ...
  std::uint16_t switches = 0;         ///< ... but by at most this number of switches
  std::uint16_t acknowledgement = 0;  ///< to each acknowledgement
  bool echoed = false;                ///< an acknowledgement also carries the bytes that the data frame had on arrival
};

/// The switches on which a role is to run.
struct SchemePlace {
  std::vector<BitRate> ports;        ///< the rates of all ports of these switches; ascending, without duplicates
  std::size_t hosts = 0;             ///< in the network; they are numbered from 0
  std::vector<HostId> plugged_in{};  ///< hosts attached to these switches, ascending
};

/// Why a scheme cannot run with its parameters in a given place.
struct ParameterRefusal {
  std::string_view parameter;  ///< the one to change; empty: not a single one
  std::string text;            ///< one line that states what is wrong and what is expected
};

/// A parameter that has no effect with the values of other parameters.
struct IdleParameter {
  std::string_view parameter;  ///< of the scheme
  std::string beside;          ///< those other values, as in a scenario: "pause_destinations = false"
};

/// A value that a scheme computes from its parameters and the network.
struct DerivedValue {
  std::string name;  ///< "window per destination"
  std::string text;  ///< with units, and how it follows: "2 packets (2172 B), from ..."; one line
  BitRate rate{};    ///< of the links between switches for which it holds; zero: not of links
  Duration delay{};  ///< of these links
};

struct Scheme;

/// A scheme that runs in the network, with its parameters.
struct SchemeInUse {
  const Scheme* scheme = nullptr;
  const Parameters* parameters = nullptr;
};
/// The parameters of `scheme` among the schemes in use; nullptr: it is not among them.
const Parameters* parameters_of(const Scheme& scheme, std::span<const SchemeInUse> in_use);

/// The links of one rate.
struct LinksOfRate {
  BitRate rate;
  /// Maximum number of host pairs whose drawn or rate-limited flows share one of these links, as divided by the routes.
  double pairs = 0;
};

/// What a scheme can know of the topology.
struct NetworkView {
  std::vector<LinksOfRate> links{};  ///< ascending, one element per rate; never empty
  Duration longest_round_trip{};     ///< between hosts, without queueing: for a full packet and its acknowledgement
  std::size_t switch_ports = 0;      ///< of all switches
  bool damages = false;              ///< at least one link damages frames
  std::int64_t maximum_frame = 0;    ///< frame bytes, including those that schemes add
  Framing framing = Framing::rocev2();
  [[nodiscard]] BitRate slowest_link() const { return links.front().rate; }
  [[nodiscard]] BitRate fastest_link() const { return links.back().rate; }
};

/// What a scheme can know of the hosts.
struct HostView {
  SchemeInUse congestion_control{};
  /// The flow controls of the switches with attached hosts, and thus of those hosts' NICs: one list per group of such
  /// switches.
  std::vector<std::vector<SchemeInUse>> flow_control{};
  bool windows =
      false;  ///< they limit the bytes in flight per flow, by a window of the NIC or of the congestion control
  bool shortest_remaining_first = false;  ///< they send the flow with the least remaining bytes first
  std::set<Priority> offered{};           ///< the priorities of the data that they send; empty: no traffic
};

/// What a scheme can know of a switch.
struct SwitchView {
  std::array<bool, kPriorities> lossless{};  ///< priorities that are never dropped for lack of buffer
  std::vector<SchemeInUse> flow_control{};
  SchemeInUse forwarding{};
  std::array<std::uint8_t, kPriorities> level_of_priority{};  ///< level 0 is served first, in strict order
};

/// Links between two kinds of switches, in one direction; those with the same rate and delay are one element.
struct SwitchLinks {
  std::size_t from = 0;  ///< number in SchemeSurroundings::switches
  std::size_t to = 0;    ///< the same
  BitRate rate;
  Duration delay;
};

/// The surroundings of a scheme, as far as they matter for its parameters.
struct SchemeSurroundings {
  NetworkView network;
  HostView hosts{};
  std::vector<SwitchView> switches{};     ///< all kinds of switches in the network
  std::vector<SwitchLinks> links{};       ///< between switches, ascending by `from`, `to`, rate and delay
  std::optional<SwitchView> at_switch{};  ///< the switch whose role has the parameters; none: they belong to the hosts
  std::size_t at_kind = 0;                ///< number of at_switch in `switches`
};

/// The turns through a switch, from an ingress to an egress port, on which a flow control does without backpressure, so
/// that no cycle of ports waiting for each other can form.
enum class ExemptTurns : std::uint8_t {
  none,
  down_up,        ///< from a downward to an upward link (is_down_up_turn)
  cycle_breaking  ///< those that the network computes from its routes (SwitchContext::breaks_cycle)
};

/// One scheme. A role that it does not have has no factory. The registry (schemes/registry.cpp) lists the schemes of
/// the tree.
struct Scheme {
  std::string_view name;     ///< as written in scenarios
  std::string_view summary;  ///< one line
  SchemeTraits traits;
  std::vector<const HeaderField*> fields{};  ///< fields that it writes or reads in frames of other protocols
  std::vector<ParameterSpec> parameters{};

  std::unique_ptr<Forwarding> (*forwarding)(const Parameters&) = nullptr;
  std::unique_ptr<BufferPolicy> (*buffer)(const Parameters&) = nullptr;
  std::unique_ptr<FlowControl> (*flow_control)(const Parameters&) = nullptr;
  std::unique_ptr<NicFlowControl> (*nic_flow_control)(const Parameters&) = nullptr;
  std::unique_ptr<CongestionPoint> (*congestion_point)(const Parameters&) = nullptr;
  std::unique_ptr<CongestionControl> (*congestion_control)(const Parameters&) = nullptr;
  std::unique_ptr<LossRecovery> (*loss_recovery)(const Parameters&) = nullptr;
  std::unique_ptr<Transport> (*transport)(const Parameters&) = nullptr;
  /// For the NICs whose switch runs the scheme's forwarding.
  std::unique_ptr<NicForwarding> (*nic_forwarding)(const Parameters&) = nullptr;

  /// Values of the parameters with ParameterSpec::from_traffic, for flows of these sizes. Those that are set are not
  /// changed, and may be used: Parameters::of_traffic() has the names of the others.
  std::vector<std::pair<std::string_view, ParameterValue>> (*from_traffic)(const Parameters&,
                                                                           std::span<const SizeSegment>) = nullptr;
  /// Checks for values that are in range individually but inconsistent; one line per error.
  std::vector<std::string> (*errors)(const Parameters&) = nullptr;
  /// The parameters with which the scheme cannot run in this place.
  std::vector<ParameterRefusal> (*refusals)(const Parameters&, const SchemePlace&) = nullptr;
  /// Checks for values that are valid but may not have the intended effect; one line per warning.
  std::vector<std::string> (*warnings)(const Parameters&, const SchemeSurroundings&) = nullptr;
  /// The parameters that have no effect with the values of the others, in any order; none: all always have an effect.
  /// Their defaults are not shown as part of a configuration, and other values cause a warning.
  std::vector<IdleParameter> (*idle)(const Parameters&) = nullptr;
  /// Values that the scheme computes from its parameters and the network, for `weir check`; none: it computes none.
  std::vector<DerivedValue> (*derived)(const Parameters&, const SchemeSurroundings&) = nullptr;
  /// Bytes added to frames, if they depend on parameters or on the path; none: traits.header_bytes at the source.
  HeaderBytes (*header_bytes)(const Parameters&) = nullptr;
  /// Whether its congestion control limits the bytes in flight, if that depends on parameters; none:
  /// traits.sets_window.
  bool (*sets_window)(const Parameters&) = nullptr;
  /// The number that a switch, or a NIC, announces with the scheme's protocol to the other end of each link
  /// (Peer::announces); none or zero: nothing.
  std::uint32_t (*announces)(const Parameters&, bool nic) = nullptr;
  /// Maximum time that the scheme needs to obey a pause, in addition to the node's time; none: zero. Headroom must hold
  /// the bytes that arrive in that time.
  Duration (*pause_response)(const Parameters&) = nullptr;
  /// Turns through a switch on which its flow control can do without backpressure; none: on no turn.
  ExemptTurns (*exempt_turns)(const Parameters&) = nullptr;
};

/// All schemes: those of the registry in its order, then those registered, in the order of registration. The span is
/// valid for the lifetime of the program; it does not show later registrations.
std::span<const Scheme* const> all_schemes();
/// The scheme of this name, or nullptr.
const Scheme* find_scheme(std::string_view name);

/// Whether the scheme has this role.
bool has_role(const Scheme& scheme, Role role);

/// Scheme::idle; empty if the scheme has none.
std::vector<IdleParameter> idle_parameters(const Scheme& scheme, const Parameters& parameters);
/// Whether a scenario gives the parameter another value than its default. A default of the network or of the traffic
/// has no fixed value, so then any given value counts.
bool is_changed(const Scheme& scheme, const Parameters& parameters, std::string_view name);
/// Warnings about parameters that have no effect but are given with another value than their default: one line for all
/// with the same reason, "a and b have no effect with c = 1".
std::vector<std::string> idle_warnings(const Scheme& scheme, const Parameters& parameters);

/// Errors in the description of a scheme, one line each: its name, its roles, its parameters and their defaults. It is
/// not compared with other schemes.
std::vector<std::string> mistakes_in(const Scheme& scheme);

/// Adds a scheme that is not in the registry. From then on scenarios may name it, and all lookups of schemes find it
/// like those of the registry. Its address is kept: it must live as long as the program.
///
/// Call it in main() or later, before the first scenario is read, and while no other thread uses schemes. Throws
/// std::invalid_argument, with the reasons, if the description has errors, or if another scheme has its name or its
/// protocol; nothing is changed in that case.
void register_scheme(const Scheme& scheme);
void register_scheme(const Scheme&&) = delete;

}  // namespace weir
