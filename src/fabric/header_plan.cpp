// SPDX-License-Identifier: Apache-2.0
#include "fabric/header_plan.h"

#include <algorithm>

#include "fabric/roles.h"

namespace weir {
namespace {

class Owners {
 public:
  void add(const PolicyChoice& choice) {
    if (choice.scheme == nullptr || choice.scheme->fields.empty()) return;
    if (std::find(schemes_.begin(), schemes_.end(), choice.scheme) != schemes_.end()) return;
    schemes_.push_back(choice.scheme);
    owners_.push_back({choice.scheme->name, choice.scheme->fields});
  }
  [[nodiscard]] const std::vector<HeaderLayout::Owner>& all() const { return owners_; }

 private:
  std::vector<const Scheme*> schemes_;
  std::vector<HeaderLayout::Owner> owners_;
};

}  // namespace

HeaderLayout plan_headers(const SwitchSettings& switches, const std::vector<SwitchGroup>& groups,
                          const HostSettings& hosts) {
  Owners owners;
  const auto add = [&owners](const PolicyChoice& choice) { owners.add(choice); };
  for_each_switch_role([&](const SchemeRole&, auto SwitchSettings::*of_all, auto SwitchGroup::*) {
    for_each_choice(switches.*of_all, add);
  });
  for (const SwitchGroup& group : groups) {
    for_each_switch_role([&](const SchemeRole&, auto SwitchSettings::*, auto SwitchGroup::*own) {
      if (group.*own) for_each_choice(*(group.*own), add);
    });
  }
  for_each_host_role([&](const SchemeRole&, PolicyChoice HostSettings::*of) { add(hosts.*of); });
  return HeaderLayout(owners.all());
}

}  // namespace weir
