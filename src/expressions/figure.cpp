// SPDX-License-Identifier: Apache-2.0
#include "expressions/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace weir {
namespace {

constexpr double kBit = 1.0 / 8e12;  // 1 bit/s in bytes per picosecond

constexpr std::array kUnits = {
    Unit{"%", kPlain, 0.01},
    Unit{"ps", kTime, 1},
    Unit{"ns", kTime, 1e3},
    Unit{"us", kTime, 1e6},
    Unit{"ms", kTime, 1e9},
    Unit{"s", kTime, 1e12},
    Unit{"B", kSize, 1},
    Unit{"KB", kSize, 1e3},
    Unit{"MB", kSize, 1e6},
    Unit{"GB", kSize, 1e9},
    Unit{"KiB", kSize, 1024},
    Unit{"MiB", kSize, 1048576},
    Unit{"GiB", kSize, 1073741824},
    Unit{"bit/s", kRate, kBit},
    Unit{"kbit/s", kRate, kBit * 1e3},
    Unit{"Mbit/s", kRate, kBit * 1e6},
    Unit{"Gbit/s", kRate, kBit * 1e9},
    Unit{"Tbit/s", kRate, kBit * 1e12},
};

/// Three significant digits, or more before the decimal point.
std::string digits(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 99.95 && value == std::floor(value) && size < 1e6) return fmt::format("{:.0f}", value);
  if (size < 0.001 || size >= 1e6) return fmt::format("{:.3g}", value);
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 5);
  return fmt::format("{:.{}f}", value, decimals);
}

/// In the largest of the given units in which the value is at least one; in the first if there is none.
std::string scaled(double value, std::initializer_list<std::string_view> names) {
  const Unit* best = find_unit(*names.begin());
  for (const std::string_view name : names) {
    const Unit* unit = find_unit(name);
    if (std::abs(value) >= unit->factor * 0.9995) best = unit;
  }
  return fmt::format("{} {}", digits(value / best->factor), best->name);
}

std::string number_text(double value, Dimension dimension) {
  if (!std::isfinite(value)) return "none";
  if (dimension == kPlain) return digits(value);
  if (dimension == kSize) return scaled(value, {"B", "KB", "MB", "GB"});
  if (dimension == kTime) return scaled(value, {"ps", "ns", "us", "ms", "s"});
  if (dimension == kRate) return scaled(value, {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"});
  return fmt::format("{} B^{} ps^{}", digits(value), dimension.bytes, dimension.picoseconds);
}

std::string list_text(const Figure::Numbers& values, Dimension dimension) {
  constexpr std::size_t kShown = 8;
  if (values.size() > kShown) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    return fmt::format("{} values from {} to {}, mean {}", values.size(), number_text(*least, dimension),
                       number_text(*most, dimension), number_text(mean, dimension));
  }
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + number_text(value, dimension);
  return "[" + out + "]";
}

}  // namespace

std::string name_of(Dimension dimension) {
  if (dimension == kPlain) return "a number";
  if (dimension == kSize) return "a size";
  if (dimension == kTime) return "a duration";
  if (dimension == kRate) return "a rate";
  return fmt::format("bytes^{} seconds^{}", dimension.bytes, dimension.picoseconds);
}

const Unit* find_unit(std::string_view name) {
  const auto* found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : found;
}

std::string kind_of(const Figure& figure) {
  if (figure.as_truth() != nullptr) return "a truth";
  if (figure.as_text() != nullptr) return "a string";
  if (figure.as_texts() != nullptr) return "a list of strings";
  const std::string name = name_of(figure.dimension);
  return figure.as_numbers() == nullptr ? name : fmt::format("a list, each {}", name);
}

std::string to_text(const Figure& figure) {
  if (const bool* truth = figure.as_truth()) return *truth ? "holds" : "does not hold";
  if (const double* number = figure.as_number()) return number_text(*number, figure.dimension);
  if (const std::string* text = figure.as_text()) return *text;
  if (const Figure::Numbers* numbers = figure.as_numbers()) return list_text(*numbers, figure.dimension);
  std::string out;
  for (const std::string& text : *figure.as_texts()) out += (out.empty() ? "" : ", ") + text;
  return "[" + out + "]";
}

std::string label_of(const Figure& figure) {
  const double* number = figure.as_number();
  return number != nullptr && figure.dimension == kPlain ? fmt::format("{}", *number) : to_text(figure);
}

}  // namespace weir
