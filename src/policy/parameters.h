// The parameters of a scheme: described by the scheme, read by the scenario, handed back typed.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir {

/// A value with its kind. A choice is a string.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string, Duration, Bytes, BitRate>;

/// One parameter. The kind of `default_value` is the kind the scenario must give, unit included.
struct ParameterSpec {
  std::string_view name;
  ParameterValue default_value;
  std::string_view meaning;
  std::string_view source;  ///< where the default comes from
  double minimum = 0;       ///< in the base unit: bytes, bit/s, seconds, or the number itself
  double maximum = 1e18;
  std::vector<std::string_view> choices = {};  ///< for a string: what it may be
};

/// The values of one scheme in one scenario: each spec's default, or what the scenario says.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::span<const ParameterSpec> specs) {
    for (const ParameterSpec& spec : specs) values_.emplace_back(spec.name, spec.default_value);
  }
  /// Sets a parameter that exists. False when there is none of that name, or the kind differs.
  bool set(std::string_view name, ParameterValue value) {
    for (auto& [key, current] : values_) {
      if (key != name) continue;
      if (current.index() != value.index()) return false;
      current = std::move(value);
      return true;
    }
    return false;
  }
  /// The value of a parameter the scheme has described, with the kind it described. Throws std::out_of_range or
  /// std::bad_variant_access otherwise: a mistake in the scheme, not in the input.
  template <class Value>
  [[nodiscard]] const Value& get(std::string_view name) const {
    for (const auto& [key, value] : values_) {
      if (key == name) return std::get<Value>(value);
    }
    throw std::out_of_range(std::string(name));
  }
  [[nodiscard]] const std::vector<std::pair<std::string_view, ParameterValue>>& values() const { return values_; }

 private:
  std::vector<std::pair<std::string_view, ParameterValue>> values_;
};

}  // namespace weir
