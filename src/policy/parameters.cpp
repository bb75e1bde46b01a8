// SPDX-License-Identifier: Apache-2.0
#include "policy/parameters.h"

#include <algorithm>

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

bool is_in_range(const ParameterSpec& spec, const ParameterValue& value) {
  return std::visit(InRange{spec}, value);
}

}  // namespace weir
