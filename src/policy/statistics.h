// SPDX-License-Identifier: Apache-2.0
// Numbers that policies keep for the record of a run: what they did, and how much they used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

/// A number of a policy's own that a run's record has if it is asked for (measure.policies).
struct StatisticSpec {
  enum class Kind : std::uint8_t {
    counter,  ///< it only grows
    gauge,    ///< it rises and falls
  };
  /// What there is one of: the node, each of its ports, each queue group of each port. A NIC has one port.
  enum class Scope : std::uint8_t { node, port, queue_group };

  std::string_view name;  ///< with the scheme's: "bfc.pauses"
  std::string_view unit;  ///< "bytes", "frames"; empty for a plain number
  Kind kind = Kind::counter;
  Scope scope = Scope::node;
  std::size_t groups = 0;  ///< of Scope::queue_group: in a port
};

/// What a counter or gauge has come to.
struct Statistic {
  double value = 0;    ///< now
  double maximum = 0;  ///< at any time until now

  static Statistic of_counter(std::uint64_t count) { return {static_cast<double>(count), static_cast<double>(count)}; }
};

/// A gauge that knows the most that it ever was: to be kept by a policy, and set whenever what it shows changes.
class Gauge {
 public:
  /// It begins with `value`.
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
