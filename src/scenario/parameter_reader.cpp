// SPDX-License-Identifier: Apache-2.0
#include "scenario/parameter_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weir {
namespace {

/// The largest limit of a spec; it means no maximum.
constexpr double kNoMaximum = 1e18;

/// The range of a parameter. `scale` base units make one unit of its limits.
template <class T, class Make>
Range<T> range_of(const ParameterSpec& spec, double scale, Make make) {
  Range<T> range;
  range.least = make(spec.minimum * scale);
  if (spec.maximum < kNoMaximum) range.most = make(spec.maximum * scale);
  return range;
}

std::int64_t rounded(double x) {
  constexpr double kLargest = 9.2e18;
  return static_cast<std::int64_t>(std::llround(std::clamp(x, -kLargest, kLargest)));
}

Range<bool> range_for(const ParameterSpec& /*spec*/, bool) {
  return {};
}
Range<std::int64_t> range_for(const ParameterSpec& spec, std::int64_t) {
  return range_of<std::int64_t>(spec, 1, rounded);
}
Range<double> range_for(const ParameterSpec& spec, double) {
  return range_of<double>(spec, 1, [](double x) { return x; });
}
Range<Duration> range_for(const ParameterSpec& spec, Duration) {
  constexpr double kPicosecondsPerSecond = 1e12;
  return range_of<Duration>(spec, kPicosecondsPerSecond, [](double x) { return Duration::picoseconds(rounded(x)); });
}
Range<Bytes> range_for(const ParameterSpec& spec, Bytes) {
  return range_of<Bytes>(spec, 1, [](double x) { return Bytes(rounded(x)); });
}
Range<BitRate> range_for(const ParameterSpec& spec, BitRate) {
  return range_of<BitRate>(spec, 1, [](double x) { return BitRate(rounded(x)); });
}

template <class T>
struct Lists : std::false_type {};
template <class T>
struct Lists<std::vector<T>> : std::true_type {};

template <class T>
void read_value(Reader& table, const ParameterSpec& spec, T& value) {
  if constexpr (Lists<T>::value) {
    table.list(spec.name, value, spec.meaning, range_for(spec, typename T::value_type()),
               {spec.least_length, spec.most_length});
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (spec.choices.empty()) return table.optional<std::string>(spec.name, value, spec.meaning);
    std::vector<Named<std::string>> names;
    for (const std::string_view choice : spec.choices) names.push_back({choice, std::string(choice)});
    table.choice<std::string>(spec.name, value, names, spec.meaning);
  } else {
    table.optional<T>(spec.name, value, spec.meaning, range_for(spec, T()));
  }
}

}  // namespace

void read_parameter(Reader& table, const ParameterSpec& spec, Parameters& parameters) {
  const bool given = table.has(spec.name);
  std::visit(
      [&](auto value) {
        read_value(table, spec, value);
        if (given) parameters.set(spec.name, ParameterValue(std::move(value)));
      },
      spec.default_value);
}

std::string range_text(const ParameterSpec& spec) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (Lists<T>::value) {
          return range_for(spec, typename T::value_type()).text();
        } else if constexpr (std::is_same_v<T, std::string>) {
          return {};
        } else {
          return range_for(spec, T()).text();
        }
      },
      spec.default_value);
}

}  // namespace weir
