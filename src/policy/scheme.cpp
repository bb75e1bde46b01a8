// SPDX-License-Identifier: Apache-2.0
#include "policy/scheme.h"

#include <algorithm>
#include <variant>

#include "policy/header_fields.h"
#include "units/words.h"

namespace weir {
namespace {

constexpr Role kRoles[] = {Role::forwarding,         Role::buffer,        Role::flow_control, Role::congestion_point,
                           Role::congestion_control, Role::loss_recovery, Role::transport};

/// Lower-case letters, digits and underscores, starting with a letter.
bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool has_kind_of(NetworkFigure figure, const ParameterValue& value) {
  switch (figure) {
    case NetworkFigure::none:
      return true;
    case NetworkFigure::round_trip:
      return std::holds_alternative<Duration>(value);
    case NetworkFigure::bandwidth_delay_product:
      return std::holds_alternative<Bytes>(value);
    case NetworkFigure::lowest_host_rate:
    case NetworkFigure::highest_host_rate:
      return std::holds_alternative<BitRate>(value);
  }
  return false;
}

/// The error in a parameter; empty: none.
std::string_view mistake_in(const ParameterSpec& spec) {
  if (!is_name(spec.name)) return "a name is lower-case letters, digits and underscores, a letter first";
  if (spec.name == "scheme") return "in a scenario this key is the scheme's name";
  if (spec.meaning.empty()) return "it has no meaning";
  if (spec.source.empty()) return "its default has no source";
  if (!spec.choices.empty() && !std::holds_alternative<std::string>(spec.default_value))
    return "only a string has choices";
  if (!has_kind_of(spec.from_network.figure, spec.default_value))
    return "its default is of another kind than the figure of the network";
  if (!(spec.from_network.factor > 0)) return "its default is not a positive multiple of the figure of the network";
  if (spec.from_traffic && spec.from_network.figure != NetworkFigure::none)
    return "its default is both of the network and of the traffic";
  if (const auto* choice = std::get_if<std::string>(&spec.default_value)) {
    return std::ranges::find(spec.choices, *choice) == spec.choices.end() ? "the default is none of its choices" : "";
  }
  if (spec.least_length > spec.most_length) return "no list is as long as it asks for";
  return is_in_range(spec, spec.default_value) ? "" : "the default is out of its range";
}

}  // namespace

bool has_role(const Scheme& scheme, Role role) {
  switch (role) {
    case Role::forwarding:
      return scheme.forwarding != nullptr;
    case Role::buffer:
      return scheme.buffer != nullptr;
    case Role::flow_control:
      return scheme.flow_control != nullptr || scheme.nic_flow_control != nullptr;
    case Role::congestion_point:
      return scheme.congestion_point != nullptr;
    case Role::congestion_control:
      return scheme.congestion_control != nullptr;
    case Role::loss_recovery:
      return scheme.loss_recovery != nullptr;
    case Role::transport:
      return scheme.transport != nullptr;
  }
  return false;
}

std::vector<IdleParameter> idle_parameters(const Scheme& scheme, const Parameters& parameters) {
  return scheme.idle == nullptr ? std::vector<IdleParameter>() : scheme.idle(parameters);
}

bool is_changed(const Scheme& scheme, const Parameters& parameters, std::string_view name) {
  if (!parameters.is_given(name)) return false;
  const auto spec = std::ranges::find(scheme.parameters, name, &ParameterSpec::name);
  if (spec->from_traffic || spec->from_network.figure != NetworkFigure::none) return true;
  return std::ranges::any_of(parameters.values(), [&](const auto& value) {
    return value.first == name && value.second != spec->default_value;
  });
}

std::vector<std::string> idle_warnings(const Scheme& scheme, const Parameters& parameters) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const IdleParameter& idle : idle_parameters(scheme, parameters)) {
    if (!is_changed(scheme, parameters, idle.parameter)) continue;
    auto reason = std::ranges::find(by_reason, idle.beside, &std::pair<std::string, std::vector<std::string>>::first);
    if (reason == by_reason.end()) reason = by_reason.insert(by_reason.end(), {idle.beside, {}});
    reason->second.emplace_back(idle.parameter);
  }
  std::vector<std::string> out;
  for (const auto& [beside, names] : by_reason) {
    out.push_back(join_words(names) + (names.size() == 1 ? " has" : " have") + " no effect with " + beside);
  }
  return out;
}

const Parameters* parameters_of(const Scheme& scheme, std::span<const SchemeInUse> in_use) {
  const auto found =
      std::find_if(in_use.begin(), in_use.end(), [&](const SchemeInUse& use) { return use.scheme == &scheme; });
  return found == in_use.end() ? nullptr : found->parameters;
}

std::vector<std::string> mistakes_in(const Scheme& scheme) {
  std::vector<std::string> out;
  if (!is_name(scheme.name)) {
    out.emplace_back("a name is lower-case letters, digits and underscores, a letter first");
  }
  if (scheme.summary.empty()) out.emplace_back("it has no summary");
  if (!scheme.forwarding && !scheme.buffer && !scheme.flow_control && !scheme.nic_flow_control &&
      !scheme.congestion_point && !scheme.congestion_control && !scheme.loss_recovery && !scheme.transport) {
    out.emplace_back("it plays no role");
  }
  if (scheme.announces != nullptr && scheme.traits.protocol == 0) {
    out.emplace_back("it announces something, and has no protocol to announce it with");
  }
  std::set<std::string_view> names;
  for (const ParameterSpec& spec : scheme.parameters) {
    const auto say = [&](std::string_view what) {
      out.push_back("parameter \"" + std::string(spec.name) + "\": " + std::string(what));
    };
    if (const std::string_view mistake = mistake_in(spec); !mistake.empty()) say(mistake);
    if (!names.insert(spec.name).second) say("it is there twice");
    if (spec.from_traffic && scheme.from_traffic == nullptr) say("the scheme computes nothing from the traffic");
    for (const Role role : kRoles) {
      if (spec.roles.contains(role) && !has_role(scheme, role)) say("the scheme does not have one of its roles");
    }
  }
  if (out.empty()) {
    for (const IdleParameter& idle : idle_parameters(scheme, Parameters(scheme.parameters))) {
      if (names.contains(idle.parameter)) continue;
      out.push_back("parameter \"" + std::string(idle.parameter) +
                    "\": it is said to have no effect, and does not exist");
    }
  }
  for (const HeaderField* field : scheme.fields) {
    const auto say = [&](std::string_view what) {
      out.push_back("header field \"" + std::string(field->name) + "\": " + std::string(what));
    };
    if (!is_name(field->name)) say("a name is lower-case letters, digits and underscores, a letter first");
    if (field->bytes != 2 && (field->bytes == 0 || field->bytes % 4 != 0)) say("it has 2 bytes, or a multiple of 4");
    if (field->kinds == FrameKinds()) say("no frame carries it");
  }
  if (out.empty() && HeaderLayout(HeaderLayout::Owner{scheme.name, scheme.fields}).conflict()) {
    out.emplace_back("its header fields do not fit into one frame");
  }
  if (scheme.errors != nullptr && out.empty()) {
    for (const std::string& error : scheme.errors(Parameters(scheme.parameters))) {
      out.push_back("its defaults: " + error);
    }
  }
  return out;
}

}  // namespace weir
