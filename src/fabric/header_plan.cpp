#include "fabric/header_plan.h"

#include <algorithm>
#include <optional>

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
  void add(const std::vector<PolicyChoice>& choices) {
    for (const PolicyChoice& choice : choices) add(choice);
  }
  template <class Choice>
  void add(const std::optional<Choice>& choice) {
    if (choice) add(*choice);
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
  const auto add = [&owners](const auto& of) {
    owners.add(of.forwarding);
    owners.add(of.buffer_policy);
    owners.add(of.flow_control);
    owners.add(of.congestion_point);
  };
  add(switches);
  for (const SwitchGroup& group : groups) add(group);
  owners.add(hosts.congestion_control);
  owners.add(hosts.loss_recovery);
  return HeaderLayout(owners.all());
}

}  // namespace weir
