// SPDX-License-Identifier: Apache-2.0
// The parameters of a scheme: described by the scheme, read from the scenario, returned with their types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

/// The kinds of parameters. A choice is a string.
using ParameterKinds =
    std::variant<bool, std::int64_t, double, std::string, Duration, Bytes, BitRate, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<Duration>, std::vector<Bytes>, std::vector<BitRate>>;

/// A value with its kind; std::get and std::visit take it as a variant. Its special members are compiled once, because
/// those of the variant would take a third of the time to compile each source that includes this header.
class ParameterValue : public ParameterKinds {
 public:
  using ParameterKinds::ParameterKinds;
  ParameterValue();
  ParameterValue(const ParameterValue& other);
  ParameterValue(ParameterValue&& other) noexcept;
  ParameterValue& operator=(const ParameterValue& other);
  ParameterValue& operator=(ParameterValue&& other) noexcept;
  ~ParameterValue();
};

/// A figure of the whole network, with all links up and without load, that can be the default of a parameter.
enum class NetworkFigure : std::uint8_t {
  none,
  round_trip,               ///< Duration: the longest between two hosts, for a full packet and its acknowledgement
  bandwidth_delay_product,  ///< Bytes: the largest of two hosts: their round trip times the lowest rate on their path
  lowest_host_rate,         ///< BitRate: of the hosts' links
  highest_host_rate         ///< BitRate
};

/// `factor` times a figure of the network.
struct NetworkDefault {
  NetworkFigure figure = NetworkFigure::none;
  double factor = 1;
};

/// The roles of schemes. In a scenario each has its own table, with parameters.
enum class Role : std::uint8_t {
  forwarding,
  buffer,
  flow_control,  ///< in switches, and its part in NICs
  congestion_point,
  congestion_control,
  loss_recovery,
  transport
};

/// A set of roles.
class Roles {
 public:
  constexpr Roles() = default;
  constexpr Roles(std::initializer_list<Role> roles) {
    for (const Role role : roles) bits_ = static_cast<std::uint8_t>(bits_ | bit(role));
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool contains(Role role) const { return (bits_ & bit(role)) != 0; }

 private:
  static constexpr std::uint8_t bit(Role role) {
    return static_cast<std::uint8_t>(1u << static_cast<std::uint8_t>(role));
  }
  std::uint8_t bits_ = 0;
};

/// One parameter. The kind of `default_value` is the kind that the scenario must give, including the unit.
struct ParameterSpec {
  std::string_view name;
  ParameterValue default_value;  ///< with `from_network`: the default if there is no network, as in unit tests
  std::string_view meaning;
  std::string_view source;  ///< source of the default
  double minimum = 0;       ///< in the base unit: bytes, bit/s, seconds, or the number itself; of a list: each element
  double maximum = 1e18;
  std::vector<std::string_view> choices = {};  ///< for a string: the permitted values
  std::size_t least_length = 0;                ///< of a list
  std::size_t most_length = 1024;
  /// Computed for the network that is built, before any policy is made. Scheme::header_bytes may not depend on such a
  /// parameter, because round trips depend on header_bytes.
  NetworkDefault from_network = {};
  /// Scheme::from_traffic computes the default from the flows that a scenario offers. `default_value` is the default if
  /// their sizes are unknown, or without a scenario.
  bool from_traffic = false;
  /// The roles of the scheme that use the parameter; empty: all of them. In the tables of its other roles it is an
  /// error.
  Roles roles = {};

  [[nodiscard]] bool is_of(Role role) const { return roles.empty() || roles.contains(role); }
};

/// Whether a number, or each element of a list, is between the spec's minimum and maximum, and the list has a permitted
/// length. True for values that are not numbers.
bool is_in_range(const ParameterSpec& spec, const ParameterValue& value);

/// The values of one scheme in one scenario: the default of each spec unless the scenario sets another value.
class Parameters {
 public:
  Parameters();
  explicit Parameters(std::span<const ParameterSpec> specs);
  Parameters(const Parameters& other);
  Parameters(Parameters&& other) noexcept;
  Parameters& operator=(const Parameters& other);
  Parameters& operator=(Parameters&& other) noexcept;
  ~Parameters();
  /// Sets a parameter. Returns false if there is none of that name, or if the kind differs.
  bool set(std::string_view name, ParameterValue value);
  /// The same with the default that the network or the traffic gives: the parameter counts as not given.
  bool set_default(std::string_view name, ParameterValue value);
  /// Whether `set` was called for the parameter, even if with its default.
  [[nodiscard]] bool is_given(std::string_view name) const;
  /// The value of a parameter of the scheme, with the kind that the scheme declared. Throws std::out_of_range or
  /// std::bad_variant_access otherwise, which is an error in the scheme, not in the input.
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
  /// The same for parameters whose default follows from the offered traffic.
  [[nodiscard]] const std::vector<std::string_view>& of_traffic() const { return of_traffic_; }

 private:
  std::vector<std::pair<std::string_view, ParameterValue>> values_;
  std::vector<std::string_view> given_;
  std::vector<std::string_view> of_network_;
  std::vector<std::string_view> of_traffic_;
};

}  // namespace weir
