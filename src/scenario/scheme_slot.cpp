// SPDX-License-Identifier: Apache-2.0
#include "scenario/scheme_slot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config/nearest_name.h"
#include "scenario/parameter_reader.h"

namespace weir {
namespace {

struct Slot {
  std::string_view table;
  const SchemeRole& role;
  bool list;
};

std::vector<Slot> all_slots() {
  std::vector<Slot> slots;
  for_each_switch_role([&]<class Choice>(const SchemeRole& role, Choice SwitchSettings::*, auto SwitchGroup::*) {
    slots.push_back({"switch", role, std::is_same_v<Choice, std::vector<PolicyChoice>>});
  });
  for_each_host_role([&](const SchemeRole& role, PolicyChoice HostSettings::*) {
    slots.push_back({"host", role, false});
  });
  return slots;
}

/// Calls visit(table, slot) for each table that has this slot: [switch], [host] and, where groups of switches also have
/// it, each group, in a list or in a variant's changes to one.
template <class Visit>
void visit_tables(Value& root, const Slot& slot, const Visit& visit) {
  Value::Member* table = root.find(slot.table);
  if (table == nullptr) return;
  visit(table->value, slot);
  Value::Member* groups = slot.table == "switch" ? table->value.find("group") : nullptr;
  if (groups == nullptr) return;
  if (Value::List* list = groups->value.list()) {
    for (Value& group : *list) visit(group, slot);
  } else if (Value::Table* named = groups->value.table()) {
    for (Value::Member& group : *named) visit(group.value, slot);
  }
}

void expand_name(Value& value) {
  if (value.text() == nullptr) return;
  const Origin origin = value.origin;
  Value name = std::move(value);
  Value::Table table;
  table.push_back({"scheme", origin, std::move(name)});
  value = Value(std::move(table), origin);
}

/// Finds the scheme that the slot names, or reports an invalid name.
const Scheme* find_in_role(Reader& slot, const std::string& name, const SchemeRole& role) {
  const Scheme* scheme = find_scheme(name);
  if (scheme != nullptr && role.played_by(*scheme)) return scheme;
  std::vector<std::string_view> candidates;
  for (const Scheme* candidate : all_schemes()) {
    if (role.played_by(*candidate)) candidates.push_back(candidate->name);
  }
  const std::string listed = schemes_in(role);
  const std::string expected = listed.empty() ? "and no scheme is" : fmt::format("expected one of {}", listed);
  const std::string message = scheme == nullptr
                                  ? fmt::format("unknown scheme \"{}\", {}", name, expected)
                                  : fmt::format("scheme \"{}\" cannot be used as {}, {}", name, role.name, expected);
  const Value::Member* member = slot.value() == nullptr ? nullptr : slot.value()->find("scheme");
  if (member == nullptr) {
    slot.refuse(message);
  } else {
    slot.refuse(*member, message, nearest_name(name, candidates));
  }
  return nullptr;
}

/// A parameter that this role of the scheme does not use must not be given.
void refuse_of_other_role(Reader& slot, const SchemeRole& role, const Scheme& scheme, const ParameterSpec& spec,
                          Parameters& parameters) {
  parameters.set_default(spec.name, spec.default_value);  // not from the network or the traffic
  if (!slot.has(spec.name)) return;
  slot.ignore(spec.name);
  slot.refuse(*slot.value()->find(spec.name),
              fmt::format("has no effect on the {} of \"{}\", expected in {}", role.name, scheme.name,
                          fmt::join(tables_of(scheme, spec), " or ")));
}

/// Does not show values that have no effect and are not given.
void withdraw_idle(Reader& slot, const PolicyChoice& choice) {
  for (const IdleParameter& idle : idle_parameters(*choice.scheme, choice.parameters)) {
    if (!slot.has(idle.parameter)) slot.withdraw(idle.parameter);
  }
}

/// Whether a meaning begins with this name, in capitals or not: the name of the parameter in its paper.
bool begins_with_name(std::string_view meaning, std::string_view name) {
  const auto is_part = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return meaning.size() >= name.size() && std::equal(name.begin(), name.end(), meaning.begin(), is_same) &&
         (meaning.size() == name.size() || !is_part(meaning[name.size()]));
}

/// Reports keys that are a paper's names of parameters of this role.
void refuse_names_of_papers(Reader& slot, const SchemeRole& role, const Scheme& scheme) {
  if (slot.value() == nullptr || slot.value()->table() == nullptr) return;
  for (const Value::Member& member : *slot.value()->table()) {
    // Meanings begin with ordinary words, too.
    if (member.key.find('_') == std::string::npos) continue;
    const auto named = [&](const ParameterSpec& spec) { return spec.name == member.key; };
    if (std::any_of(scheme.parameters.begin(), scheme.parameters.end(), named)) continue;
    const auto meant = [&](const ParameterSpec& spec) {
      return spec.is_of(role.role) && begins_with_name(spec.meaning, member.key);
    };
    const auto found = std::find_if(scheme.parameters.begin(), scheme.parameters.end(), meant);
    if (found == scheme.parameters.end()) continue;
    slot.refuse(member, "unknown key", std::string(found->name));
    slot.ignore(member.key);
  }
}

PolicyChoice read_named(Reader& slot, const std::string& name, const SchemeRole& role) {
  const Scheme* scheme = find_in_role(slot, name, role);
  // The other keys of an unknown scheme have no meaning and are not checked.
  if (scheme == nullptr) return {};
  PolicyChoice choice = {scheme, Parameters(scheme->parameters)};
  const std::size_t errors_before = slot.diagnostics().size();
  for (const ParameterSpec& spec : scheme->parameters) {
    if (spec.is_of(role.role)) {
      read_parameter(slot, spec, choice.parameters);
    } else {
      refuse_of_other_role(slot, role, *scheme, spec, choice.parameters);
    }
  }
  refuse_names_of_papers(slot, role, *scheme);
  slot.finish();
  withdraw_idle(slot, choice);
  // Parameters that need values of the network or of the traffic are checked when these are known
  // (scenario/network_defaults.h, scenario/traffic_defaults.h).
  const bool whole = choice.parameters.of_network().empty() && choice.parameters.of_traffic().empty() &&
                     slot.diagnostics().size() == errors_before;
  if (scheme->errors != nullptr && whole) {
    for (const std::string& error : scheme->errors(choice.parameters)) slot.refuse(error);
  }
  return choice;
}

}  // namespace

std::string schemes_in(const SchemeRole& role) {
  std::string listed;
  for (const Scheme* scheme : all_schemes()) {
    if (role.played_by(*scheme)) listed += fmt::format("{}\"{}\"", listed.empty() ? "" : ", ", scheme->name);
  }
  return listed;
}

std::vector<std::string_view> roles_of(const Scheme& scheme) {
  std::vector<std::string_view> out;
  for (const Slot& slot : all_slots()) {
    if (slot.role.played_by(scheme)) out.push_back(slot.role.name);
  }
  return out;
}

std::vector<std::string> tables_of(const Scheme& scheme, const ParameterSpec& spec) {
  std::vector<std::string> out;
  for (const Slot& slot : all_slots()) {
    if (slot.role.played_by(scheme) && spec.is_of(slot.role.role)) {
      out.push_back(fmt::format("{}.{}", slot.table, slot.role.key));
    }
  }
  return out;
}

bool has_parameters_of_roles(const Scheme& scheme) {
  return std::any_of(scheme.parameters.begin(), scheme.parameters.end(),
                     [](const ParameterSpec& spec) { return !spec.roles.empty(); });
}

void expand_scheme_slots(Value& root) {
  const auto expand = [](Value& table, const Slot& slot) {
    Value::Member* member = table.find(slot.role.key);
    if (member == nullptr) return;
    Value& value = member->value;
    if (!slot.list) {
      expand_name(value);
      return;
    }
    if (value.text() != nullptr || value.text_at("scheme") != nullptr) {
      const Origin origin = value.origin;
      Value::List list;
      list.push_back(std::move(value));
      value = Value(std::move(list), origin);
    }
    if (Value::List* list = value.list()) {
      for (Value& element : *list) expand_name(element);
    }
  };
  for (const Slot& slot : all_slots()) visit_tables(root, slot, expand);
}

std::vector<std::string> take_unknown_schemes(Value& root) {
  std::vector<std::string> out;
  const auto unknown = [&](const Value& slot) {
    const std::string* name = slot.text_at("scheme");
    if (name == nullptr || find_scheme(*name) != nullptr) return false;
    if (std::find(out.begin(), out.end(), *name) == out.end()) out.push_back(*name);
    return true;
  };
  bool no_rank = false;  // a removed scheme may be the one that assigns ranks to frames
  const auto take = [&](Value& table, const Slot& slot) {
    Value::Member* member = table.find(slot.role.key);
    if (member == nullptr) return;
    if (Value::List* list = member->value.list()) {
      const bool some = std::erase_if(*list, unknown) > 0;
      no_rank |= some && slot.role.key == scheme_role::kFlowControl.key;
    } else if (unknown(member->value)) {
      std::erase_if(*table.table(), [&](const Value::Member& other) { return other.key == slot.role.key; });
    }
  };
  for (const Slot& slot : all_slots()) visit_tables(root, slot, take);
  if (no_rank) {
    std::erase_if(*root.find("switch")->value.table(), [](const Value::Member& other) {
      return other.key == "discipline" || other.key == "discipline_of_priority";
    });
  }
  return out;
}

namespace {

/// For the reference, with the available schemes; their parameters are listed after the name.
std::string slot_meaning(std::string_view article, const SchemeRole& role, const Reader& slot) {
  std::string out = fmt::format("{} {}", article, role.name);
  if (!slot.describing()) return out;
  std::string names;
  for (const Scheme* scheme : all_schemes()) {
    if (role.played_by(*scheme)) names += (names.empty() ? "" : ", ") + in_quotes(scheme->name);
  }
  if (names.empty()) return fmt::format("{}, by the name under which a program has registered it", out);
  return fmt::format("{}: {}; the scheme's parameters are keys of the same table", out, names);
}

}  // namespace

PolicyChoice read_scheme(Reader slot, const SchemeRole& role) {
  std::string name(role.default_scheme);
  slot.optional("scheme", name, slot_meaning("the", role, slot));
  if (slot.describing() || name.empty()) return {};
  return read_named(slot, name, role);
}

PolicyChoice read_listed_scheme(Reader slot, const SchemeRole& role) {
  std::string name;
  if (!slot.required("scheme", name, slot_meaning("a", role, slot))) return {};
  return read_named(slot, name, role);
}

}  // namespace weir
