// SPDX-License-Identifier: Apache-2.0
#include "scenario/combination.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "config/quantity.h"
#include "fabric/header_plan.h"
#include "fabric/roles.h"
#include "host/nic_config.h"

namespace weir {
namespace {

/// A scheme and the slot that contains it.
struct Seated {
  std::string table;  ///< "switch", "switch.group.old", "host"
  std::string_view key;
  const Scheme* scheme;
};

/// The element of [[switch.group]] with this name, or otherwise with this index.
const Value* group_named(const Value& section, std::string_view name) {
  const Value::Member* groups = section.find("group");
  const Value::List* list = groups == nullptr ? nullptr : groups->value.list();
  if (list == nullptr) return nullptr;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string* given = (*list)[i].text_at("name");
    if (given == nullptr ? fmt::format("{}", i) == name : *given == name) return &(*list)[i];
  }
  return nullptr;
}

/// Reports an error at the position of a slot.
void refuse_slot(Reader& root, std::string_view table, std::string_view key, std::string message) {
  constexpr std::string_view kGroup = "switch.group.";
  Origin origin = root.origin();
  const bool of_group = table.starts_with(kGroup);
  const Value::Member* member =
      root.value() == nullptr ? nullptr : root.value()->find(of_group ? std::string_view("switch") : table);
  const Value* section = member == nullptr ? nullptr : &member->value;
  if (member != nullptr) origin = member->origin;
  if (section != nullptr && of_group) {
    section = group_named(*section, table.substr(kGroup.size()));
    if (section != nullptr) origin = section->origin;
  }
  if (section != nullptr) {
    if (const Value::Member* slot = section->find(key)) origin = slot->value.origin;
  }
  root.diagnostics().add(origin, fmt::format("{}.{}", table, key), std::move(message));
}

/// The slots of [switch], of a group, or of both where the group leaves some to [switch].
class Slots {
 public:
  void add(std::string_view table, std::string_view key, const PolicyChoice& choice) {
    if (choice.scheme != nullptr) seats_.push_back({std::string(table), key, choice.scheme});
  }
  void add(std::string_view table, std::string_view key, const std::vector<PolicyChoice>& choices) {
    for (const PolicyChoice& choice : choices) add(table, key, choice);
  }
  template <class Choice>
  void add(std::string_view table, std::string_view key, const std::optional<Choice>& own, const Choice* all) {
    if (own) {
      add(table, key, *own);
    } else if (all != nullptr) {
      add("switch", key, *all);
    }
  }
  void add(const SwitchSettings& switches) {
    for_each_switch_role([&](const SchemeRole& role, auto SwitchSettings::*of_all, auto SwitchGroup::*) {
      add("switch", role.key, switches.*of_all);
    });
  }
  /// `all`: supplies what the group omits, or nullptr.
  void add(const SwitchGroup& group, const SwitchSettings* all) {
    const std::string table = "switch.group." + group.name;
    for_each_switch_role([&](const SchemeRole& role, auto SwitchSettings::*of_all, auto SwitchGroup::*own) {
      add(table, role.key, group.*own, all == nullptr ? nullptr : &(all->*of_all));
    });
  }
  void add(const HostSettings& hosts) {
    for_each_host_role(
        [&](const SchemeRole& role, PolicyChoice HostSettings::*chosen) { add("host", role.key, hosts.*chosen); });
  }
  [[nodiscard]] const std::vector<Seated>& seats() const { return seats_; }

 private:
  std::vector<Seated> seats_;
};

/// `only`: the table to which at least one claimant must belong; empty: any.
void check_claim(const Slots& slots, bool SchemeTraits::*claim, std::string_view what, std::string_view only,
                 Reader& root) {
  const Seated* first = nullptr;
  for (const Seated& seat : slots.seats()) {
    if (!(seat.scheme->traits.*claim)) continue;
    if (first == nullptr) {
      first = &seat;
    } else if (seat.scheme != first->scheme) {
      if (!only.empty() && seat.table != only && first->table != only) continue;
      refuse_slot(root, seat.table, seat.key,
                  fmt::format("\"{}\" uses {}, which \"{}\" ({}.{}) also uses, expected at most one such scheme",
                              seat.scheme->name, what, first->scheme->name, first->table, first->key));
      return;
    }
  }
}

/// Checks that the header fields of all schemes fit into one frame.
void check_headers(const Slots& slots, const HeaderLayout& headers, Reader& root) {
  const auto& conflict = headers.conflict();
  if (!conflict) return;
  const auto seat_of = [&](std::string_view name) -> const Seated& {
    const auto& seats = slots.seats();
    return *std::find_if(seats.begin(), seats.end(), [&](const Seated& seat) { return seat.scheme->name == name; });
  };
  const Seated& seat = seat_of(conflict->owner);
  const Seated& other = seat_of(conflict->other_owner);
  refuse_slot(root, seat.table, seat.key,
              fmt::format("frames have no space for both the header field \"{}\" of \"{}\" ({} bytes) and \"{}\" of "
                          "\"{}\" ({}.{}, {} bytes), expected only one of the two schemes",
                          conflict->field->name, conflict->owner, conflict->field->bytes, conflict->other_field->name,
                          conflict->other_owner, other.table, other.key, conflict->other_field->bytes));
}

/// Headroom is computed for `pause_response`, so no flow control may take longer than that.
void check_response(const std::vector<PolicyChoice>& flow_control, Duration pause_response, Reader& root) {
  for (const PolicyChoice& choice : flow_control) {
    if (choice.scheme->pause_response == nullptr) continue;
    const Duration response = choice.scheme->pause_response(choice.parameters);
    if (response <= pause_response) continue;
    refuse_slot(root, "switch", "pause_response",
                fmt::format("is {}, expected at least the response time of \"{}\", which is {}: headroom must absorb "
                            "the frames that arrive until then",
                            to_text(pause_response), choice.scheme->name, to_text(response)));
  }
}

/// Checks the flow controls of one switch, and that one of them assigns ranks to frames where ranks are required.
void check_flow_control(const std::vector<PolicyChoice>& flow_control, std::string_view table,
                        const SwitchSettings& switches, Reader& root) {
  const Scheme* classifies = nullptr;
  for (const PolicyChoice& choice : flow_control) {
    if (choice.scheme->flow_control == nullptr) continue;
    if (choice.scheme->flow_control(choice.parameters)->classifier() == nullptr) continue;
    if (classifies != nullptr) {
      refuse_slot(root, table, "flow_control",
                  fmt::format("\"{}\" and \"{}\" both assign frames to queues, expected at most one such scheme",
                              classifies->name, choice.scheme->name));
    }
    classifies = choice.scheme;
  }
  const auto& disciplines = switches.discipline_of_priority;
  if (classifies == nullptr &&
      std::find(disciplines.begin(), disciplines.end(), Discipline::rank) != disciplines.end()) {
    const bool single = disciplines.front() != disciplines.back() || disciplines.front() != Discipline::rank;
    const bool of_group = table != "switch";
    refuse_slot(root, table,
                of_group ? "flow_control"
                : single ? "discipline_of_priority"
                         : "discipline",
                of_group ? "assigns no ranks to frames, but the discipline of [switch] is \"rank\", expected a flow "
                           "control that does, or another discipline"
                         : "is \"rank\", but no flow control assigns ranks to frames, expected one that does, or "
                           "another discipline");
  }
  check_response(flow_control, switches.pause_response, root);
  const auto at_nics = std::count_if(flow_control.begin(), flow_control.end(), [](const PolicyChoice& choice) {
    return choice.scheme->nic_flow_control != nullptr;
  });
  if (at_nics > static_cast<std::ptrdiff_t>(kNicFlowControls)) {
    refuse_slot(
        root, table, "flow_control",
        fmt::format("has {} flow controls with a part in the NIC, expected at most {}", at_nics, kNicFlowControls));
  }
}

}  // namespace

void check_combination(const SwitchSettings& switches, const std::vector<SwitchGroup>& groups,
                       const HostSettings& hosts, Reader& root) {
  check_flow_control(switches.flow_control, "switch", switches, root);
  for (const SwitchGroup& group : groups) {
    if (group.flow_control) check_flow_control(*group.flow_control, "switch.group." + group.name, switches, root);
  }
  // Header bytes cross the network; metadata is local to a node.
  Slots everywhere;
  everywhere.add(switches);
  for (const SwitchGroup& group : groups) everywhere.add(group, nullptr);
  everywhere.add(hosts);
  check_headers(everywhere, plan_headers(switches, groups, hosts), root);
  Slots node;
  node.add(switches);
  node.add(hosts);
  check_claim(node, &SchemeTraits::claims_own, "the scheme metadata of frames in a switch", {}, root);
  for (const SwitchGroup& group : groups) {
    Slots of_group;
    of_group.add(group, &switches);
    of_group.add(hosts);
    check_claim(of_group, &SchemeTraits::claims_own, "the scheme metadata of frames in a switch",
                "switch.group." + group.name, root);
  }
}

}  // namespace weir
