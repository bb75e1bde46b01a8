// SPDX-License-Identifier: Apache-2.0
// The table of all roles of schemes in a network. Code that reads, checks or builds all roles iterates over it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fabric/settings.h"
#include "policy/scheme.h"

namespace weir {

/// A role of schemes.
struct SchemeRole {
  std::string_view name;            ///< for messages: "buffer policy"
  std::string_view key;             ///< in scenarios: "buffer_policy", a key of [switch] or of [host]
  std::string_view meaning;         ///< what it decides
  std::string_view default_scheme;  ///< used if a scenario names none; empty: no scheme is required
  Role role;

  [[nodiscard]] bool played_by(const Scheme& scheme) const { return has_role(scheme, role); }
};

namespace scheme_role {

inline constexpr SchemeRole kForwarding = {"forwarding", "forwarding", "chooses among equal-cost next hops", "ecmp",
                                           Role::forwarding};
inline constexpr SchemeRole kBuffer = {"buffer policy", "buffer_policy", "limits the use of the shared buffer",
                                       "dynamic_threshold", Role::buffer};
/// At the switch, the NIC or both.
inline constexpr SchemeRole kFlowControl = {
    "flow control", "flow_control",
    "hop-by-hop flow control; several act together: a frame is sent only if none of them blocks it. They are called in "
    "this order, which decides the order of the control frames that they send at one instant, and which of them is "
    "first asked to rescue a frame that the buffer refuses",
    "", Role::flow_control};
inline constexpr SchemeRole kCongestionPoint = {"congestion point", "congestion_point", "signals congestion", "",
                                                Role::congestion_point};
inline constexpr SchemeRole kCongestionControl = {"congestion control", "congestion_control",
                                                  "sets each sender's rate and window", "line_rate",
                                                  Role::congestion_control};
inline constexpr SchemeRole kLossRecovery = {
    "loss recovery", "loss_recovery", "decides what is retransmitted, and when", "go_back_n", Role::loss_recovery};
/// In place of the other two of a host.
inline constexpr SchemeRole kTransport = {
    "transport", "transport",
    "decides what a host sends next and how it answers, in place of congestion control and loss recovery", "",
    Role::transport};

}  // namespace scheme_role

/// Calls visit(role, all, own) for each role of switches: its members of SwitchSettings and of SwitchGroup. Some roles
/// have one scheme (`all` is a member of type PolicyChoice), others several (a vector of them).
template <class Visit>
void for_each_switch_role(Visit&& visit) {
  visit(scheme_role::kForwarding, &SwitchSettings::forwarding, &SwitchGroup::forwarding);
  visit(scheme_role::kBuffer, &SwitchSettings::buffer_policy, &SwitchGroup::buffer_policy);
  visit(scheme_role::kFlowControl, &SwitchSettings::flow_control, &SwitchGroup::flow_control);
  visit(scheme_role::kCongestionPoint, &SwitchSettings::congestion_point, &SwitchGroup::congestion_point);
}

/// The same for each role of hosts: visit(role, member of HostSettings).
template <class Visit>
void for_each_host_role(Visit&& visit) {
  visit(scheme_role::kTransport, &HostSettings::transport);
  visit(scheme_role::kCongestionControl, &HostSettings::congestion_control);
  visit(scheme_role::kLossRecovery, &HostSettings::loss_recovery);
}

/// Calls visit(choice) for the scheme in a role, or for each of several.
template <class Visit>
void for_each_choice(const PolicyChoice& choice, Visit&& visit) {
  visit(choice);
}
template <class Visit>
void for_each_choice(const std::vector<PolicyChoice>& choices, Visit&& visit) {
  for (const PolicyChoice& choice : choices) visit(choice);
}

}  // namespace weir
