// SPDX-License-Identifier: Apache-2.0
// Numbers that policies keep for the run record: what they did, and the resources they used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

/// A number of a policy that enters the run record on request (measure.policies).
struct StatisticSpec {
  enum class Kind : std::uint8_t {
    counter,  ///< it only grows
    gauge,    ///< it increases and decreases
  };
  /// What each value belongs to: the node, one of its ports, or one queue group of a port. A NIC has one port.
  enum class Scope : std::uint8_t { node, port, queue_group };

  std::string_view name;  ///< with the scheme's: "bfc.pauses"
  std::string_view unit;  ///< "bytes", "frames"; empty for a plain number
  Kind kind = Kind::counter;
  Scope scope = Scope::node;
  std::size_t groups = 0;  ///< of Scope::queue_group: number per port
};

/// The value of a counter or gauge.
struct Statistic {
  double value = 0;    ///< current value
  double maximum = 0;  ///< maximum until now

  static Statistic of_counter(std::uint64_t count) { return {static_cast<double>(count), static_cast<double>(count)}; }
};

/// A gauge with its maximum: kept by a policy, and set at each change of the value.
class Gauge {
 public:
  /// Starts with `value`.
  explicit Gauge(double value = 0) : is_{value, value} {}
  void set(double value) {
    is_.value = value;
    if (value > is_.maximum) is_.maximum = value;
  }
  void add(double by) { set(is_.value + by); }
  [[nodiscard]] double value() const { return is_.value; }
  [[nodiscard]] double maximum() const { return is_.maximum; }
  [[nodiscard]] Statistic statistic() const { return is_; }

 private:
  Statistic is_;
};

}  // namespace weir
