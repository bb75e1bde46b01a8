// SPDX-License-Identifier: Apache-2.0
// Reads scalar types from scenario values and writes them as TOML.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir {

/// The reason why a value is invalid.
struct Refusal {
  std::string message;     ///< empty: it is valid
  std::string suggestion;  ///< a valid text, or empty
};

/// If the value has another type, each `read` leaves `target` unchanged and returns the reason.
Refusal read_scalar(const Value& value, bool& target);
Refusal read_scalar(const Value& value, std::int64_t& target);
Refusal read_scalar(const Value& value, double& target);  ///< finite; an integer is accepted
Refusal read_scalar(const Value& value, std::string& target);
Refusal read_scalar(const Value& value, Duration& target);
Refusal read_scalar(const Value& value, Time& target);  ///< a duration since the start of the run
Refusal read_scalar(const Value& value, Bytes& target);
Refusal read_scalar(const Value& value, BitRate& target);

std::string written(bool value);
std::string written(std::int64_t value);
std::string written(double value);
std::string written(const std::string& value);
std::string written(Duration value);
std::string written(Time value);
std::string written(Bytes value);
std::string written(BitRate value);

template <class T>
std::string written(const std::vector<T>& values) {
  std::string out;
  for (const T& value : values) out += (out.empty() ? "" : ", ") + written(value);
  return "[" + out + "]";
}

/// Any value in TOML notation, on one line.
std::string written(const Value& value);

/// "a size with its unit, such as \"12 MB\"": the description of the expected type.
template <class T>
std::string_view expectation();
template <>
std::string_view expectation<bool>();
template <>
std::string_view expectation<std::int64_t>();
template <>
std::string_view expectation<double>();
template <>
std::string_view expectation<std::string>();
template <>
std::string_view expectation<Duration>();
template <>
std::string_view expectation<Time>();
template <>
std::string_view expectation<Bytes>();
template <>
std::string_view expectation<BitRate>();

/// The allowed values of a type.
template <class T>
struct Range {
  std::optional<T> least;
  std::optional<T> most;
  bool above = false;  ///< `least` itself is excluded

  [[nodiscard]] bool holds(const T& value) const {
    return (!least || (above ? *least < value : *least <= value)) && (!most || value <= *most);
  }
  /// "at least 1", "above 0.0 and at most 1.0"
  [[nodiscard]] std::string text() const {
    std::string out;
    if (least) out = (above ? "above " : "at least ") + bare(*least);
    if (most) out += (out.empty() ? "at most " : " and at most ") + bare(*most);
    return out;
  }

 private:
  static std::string bare(const T& value) {
    std::string text = written(value);
    return text.starts_with('"') ? text.substr(1, text.size() - 2) : text;
  }
};

/// The allowed number of elements of a list.
struct LengthRange {
  std::size_t least = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool holds(std::size_t length) const { return length >= least && length <= most; }
  /// "1 to 8", "at least 2", "at most 8", "4"; empty: any number.
  [[nodiscard]] std::string text() const;
};

template <class T>
Range<T> at_least(T least) {
  return {least, std::nullopt, false};
}
template <class T>
Range<T> above(T least) {
  return {least, std::nullopt, true};
}
template <class T>
Range<T> at_most(T most) {
  return {std::nullopt, most, false};
}
template <class T>
Range<T> between(T least, T most) {
  return {least, most, false};
}

}  // namespace weir
