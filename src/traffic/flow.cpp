// SPDX-License-Identifier: Apache-2.0
#include "traffic/flow.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {

FlowLabels::FlowLabels() : names_{"plain", "incast", "burst", "long-running", "collective"} {}

FlowLabel FlowLabels::label(std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto number = static_cast<std::size_t>(found - names_.begin());
  if (found == names_.end()) {
    if (number > 0xff) return FlowLabel::plain;
    names_.emplace_back(name);
  }
  return static_cast<FlowLabel>(number);
}

std::string FlowLabels::name(FlowLabel label) const {
  const auto number = static_cast<std::size_t>(label);
  return number < names_.size() ? names_[number] : fmt::format("label {}", number);
}

}  // namespace weir
