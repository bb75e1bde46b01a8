// SPDX-License-Identifier: Apache-2.0
// How a scheme presents itself: its name, its parameters, the roles it plays and how to make them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/header_fields.h"
#include "policy/nic_policy.h"
#include "policy/parameters.h"
#include "policy/switch_policy.h"
#include "policy/transport.h"

namespace weir {

/// What a scheme needs of a frame, or of the node, that not every combination can give.
struct SchemeTraits {
  bool ideal = false;              ///< no switch could run it: unbounded queues or buffers, ideal flow ids
  bool claims_own = false;         ///< writes Frame::own
  std::uint16_t header_bytes = 0;  ///< it adds this to each data frame; see also Scheme::header_bytes
  std::uint8_t protocol = 0;       ///< of its control frames (Frame::protocol); zero: it sends none
  bool pfc = false;                ///< it sends PFC frames (IEEE 802.1Qbb), and obeys them
  bool marks = false;              ///< its congestion point sets CE (RFC 3168)
  bool sets_window = false;    ///< its congestion control bounds what is in flight from the first packet on; see also
                               ///< Scheme::sets_window
  bool answers_marks = false;  ///< its congestion control slows down for CE, and for nothing else
};

/// The bytes that a scheme adds to frames.
struct HeaderBytes {
  std::uint16_t at_source = 0;        ///< to each data frame, by the host that sends it
  std::uint16_t at_switch = 0;        ///< to each data frame, by each switch on its way ...
  std::uint16_t switches = 0;         ///< ... but by so many at most
  std::uint16_t acknowledgement = 0;  ///< to each acknowledgement
  bool echoed = false;                ///< an acknowledgement carries what the data frame had on arrival besides
};

/// Where a role of switches is to run.
struct SchemePlace {
  std::vector<BitRate> ports;        ///< the rates of all ports of the switches that have it, ascending, each once
  std::size_t hosts = 0;             ///< in the network; they are numbered from 0
  std::vector<HostId> plugged_in{};  ///< hosts of these switches, ascending
};

/// Why a scheme cannot run with its parameters in a place.
struct ParameterRefusal {
  std::string_view parameter;  ///< the one to change; empty: it is no single one
  std::string text;            ///< one line, which says what is wrong and what is expected
};

struct Scheme;

/// A scheme that runs somewhere in the network, with its parameters there.
struct SchemeInUse {
  const Scheme* scheme = nullptr;
  const Parameters* parameters = nullptr;
};
/// The parameters of `scheme` among those that run somewhere; nullptr: it is not among them.
const Parameters* parameters_of(const Scheme& scheme, std::span<const SchemeInUse> in_use);

/// The links of one rate.
struct LinksOfRate {
  BitRate rate;
  /// Of how many pairs of hosts drawn or rate-limited flows go over one of them at once, at most, as routes divide
  /// them.
  double pairs = 0;
};

/// What a scheme may know of the topology.
struct NetworkView {
  std::vector<LinksOfRate> links{};  ///< ascending, each rate once; never empty
  Duration longest_round_trip{};     ///< between hosts, without queueing: a full packet there, its acknowledgement back
  std::size_t switch_ports = 0;      ///< of all switches
  bool damages = false;              ///< some link damages frames
  [[nodiscard]] BitRate slowest_link() const { return links.front().rate; }
  [[nodiscard]] BitRate fastest_link() const { return links.back().rate; }
};

/// What it may know of the hosts.
struct HostView {
  SchemeInUse congestion_control{};
  /// The flow controls of the switches that hosts are plugged into, and so of those hosts' NICs: a list a group of such
  /// switches.
  std::vector<std::vector<SchemeInUse>> flow_control{};
  bool windows = false;  ///< they bound what a flow has in flight, by a window of the NIC or of the congestion control
  bool shortest_remaining_first = false;  ///< they send what lacks least first
  std::set<Priority> offered{};           ///< the priorities of the data that they send; none: no traffic
};

/// What it may know of a switch.
struct SwitchView {
  std::array<bool, kPriorities> lossless{};  ///< priorities that are never dropped for want of buffer
  std::vector<SchemeInUse> flow_control{};
};

/// What a scheme is to run in, as far as its parameters may have to suit it.
struct SchemeSurroundings {
  NetworkView network;
  HostView hosts{};
  std::optional<SwitchView> at_switch{};  ///< the switch whose role has the parameters; none: they are of the hosts
};

/// The turns through a switch, from a port where frames come in to one where they leave, on which a flow control does
/// without backpressure, so that no cycle of ports that wait for each other can come about.
enum class ExemptTurns : std::uint8_t {
  none,
  down_up,        ///< those from a link downwards to one upwards (is_down_up_turn)
  cycle_breaking  ///< those that the network computes from its routes (SwitchContext::breaks_cycle)
};

/// One scheme. A role it does not play has no factory. The registry (schemes/registry.cpp) lists those of the tree.
struct Scheme {
  std::string_view name;     ///< as scenarios write it
  std::string_view summary;  ///< one line
  SchemeTraits traits;
  std::vector<const HeaderField*> fields{};  ///< that it writes or reads, in frames that are not its protocol's
  std::vector<ParameterSpec> parameters{};

  std::unique_ptr<Forwarding> (*forwarding)(const Parameters&) = nullptr;
  std::unique_ptr<BufferPolicy> (*buffer)(const Parameters&) = nullptr;
  std::unique_ptr<FlowControl> (*flow_control)(const Parameters&) = nullptr;
  std::unique_ptr<NicFlowControl> (*nic_flow_control)(const Parameters&) = nullptr;
  std::unique_ptr<CongestionPoint> (*congestion_point)(const Parameters&) = nullptr;
  std::unique_ptr<CongestionControl> (*congestion_control)(const Parameters&) = nullptr;
  std::unique_ptr<LossRecovery> (*loss_recovery)(const Parameters&) = nullptr;
  std::unique_ptr<Transport> (*transport)(const Parameters&) = nullptr;
  /// Of the NICs whose switch runs the scheme's forwarding.
  std::unique_ptr<NicForwarding> (*nic_forwarding)(const Parameters&) = nullptr;

  /// Looks at values that are each in range but make no sense together; one line per error.
  std::vector<std::string> (*errors)(const Parameters&) = nullptr;
  /// What of the parameters cannot be run in this place.
  std::vector<ParameterRefusal> (*refusals)(const Parameters&, const SchemePlace&) = nullptr;
  /// Looks at values that can be run, but may not do what is hoped for; one line a warning.
  std::vector<std::string> (*warnings)(const Parameters&, const SchemeSurroundings&) = nullptr;
  /// What it adds to frames, where that depends on parameters or on the way; none: traits.header_bytes at the source.
  HeaderBytes (*header_bytes)(const Parameters&) = nullptr;
  /// Whether its congestion control bounds what is in flight, where that depends on parameters; none:
  /// traits.sets_window.
  bool (*sets_window)(const Parameters&) = nullptr;
  /// What a switch, or a NIC, announces with the scheme's protocol to the other end of each link (Peer::announces);
  /// none or zero: nothing.
  std::uint32_t (*announces)(const Parameters&, bool nic) = nullptr;
  /// How long it may take at most to obey a pause, beside what the node takes; none: no time. Headroom must hold what
  /// comes until then.
  Duration (*pause_response)(const Parameters&) = nullptr;
  /// On which turns through a switch its flow control can do without backpressure; none: on no turn.
  ExemptTurns (*exempt_turns)(const Parameters&) = nullptr;
};

/// All schemes: those of the registry in its order, then those registered, in the order of their registration. The span
/// is good for as long as the program runs; it does not show what is registered later.
std::span<const Scheme* const> all_schemes();
/// The scheme of this name, or nullptr.
const Scheme* find_scheme(std::string_view name);

/// What is wrong with how a scheme presents itself, one line each: its name, its roles, its parameters and their
/// defaults. It is not compared with other schemes.
std::vector<std::string> mistakes_in(const Scheme& scheme);

/// Adds a scheme that does not stand in the registry. From then on scenarios may name it, and everything that asks for
/// schemes finds it as it finds those of the registry. Its address is kept: it must live as long as the program.
///
/// To be called in main() or later, before the first scenario is read, and while no other thread uses schemes.
/// Throws std::invalid_argument, with the reasons, when it has mistakes, or when a scheme has its name or its protocol
/// already; nothing is changed then.
void register_scheme(const Scheme& scheme);
void register_scheme(const Scheme&&) = delete;

}  // namespace weir
