// SPDX-License-Identifier: Apache-2.0
// The parameters of a scheme: described by the scheme, read by the scenario, handed back typed.
#pragma once

#include <cstddef>
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
using ParameterValue =
    std::variant<bool, std::int64_t, double, std::string, Duration, Bytes, BitRate, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<Duration>, std::vector<Bytes>, std::vector<BitRate>>;

/// A figure of the whole network, all links up and without load, that can be the default of a parameter.
enum class NetworkFigure : std::uint8_t {
  none,
  round_trip,  ///< Duration: the longest between two hosts, a full packet there and its acknowledgement back
  bandwidth_delay_product,  ///< Bytes: the largest of two hosts, of their round trip and the lowest rate on their path
  lowest_host_rate,         ///< BitRate: of the links of hosts
  highest_host_rate         ///< BitRate
};

/// `factor` times a figure of the network.
struct NetworkDefault {
  NetworkFigure figure = NetworkFigure::none;
  double factor = 1;
};

/// One parameter. The kind of `default_value` is the kind the scenario must give, unit included.
struct ParameterSpec {
  std::string_view name;
  ParameterValue default_value;  ///< with `from_network`: what holds where there is no network, as in unit tests
  std::string_view meaning;
  std::string_view source;  ///< where the default comes from
  double minimum = 0;       ///< in the base unit: bytes, bit/s, seconds, or the number itself; of a list: each element
  double maximum = 1e18;
  std::vector<std::string_view> choices = {};  ///< for a string: what it may be
  std::size_t least_length = 0;                ///< of a list
  std::size_t most_length = 1024;
  /// Worked out for the network that is built, before any policy is made. Scheme::header_bytes may not depend on such a
  /// parameter: round trips depend on it.
  NetworkDefault from_network = {};
};

/// Whether a number, or each element of a list, lies between the spec's minimum and maximum, and the list is of a
/// length that it allows. Of what is no number: yes.
bool is_in_range(const ParameterSpec& spec, const ParameterValue& value);

/// The values of one scheme in one scenario: each spec's default, or what the scenario says.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::span<const ParameterSpec> specs) {
    for (const ParameterSpec& spec : specs) {
      values_.emplace_back(spec.name, spec.default_value);
      if (spec.from_network.figure != NetworkFigure::none) of_network_.emplace_back(spec.name);
    }
  }
  /// Sets a parameter that exists. False when there is none of that name, or the kind differs.
  bool set(std::string_view name, ParameterValue value) {
    for (auto& [key, current] : values_) {
      if (key != name) continue;
      if (current.index() != value.index()) return false;
      current = std::move(value);
      std::erase(of_network_, name);
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
  /// The parameters that were not set and whose default is a figure of the network.
  [[nodiscard]] const std::vector<std::string_view>& of_network() const { return of_network_; }

 private:
  std::vector<std::pair<std::string_view, ParameterValue>> values_;
  std::vector<std::string_view> of_network_;
};

}  // namespace weir
