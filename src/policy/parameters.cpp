// SPDX-License-Identifier: Apache-2.0
#include "policy/parameters.h"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

// Values in the base unit in which a ParameterSpec states its range.
double number_of(std::int64_t value) {
  return static_cast<double>(value);
}
double number_of(double value) {
  return value;
}
double number_of(Duration value) {
  return value.seconds();
}
double number_of(Bytes value) {
  return static_cast<double>(value.count());
}
double number_of(BitRate value) {
  return static_cast<double>(value.bits_per_second());
}

struct InRange {
  const ParameterSpec& spec;

  bool operator()(bool) const { return true; }
  bool operator()(const std::string&) const { return true; }
  template <class Number>
  bool operator()(const Number& value) const {
    const double number = number_of(value);
    return number >= spec.minimum && number <= spec.maximum;
  }
  template <class Element>
  bool operator()(const std::vector<Element>& values) const {
    return values.size() >= spec.least_length && values.size() <= spec.most_length &&
           std::all_of(values.begin(), values.end(), [this](const Element& value) { return (*this)(value); });
  }
};

}  // namespace

ParameterValue::ParameterValue() = default;
ParameterValue::ParameterValue(const ParameterValue& other) = default;
ParameterValue::ParameterValue(ParameterValue&& other) noexcept = default;
ParameterValue& ParameterValue::operator=(const ParameterValue& other) = default;
ParameterValue& ParameterValue::operator=(ParameterValue&& other) noexcept = default;
ParameterValue::~ParameterValue() = default;

Parameters::Parameters() = default;
Parameters::Parameters(const Parameters& other) = default;
Parameters::Parameters(Parameters&& other) noexcept = default;
Parameters& Parameters::operator=(const Parameters& other) = default;
Parameters& Parameters::operator=(Parameters&& other) noexcept = default;
Parameters::~Parameters() = default;

Parameters::Parameters(std::span<const ParameterSpec> specs) {
  for (const ParameterSpec& spec : specs) {
    values_.emplace_back(spec.name, spec.default_value);
    if (spec.from_network.figure != NetworkFigure::none) of_network_.emplace_back(spec.name);
    if (spec.from_traffic) of_traffic_.emplace_back(spec.name);
  }
}

bool Parameters::set(std::string_view name, ParameterValue value) {
  if (!set_default(name, std::move(value))) return false;
  if (is_given(name)) return true;
  // The name of the spec: the caller's need not live as long.
  const auto own = std::find_if(values_.begin(), values_.end(), [name](const auto& of) { return of.first == name; });
  given_.push_back(own->first);
  return true;
}

bool Parameters::is_given(std::string_view name) const {
  return std::find(given_.begin(), given_.end(), name) != given_.end();
}

bool Parameters::set_default(std::string_view name, ParameterValue value) {
  for (auto& [key, current] : values_) {
    if (key != name) continue;
    if (current.index() != value.index()) return false;
    current = std::move(value);
    std::erase(of_network_, name);
    std::erase(of_traffic_, name);
    return true;
  }
  return false;
}

bool is_in_range(const ParameterSpec& spec, const ParameterValue& value) {
  return std::visit(InRange{spec}, value);
}

}  // namespace weir
